//! Senders that mean no good.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use varbind::engine::applications::notification_receiver::{NotificationKind, ReceiverLoss};
use varbind::notification::ReceiverLimits;
use varbind::transport::Transport;
use varbind_testkit::loopback::PATIENCE;

use crate::fixture::{TestReceiver, numbered, target, v2c};
use crate::transports::finish;

/// A notification of somebody else arrives.
#[track_caller]
fn assert_serving(receiver: &TestReceiver, address: SocketAddr, number: u32) {
    let mut target = target(Transport::Tcp, address, NotificationKind::Inform, v2c());
    target.send(&numbered(number)).unwrap();
    let received = receiver.next_during(1, || assert_eq!(finish(&mut target).len(), 1));
    assert_eq!(received[0].notification.up_time, number);
}

#[track_caller]
fn assert_closed(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    match stream.read(&mut [0; 16]) {
        Ok(read) => assert_eq!(read, 0),
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
}

#[test]
fn a_stream_that_is_no_snmp_is_closed_and_counted() {
    let receiver = TestReceiver::new();
    let address = receiver.listen(Transport::Tcp);
    for (number, garbage) in [
        &b"GET / HTTP/1.0\r\n\r\n"[..],
        &[0x30, 0x80, 0, 0],
        &[0; 100],
    ]
    .into_iter()
    .enumerate()
    {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(garbage).unwrap();
        assert_closed(&mut stream);
        receiver.await_lost(ReceiverLoss::Malformed, number as u64 + 1);
    }
    assert_serving(&receiver, address, 1);
}

#[test]
fn a_message_beyond_the_limit_closes_its_session() {
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        message: 2000,
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Tcp);
    for header in [
        &[0x30, 0x82, 0x10, 0][..],
        &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(header).unwrap();
        assert_closed(&mut stream);
    }
    receiver.await_lost(ReceiverLoss::Malformed, 2);
    assert_serving(&receiver, address, 1);
}

#[test]
fn half_a_message_is_counted_when_its_sender_goes_or_takes_too_long() {
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        tcp_message: Duration::from_millis(50),
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Tcp);
    let half = [0x30, 0x40, 2, 1, 1];
    let mut gone = TcpStream::connect(address).unwrap();
    gone.write_all(&half).unwrap();
    drop(gone);
    receiver.await_lost(ReceiverLoss::Malformed, 1);
    let mut slow = TcpStream::connect(address).unwrap();
    slow.write_all(&half).unwrap();
    assert_closed(&mut slow);
    receiver.await_lost(ReceiverLoss::Malformed, 2);
    assert_serving(&receiver, address, 1);
}

#[test]
fn sessions_of_one_peer_are_limited() {
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        tcp_sessions_per_source: 3,
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Tcp);
    let mut open: Vec<_> = (0..3)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let _another = TcpStream::connect(address).unwrap();
    // The oldest that has sent nothing makes room.
    assert_closed(&mut open[0]);
}

#[test]
fn a_silent_sender_is_closed_after_the_time_for_a_first_message_and_any_after_its_lifetime() {
    let short = Duration::from_millis(50);
    for limits in [
        ReceiverLimits {
            tcp_first_message: short,
            ..ReceiverLimits::default()
        },
        ReceiverLimits {
            session_lifetime: Some(short),
            ..ReceiverLimits::default()
        },
    ] {
        let receiver = TestReceiver::with_limits(limits);
        let address = receiver.listen(Transport::Tcp);
        assert_closed(&mut TcpStream::connect(address).unwrap());
        assert_serving_in_time(&receiver, address);
    }
}

/// As `assert_serving`, where a session may end before its message was read: then another one is opened.
#[track_caller]
fn assert_serving_in_time(receiver: &TestReceiver, address: SocketAddr) {
    let deadline = Instant::now() + PATIENCE;
    let is_served = || {
        let mut target = target(Transport::Tcp, address, NotificationKind::Trap, v2c());
        target.send(&numbered(1)).unwrap();
        finish(&mut target);
        let pause = Duration::from_millis(500);
        matches!(receiver.notifications.next_within(pause), Ok(Some(_)))
    };
    while !is_served() {
        assert!(Instant::now() < deadline, "no session is served");
    }
}
