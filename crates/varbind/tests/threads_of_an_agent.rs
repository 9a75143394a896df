//! An agent leaves no thread behind. Alone in its process, since it counts the threads of the process.
#![cfg(test)]

use std::sync::Arc;
use std::time::Instant;

use varbind::blocking::Client;
use varbind::transport::Transport;
use varbind_testkit::certificates::pinned_pair;
use varbind_testkit::loopback::{PATIENCE, SYS_DESCR_0, TcpPeer, TestAgent, UdpPeer, target};
use varbind_testkit::message::Message;

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

#[test]
fn an_agent_that_ended_leaves_neither_threads_nor_open_files() {
    let mut files = None;
    let (server, client) = pinned_pair();
    let tls = Arc::new(client);
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
        let client = Client::new().unwrap();
        let manager = client
            .target_at(target(Transport::Dtls, address))
            .with(|target| target.tls_client(Arc::clone(&tls)));
        manager.connect().unwrap();
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
        drop((manager, client));
        await_threads(&[]);
        // The runtime keeps some open for the process from the first time on.
        assert_eq!(open_files(), *files.get_or_insert_with(open_files));
    }
}
