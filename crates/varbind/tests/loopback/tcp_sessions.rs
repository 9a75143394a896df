//! TCP sessions that begin and end: limits, places that are given back, ports that are reused.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use socket2::{Domain, SockRef, Socket, Type};
use varbind::agent::AgentLimits;
use varbind::codec::smi::{Value, VarBind};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{
    LARGE_TEXT_0, NAME_0, PATIENCE, SYS_DESCR_0, TcpPeer, TestAgent, target,
};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::peers::listen_again;

use crate::tcp::describes_itself;

pub(crate) fn connect_from(source: [u8; 4], address: SocketAddr) -> TcpPeer {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((source, 0)).into()).unwrap();
    socket.connect(&address.into()).unwrap();
    TcpPeer::of(socket.into())
}

/// Whether the agent's end of a manager's connection sends again at equal intervals, as the system says.
fn has_linear_timeouts(agent: SocketAddr, manager: SocketAddr) -> Option<bool> {
    let own = rustix::process::pidfd_open(
        rustix::process::getpid(),
        rustix::process::PidfdFlags::empty(),
    )
    .unwrap();
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    let numbers = files.filter_map(|file| file.unwrap().file_name().to_str()?.parse().ok());
    let numbers: Vec<i32> = numbers.collect();
    let none = rustix::process::PidfdGetfdFlags::empty();
    let sockets = numbers
        .into_iter()
        .filter_map(|number| rustix::process::pidfd_getfd(&own, number, none).ok());
    let mut sockets = sockets.map(Socket::from);
    let socket = sockets.find(|socket| {
        let local = socket.local_addr().ok().and_then(|it| it.as_socket());
        let remote = socket.peer_addr().ok().and_then(|it| it.as_socket());
        (local, remote) == (Some(agent), Some(manager))
    })?;
    Some(socket.tcp_thin_linear_timeouts().unwrap())
}

#[test]
fn an_agent_sends_again_at_equal_intervals_if_it_is_reported_to() {
    for tcp_linear_timeouts in [false, true] {
        let limits = AgentLimits {
            tcp_linear_timeouts,
            ..AgentLimits::default()
        };
        let agent = TestAgent::with(5, limits);
        let address = agent.tcp();
        let mut peer = TcpPeer::connect(address);
        let manager = peer.stream.local_addr().unwrap();
        peer.send(&Message::get(1, SYS_DESCR_0).encode());
        assert!(peer.receive_octets().is_some());
        let found = has_linear_timeouts(address, manager);
        assert_eq!(found, Some(tcp_linear_timeouts));
    }
}

/// Connects until it is answered.
#[track_caller]
fn connect_when_there_is_room(address: SocketAddr) -> TcpPeer {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let mut peer = TcpPeer::connect(address);
        let request = Message::get(1, SYS_DESCR_0).encode();
        if peer.stream.write_all(&request).is_ok() && peer.receive_octets().is_some() {
            return peer;
        }
    }
    panic!("no room");
}

#[test]
fn sessions_above_the_limit_are_refused_until_others_end() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions: 3,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut peers = [(); 3].map(|()| TcpPeer::connect(address));
    peers.iter_mut().for_each(describes_itself);
    TcpPeer::connect(address).assert_closed();
    peers.iter_mut().for_each(describes_itself);
    let [ended, mut others @ ..] = peers;
    drop(ended);
    describes_itself(&mut connect_when_there_is_room(address));
    others.iter_mut().for_each(describes_itself);
}

#[test]
fn sessions_of_one_source_leave_room_for_others() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions: 4,
        tcp_sessions_per_source: 2,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut greedy = [(); 2].map(|()| connect_from([127, 0, 0, 5], address));
    greedy.iter_mut().for_each(describes_itself);
    connect_from([127, 0, 0, 5], address).assert_closed();
    describes_itself(&mut connect_from([127, 0, 0, 6], address));
    greedy.iter_mut().for_each(describes_itself);
}

#[test]
fn a_thousand_sessions_leave_nothing_behind() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions: 5,
        tcp_sessions_per_source: 5,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    for _ in 0..1000 {
        let mut peer = TcpPeer::connect(address);
        describes_itself(&mut peer);
        peer.stream.shutdown(Shutdown::Write).unwrap();
        peer.assert_closed();
    }
}

#[test]
fn reset_connections_do_not_affect_others() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions: 20,
        tcp_sessions_per_source: 20,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut other = TcpPeer::connect(address);
    let request = Message::get(1, LARGE_TEXT_0).encode();
    for round in 0..100 {
        let mut peer = TcpPeer::connect(address);
        let _ = match round % 3 {
            0 => peer.stream.write_all(&request.repeat(100)),
            1 => peer.stream.write_all(&request[..10]),
            _ => Ok(()),
        };
        SockRef::from(&peer.stream)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
        drop(peer);
        describes_itself(&mut other);
    }
    // None of them holds a place.
    let mut peers = [(); 15].map(|()| connect_when_there_is_room(address));
    peers.iter_mut().for_each(describes_itself);
}

#[test]
fn an_agent_that_restarts_gets_its_port_back() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    let mut peer = TcpPeer::connect(address);
    describes_itself(&mut peer);
    // The agent closes first, so its end of the connection lingers.
    agent.agent.shutdown();
    peer.assert_closed();
    drop(peer);
    let agent = TestAgent::new();
    listen_again(|| agent.agent.listen(Transport::Tcp, address)).unwrap();
    describes_itself(&mut TcpPeer::connect(address));
}

#[test]
fn a_session_that_the_agent_ended_is_reopened() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = target(Transport::Tcp, listener.local_addr().unwrap());
    let (ended, has_ended) = channel();
    let agent = thread::spawn(move || {
        for _ in 0..4 {
            let (stream, _) = listener.accept().unwrap();
            let mut peer = TcpPeer::of(stream);
            let request = peer.receive();
            peer.send(&request.response(request.bindings.clone()).encode());
            drop(peer);
            ended.send(()).unwrap();
        }
    });
    let mut manager = Manager::open(&target, ManagerOptions::v2c("public")).unwrap();
    for _ in 0..2 {
        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
        has_ended.recv().unwrap();
        // A Set too: it was not sent before the session was reopened.
        let value = Value::OctetString("x".into());
        manager.set(&[VarBind::new(oid(NAME_0), value)]).unwrap();
        has_ended.recv().unwrap();
    }
    agent.join().unwrap();
}
