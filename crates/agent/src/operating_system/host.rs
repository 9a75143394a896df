//! What the kernel says of the host itself, read from proc/sys, where no call into the C library is needed.

use super::HostRoot;

const PROC_SYS: &str = "/proc/sys";

fn read(file: &str) -> Option<String> {
    HostRoot::new(PROC_SYS.into()).line(file)
}

fn number(file: &str) -> Option<i32> {
    read(file)?.parse().ok()
}

/// The name of the host.
pub(crate) fn hostname() -> String {
    read("kernel/hostname").unwrap_or_default()
}

/// What `uname -a` says: system, name, release, version and machine.
pub(crate) fn description() -> String {
    let machine = read("kernel/arch").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let parts = ["ostype", "hostname", "osrelease", "version"]
        .map(|part| read(&format!("kernel/{part}")).unwrap_or_default());
    let [system, name, release, version] = parts;
    format!("{system} {name} {release} {version} {machine}")
}

/// Whether the host forwards packets of IPv4.
pub(crate) fn is_forwarding_ipv4() -> Option<bool> {
    number("net/ipv4/ip_forward").map(|value| value != 0)
}

/// The time to live of packets of IPv4 that the host sends.
pub(crate) fn default_ttl() -> Option<i32> {
    number("net/ipv4/ip_default_ttl")
}

/// Whether the host forwards packets of IPv6.
pub(crate) fn is_forwarding_ipv6() -> Option<bool> {
    number("net/ipv6/conf/all/forwarding").map(|value| value != 0)
}

/// The hop limit of packets of IPv6 that the host sends.
pub(crate) fn default_hop_limit() -> Option<i32> {
    number("net/ipv6/conf/default/hop_limit")
}
