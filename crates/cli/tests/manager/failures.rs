use std::net::TcpListener;

use varbind_peers::free_port;

use crate::program::run;

#[test]
fn a_name_that_cannot_be_resolved_is_told() {
    let outcome = run(&["get", "host.invalid", "sysDescr.0"]);
    assert_eq!(outcome.code, Some(4));
    assert!(
        outcome.errors.starts_with("varbind: "),
        "{}",
        outcome.errors
    );
    assert!(
        outcome.errors.contains("host.invalid cannot be resolved"),
        "{}",
        outcome.errors
    );
}

#[test]
fn a_refused_port_is_told_at_once() {
    let port = free_port();
    for transport in ["udp", "tcp"] {
        let target = format!("{transport}:127.0.0.1:{port}");
        let outcome = run(&["get", &target, "sysDescr.0"]);
        assert_eq!(outcome.code, Some(4), "{target}");
        let told = format!("{target}: connection refused");
        assert!(outcome.errors.contains(&told), "{}", outcome.errors);
    }
}

#[test]
fn a_peer_that_hangs_up_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("tcp:{}", listener.local_addr().unwrap());
    let peer = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let outcome = run(&["get", &target, "sysDescr.0"]);
    peer.join().unwrap();
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.errors.contains(&target), "{}", outcome.errors);
}
