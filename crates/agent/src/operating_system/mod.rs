//! What the operating system tells: network interfaces, their counters, addresses, and the host itself.

mod netlink;
