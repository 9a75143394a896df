//! The tables of sockets of TCP-MIB and UDP-MIB, the older ones too.

use std::net::{IpAddr, SocketAddr};

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, gauge};
use crate::operating_system::{Socket, tcp_sockets, udp_sockets};

pub(super) const TCP_TABLES: &[&[u32]] =
    &[TCP_CONN_TABLE, TCP_CONNECTION_TABLE, TCP_LISTENER_TABLE];
pub(super) const UDP_TABLES: &[&[u32]] = &[UDP_TABLE, UDP_ENDPOINT_TABLE];

const TCP_CONN_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 13];
const TCP_CONN_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 13, 1];
const TCP_CONNECTION_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 19];
const TCP_CONNECTION_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 19, 1];
const TCP_LISTENER_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 20];
const TCP_LISTENER_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 6, 20, 1];
const UDP_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 7, 5];
const UDP_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 7, 5, 1];
const UDP_ENDPOINT_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 7, 7];
const UDP_ENDPOINT_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 7, 7, 1];
/// The state of a socket that listens, as the kernel numbers it.
const LISTEN: u8 = 10;

pub(super) fn read_tcp(host: &Host, instances: &mut Instances) {
    for socket in tcp_sockets(&host.root) {
        tcp(instances, &socket);
    }
}

pub(super) fn read_udp(host: &Host, instances: &mut Instances) {
    // Sockets with one address and port are told apart by udpEndpointInstance.
    let mut endpoints = udp_sockets(&host.root);
    endpoints.sort_unstable();
    let mut number = 0;
    for (at, socket) in endpoints.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| endpoints.get(at));
        let is_same = before
            .is_some_and(|before| (before.local, before.remote) == (socket.local, socket.remote));
        number = if is_same { number + 1 } else { 1 };
        udp(instances, socket, number);
    }
}

fn tcp(instances: &mut Instances, socket: &Socket) {
    let Some(state) = state(socket.state) else {
        return;
    };
    if let (IpAddr::V4(local), IpAddr::V4(remote)) = (socket.local.ip(), socket.remote.ip()) {
        let (near, far) = (local.octets(), remote.octets());
        let (near_port, far_port) = (socket.local.port(), socket.remote.port());
        let index = [
            &near.map(u32::from)[..],
            &[near_port.into()],
            &far.map(u32::from),
            &[far_port.into()],
        ];
        let columns = [
            // tcpConnState, LocalAddress, LocalPort, RemAddress, RemPort
            (1, Value::Integer(state)),
            (2, Value::IpAddress(near)),
            (3, Value::Integer(near_port.into())),
            (4, Value::IpAddress(far)),
            (5, Value::Integer(far_port.into())),
        ];
        instances.row(TCP_CONN_ENTRY, &index.concat(), columns);
    }
    if socket.state == LISTEN {
        // tcpListenerProcess: not known
        let index = endpoint(socket.local);
        instances.row(TCP_LISTENER_ENTRY, &index, [(4, gauge(0))]);
    } else {
        // tcpConnectionState, tcpConnectionProcess
        let index = [endpoint(socket.local), endpoint(socket.remote)].concat();
        let columns = [(7, Value::Integer(state)), (8, gauge(0))];
        instances.row(TCP_CONNECTION_ENTRY, &index, columns);
    }
}

fn udp(instances: &mut Instances, socket: &Socket, number: u32) {
    if let IpAddr::V4(local) = socket.local.ip() {
        let port = socket.local.port();
        let index = [&local.octets().map(u32::from)[..], &[port.into()]].concat();
        let columns = [
            // udpLocalAddress, udpLocalPort
            (1, Value::IpAddress(local.octets())),
            (2, Value::Integer(port.into())),
        ];
        instances.row(UDP_ENTRY, &index, columns);
    }
    let index = [
        endpoint(socket.local),
        endpoint(socket.remote),
        vec![number],
    ];
    // udpEndpointProcess: not known
    instances.row(UDP_ENDPOINT_ENTRY, &index.concat(), [(8, gauge(0))]);
}

/// InetAddressType, InetAddress with its length, and port.
fn endpoint(address: SocketAddr) -> Vec<u32> {
    let (kind, octets) = match address.ip() {
        IpAddr::V4(v4) => (1, v4.octets().to_vec()),
        IpAddr::V6(v6) => (2, v6.octets().to_vec()),
    };
    let length = u32::try_from(octets.len()).unwrap_or_default();
    let octets = octets.into_iter().map(u32::from);
    [kind, length]
        .into_iter()
        .chain(octets)
        .chain([address.port().into()])
        .collect()
}

/// tcpConnState and tcpConnectionState of a state of the kernel.
const fn state(of_kernel: u8) -> Option<i32> {
    Some(match of_kernel {
        // established, synSent, synReceived, finWait1, finWait2, timeWait, closed
        1 => 5,
        2 => 3,
        3 | 12 => 4,
        4 => 6,
        5 => 7,
        6 => 11,
        7 => 1,
        // closeWait, lastAck, listen, closing
        8 => 8,
        9 => 9,
        LISTEN => 2,
        11 => 10,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_indexes_of_inet_addresses() {
        let address = "127.0.0.1:161".parse().unwrap();
        assert_eq!(endpoint(address), [1, 4, 127, 0, 0, 1, 161]);
        let address = "[::1]:80".parse().unwrap();
        assert_eq!(endpoint(address).len(), 19);
    }

    #[test]
    fn each_state_of_the_kernel_has_one_of_its_own() {
        let mut states: Vec<_> = (1..=11).filter_map(state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), 11);
        assert_eq!(state(0), None);
    }
}
