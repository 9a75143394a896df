//! Certificates as OpenSSL sees them, and the files they are in.
#![cfg(test)]

mod files;
mod foreign;
mod openssl;
mod renewal;
mod revocation;
mod summary;
mod verify;
