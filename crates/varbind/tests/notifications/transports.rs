//! Traps and informs over each transport.

use varbind::codec::message::Version;
use varbind::engine::applications::notification_originator::{Event, Statistics};
use varbind::engine::applications::notification_receiver::NotificationKind;
use varbind::notification::{NotificationTarget, Progress};
use varbind::transport::Transport;

use crate::fixture::{TestReceiver, numbered, target, v1, v2c};

const TRANSPORTS: [Transport; 2] = [Transport::Udp, Transport::Tcp];

#[track_caller]
pub(crate) fn finish(target: &mut NotificationTarget) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match target.progress(None) {
            Progress::Event(event) => events.push(event),
            Progress::Idle => return events,
            Progress::Woken => {}
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
            let arrived = receiver.next();
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
        let events = finish(&mut target);
        assert_eq!(events.len(), 100);
        let expected = Statistics {
            notifications: 100,
            acknowledged: 100,
            retries: target.statistics().retries,
            ..Statistics::default()
        };
        assert_eq!(*target.statistics(), expected);
        for number in 0..100 {
            assert_eq!(receiver.next().received.notification.up_time, number);
        }
        assert_eq!(receiver.receiver.statistics().delivered(), 100);
    }
}

#[test]
fn what_arrived_before_the_end_can_be_taken_after_it() {
    for transport in TRANSPORTS {
        let receiver = TestReceiver::new();
        let address = receiver.listen(transport);
        let mut target = target(transport, address, NotificationKind::Inform, v2c());
        target.send(&numbered(1)).unwrap();
        finish(&mut target);
        let TestReceiver {
            receiver,
            notifications,
        } = receiver;
        receiver.shutdown();
        assert_eq!(notifications.count(), 1);
    }
}
