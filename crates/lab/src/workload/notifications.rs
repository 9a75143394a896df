//! Notifications to a receiver that is started for them.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::notification::{Progress, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::applications::command_generator::{ContextEngine, MessageProcessing};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::OriginatorEvent;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::LocalEngine;

use super::delivery::{Delivery, PATIENCE};
use crate::measurement::{CpuTime, Placement, TransportKind};
use crate::process::{Cores, place_in_turns, usage_of};
use crate::security::Scheme;
use crate::subject::{Credentials, Demands, Receiver, SENDER, Subject};

/// How notifications are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotificationWay {
    /// Whether they are acknowledged.
    pub(crate) is_inform: bool,
    /// How messages are secured.
    pub(crate) scheme: Scheme,
    /// The transport.
    pub(crate) transport: TransportKind,
    /// How many may be on their way before the receiver has taken the first of them.
    pub(crate) together: u32,
}

/// Our sender, with a receiver of its own that writes a line for each notification into a file.
#[derive(Debug)]
pub(crate) struct NotificationSession {
    target: NotificationTarget,
    notification: Notification,
    way: NotificationWay,
    receiver: Receiver,
}

/// What became of notifications, and what that took.
#[derive(Debug)]
pub(crate) struct Sending {
    /// How many arrived.
    pub(crate) delivery: Delivery,
    /// The time without that spent in waiting for those that were lost.
    pub(crate) seconds: f64,
    /// CPU time of this process.
    pub(crate) manager: CpuTime,
    /// CPU time of the receiver.
    pub(crate) receiver: Option<CpuTime>,
}

/// coldStart of SNMPv2-MIB.
const COLD_START: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
/// What it says besides: sysContact.0, of 32 characters.
const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
const CONTACT: &str = "operator on duty, room 1, tel. 1";

impl NotificationSession {
    /// Starts the receiver of a subject and opens a session with it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn open(subject: &Subject, way: NotificationWay) -> Result<Self, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let mut demands = Demands {
            transports: vec![way.transport],
            ..Demands::default()
        };
        demands.users.extend(way.scheme.protection());
        let receiver = Receiver::start(subject, &demands).map_err(|error| text(&error))?;
        let address = receiver.target(way.transport);
        let address =
            address.ok_or_else(|| format!("the receiver does not listen on {}", way.transport))?;
        let mut address = TransportAddress::of_socket(way.transport.of_library(), address.address);
        let clock = Clock::start();
        let mut processing = Credentials::of_laboratory().processing(way.scheme)?;
        if let MessageProcessing::V3(parameters) = &mut processing {
            // The objects are the sender's, whose name is known.
            parameters.context_engine = ContextEngine::Peer;
        }
        let kind = match way.is_inform {
            true => NotificationKind::Inform,
            false => NotificationKind::Trap,
        };
        let mut options = TargetOptions::new(kind, processing);
        let id: EngineId = SENDER.parse().map_err(|error| format!("{error}"))?;
        let engine = LocalEngine::new(id, boots(), clock.now(), 1);
        options.originator.engine = Some(Arc::new(engine));
        options.originator.max_window = u16::try_from(way.together).unwrap_or(u16::MAX);
        if let Some(access) = receiver.access(way.transport) {
            options.secure = access.options.clone();
            if way.transport == TransportKind::Ssh {
                address.user.clone_from(&access.user);
            }
        }
        let target = NotificationTarget::new(address, options, clock);
        let mut target = target.map_err(|error| text(&error))?;
        target.connect().map_err(|error| text(&error))?;
        let name = |arcs: &[u32]| Oid::new(arcs).map_err(|error| error.to_string());
        let contact = VarBind::new(name(SYS_CONTACT)?, CONTACT);
        let mut session = Self {
            target,
            notification: Notification::new(1, name(COLD_START)?, vec![contact]),
            way,
            receiver,
        };
        // The first ones find out who the receiver is, and warm caches.
        session.send(way.together)?;
        Ok(session)
    }

    /// Sends so many, as many together as may be on their way, and waits until the receiver has them.
    ///
    /// # Errors
    /// If one is refused, none arrives, or too much time is lost in waiting for those that do not.
    pub(crate) fn send(&mut self, count: u32) -> Result<Delivery, String> {
        let before = self.received()?;
        let mut delivery = Delivery::default();
        let mut failure = None;
        let mut sent = 0;
        while sent < count {
            let together = self.way.together.min(count - sent);
            for _ in 0..together {
                let given = self.target.send(&self.notification);
                given.map_err(|error| error.to_string())?;
            }
            sent += together;
            delivery.sent = sent.into();
            self.settle(&mut delivery, &mut failure)?;
            if !self.way.is_inform || sent == count {
                delivery.wait(PATIENCE, || Ok(self.received()?.saturating_sub(before)))?;
                if delivery.lost() > 0 && self.receiver.has_ended() {
                    return Err(format!("the receiver ended: {delivery}"));
                }
            }
        }
        match delivery.arrived {
            0 => Err(failure.unwrap_or_else(|| delivery.to_string())),
            _ => Ok(delivery),
        }
    }

    /// The same on one core with the receiver, and what it took.
    ///
    /// # Errors
    /// If the machine cannot be read; within, as [`Self::send`].
    pub(crate) fn measure(
        &mut self,
        cores: &Cores,
        count: u32,
    ) -> io::Result<Result<Sending, String>> {
        let receiver = Some(self.receiver.id());
        place_in_turns(cores, Placement::SameCore, receiver, true)?;
        let used = usage_of(receiver, None, || self.send(count))?;
        Ok(used.result.map(|delivery| Sending {
            delivery,
            seconds: used.elapsed.saturating_sub(delivery.waited).as_secs_f64(),
            manager: used.manager,
            receiver: used.agent,
        }))
    }

    fn received(&mut self) -> Result<u64, String> {
        self.receiver.received().map_err(|error| error.to_string())
    }

    /// Until nothing waits to be sent or acknowledged. Informs without a response cost time, and leave the reason.
    fn settle(
        &mut self,
        delivery: &mut Delivery,
        failure: &mut Option<String>,
    ) -> Result<(), String> {
        let mut last = Instant::now();
        loop {
            match self.target.progress() {
                Progress::Event(OriginatorEvent::Acknowledged { .. }) => {}
                Progress::Event(OriginatorEvent::Refused { error_status, .. }) => {
                    return Err(format!("the receiver answered {error_status}"));
                }
                Progress::Event(OriginatorEvent::Failed { failure: why, .. }) => {
                    delivery.waited += last.elapsed();
                    *failure = Some(format!("a notification was not delivered: {}", why.reason));
                }
                Progress::Idle => break,
            }
            last = Instant::now();
        }
        match self.target.target().last_transport_error() {
            Some(error) => Err(error.to_string()),
            None => Ok(()),
        }
    }
}

/// Seconds since 1970, which grow from one start to the next.
fn boots() -> i32 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    i32::try_from(since.as_secs()).unwrap_or(i32::MAX - 1)
}
