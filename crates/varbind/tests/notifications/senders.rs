//! Threads that send to a target.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::engine::applications::notification_originator::Statistics;
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::notification::{NotificationSender, TargetOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::peers::free_port;

use crate::fixture::{TestReceiver, numbered, target_with, v2c};

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
    let target = target_with(transport, address, options);
    NotificationSender::start(target, capacity).unwrap()
}

#[track_caller]
fn await_statistics(sender: &NotificationSender, is_met: impl Fn(&Statistics) -> bool) {
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
fn what_waits_is_sent_before_the_end() {
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
    receiver.receiver.listen(Transport::Tcp, address).unwrap();
    for number in 0..3 {
        assert_eq!(receiver.next().notification.up_time, number);
    }
    await_statistics(&sender, |statistics| statistics.acknowledged == 3);
}

#[test]
fn informs_that_nobody_acknowledges_are_counted() {
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
    receiver.receiver.listen(Transport::Tcp, address).unwrap();
    sender.send(&Arc::new(numbered(2)));
    assert_eq!(receiver.next().notification.up_time, 2);
    assert_eq!(sender.statistics().transport_failures, 0);
}
