//! Notifications to a receiver that is started for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::notification::{Progress, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::applications::command_generator::{ContextEngine, MessageProcessing};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::Event;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::LocalEngine;

use crate::measurement::TransportKind;
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

/// coldStart of SNMPv2-MIB.
const COLD_START: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
/// What it says besides: sysContact.0, of 32 characters.
const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
const CONTACT: &str = "operator on duty, room 1, tel. 1";
/// How long to look for traps that may have been lost.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between looks.
const PAUSE: Duration = Duration::from_micros(100);

impl NotificationSession {
    /// Starts the receiver of a subject and opens a session with it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn open(subject: &Subject, way: NotificationWay) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let mut demands = Demands {
            transports: vec![way.transport],
            ..Demands::default()
        };
        demands.users.extend(way.scheme.protection());
        let receiver = Receiver::start(subject, &demands).map_err(|error| told(&error))?;
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
        let mut target = target.map_err(|error| told(&error))?;
        target.connect().map_err(|error| told(&error))?;
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

    /// The process of the receiver.
    pub(crate) fn id(&self) -> u32 {
        self.receiver.id()
    }

    /// Sends so many, as many together as may be on their way, and waits until the receiver has them.
    ///
    /// # Errors
    /// If one is refused or does not arrive.
    pub(crate) fn send(&mut self, count: u32) -> Result<(), String> {
        let before = self.received()?;
        let mut sent = 0;
        while sent < count {
            let together = self.way.together.min(count - sent);
            for _ in 0..together {
                let given = self.target.send(&self.notification);
                given.map_err(|error| error.to_string())?;
            }
            self.settle()?;
            sent += together;
            if !self.way.is_inform {
                self.wait(before + u64::from(sent))?;
            }
        }
        self.wait(before + u64::from(count))
    }

    fn received(&mut self) -> Result<u64, String> {
        self.receiver.received().map_err(|error| error.to_string())
    }

    /// Until nothing waits to be sent or acknowledged.
    fn settle(&mut self) -> Result<(), String> {
        loop {
            match self.target.progress() {
                Progress::Event(Event::Acknowledged { .. }) => {}
                Progress::Event(Event::Refused { error_status, .. }) => {
                    return Err(format!("the receiver answered {error_status}"));
                }
                Progress::Event(Event::Failed { failure, .. }) => {
                    let reason = failure.reason;
                    return Err(format!("a notification was not delivered: {reason}"));
                }
                Progress::Idle => break,
            }
        }
        match self.target.target().last_transport_error() {
            Some(error) => Err(error.to_string()),
            None => Ok(()),
        }
    }

    /// Until the receiver has written so many.
    fn wait(&mut self, wanted: u64) -> Result<(), String> {
        let mut last = (Instant::now(), 0);
        loop {
            let received = self.received()?;
            if received >= wanted {
                return Ok(());
            }
            if received > last.1 {
                last = (Instant::now(), received);
            }
            if last.0.elapsed() > PATIENCE {
                let missing = wanted - received;
                return Err(format!("{missing} notifications did not arrive"));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Seconds since 1970, which grow from one start to the next.
fn boots() -> i32 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    i32::try_from(since.as_secs()).unwrap_or(i32::MAX - 1)
}
