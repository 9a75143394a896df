//! Certificates as OpenSSL sees them, and the files they are in.
#![cfg(test)]

mod files;
mod foreign;
mod openssl;
mod revocation;
mod summary;
mod verify;
