//! Addresses as SNMP-TARGET-MIB has them: TDomain and TAddress (RFC 2579).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::{Oid, Value};
use varbind_engine::security::SourceFilter;

use super::address;
use crate::managed_objects::rows::Row;

/// How an address is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Address and port: 4 and 2 octets (RFC 3417, RFC 3419).
    Ipv4,
    /// 16 and 2 octets (RFC 3419).
    Ipv6,
    /// Address, zone and port: 16, 4 and 2 octets (RFC 3419).
    Ipv6WithZone,
    /// `[user@]host:port` (RFC 3419, RFC 5592, RFC 6353).
    Text,
}

struct Domain {
    name: &'static [u32],
    transport: Transport,
    form: Form,
}

const fn domain(name: &'static [u32], transport: Transport, form: Form) -> Domain {
    Domain {
        name,
        transport,
        form,
    }
}

/// Of several for one form, the first one is written.
const DOMAINS: &[Domain] = &[
    // snmpUDPDomain (RFC 3417)
    domain(&[1, 3, 6, 1, 6, 1, 1], Transport::Udp, Form::Ipv4),
    // transportDomainUdpIpv4 ... (RFC 3419)
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 1], Transport::Udp, Form::Ipv4),
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 2], Transport::Udp, Form::Ipv6),
    domain(
        &[1, 3, 6, 1, 2, 1, 100, 1, 4],
        Transport::Udp,
        Form::Ipv6WithZone,
    ),
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 5], Transport::Tcp, Form::Ipv4),
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 6], Transport::Tcp, Form::Ipv6),
    domain(
        &[1, 3, 6, 1, 2, 1, 100, 1, 8],
        Transport::Tcp,
        Form::Ipv6WithZone,
    ),
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 14], Transport::Udp, Form::Text),
    domain(&[1, 3, 6, 1, 2, 1, 100, 1, 15], Transport::Tcp, Form::Text),
    // snmpSSHDomain (RFC 5592)
    domain(&[1, 3, 6, 1, 6, 1, 7], Transport::Ssh, Form::Text),
    // snmpTLSTCPDomain, snmpDTLSUDPDomain (RFC 6353)
    domain(&[1, 3, 6, 1, 6, 1, 8], Transport::Tls, Form::Text),
    domain(&[1, 3, 6, 1, 6, 1, 9], Transport::Dtls, Form::Text),
];

/// Where a row of snmpTargetAddrTable points to; `None` if its domain is not one over which this agent sends, or its
/// address is none of the domain.
pub(crate) fn address_of(row: &Row) -> Option<TransportAddress> {
    read(domain_of(row)?, row.octets(address::T_ADDRESS)?)
}

/// The addresses that a row of snmpTargetAddrTable stands for: those that have the bits of its address which
/// snmpTargetAddrTMask does not free (RFC 3584 section 5.3). `None` of names, which no message comes from.
pub(crate) fn source_filter(row: &Row) -> Option<SourceFilter> {
    let form = domain_of(row)?.form;
    let (address, port) = bits(form, row.octets(address::T_ADDRESS)?)?;
    let (address_mask, port_mask) = match row.octets(address::T_MASK) {
        None | Some([]) => (u128::MAX, u16::MAX),
        Some(mask) => bits(form, mask)?,
    };
    let address = match form {
        Form::Ipv4 => Ipv4Addr::from_bits(u32::try_from(address).ok()?).into(),
        _ => IpAddr::from(Ipv6Addr::from_bits(address)),
    };
    let source = SocketAddr::new(address, port);
    Some(SourceFilter::masked(source, address_mask, port_mask))
}

/// Address and port as numbers; of an address or of its mask.
fn bits(form: Form, octets: &[u8]) -> Option<(u128, u16)> {
    let (rest, port) = octets.split_last_chunk::<2>()?;
    let address = match form {
        Form::Ipv4 => u32::from_be_bytes(rest.try_into().ok()?).into(),
        Form::Ipv6 => u128::from_be_bytes(rest.try_into().ok()?),
        Form::Ipv6WithZone => {
            let (address, _zone) = rest.split_last_chunk::<4>()?;
            u128::from_be_bytes(address.try_into().ok()?)
        }
        Form::Text => return None,
    };
    Some((address, u16::from_be_bytes(*port)))
}

fn domain_of(row: &Row) -> Option<&'static Domain> {
    let name = row.object_identifier(address::T_DOMAIN)?;
    let mut domains = DOMAINS.iter();
    domains.find(|domain| name.arcs().eq(domain.name.iter().copied()))
}

fn read(domain: &Domain, octets: &[u8]) -> Option<TransportAddress> {
    let port = |octets: [u8; 2]| u16::from_be_bytes(octets);
    let socket: SocketAddr = match domain.form {
        Form::Text => return read_text(domain.transport, octets),
        Form::Ipv4 => {
            let (address, rest) = octets.split_first_chunk::<4>()?;
            (Ipv4Addr::from(*address), port(rest.try_into().ok()?)).into()
        }
        Form::Ipv6 => {
            let (address, rest) = octets.split_first_chunk::<16>()?;
            (Ipv6Addr::from(*address), port(rest.try_into().ok()?)).into()
        }
        Form::Ipv6WithZone => {
            let (address, rest) = octets.split_first_chunk::<16>()?;
            let (zone, rest) = rest.split_first_chunk::<4>()?;
            SocketAddrV6::new(
                Ipv6Addr::from(*address),
                port(rest.try_into().ok()?),
                0,
                u32::from_be_bytes(*zone),
            )
            .into()
        }
    };
    (socket.port() != 0).then(|| TransportAddress::of_socket(domain.transport, socket))
}

