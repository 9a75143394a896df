//! Senders of notifications to a target.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::clock::Clock;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::engine::applications::notification_originator::OriginatorStatistics;
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::notification::{NotificationSender, NotificationTarget, SenderThread, TargetOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::peers::{free_port, listen_again};

use crate::fixture::{TestReceiver, numbered, v2c};

fn sender(
    transport: Transport,
    address: SocketAddr,
    kind: NotificationKind,
    capacity: usize,
) -> NotificationSender {
    let mut options = TargetOptions::new(kind, v2c());
    options.originator.retry = RetryPolicy::Fixed {
        timeout: Duration::from_millis(200),
        retries: 2,
    };
    let address = TransportAddress::of_socket(transport, address);
    let target = NotificationTarget::new(address, options, Clock::start());
    NotificationSender::start(target, capacity).unwrap()
}

#[track_caller]
fn await_statistics(sender: &NotificationSender, is_met: impl Fn(&OriginatorStatistics) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_met(&sender.statistics()) {
        assert!(Instant::now() < deadline, "{:?}", sender.statistics());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_sender_sends_informs_and_counts_their_outcome() {
    for transport in [Transport::Udp, Transport::Tcp] {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        let sender = sender(transport, address, NotificationKind::Inform, 100);
        for number in 0..20 {
            sender.send(&Arc::new(numbered(number)));
        }
        for number in 0..20 {
            assert_eq!(receiver.next().notification.up_time, number);
        }
        await_statistics(&sender, |statistics| statistics.acknowledged == 20);
    }
}

#[test]
fn queued_notifications_are_sent_before_the_end() {
    let receiver = TestReceiver::new();
    let address = receiver.listen(Transport::Udp);
    let sender = sender(Transport::Udp, address, NotificationKind::Trap, 100);
    for number in 0..20 {
        sender.send(&Arc::new(numbered(number)));
    }
    drop(sender);
    for number in 0..20 {
        assert_eq!(receiver.next().notification.up_time, number);
    }
}

#[test]
fn notifications_wait_for_a_target_that_cannot_be_reached_yet() {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let sender = sender(Transport::Tcp, address, NotificationKind::Inform, 3);
    for number in 0..5 {
        sender.send(&Arc::new(numbered(number)));
    }
    assert_eq!(sender.statistics().dropped, 2);
    let receiver = TestReceiver::new();
    listen_again(|| receiver.receiver.listen(Transport::Tcp, address)).unwrap();
    for number in 0..3 {
        assert_eq!(receiver.next().notification.up_time, number);
    }
    await_statistics(&sender, |statistics| statistics.acknowledged == 3);
}

#[test]
fn unacknowledged_informs_are_counted() {
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let sender = sender(Transport::Udp, address, NotificationKind::Inform, 100);
    sender.send(&Arc::new(numbered(1)));
    await_statistics(&sender, |statistics| statistics.unanswered == 1);
    assert_eq!(sender.statistics().retries, 2);
}

#[test]
fn a_connection_that_was_closed_is_opened_again() {
    let receiver = TestReceiver::new();
    let address = receiver.listen(Transport::Tcp);
    let sender = sender(Transport::Tcp, address, NotificationKind::Trap, 100);
    sender.send(&Arc::new(numbered(1)));
    assert_eq!(receiver.next().notification.up_time, 1);
    receiver.receiver.shutdown();
    let receiver = TestReceiver::new();
    listen_again(|| receiver.receiver.listen(Transport::Tcp, address)).unwrap();
    sender.send(&Arc::new(numbered(2)));
    assert_eq!(receiver.next().notification.up_time, 2);
    assert_eq!(sender.statistics().transport_failures, 0);
}

/// What nobody listens to or acknowledges, and what cannot be reached, delays nothing of the same thread.
#[test]
fn senders_that_share_a_thread_do_not_wait_for_each_other() {
    let thread = SenderThread::start().unwrap();
    let start = |transport, address, give_up_after| {
        let mut options = TargetOptions::new(NotificationKind::Inform, v2c());
        options.originator.retry = RetryPolicy::Fixed {
            timeout: give_up_after,
            retries: 0,
        };
        let address = TransportAddress::of_socket(transport, address);
        let target = NotificationTarget::new(address, options, Clock::start());
        NotificationSender::start_in(&thread, target, 100, |_| {})
    };
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let receiver = TestReceiver::new();
    let senders = [
        (Transport::Udp, silent.local_addr().unwrap()),
        (Transport::Tcp, deaf.local_addr().unwrap()),
        (Transport::Tcp, closed),
        (Transport::Udp, receiver.listen(Transport::Udp)),
        (Transport::Tcp, receiver.listen(Transport::Tcp)),
    ]
    .map(|(transport, address)| start(transport, address, 10 * PATIENCE));
    for sender in &senders {
        sender.send(&Arc::new(numbered(1)));
    }
    for _ in &senders[3..] {
        assert_eq!(receiver.next().notification.up_time, 1);
    }
    for sender in &senders[3..] {
        await_statistics(sender, |statistics| statistics.acknowledged == 1);
    }
    // Nor does the end wait for what is not acknowledged.
    let started = Instant::now();
    for sender in &senders {
        sender.close();
    }
    let waiting = senders.map(|sender| sender.finish().waiting());
    assert_eq!(waiting, [1, 1, 1, 0, 0]);
    assert!(started.elapsed() < PATIENCE);
}
