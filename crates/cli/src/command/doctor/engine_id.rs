//! The content of an engine ID (RFC 3411, SnmpEngineID).

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use varbind::engine::engine_id::EngineId;

/// Enterprise numbers of agents that are met often (IANA, Private Enterprise Numbers).
const ENTERPRISES: [(u32, &str); 14] = [
    (0, "no enterprise"),
    (2, "IBM"),
    (9, "Cisco"),
    (11, "Hewlett-Packard"),
    (171, "D-Link"),
    (207, "Allied Telesis"),
    (311, "Microsoft"),
    (318, "APC"),
    (674, "Dell"),
    (1588, "Brocade"),
    (2011, "Huawei"),
    (2636, "Juniper"),
    (8072, "Net-SNMP"),
    (30065, "Arista"),
];

/// Net-SNMP's own format: random octets and the time of the first start.
const NET_SNMP: u32 = 8072;

/// Describes the content of an engine ID.
pub(super) struct Meaning<'a>(pub(super) &'a EngineId);

impl fmt::Display for Meaning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets = self.0.as_octets();
        let Some((&[a, b, c, d], rest)) = octets.split_first_chunk() else {
            return Ok(());
        };
        let enterprise = u32::from_be_bytes([a & 0x7f, b, c, d]);
        match ENTERPRISES.iter().find(|(number, _)| *number == enterprise) {
            Some((_, name)) => f.write_str(name)?,
            None => write!(f, "enterprise {enterprise}")?,
        }
        if a & 0x80 == 0 {
            return f.write_str(", in the form of that enterprise from before SNMPv3");
        }
        let Some((format, data)) = rest.split_first() else {
            return Ok(());
        };
        describe(f, enterprise, *format, data)
    }
}

fn describe(f: &mut fmt::Formatter<'_>, enterprise: u32, format: u8, data: &[u8]) -> fmt::Result {
    match (format, data) {
        (1, &[a, b, c, d]) => write!(f, ", IPv4 address {}", Ipv4Addr::new(a, b, c, d)),
        (2, data) if data.len() == 16 => {
            let octets: [u8; 16] = data.try_into().unwrap_or_default();
            write!(f, ", IPv6 address {}", Ipv6Addr::from(octets))
        }
        (3, data) if data.len() == 6 => {
            let digits: Vec<_> = data.iter().map(|octet| format!("{octet:02x}")).collect();
            write!(f, ", MAC address {}", digits.join(":"))
        }
        (4, data) => write!(f, ", text \"{}\"", data.escape_ascii()),
        (5, data) => write!(f, ", {} octets that were chosen freely", data.len()),
        (0x80, data) if enterprise == NET_SNMP && data.len() == 8 => {
            f.write_str(", made of random octets at the first start")
        }
        (format, _) => write!(f, ", in format {format}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_is_reported() {
        for (id, meaning) in [
            ("0x800000090112345678", "Cisco, IPv4 address 18.52.86.120"),
            (
                "0x800007db03001122aabbcc",
                "Huawei, MAC address 00:11:22:aa:bb:cc",
            ),
            ("0x80001f8804686f7374", "Net-SNMP, text \"host\""),
            (
                "0x80001f88800102030405060708",
                "Net-SNMP, made of random octets at the first start",
            ),
            (
                "0x80000000050102",
                "no enterprise, 2 octets that were chosen freely",
            ),
            (
                "0x80000a4c0220010db8000000000000000000000001",
                "Juniper, IPv6 address 2001:db8::1",
            ),
            ("0x8000303986aa", "enterprise 12345, in format 134"),
            (
                "0x000000000000000000000002",
                "no enterprise, in the form of that enterprise from before SNMPv3",
            ),
        ] {
            let id: EngineId = id.parse().unwrap();
            assert_eq!(Meaning(&id).to_string(), meaning);
        }
    }
}
