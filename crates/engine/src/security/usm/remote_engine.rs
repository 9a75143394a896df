use varbind_codec::ber::Reader;

use super::local_engine::TIME_WINDOW;
use super::message::Protected;
use super::{EngineTime, MAX_ENGINE_BOOTS, Plaintext, UserSecurity, UsmError};
use crate::clock::Instant;
use crate::engine_id::EngineId;
use crate::security::SecurityLevel;

/// What is known of another engine that is authoritative (RFC 3414 sections 2.3 and 3.2 (7) b).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteEngine {
    id: EngineId,
    clock: Option<RemoteClock>,
    /// The engine's statement at discovery. It is not authenticated.
    hint: Option<RemoteClock>,
    max_message_size: Option<usize>,
}

/// The latest time of the engine that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RemoteClock {
    /// latestReceivedEngineTime and its boots.
    latest: EngineTime,
    received: Instant,
}

impl RemoteClock {
    fn time(&self, now: Instant) -> EngineTime {
        let elapsed = now.saturating_since(self.received).as_secs();
        let elapsed = i32::try_from(elapsed).unwrap_or(i32::MAX);
        EngineTime {
            boots: self.latest.boots,
            time: self.latest.time.saturating_add(elapsed),
        }
    }
}

impl RemoteEngine {
    /// An engine of which the name alone is known.
    #[must_use]
    pub const fn new(id: EngineId) -> Self {
        Self {
            id,
            clock: None,
            hint: None,
            max_message_size: None,
        }
    }

    /// The same with a time that is not vouched for: it saves an exchange if it is right.
    #[must_use]
    pub const fn with_hint(self, now: Instant, time: EngineTime) -> Self {
        let hint = RemoteClock {
            latest: time,
            received: now,
        };
        Self {
            hint: Some(hint),
            ..self
        }
    }

    /// snmpEngineID.
    #[must_use]
    pub const fn id(&self) -> &EngineId {
        &self.id
    }

    /// snmpEngineBoots and snmpEngineTime if known. Otherwise they are 0, and the engine
    /// will answer that they are not (RFC 3414 section 4).
    #[must_use]
    pub fn time(&self, now: Instant) -> EngineTime {
        let clock = self.clock.or(self.hint);
        clock.map_or(EngineTime { boots: 0, time: 0 }, |clock| clock.time(now))
    }

    /// Whether its time comes from an authentic message.
    #[must_use]
    pub const fn is_synchronized(&self) -> bool {
        self.clock.is_some()
    }

    /// The largest message that it takes, if it said so.
    #[must_use]
    pub const fn max_message_size(&self) -> Option<usize> {
        self.max_message_size
    }

    pub(crate) const fn set_max_message_size(&mut self, octets: usize) {
        self.max_message_size = Some(octets);
    }

    /// Takes in the time of an authentic message; `false` if the message is old (RFC 3414 section 3.2 (7) b).
    fn accept(&mut self, now: Instant, message: EngineTime) -> bool {
        // RFC 3414 3.2 (7) b 1
        if self.clock.is_none_or(|clock| message > clock.latest) {
            self.clock = Some(RemoteClock {
                latest: message,
                received: now,
            });
        }
        // RFC 3414 3.2 (7) b 2
        let local = self.time(now);
        local.boots != MAX_ENGINE_BOOTS
            && message.boots == local.boots
            && message.time >= local.time.saturating_sub(TIME_WINDOW)
    }

    /// Checks a message of this engine to this user (processIncomingMsg, RFC 3414 section 3.2).
    pub(crate) fn process_incoming_message<'p>(
        &mut self,
        user: (&[u8], &UserSecurity),
        now: Instant,
        message: &Protected<'p>,
        level: SecurityLevel,
        plaintext: &'p mut Plaintext,
    ) -> Result<Reader<'p>, UsmError> {
        let (user_name, security) = user;
        // RFC 3414 3.2 (3)
        if message.parameters.authoritative_engine_id != self.id.as_octets() {
            return Err(UsmError::UnknownEngineId);
        }
        // RFC 3414 3.2 (4)
        if message.parameters.user_name != user_name {
            return Err(UsmError::UnknownUserName);
        }
        // RFC 3414 3.2 (5)
        let protection = security
            .protection(level)
            .ok_or(UsmError::UnsupportedSecurityLevel)?;
        // RFC 3414 3.2 (6)
        message.authenticate(protection)?;
        // RFC 3414 3.2 (7) b
        let is_authentic = protection.authentication().is_some();
        if is_authentic && !self.accept(now, message.engine_time()) {
            return Err(UsmError::NotInTimeWindow);
        }
        // RFC 3414 3.2 (8)
        message.decrypt(protection, plaintext)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(boots: i32, time: i32) -> EngineTime {
        EngineTime { boots, time }
    }

    fn after(seconds: u64) -> Instant {
        Instant::ORIGIN + Duration::from_secs(seconds)
    }

    fn engine() -> RemoteEngine {
        RemoteEngine::new(EngineId::new(b"\x80\0\0\0\x04host").unwrap())
    }

    /// RFC 3414 3.2 (7) b
    #[test]
    fn messages_up_to_150_seconds_old_are_taken() {
        let mut engine = engine();
        assert_eq!(engine.time(after(9)), at(0, 0));
        assert!(engine.accept(after(10), at(3, 1000)));
        assert_eq!(engine.time(after(30)), at(3, 1020));
        assert!(engine.accept(after(30), at(3, 870)));
        assert!(!engine.accept(after(30), at(3, 869)));
        // An old message changes nothing.
        assert_eq!(engine.time(after(30)), at(3, 1020));
        // A new one does, though its clock is fast.
        assert!(engine.accept(after(30), at(3, 5000)));
        assert!(!engine.accept(after(30), at(3, 1020)));
    }

    /// RFC 3414 3.2 (7) b
    #[test]
    fn boots_go_forward_only() {
        let mut engine = engine();
        assert!(engine.accept(after(0), at(3, 1000)));
        assert!(engine.accept(after(1), at(4, 0)));
        assert!(!engine.accept(after(1), at(3, 2000)));
        assert_eq!(engine.time(after(1)), at(4, 0));
        assert!(!engine.accept(after(1), at(MAX_ENGINE_BOOTS, 0)));
    }

    #[test]
    fn a_hint_is_forgotten_for_what_is_authentic() {
        let mut engine = engine().with_hint(after(0), at(9, 500));
        assert_eq!(engine.time(after(10)), at(9, 510));
        assert!(!engine.is_synchronized());
        assert!(engine.accept(after(10), at(3, 1000)));
        assert_eq!(engine.time(after(10)), at(3, 1000));
    }
}
