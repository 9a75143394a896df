use std::net::{TcpListener, UdpSocket};

use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{OpenError, Transport, TransportError};
use varbind_testkit::loopback::target;

use super::failure_of;

#[test]
fn a_refused_udp_port_is_reported_at_once() {
    for ip in ["127.0.0.1", "::1"] {
        let address = UdpSocket::bind((ip, 0)).unwrap().local_addr().unwrap();
        let options = ManagerOptions::v2c("public");
        let mut manager = Manager::open(&target(Transport::Udp, address), options).unwrap();
        for _ in 0..3 {
            let (unanswered, text) = failure_of(&mut manager);
            let error = TransportError::of(&unanswered.failure.reason);
            assert_eq!(error, Some(&TransportError::ConnectionRefused));
            assert_eq!(unanswered.failure.attempts.len(), 1);
            let port = address.port();
            let expected =
                format!("connection refused: nothing listens on udp port {port} of {ip}");
            assert!(text.ends_with(&expected), "{text}");
        }
    }
}

#[test]
fn a_refused_tcp_port_is_reported() {
    for ip in ["127.0.0.1", "::1"] {
        let address = TcpListener::bind((ip, 0)).unwrap().local_addr().unwrap();
        let target = target(Transport::Tcp, address);
        let error = Manager::open(&target, ManagerOptions::v2c("public")).unwrap_err();
        let port = address.port();
        assert_eq!(
            error.to_string(),
            format!("{target}: connection refused: nothing listens on tcp port {port} of {ip}")
        );
    }
}

#[test]
fn a_name_that_does_not_resolve_is_reported() {
    let target = "tcp:host.invalid:1161".parse().unwrap();
    let error = Manager::open(&target, ManagerOptions::v2c("public")).unwrap_err();
    assert!(matches!(error, OpenError::Resolving { .. }));
    let text = error.to_string();
    let beginning = "the name host.invalid cannot be resolved: ";
    assert!(text.starts_with(beginning), "{text}");
}

#[test]
fn an_address_of_the_other_version_of_ip_is_reported() {
    let target = "udp6:127.0.0.1".parse().unwrap();
    let error = Manager::open(&target, ManagerOptions::v2c("public")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("127.0.0.1"), "{text}");
}
