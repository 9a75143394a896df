//! More than is taken: nothing is lost without being counted.

use std::net::UdpSocket;

use varbind::engine::applications::notification_receiver::{NotificationKind, ReceiverLoss};
use varbind::notification::{Arrived, Progress, ReceiverLimits};
use varbind::transport::Transport;

use crate::fixture::{TestReceiver, numbered, target, v2c};
use crate::transports::finish;

/// What the receiver was sent is passed on, dropped by the kernel, or dropped at the queue.
#[test]
fn a_flood_is_accounted_for_to_the_last_trap() {
    const TRAPS: u32 = 20_000;
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        queue: 100,
        receive_buffer: 16 * 1024,
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Udp);
    let mut target = target(Transport::Udp, address, NotificationKind::Trap, v2c());
    let mut sent = 0;
    while sent < TRAPS {
        for number in sent..sent + 500 {
            target.send(&numbered(number)).unwrap();
        }
        sent += 500;
        assert!(matches!(target.progress(), Progress::Idle));
    }
    assert_eq!(target.statistics().traps_sent, u64::from(TRAPS));
    let TestReceiver {
        receiver,
        notifications,
    } = receiver;
    let statistics = std::sync::Arc::clone(receiver.statistics());
    receiver.shutdown();
    let delivered = notifications.map(Arrived::deliver);
    let delivered = u64::try_from(delivered.count()).unwrap();
    let (kernel, queue) = (
        statistics.lost(ReceiverLoss::Kernel),
        statistics.lost(ReceiverLoss::Queue),
    );
    assert_eq!(statistics.delivered(), delivered);
    assert_eq!(delivered, 100, "nobody took any before the end");
    assert_eq!(delivered + kernel + queue, u64::from(TRAPS));
    assert!(kernel > 0 && queue > 0, "{kernel} {queue}");
    assert_eq!(statistics.messages(), u64::from(TRAPS) - kernel);
}

/// An inform that finds no place is not acknowledged, comes again, and arrives in the end.
#[test]
fn informs_survive_a_full_queue() {
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        // Two are on the way before the first is acknowledged.
        queue: 1,
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Udp);
    let mut target = target(Transport::Udp, address, NotificationKind::Inform, v2c());
    for number in 0..30 {
        target.send(&numbered(number)).unwrap();
    }
    let taking = std::thread::spawn(move || {
        receiver.await_lost_any(ReceiverLoss::Queue);
        let mut taken: Vec<_> = (0..30)
            .map(|_| receiver.next().notification.up_time)
            .collect();
        taken.sort_unstable();
        (receiver, taken)
    });
    assert_eq!(finish(&mut target).len(), 30);
    assert_eq!(target.statistics().acknowledged, 30);
    let (receiver, taken) = taking.join().unwrap();
    assert_eq!(taken, (0..30).collect::<Vec<_>>());
    assert!(receiver.lost(ReceiverLoss::Queue) > 0);
}

/// A stream waits instead.
#[test]
fn over_tcp_a_full_queue_loses_nothing() {
    let receiver = TestReceiver::with_limits(ReceiverLimits {
        queue: 1,
        ..ReceiverLimits::default()
    });
    let address = receiver.listen(Transport::Tcp);
    let mut target = target(Transport::Tcp, address, NotificationKind::Trap, v2c());
    for number in 0..500 {
        target.send(&numbered(number)).unwrap();
    }
    assert!(finish(&mut target).is_empty());
    for number in 0..500 {
        assert_eq!(receiver.next().notification.up_time, number);
    }
    assert_eq!(receiver.lost(ReceiverLoss::Queue), 0);
}

#[test]
fn datagrams_of_strangers_are_counted_by_reason() {
    let receiver = TestReceiver::new();
    let address = receiver.listen(Transport::Udp);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..5 {
        socket.send_to(b"no SNMP at all", address).unwrap();
        socket.send_to(&[], address).unwrap();
    }
    receiver.await_lost(ReceiverLoss::Malformed, 10);
    let unknown = [
        0x30, 0x26, 2, 1, 1, 4, 4, b'n', b'o', b'n', b'e', 0xa7, 0x1b, 2, 1, 1, 2, 1, 0, 2, 1, 0,
        0x30, 0x10, 0x30, 0x0e, 6, 8, 0x2b, 6, 1, 2, 1, 1, 3, 0, 0x43, 2, 0x12, 0x67,
    ];
    socket.send_to(&unknown, address).unwrap();
    receiver.await_lost(ReceiverLoss::Security, 1);
}
