//! Traps and informs over each transport.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use varbind::blocking::NotificationTarget;
use varbind::codec::message::Version;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::engine::applications::notification_originator::{
    OriginatorEvent, OriginatorStatistics,
};
use varbind::engine::applications::notification_receiver::{NotificationKind, ReceiverLoss};
use varbind::notification::{Progress, TargetOptions};
use varbind::transport::{Transport, TransportAddress};

use crate::fixture::{TestReceiver, numbered, target, target_with, v1, v2c};

const TRANSPORTS: [Transport; 2] = [Transport::Udp, Transport::Tcp];

#[track_caller]
pub(crate) fn finish(target: &mut NotificationTarget) -> Vec<OriginatorEvent> {
    let mut events = Vec::new();
    loop {
        match target.progress() {
            Progress::Event(event) => events.push(event),
            Progress::Idle => return events,
        }
    }
}

#[test]
fn traps_of_both_versions_arrive_over_each_transport() {
    for transport in TRANSPORTS {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        for (processing, version) in [(v1(), Version::V1), (v2c(), Version::V2c)] {
            let mut target = target(transport, address, NotificationKind::Trap, processing);
            target.send(&numbered(7)).unwrap();
            assert!(finish(&mut target).is_empty());
            let arrived = receiver.take();
            assert_eq!(arrived.transport, transport);
            assert_eq!(arrived.received.version, version);
            let notification = arrived.received.notification;
            assert_eq!(notification.trap_oid, numbered(7).trap_oid);
            assert_eq!(notification.up_time, 7);
            assert_eq!(notification.var_binds[..1], numbered(7).var_binds);
            if version == Version::V1 {
                assert_eq!(notification.agent_address(), [127, 0, 0, 1]);
            }
        }
    }
}

#[test]
fn informs_are_acknowledged_over_each_transport() {
    for transport in TRANSPORTS {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        let mut target = target(transport, address, NotificationKind::Inform, v2c());
        for number in 0..100 {
            target.send(&numbered(number)).unwrap();
        }
        let received = receiver.next_during(100, || assert_eq!(finish(&mut target).len(), 100));
        let expected = OriginatorStatistics {
            notifications: 100,
            acknowledged: 100,
            retries: target.statistics().retries,
            ..OriginatorStatistics::default()
        };
        assert_eq!(*target.statistics(), expected);
        for (received, number) in received.iter().zip(0..) {
            assert_eq!(received.notification.up_time, number);
        }
        assert_eq!(receiver.receiver.statistics().delivered(), 100);
        assert_listener(&receiver, transport, address, 100);
    }
}

/// The address has statistics of its own, in which so many were delivered.
#[track_caller]
fn assert_listener(
    receiver: &TestReceiver,
    transport: Transport,
    address: SocketAddr,
    delivered: u64,
) {
    let listeners = receiver.receiver.listeners();
    let [listener] = &listeners[..] else {
        panic!("{listeners:?}");
    };
    let address = TransportAddress::of_socket(transport, address);
    assert_eq!(listener.addresses, [address]);
    let statistics = &listener.statistics;
    assert_eq!(statistics.notifications(), delivered);
    assert_eq!(statistics.delivered(), delivered);
    assert!(statistics.messages() >= delivered);
}

/// What could not be written is not acknowledged: its sender sends it again, and it arrives then.
#[test]
fn an_inform_is_not_acknowledged_until_it_is_delivered() {
    for transport in TRANSPORTS {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        let mut options = TargetOptions::new(NotificationKind::Inform, v2c());
        options.originator.retry = RetryPolicy::Fixed {
            timeout: Duration::from_millis(200),
            retries: 100,
        };
        let mut target = target_with(transport, address, options);
        target.connect().unwrap();
        target.send(&numbered(7)).unwrap();
        thread::scope(|scope| {
            let sending = scope.spawn(|| finish(&mut target));
            // A session does not repeat its messages.
            if transport == Transport::Udp {
                drop(receiver.take());
                assert_eq!(receiver.lost(ReceiverLoss::Output), 1);
            }
            let arrived = receiver.take();
            if transport == Transport::Udp {
                // It is sent yet again while this one waits, and that is no other one.
                receiver.await_lost_any(ReceiverLoss::Duplicate);
            }
            assert!(!sending.is_finished());
            arrived.receipt.delivered();
            let events = sending.join().unwrap();
            assert!(
                matches!(&events[..], [OriginatorEvent::Acknowledged { .. }]),
                "{events:?}"
            );
        });
        assert_eq!(receiver.receiver.statistics().delivered(), 1);
    }
}

#[test]
fn notifications_received_before_the_end_stay_available() {
    for transport in TRANSPORTS {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        let mut target = target(transport, address, NotificationKind::Trap, v2c());
        target.send(&numbered(1)).unwrap();
        finish(&mut target);
        receiver.await_messages(1);
        let TestReceiver {
            receiver,
            notifications,
        } = receiver;
        receiver.shutdown();
        assert_eq!(notifications.count(), 1);
    }
}
