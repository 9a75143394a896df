use tokio::runtime::Runtime;
use varbind_codec::smi::VarBind;
use varbind_engine::applications::notification::{Notification, TrapV1Parameters};
use varbind_engine::applications::notification_originator::{
    NotSent, NotificationHandle, OriginatorStatistics,
};

use super::runtime;
use crate::client::Error;
use crate::clock::Clock;
use crate::notification::{self, Progress, TargetOptions};
use crate::transport::{OpenError, TransportAddress};

/// A target of notifications; see [`notification::NotificationTarget`]. Dropped, it ends its session.
#[derive(Debug)]
pub struct NotificationTarget {
    target: notification::NotificationTarget,
    runtime: Runtime,
}

impl NotificationTarget {
    /// A target without a session.
    ///
    /// # Errors
    /// When the system has no room for it.
    pub fn new(
        address: TransportAddress,
        options: TargetOptions,
        clock: Clock,
    ) -> Result<Self, Error> {
        let mut target = notification::NotificationTarget::new(address, options, clock);
        target.resolve_in_place();
        Ok(Self {
            target,
            runtime: runtime()?,
        })
    }

    /// What needs no waiting.
    #[must_use]
    pub const fn target(&self) -> &notification::NotificationTarget {
        &self.target
    }

    /// Resolves the name and opens a session, if there is none.
    ///
    /// # Errors
    /// As [`notification::NotificationTarget::connect`].
    pub fn connect(&mut self) -> Result<(), OpenError> {
        self.runtime.block_on(self.target.connect())
    }

    /// Gives a notification, which is sent by [`progress`](Self::progress).
    ///
    /// # Errors
    /// As [`notification::NotificationTarget::send`].
    pub fn send(&mut self, notification: &Notification) -> Result<NotificationHandle, NotSent> {
        self.target.send(notification)
    }

    /// Gives a Trap-PDU of SNMPv1 with just these parameters.
    ///
    /// # Errors
    /// As [`notification::NotificationTarget::send_trap_v1`].
    pub fn send_trap_v1(
        &mut self,
        parameters: &TrapV1Parameters,
        var_binds: Vec<VarBind>,
    ) -> Result<NotificationHandle, NotSent> {
        self.target.send_trap_v1(parameters, var_binds)
    }

    /// Sends what is due and waits for acknowledgements, until there is something to tell.
    pub fn progress(&mut self) -> Progress {
        self.runtime.block_on(self.target.progress())
    }

    /// What became of the notifications so far.
    #[must_use]
    pub const fn statistics(&self) -> &OriginatorStatistics {
        self.target.statistics()
    }
}

impl Drop for NotificationTarget {
    fn drop(&mut self) {
        self.runtime.block_on(self.target.close());
    }
}
