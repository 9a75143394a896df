use std::sync::atomic::{AtomicU64, Ordering};

use super::ReceiverOutcome;

/// Why messages did not become notifications that were passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReceiverLoss {
    /// The kernel's buffer was full: they arrived faster than they were read.
    Kernel,
    /// The consumer of the notifications did not keep up.
    Queue,
    /// They were taken, but could not be written, or the command for them failed.
    Output,
    /// Their senders may not send, or are not who they say.
    Security,
    /// They are no SNMP, or no well-formed notifications.
    Malformed,
    /// They are other PDUs than notifications.
    UnexpectedPdu,
    /// Informs whose response would be larger than the largest message.
    TooBig,
    /// They are not wanted. Nothing is lost by that.
    Unwanted,
    /// Informs that came before. Nothing is lost by that.
    Duplicate,
    /// Messages by which senders of SNMPv3 learn the engine ID and the time of this engine. Nothing is lost by that.
    Discovery,
}

impl ReceiverLoss {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::Kernel,
        Self::Queue,
        Self::Output,
        Self::Security,
        Self::Malformed,
        Self::UnexpectedPdu,
        Self::TooBig,
        Self::Unwanted,
        Self::Duplicate,
        Self::Discovery,
    ];

    /// Its name, for people and for keys.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Queue => "queue",
            Self::Output => "output",
            Self::Security => "security",
            Self::Malformed => "malformed",
            Self::UnexpectedPdu => "unexpected-pdu",
            Self::TooBig => "too-big",
            Self::Unwanted => "unwanted",
            Self::Duplicate => "duplicate",
            Self::Discovery => "discovery",
        }
    }

    /// Whether something that was wanted is missing for it.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        !matches!(self, Self::Unwanted | Self::Duplicate | Self::Discovery)
    }
}

/// What became of the messages of a notification receiver; it can be read and raised from any thread.
#[derive(Debug, Default)]
pub struct ReceiverStatistics {
    messages: AtomicU64,
    notifications: AtomicU64,
    delivered: AtomicU64,
    lost: [AtomicU64; ReceiverLoss::ALL.len()],
}

impl ReceiverStatistics {
    /// Messages taken in.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Notifications that were authentic and wanted. Each is delivered, or lost in the queue or at the output, or waits.
    #[must_use]
    pub fn notifications(&self) -> u64 {
        self.notifications.load(Ordering::Relaxed)
    }

    /// Notifications that reached their destination.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }

    /// Messages that were not passed on, for this reason.
    #[must_use]
    pub fn lost(&self, loss: ReceiverLoss) -> u64 {
        self.place(loss).load(Ordering::Relaxed)
    }

    /// Counts a message by what is to be done with it. A receiver does so in its own statistics; this serves those who
    /// keep more, as for each listener.
    pub fn count_message(&self, outcome: &ReceiverOutcome) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        match outcome.loss() {
            Some(loss) => self.count_lost(loss, 1),
            None => {
                self.notifications.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Counts a notification that reached its destination.
    pub fn count_delivered(&self) {
        self.delivered.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts messages that were lost. Those that the receiver [discards](super::ReceiverDiscard) it counts itself.
    pub fn count_lost(&self, loss: ReceiverLoss, messages: u64) {
        self.place(loss).fetch_add(messages, Ordering::Relaxed);
    }

    const fn place(&self, loss: ReceiverLoss) -> &AtomicU64 {
        let [
            kernel,
            queue,
            output,
            security,
            malformed,
            unexpected_pdu,
            too_big,
            unwanted,
            duplicate,
            discovery,
        ] = &self.lost;
        match loss {
            ReceiverLoss::Kernel => kernel,
            ReceiverLoss::Queue => queue,
            ReceiverLoss::Output => output,
            ReceiverLoss::Security => security,
            ReceiverLoss::Malformed => malformed,
            ReceiverLoss::UnexpectedPdu => unexpected_pdu,
            ReceiverLoss::TooBig => too_big,
            ReceiverLoss::Unwanted => unwanted,
            ReceiverLoss::Duplicate => duplicate,
            ReceiverLoss::Discovery => discovery,
        }
    }
}
