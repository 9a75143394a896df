//! Connections of TCP and endpoints of UDP: the tables of RFC 4022 and RFC 4113, of older agents those of RFC 2012 and RFC 2013.

use std::net::IpAddr;

use varbind_mib::Mib;
use varbind_terminal::Failure;

use crate::session::Session;

/// A table whose index has endpoints.
struct Table {
    protocol: &'static str,
    name: &'static str,
    column: &'static str,
    /// Where the local address is in the index; its port is next.
    local: usize,
    /// Where the remote one is, if the table has any.
    remote: Option<usize>,
    /// What its rows do; `None` if the column says so.
    state: Option<&'static str>,
}

/// TCPv4 alone, listeners among the connections.
const OLDER_TCP: Table = Table {
    protocol: "tcp",
    name: "tcpConnTable",
    column: "tcpConnState",
    local: 0,
    remote: Some(2),
    state: None,
};
const CONNECTIONS: Table = Table {
    name: "tcpConnectionTable",
    column: "tcpConnectionState",
    local: 1,
    remote: Some(4),
    ..OLDER_TCP
};
const LISTENERS: Table = Table {
    name: "tcpListenerTable",
    column: "tcpListenerProcess",
    local: 1,
    remote: None,
    state: Some(LISTEN),
    ..OLDER_TCP
};
const UDP: Table = Table {
    protocol: "udp",
    name: "udpEndpointTable",
    column: "udpEndpointProcess",
    local: 1,
    remote: Some(4),
    state: Some(""),
};
const OLDER_UDP: Table = Table {
    name: "udpTable",
    column: "udpLocalPort",
    local: 0,
    remote: None,
    ..UDP
};

/// As tcpConnState calls it.
const LISTEN: &str = "listen";

/// A line of the view.
struct Connection {
    protocol: String,
    local: String,
    remote: String,
    state: String,
}

/// Connections; with `all` also what waits for some, and endpoints of UDP.
pub(super) fn append(
    session: &mut Session,
    mib: &Mib,
    all: bool,
    out: &mut String,
) -> Result<usize, Failure> {
    let mut shown = rows(session, mib, &CONNECTIONS)?;
    shown.extend(rows(session, mib, &LISTENERS)?);
    if shown.is_empty() {
        shown = rows(session, mib, &OLDER_TCP)?;
    }
    if all {
        let mut endpoints = rows(session, mib, &UDP)?;
        if endpoints.is_empty() {
            endpoints = rows(session, mib, &OLDER_UDP)?;
        }
        shown.extend(endpoints);
    } else {
        shown.retain(|connection| connection.state != LISTEN);
    }
    let heading = Connection {
        protocol: "Proto".to_owned(),
        local: "Local address".to_owned(),
        remote: "Remote address".to_owned(),
        state: "State".to_owned(),
    };
    heading.append(out);
    for connection in &shown {
        connection.append(out);
    }
    Ok(shown.len())
}

fn rows(session: &mut Session, mib: &Mib, table: &Table) -> Result<Vec<Connection>, Failure> {
    let columns = session.columns(mib, &[table.column])?;
    let known = mib.table(table.name);
    let index = known
        .map_err(|error| Failure::Usage(error.to_string()))?
        .index();
    let rows = columns.rows().filter_map(|(instance, row)| {
        let parts = index.show(instance)?;
        let local = endpoint(&parts, table.local)?;
        let remote = match table.remote {
            Some(at) => endpoint(&parts, at)?,
            None => "*:*".to_owned(),
        };
        let version = if local.starts_with('[') { "6" } else { "" };
        let state = table.state.map(str::to_owned);
        Some(Connection {
            protocol: format!("{}{version}", table.protocol),
            local,
            remote,
            state: state.unwrap_or_else(|| row.text(mib, 0)),
        })
    });
    Ok(rows.collect())
}

/// An address of an index and the port behind it.
fn endpoint(parts: &[String], at: usize) -> Option<String> {
    let (address, port) = (parts.get(at)?, parts.get(at + 1)?);
    let port = if port == "0" { "*" } else { port };
    Some(match address.as_str() {
        "" => format!("*:{port}"),
        six if six.contains(':') => format!("[{six}]:{port}"),
        four => format!("{four}:{port}"),
    })
}

/// Whether an address of an index is none in particular.
pub(super) fn is_any(address: &str) -> bool {
    let number = address.split('%').next().unwrap_or_default();
    address.is_empty() || number.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified())
}

impl Connection {
    fn append(&self, out: &mut String) {
        let (protocol, local, remote) = (&self.protocol, &self.local, &self.remote);
        let line = format!("{protocol:<5} {local:<28} {remote:<28} {}", self.state);
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_from_indexes() {
        let mib = Mib::builtin();
        let index = mib.table("tcpListenerTable").unwrap().index();
        let mut loopback = vec![2, 16];
        loopback.extend([0; 15]);
        loopback.extend([1, 22]);
        let mut link_local = vec![4, 20, 254, 128];
        link_local.extend([0; 13]);
        link_local.extend([1, 0, 0, 0, 3, 0]);
        for (instance, shown) in [
            (&[1, 4, 127, 0, 0, 1, 161][..], Some("127.0.0.1:161")),
            (&loopback, Some("[::1]:22")),
            (&link_local, Some("[fe80::1%3]:*")),
            (&[0, 0, 53], Some("*:53")),
            (&[1, 4, 127, 0, 0], None),
            (&[1, u32::MAX, 1], None),
            (&[], None),
        ] {
            let parts = index.show(instance);
            let found = parts.and_then(|parts| endpoint(&parts, LISTENERS.local));
            assert_eq!(found.as_deref(), shown);
        }
        for (address, any) in [
            ("", true),
            ("0.0.0.0", true),
            ("::%3", true),
            ("::1", false),
        ] {
            assert_eq!(is_any(address), any, "{address}");
        }
    }
}
