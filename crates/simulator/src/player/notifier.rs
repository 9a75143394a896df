//! Notifications that reading or setting objects triggers.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use varbind::clock::Clock;
use varbind::notification::{NotificationSender, NotificationTarget, SenderThread, TargetOptions};
use varbind::transport::TransportAddress;
use varbind_engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_receiver::NotificationKind;
use varbind_engine::clock::Instant;
use varbind_engine::security::SecurityName;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol,
};

use super::counts::{Count, Counts};
use crate::device::Asked;
use crate::recording::{Addressee, NotificationVariation, Sender};

/// Senders at a time. SNMPv3 needs one for each device, whose engine has an ID of its own.
const SENDERS: usize = 1024;
/// Notifications that wait for one target.
const WAITING: usize = 10_000;

/// A notification of a device, and its target.
pub(super) struct Announcement {
    addressee: Addressee,
    engine: Option<Engine>,
    notification: Arc<Notification>,
}

/// The engine of a device.
struct Engine {
    device: u32,
    local: LocalEngine,
}

impl Announcement {
    pub(super) fn new(asked: &Asked<'_>, variation: &NotificationVariation) -> Self {
        let (_, since) = asked.device.restarts(asked.now);
        let ticks = u32::try_from(since.as_millis() / 10 % (1 << 32)).unwrap_or_default();
        let is_v3 = matches!(variation.addressee.sender, Sender::V3 { .. });
        let id = asked.device.engine_id().filter(|_| is_v3);
        let engine = id.map(|id| {
            let passed = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
            let started = Instant::from_nanos(asked.now.as_nanos().saturating_sub(passed));
            let device = asked.device.number();
            let seed = RandomState::new().hash_one(device);
            let boots = asked.device.boots(asked.now);
            Engine {
                device,
                local: LocalEngine::new(id, boots, started, seed),
            }
        });
        let notification = Notification::new(
            variation.up_time.unwrap_or(ticks),
            variation.trap_oid.clone(),
            variation.var_binds.clone(),
        );
        Self {
            addressee: variation.addressee.clone(),
            engine,
            notification: Arc::new(notification),
        }
    }
}

/// Sends notifications in a thread, which begins with the first.
pub(crate) struct Notifier {
    clock: Clock,
    counts: Arc<Counts>,
    open: Mutex<Option<Open>>,
}

/// The thread, and the senders by target and device.
struct Open {
    senders: HashMap<(Addressee, Option<u32>), NotificationSender>,
    thread: SenderThread,
}

impl Notifier {
    pub(super) fn new(clock: Clock, counts: Arc<Counts>) -> Self {
        Self {
            clock,
            counts,
            open: Mutex::default(),
        }
    }

    /// Gives a notification to its sender. It does not wait.
    pub(super) fn send(&self, announcement: Announcement) {
        let address = announcement.addressee.address.clone();
        match self.try_send(announcement) {
            Ok(()) => self.counts.count(Count::Traps),
            Err(error) => {
                self.counts.count(Count::UnsentTraps);
                log::warn!("a notification to {address} is not sent: {error}");
            }
        }
    }

    fn try_send(&self, announcement: Announcement) -> Result<(), String> {
        let Announcement {
            addressee,
            engine,
            notification,
        } = announcement;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match &mut *open {
            Some(open) => open,
            none => none.insert(Open {
                senders: HashMap::new(),
                thread: SenderThread::start().map_err(|error| error.to_string())?,
            }),
        };
        let key = (addressee, engine.as_ref().map(|engine| engine.device));
        if let Some(sender) = open.senders.get(&key) {
            sender.send(&notification);
            return Ok(());
        }
        if open.senders.len() >= SENDERS {
            return Err(format!("there are {SENDERS} targets already"));
        }
        let target = target(&key.0, engine, self.clock)?;
        let sender = NotificationSender::start_in(&open.thread, target, WAITING, |_| {});
        sender.send(&notification);
        open.senders.insert(key, sender);
        Ok(())
    }
}

fn target(
    addressee: &Addressee,
    engine: Option<Engine>,
    clock: Clock,
) -> Result<NotificationTarget, String> {
    let address: TransportAddress = addressee
        .address
        .parse()
        .map_err(|error| format!("{error}"))?;
    let kind = match addressee.is_inform {
        true => NotificationKind::Inform,
        false => NotificationKind::Trap,
    };
    let mut options = TargetOptions::new(kind, processing(&addressee.sender)?);
    options.originator.engine = engine.map(|engine| Arc::new(engine.local));
    Ok(NotificationTarget::new(address, options, clock))
}

fn processing(sender: &Sender) -> Result<MessageProcessing, String> {
    Ok(match sender {
        Sender::V1(community) => MessageProcessing::V1 {
            community: community.as_bytes().to_vec(),
        },
        Sender::V2c(community) => MessageProcessing::V2c {
            community: community.as_bytes().to_vec(),
        },
        Sender::V3 {
            user,
            authentication,
            privacy,
        } => {
            let credentials = credentials(authentication.as_ref(), privacy.as_ref())?;
            let parameters = V3Parameters::user(SecurityName::new(user.as_str()), credentials);
            MessageProcessing::V3(Box::new(parameters.map_err(|error| error.to_string())?))
        }
    })
}

/// A protocol and a password.
type Secret = (String, String);

fn credentials(
    authentication: Option<&Secret>,
    privacy: Option<&Secret>,
) -> Result<Credentials, String> {
    let password = |text: &String| Password::new(text.as_str()).map_err(|error| error.to_string());
    let Some((protocol, secret)) = authentication else {
        return match privacy {
            None => Ok(Credentials::NoAuthNoPriv),
            Some(_) => Err("privkey needs authkey: add it".to_owned()),
        };
    };
    let protocol: AuthenticationProtocol = protocol.parse().map_err(|error| format!("{error}"))?;
    let secret = password(secret)?;
    let Some((privacy, key)) = privacy else {
        return Ok(Credentials::auth_no_priv(protocol, &secret));
    };
    let privacy: PrivacyProtocol = privacy.parse().map_err(|error| format!("{error}"))?;
    Ok(Credentials::auth_priv(
        protocol,
        &secret,
        privacy,
        &password(key)?,
    ))
}
