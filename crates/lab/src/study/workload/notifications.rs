use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use varbind::blocking::NotificationTarget;
use varbind::clock::Clock;
use varbind::notification::{Progress, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_generator::{ContextEngine, MessageProcessing};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::Event;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::LocalEngine;

use super::super::names::{SYS_CONTACT, oid};
use super::super::{Measure, Observation, SubjectName};
use super::Laboratory;
use super::link::processing;
use super::sessions::speaks;
use crate::measurement::{Placement, TransportKind};
use crate::process::{place, take_turns, usage_of};
use crate::security::Scheme;
use crate::subject::{Demands, Receiver, SENDER};

/// Notifications to a receiver of its own, which writes each into a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationTask {
    /// Whether they are acknowledged.
    pub is_inform: bool,
    /// How messages are secured.
    pub scheme: Scheme,
    /// The transport.
    pub transport: TransportKind,
    /// How many.
    pub count: u32,
    /// How many may be on their way before the receiver has taken the first of them.
    pub together: u32,
}

/// coldStart of SNMPv2-MIB.
const COLD_START: &[u32] = &[1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
/// What it says besides, of 32 characters.
const CONTACT: &str = "operator on duty, room 1, tel. 1";
/// How long to look for traps that may have been lost.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between looks.
const PAUSE: Duration = Duration::from_micros(100);

impl NotificationTask {
    pub(in super::super) fn is_possible(&self, subject: SubjectName) -> Result<(), String> {
        speaks(subject, self.transport)
    }

    pub(super) fn observe(
        &self,
        laboratory: &Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let told = |error: std::io::Error| error.to_string();
        let mut demands = Demands {
            transports: vec![self.transport],
            ..Demands::default()
        };
        demands.users.extend(self.scheme.protection());
        let subject = laboratory.subject(subject)?;
        let receiver = Receiver::start(&subject, &demands);
        let mut receiver = receiver.map_err(|error| error.to_string())?;
        let pid = Some(receiver.id());
        place(&laboratory.cores, Placement::SameCore, pid).map_err(told)?;
        // Where taking turns is not allowed, the scheduler decides.
        let _ = take_turns(true, pid);
        let mut target = self.open(&receiver)?;
        // The first ones find out who the receiver is, and warm caches.
        self.send(&mut target, &mut receiver, self.together)?;
        let used = usage_of(pid, None, || {
            self.send(&mut target, &mut receiver, self.count)
        });
        let used = used.map_err(told)?;
        used.result?;
        let count = f64::from(self.count);
        let microseconds = used.elapsed.as_secs_f64() * 1e6;
        let mut observation = Observation::default();
        observation.note(Measure::Completed, count);
        observation.note(Measure::RoundTrip, microseconds / count);
        observation.note(Measure::Rate, count / used.elapsed.as_secs_f64());
        observation.note(Measure::ManagerCpu, used.manager.total / count);
        if let Some(agent) = used.agent {
            observation.note(Measure::AgentCpu, agent.total / count);
        }
        Ok(observation)
    }

    fn open(&self, receiver: &Receiver) -> Result<NotificationTarget, String> {
        let target = receiver.target(self.transport);
        let target =
            target.ok_or_else(|| format!("the receiver does not listen on {}", self.transport))?;
        let mut address = TransportAddress::of_socket(self.transport.of_library(), target.address);
        let clock = Clock::start();
        let mut processing = processing(self.scheme)?;
        if let MessageProcessing::V3(parameters) = &mut processing {
            // The objects are the sender's, whose name is known.
            parameters.context_engine = ContextEngine::Peer;
        }
        let kind = match self.is_inform {
            true => NotificationKind::Inform,
            false => NotificationKind::Trap,
        };
        let mut options = TargetOptions::new(kind, processing);
        let id: EngineId = SENDER.parse().map_err(|error| format!("{error}"))?;
        let engine = LocalEngine::new(id, boots(), clock.now(), 1);
        options.originator.engine = Some(Arc::new(engine));
        options.originator.max_window = u16::try_from(self.together).unwrap_or(u16::MAX);
        if let Some(access) = receiver.access(self.transport) {
            options.secure = access.options.clone();
            if self.transport == TransportKind::Ssh {
                address.user.clone_from(&access.user);
            }
        }
        let target = NotificationTarget::new(address, options, clock);
        let mut target = target.map_err(|error| error.to_string())?;
        target.connect().map_err(|error| error.to_string())?;
        Ok(target)
    }

    /// Sends so many, as many together as may be on their way, and waits until the receiver has them.
    fn send(
        &self,
        target: &mut NotificationTarget,
        receiver: &mut Receiver,
        count: u32,
    ) -> Result<(), String> {
        let contact = VarBind::new(oid(SYS_CONTACT), CONTACT);
        let notification = Notification::new(1, oid(COLD_START), vec![contact]);
        let before = receiver.received().map_err(|error| error.to_string())?;
        let mut sent = 0;
        while sent < count {
            let together = self.together.min(count - sent);
            for _ in 0..together {
                let given = target.send(&notification);
                given.map_err(|error| error.to_string())?;
            }
            settle(target)?;
            sent += together;
            if !self.is_inform {
                wait(receiver, before + u64::from(sent))?;
            }
        }
        wait(receiver, before + u64::from(count))
    }
}

/// Until nothing waits to be sent or acknowledged.
fn settle(target: &mut NotificationTarget) -> Result<(), String> {
    loop {
        match target.progress() {
            Progress::Event(Event::Acknowledged { .. }) => {}
            Progress::Event(Event::Refused { error_status, .. }) => {
                return Err(format!("the receiver answered {error_status}"));
            }
            Progress::Event(Event::Failed { failure, .. }) => {
                return Err(format!(
                    "a notification was not delivered: {}",
                    failure.reason
                ));
            }
            Progress::Idle => break,
        }
    }
    match target.target().last_transport_error() {
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    }
}

/// Until the receiver has written so many.
fn wait(receiver: &mut Receiver, wanted: u64) -> Result<(), String> {
    let mut last = (Instant::now(), 0);
    loop {
        let received = receiver.received().map_err(|error| error.to_string())?;
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

/// Seconds since 1970, which grow from one start to the next.
fn boots() -> i32 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    i32::try_from(since.as_secs()).unwrap_or(i32::MAX - 1)
}
