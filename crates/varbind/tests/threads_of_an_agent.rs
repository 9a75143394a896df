//! An agent leaves no thread behind. Alone in its process, since it counts the threads of the process.
#![cfg(test)]
#![allow(dead_code, reason = "it needs a part of the fixture")]

#[path = "loopback/fixture/mod.rs"]
mod fixture;

use std::sync::Arc;
use std::time::Instant;

use fixture::message::Message;
use fixture::peer::{TcpPeer, UdpPeer};
use fixture::{PATIENCE, SYS_DESCR_0, TestAgent, target};
use varbind::manager::{Manager, ManagerOptions, SecureTransportOptions};
use varbind::transport::Transport;
use varbind::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Mapping,
    PeerIdentity, PrivateKeyDer, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};

/// The threads of this process that belong to an agent.
fn threads() -> Vec<String> {
    let mut names = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        // A thread may end while it is looked at.
        if let Ok(name) = std::fs::read_to_string(task.unwrap().path().join("comm")) {
            names.push(name.trim().to_owned());
        }
    }
    names.retain(|name| name.starts_with("varbind-"));
    names.sort();
    names
}

/// A thread names itself after it was started, and is listed a little longer than it runs.
#[track_caller]
fn await_threads(expected: &[&str]) {
    let start = Instant::now();
    while threads() != expected {
        assert!(start.elapsed() < PATIENCE, "{:?}", threads());
        std::thread::yield_now();
    }
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// A certificate that nobody has signed.
fn identity(name: &str) -> CertificateIdentity {
    let key = rcgen::KeyPair::generate().unwrap();
    let parameters = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
}

/// An agent's side of DTLS, and a manager's.
fn dtls() -> (TlsServer, SecureTransportOptions) {
    let (agent, manager) = (identity("agent"), identity("manager"));
    let row = CertificateMapRow {
        id: 1,
        fingerprint: manager.description().fingerprint.clone(),
        mapping: Mapping::Specified("manager".to_owned()),
    };
    let map = CertificateMap::new(vec![row]);
    let clients = ClientAuthentication::new(TrustAnchors::default(), map);
    let authentication = ServerAuthentication {
        identity: PeerIdentity::Fingerprint(agent.description().fingerprint.clone()),
        ..ServerAuthentication::default()
    };
    let mut options = SecureTransportOptions::default();
    options.tls = Some(Arc::new(TlsClient::new(manager, authentication)));
    (TlsServer::new(agent, clients), options)
}

#[test]
fn an_agent_that_ended_leaves_neither_threads_nor_open_files() {
    let mut files = None;
    let (server, secure) = dtls();
    for round in 0..10 {
        let agent = TestAgent::new();
        let (udp, tcp) = (agent.udp(), agent.tcp());
        agent.udp();
        let mut sessions = [(); 3].map(|()| TcpPeer::connect(tcp));
        for session in &mut sessions {
            session.ask(&Message::get(1, SYS_DESCR_0));
        }
        UdpPeer::new(udp).ask(&Message::get(1, SYS_DESCR_0));
        let loopback = "127.0.0.1:0".parse().unwrap();
        let address = agent.agent.listen_dtls(&server, loopback).unwrap();
        let manager = Manager::open(
            &target(Transport::Dtls, address),
            ManagerOptions {
                secure: secure.clone(),
                ..ManagerOptions::v2c("")
            },
        );
        let manager = manager.unwrap();
        await_threads(&[
            "varbind-dtls",
            "varbind-session",
            "varbind-set",
            "varbind-udp",
            "varbind-udp",
        ]);
        if round % 2 == 0 {
            drop(agent);
        } else {
            agent.agent.shutdown();
        }
        drop(sessions);
        drop(manager);
        await_threads(&[]);
        // The runtime keeps some open for the process from the first time on.
        assert_eq!(open_files(), *files.get_or_insert_with(open_files));
    }
}
