//! SNMP over DTLS against what others wrote: OpenSSL's tools and Net-SNMP, in both roles, and our own both ways.
#![cfg(test)]

mod client;
mod fixture;
mod fragments;
mod net_snmp;
mod notifications;
mod openssl;
mod own;
mod revocation;
