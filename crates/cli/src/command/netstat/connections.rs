//! Connections of TCP and endpoints of UDP: the tables of RFC 4022 and RFC 4113, of older agents those of RFC 2012 and RFC 2013.

use std::fmt::Write;

use varbind_mib::Mib;
use varbind_terminal::Failure;

use super::endpoint::{Address, Endpoint, IndexReader};
use crate::session::{Columns, Session};

/// Of tcpConnTable and tcpConnectionTable.
const LISTEN: &str = "listen";

/// A line of the view.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Connection {
    protocol: &'static str,
    local: Endpoint,
    remote: Endpoint,
    state: String,
}

const ANY: Endpoint = Endpoint {
    address: Address::ANY,
    port: 0,
};

/// Connections alone.
pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let mut connections = tcp(session, mib)?;
    connections.retain(|connection| connection.state != LISTEN);
    Ok(append_lines(connections, out))
}

/// Connections, what waits for some, and endpoints of UDP.
pub(super) fn append_all(
    session: &mut Session,
    mib: &Mib,
    out: &mut String,
) -> Result<usize, Failure> {
    let mut connections = tcp(session, mib)?;
    let listeners = session.columns(mib, &["tcpListenerProcess"])?;
    connections.extend(listeners.rows().filter_map(|(index, _)| {
        let local = IndexReader::new(index).inet_endpoint()?;
        Some(Connection::new("tcp", local, ANY, LISTEN.to_owned()))
    }));
    let mut shown = append_lines(connections, out);
    let endpoints = session.columns(mib, &["udpEndpointProcess"])?;
    let mut udp: Vec<Connection> = endpoints.rows().filter_map(of_udp).collect();
    if udp.is_empty() {
        let older = session.columns(mib, &["udpLocalPort"])?;
        udp.extend(older.rows().filter_map(|(index, _)| {
            let local = IndexReader::new(index).ip_endpoint()?;
            Some(Connection::new("udp", local, ANY, String::new()))
        }));
    }
    udp.sort_unstable();
    for connection in &udp {
        connection.append(out);
    }
    shown += udp.len();
    Ok(shown)
}

fn append_lines(mut connections: Vec<Connection>, out: &mut String) -> usize {
    connections.sort_unstable();
    connections.dedup();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{:<5} {:<28} {:<28} State",
        "Proto", "Local address", "Remote address"
    );
    for connection in &connections {
        connection.append(out);
    }
    connections.len()
}

fn tcp(session: &mut Session, mib: &Mib) -> Result<Vec<Connection>, Failure> {
    let columns = session.columns(mib, &["tcpConnectionState"])?;
    let connections: Vec<Connection> = of_tcp(mib, &columns, |reader| {
        Some((reader.inet_endpoint()?, reader.inet_endpoint()?))
    });
    if !connections.is_empty() {
        return Ok(connections);
    }
    let columns = session.columns(mib, &["tcpConnState"])?;
    Ok(of_tcp(mib, &columns, |reader| {
        Some((reader.ip_endpoint()?, reader.ip_endpoint()?))
    }))
}

fn of_tcp(
    mib: &Mib,
    columns: &Columns,
    ends: impl Fn(&mut IndexReader<'_>) -> Option<(Endpoint, Endpoint)>,
) -> Vec<Connection> {
    let rows = columns.rows().filter_map(|(index, row)| {
        let (local, remote) = ends(&mut IndexReader::new(index))?;
        Some(Connection::new("tcp", local, remote, row.text(mib, 0)))
    });
    rows.collect()
}

/// A row of udpEndpointTable.
fn of_udp((index, _): (&[u32], crate::session::Row<'_>)) -> Option<Connection> {
    let mut reader = IndexReader::new(index);
    let (local, remote) = (reader.inet_endpoint()?, reader.inet_endpoint()?);
    Some(Connection::new("udp", local, remote, String::new()))
}

impl Connection {
    const fn new(protocol: &'static str, local: Endpoint, remote: Endpoint, state: String) -> Self {
        Self {
            protocol,
            local,
            remote,
            state,
        }
    }

    fn append(&self, out: &mut String) {
        let protocol = match self.local.address.is_ipv6() {
            true => format!("{}6", self.protocol),
            false => self.protocol.to_owned(),
        };
        let (local, remote) = (self.local.to_string(), self.remote.to_string());
        let line = format!("{protocol:<5} {local:<28} {remote:<28} {}", self.state);
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
