//! A receiver on loopback, and notifications to send to it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::MessageProcessing;
use varbind::engine::applications::notification::Notification;
use varbind::engine::applications::notification_receiver::{
    NotificationKind, ReceivedNotification, ReceiverConfiguration, ReceiverLoss,
};
use varbind::engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};
use varbind::notification::{
    Arrived, NotificationReceiver, Notifications, ReceiverLimits, TargetOptions,
};
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::peers::free_port;

pub(crate) struct TestReceiver {
    pub(crate) receiver: NotificationReceiver,
    pub(crate) notifications: Notifications,
}

impl TestReceiver {
    pub(crate) fn new() -> Self {
        Self::with_limits(ReceiverLimits::default())
    }

    pub(crate) fn with_limits(limits: ReceiverLimits) -> Self {
        let public = Community {
            name: b"public".to_vec(),
            security_name: SecurityName::new("public"),
            context_name: String::new(),
            sources: SourceAddresses::loopback(),
        };
        let configuration = ReceiverConfiguration {
            communities: CommunityTable::new(vec![public]),
            ..ReceiverConfiguration::default()
        };
        let (receiver, notifications) =
            NotificationReceiver::start(configuration, limits, Clock::start());
        Self {
            receiver,
            notifications,
        }
    }

    /// Listens on a port that no other process is given while this receiver is away.
    pub(crate) fn listen(&self, transport: Transport) -> SocketAddr {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        self.receiver.listen(transport, address).unwrap()
    }

    /// The next notification; an inform is acknowledged.
    #[track_caller]
    pub(crate) fn next(&self) -> ReceivedNotification {
        self.take().deliver()
    }

    /// The next notification, of which nobody knows yet whether it is delivered.
    #[track_caller]
    pub(crate) fn take(&self) -> Arrived {
        let next = self.notifications.next_within(PATIENCE);
        next.expect("a receiver").expect("a notification")
    }

    /// Delivers as many notifications while `sending` runs, and returns them.
    #[track_caller]
    pub(crate) fn next_during(
        &self,
        count: usize,
        sending: impl FnOnce() + Send,
    ) -> Vec<ReceivedNotification> {
        std::thread::scope(|scope| {
            let sender = scope.spawn(sending);
            let received = (0..count).map(|_| self.next()).collect();
            sender.join().expect("a sender");
            received
        })
    }

    pub(crate) fn lost(&self, loss: ReceiverLoss) -> u64 {
        self.receiver.statistics().lost(loss)
    }

    /// Waits until so many messages were taken in.
    #[track_caller]
    pub(crate) fn await_messages(&self, count: u64) {
        let deadline = Instant::now() + PATIENCE;
        while self.receiver.statistics().messages() < count {
            assert!(Instant::now() < deadline, "too few messages");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until something is lost for that reason.
    #[track_caller]
    pub(crate) fn await_lost_any(&self, loss: ReceiverLoss) {
        let deadline = Instant::now() + PATIENCE;
        while self.lost(loss) == 0 {
            assert!(Instant::now() < deadline, "nothing is lost: {loss:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until so much is lost for that reason.
    #[track_caller]
    pub(crate) fn await_lost(&self, loss: ReceiverLoss, count: u64) {
        let deadline = Instant::now() + PATIENCE;
        while self.lost(loss) < count {
            assert!(Instant::now() < deadline, "{loss:?}: {}", self.lost(loss));
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(self.lost(loss), count);
    }
}

/// coldStart with a number as its time.
pub(crate) fn numbered(number: u32) -> Notification {
    let location: Oid = "1.3.6.1.2.1.1.6.0".parse().unwrap();
    let var_binds = vec![VarBind::new(location, "here")];
    Notification::new(number, "1.3.6.1.6.3.1.1.5.1".parse().unwrap(), var_binds)
}

pub(crate) fn v2c() -> MessageProcessing {
    MessageProcessing::V2c {
        community: b"public".to_vec(),
    }
}

pub(crate) fn v1() -> MessageProcessing {
    MessageProcessing::V1 {
        community: b"public".to_vec(),
    }
}

pub(crate) fn target_with(
    transport: Transport,
    address: SocketAddr,
    options: TargetOptions,
) -> NotificationTarget {
    let address = TransportAddress::of_socket(transport, address);
    NotificationTarget::new(address, options, Clock::start()).unwrap()
}

pub(crate) fn target(
    transport: Transport,
    address: SocketAddr,
    kind: NotificationKind,
    processing: MessageProcessing,
) -> NotificationTarget {
    let mut target = target_with(transport, address, TargetOptions::new(kind, processing));
    target.connect().unwrap();
    target
}
