//! A small certification authority for SNMP over TLS and DTLS (RFC 6353).
