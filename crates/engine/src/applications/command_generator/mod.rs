//! Command generator (RFC 3413 section 3.1): requests, their retries, and walks.