/// RFC 6353, SnmpTLSAddress: an address or a name, a colon, and the port in decimal digits.
fn read_text(transport: Transport, octets: &[u8]) -> Option<TransportAddress> {
    let text = std::str::from_utf8(octets).ok()?;
    let address: TransportAddress = format!("{transport}:{text}").parse().ok()?;
    let has_port = address.port.is_some_and(|port| port != 0);
    (has_port && address.transport == transport).then_some(address)
}

/// TDomain and TAddress of an address. Names are not resolved.
pub(crate) fn of_address(address: &TransportAddress) -> Option<(Value, Vec<u8>)> {
    let port = address
        .port
        .unwrap_or(address.transport.notification_port());
    let (form, octets) = binary(address, port).unwrap_or_else(|| {
        let user = address.user.as_deref();
        let user = user.map_or_else(String::new, |user| format!("{user}@"));
        let host = &address.host;
        let host = match host.contains(':') {
            true => format!("[{host}]"),
            false => host.clone(),
        };
        (Form::Text, format!("{user}{host}:{port}").into_bytes())
    });
    let domain = DOMAINS
        .iter()
        .find(|domain| domain.transport == address.transport && domain.form == form)?;
    Some((Value::from(&Oid::new(domain.name).ok()?), octets))
}

/// The address in octets, where that is how the transport has it and it is not a name.
fn binary(address: &TransportAddress, port: u16) -> Option<(Form, Vec<u8>)> {
    if !matches!(address.transport, Transport::Udp | Transport::Tcp) {
        return None;
    }
    let port = port.to_be_bytes();
    if let Some((host, zone)) = address.host.split_once('%') {
        let host: Ipv6Addr = host.parse().ok()?;
        let zone: u32 = zone.parse().ok()?;
        let octets = [&host.octets()[..], &zone.to_be_bytes(), &port].concat();
        return Some((Form::Ipv6WithZone, octets));
    }
    Some(match address.host.parse().ok()? {
        IpAddr::V4(host) => (Form::Ipv4, [&host.octets()[..], &port].concat()),
        IpAddr::V6(host) => (Form::Ipv6, [&host.octets()[..], &port].concat()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain_of(address: &str) -> (String, Vec<u8>) {
        let (domain, octets) = of_address(&address.parse().unwrap()).unwrap();
        let Value::ObjectIdentifier(domain) = domain else {
            panic!("{domain:?}");
        };
        (domain.as_oid_ref().to_string(), octets)
    }

    fn read_as(name: &str, octets: &[u8]) -> Option<String> {
        let name: Oid = name.parse().unwrap();
        let domain = DOMAINS.iter().find(|domain| domain.name == name.arcs());
        read(domain.unwrap(), octets).map(|address| address.to_string())
    }

    #[test]
    fn addresses_are_written_in_their_domain_and_read_again() {
        let zone = [&[0xfe, 0x80][..], &[0; 13], &[1], &[0, 0, 0, 2], &[0, 162]];
        for (address, name, octets) in [
            (
                "udp:192.0.2.1:1162",
                "1.3.6.1.6.1.1",
                vec![192, 0, 2, 1, 4, 138],
            ),
            (
                "tcp:192.0.2.1:162",
                "1.3.6.1.2.1.100.1.5",
                vec![192, 0, 2, 1, 0, 162],
            ),
            (
                "udp:[::1]:162",
                "1.3.6.1.2.1.100.1.2",
                [&[0; 15][..], &[1, 0, 162]].concat(),
            ),
            ("udp:[fe80::1%2]:162", "1.3.6.1.2.1.100.1.4", zone.concat()),
            (
                "tcp:noc.example:1162",
                "1.3.6.1.2.1.100.1.15",
                b"noc.example:1162".to_vec(),
            ),
            (
                "tls:192.0.2.1:10162",
                "1.3.6.1.6.1.8",
                b"192.0.2.1:10162".to_vec(),
            ),
            (
                "dtls:[2001:db8::1]:10162",
                "1.3.6.1.6.1.9",
                b"[2001:db8::1]:10162".to_vec(),
            ),
            (
                "ssh:ops@noc.example:5162",
                "1.3.6.1.6.1.7",
                b"ops@noc.example:5162".to_vec(),
            ),
        ] {
            assert_eq!(domain_of(address), (name.to_owned(), octets.clone()));
            assert_eq!(read_as(name, &octets).as_deref(), Some(address));
        }
    }

    #[test]
    fn a_port_that_is_not_written_is_the_one_of_the_transport() {
        assert_eq!(domain_of("udp:192.0.2.1").1, [192, 0, 2, 1, 0, 162]);
        assert_eq!(domain_of("tls:noc").1, b"noc:10162");
    }

    #[test]
    fn octets_that_are_no_address_of_the_domain_are_refused() {
        for (name, octets) in [
            ("1.3.6.1.6.1.1", &[192, 0, 2, 1, 0][..]),
            ("1.3.6.1.6.1.1", &[192, 0, 2, 1, 0, 0]),
            ("1.3.6.1.6.1.1", &[192, 0, 2, 1, 0, 162, 0]),
            ("1.3.6.1.2.1.100.1.2", &[0; 16]),
            ("1.3.6.1.6.1.8", b"noc.example"),
            ("1.3.6.1.6.1.8", b"noc.example:0"),
            ("1.3.6.1.6.1.8", b"user@noc.example:10162"),
            ("1.3.6.1.6.1.8", b"\xff:1"),
        ] {
            assert_eq!(read_as(name, octets), None, "{name} {octets:?}");
        }
    }
}
