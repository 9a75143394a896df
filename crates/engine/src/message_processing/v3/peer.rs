use std::ops::Range;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{HeaderData, ScopedPdu, ScopedPduData, V3Message};
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_codec::smi::ValueRef;

use super::{MessageError, OutgoingMessage, OutgoingSecurity, headroom, unreadable};
use crate::clock::Instant;
#[cfg(feature = "experiments")]
use crate::compression::admit_response;
use crate::engine_id::{EngineId, SNMP_ENGINE_ID};
use crate::security::usm::{
    self, EngineTime, Plaintext, Protected, Protection, RemoteEngine, SaltCounter, UserSecurity,
    UsmError,
};
use crate::security::{GlobalData, SecurityLevel, SecurityName, tsm};
use crate::statistics::Counter;

/// The engine at the other end, for whoever asks it: with the user-based security model, it is authoritative for the
/// messages in both directions.
#[derive(Debug)]
pub struct Peer {
    /// `None` with the transport security model.
    user: Option<User>,
}

/// A user, and the engine with its keys once they are known.
#[derive(Debug)]
struct User {
    name: SecurityName,
    salts: SaltCounter,
    engine: Option<(RemoteEngine, UserSecurity)>,
}

/// What a request says besides its PDU.
#[derive(Clone, Copy, Debug)]
pub struct RequestHeaders<'a> {
    /// msgID.
    pub msg_id: i32,
    /// msgMaxSize: the largest response that is taken, in octets.
    pub msg_max_size: i32,
    /// securityLevel.
    pub security_level: SecurityLevel,
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
}

/// What a message of the peer holds (prepareDataElements, RFC 3412 section 7.2 (2) to (9)).
///
/// A message of level noAuthNoPriv is not authenticated: a Report may be like that, a response to a protected request may not.
#[derive(Clone, Debug)]
pub struct PeerElements<'a> {
    /// msgID.
    pub msg_id: i32,
    /// msgMaxSize: the largest message that the peer takes, in octets.
    pub msg_max_size: i32,
    /// securityLevel.
    pub security_level: SecurityLevel,
    /// Whether it is known who sent it; then the time of the engine was taken from it.
    pub is_authentic: bool,
    /// Whether it has the security name of the requests.
    pub has_security_name: bool,
    /// Of the authoritative engine, with the user-based security model.
    pub engine_id: Option<EngineId>,
    /// Of the authoritative engine; 0 with the transport security model.
    pub engine_time: EngineTime,
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
    /// The PDU: a response or a Report, if the peer does what it should.
    pub pdu: Pdu<'a>,
}

impl Peer {
    /// A peer that is spoken to in the name of a user (RFC 3414). Privacy parameters count from `salt`: with these keys,
    /// no other message may have them.
    #[must_use]
    pub const fn of_user(name: SecurityName, salt: u64) -> Self {
        let user = User {
            name,
            salts: SaltCounter::new(salt),
            engine: None,
        };
        Self { user: Some(user) }
    }

    /// A peer at the other end of a secure session (RFC 5591).
    #[must_use]
    pub const fn of_transport() -> Self {
        Self { user: None }
    }

    /// Takes this engine with these keys for the peer from now on.
    pub fn adopt(&mut self, engine: RemoteEngine, security: UserSecurity) {
        if let Some(user) = &mut self.user {
            user.engine = Some((engine, security));
        }
    }

    /// What is known of the authoritative engine.
    #[must_use]
    pub const fn engine(&self) -> Option<&RemoteEngine> {
        match &self.user {
            Some(User {
                engine: Some((engine, _)),
                ..
            }) => Some(engine),
            _ => None,
        }
    }

    pub(crate) const fn engine_mut(&mut self) -> Option<&mut RemoteEngine> {
        match &mut self.user {
            Some(User {
                engine: Some((engine, _)),
                ..
            }) => Some(engine),
            _ => None,
        }
    }

    /// More octets than the headers of a request take.
    #[must_use]
    pub fn headroom(&self, context_name: &str) -> usize {
        headroom(self.user.as_ref().map(|user| &user.name), context_name)
    }

    /// Writes a request that finds out who the engine is: an empty one, which a Report answers (RFC 3414 section 4), or
    /// one for snmpEngineID.0 (RFC 5343 section 3.2 (3)). The context of the headers is not used.
    ///
    /// # Errors
    /// When the buffer has no room.
    pub fn prepare_discovery(
        &self,
        headers: RequestHeaders<'_>,
        request_id: i32,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        if self.user.is_none() {
            writer.append_var_bind(SNMP_ENGINE_ID, ValueRef::Null)?;
        }
        writer.prepend_pdu(PduType::GetRequest, request_id, 0, 0)?;
        let security = match &self.user {
            Some(_) => OutgoingSecurity::User(usm::Envelope {
                engine_id: b"",
                engine_time: EngineTime { boots: 0, time: 0 },
                user_name: b"",
                protection: Protection::NoAuthNoPriv,
                salt: 0,
            }),
            None => OutgoingSecurity::Transport(headers.security_level),
        };
        let headers = RequestHeaders {
            context_engine_id: match &self.user {
                Some(_) => b"",
                None => EngineId::LOCAL,
            },
            context_name: b"",
            ..headers
        };
        headers.message(security).enclose(writer)
    }

    /// Encloses the PDU of a request in its headers (prepareOutgoingMessage, RFC 3412 section 7.1), and returns where in
    /// the buffer the message is.
    ///
    /// # Errors
    /// When the buffer has no room.
    pub fn prepare_outgoing_message(
        &self,
        now: Instant,
        headers: RequestHeaders<'_>,
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let level = headers.security_level;
        let security = match &self.user {
            Some(user) => OutgoingSecurity::User(user.envelope(now, level)),
            None => OutgoingSecurity::Transport(level),
        };
        headers.message(security).enclose(writer)
    }

    /// Takes a message of the peer apart. What is encrypted is decrypted into `plaintext`.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        octets: &'a [u8],
        content: Reader<'a>,
        plaintext: &'a mut Plaintext,
    ) -> Result<PeerElements<'a>, MessageError> {
        let message = V3Message::decode_content(content)?;
        let header = message.header;
        match (&mut self.user, header.msg_security_model) {
            (Some(user), usm::SECURITY_MODEL) => {
                let protected = Protected::new(octets, &message)?;
                user.prepare_data_elements(now, header, &protected, plaintext)
            }
            // It came by the session that requests leave by, so it is known who sent it.
            (None, tsm::SECURITY_MODEL) => Sender {
                is_authentic: true,
                has_security_name: true,
                engine_id: None,
                engine_time: EngineTime { boots: 0, time: 0 },
            }
            .elements(header, tsm::scoped_pdu(&message)?),
            (_, other) => Err(MessageError::UnknownSecurityModel(other)),
        }
    }
}

impl<'a> RequestHeaders<'a> {
    const fn message(self, security: OutgoingSecurity<'a>) -> OutgoingMessage<'a> {
        OutgoingMessage {
            global_data: GlobalData {
                msg_id: self.msg_id,
                msg_max_size: self.msg_max_size,
                reportable: true,
            },
            security,
            context_engine_id: self.context_engine_id,
            context_name: self.context_name,
        }
    }
}

impl User {
    /// RFC 3414 section 3.1
    fn envelope(&self, now: Instant, level: SecurityLevel) -> usm::Envelope<'_> {
        let engine = self.engine.as_ref();
        usm::Envelope {
            engine_id: engine.map_or(&[], |(engine, _)| engine.id().as_octets()),
            engine_time: match (level, engine) {
                // RFC 3414 3.1 (6)
                (SecurityLevel::NoAuthNoPriv, _) | (_, None) => EngineTime { boots: 0, time: 0 },
                (_, Some((engine, _))) => engine.time(now),
            },
            user_name: self.name.as_str().as_bytes(),
            // The keys were made for the level.
            protection: engine
                .and_then(|(_, security)| security.protection(level))
                .unwrap_or(Protection::NoAuthNoPriv),
            salt: self.salts.next(),
        }
    }

    /// RFC 3414 section 3.2
    fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        header: HeaderData,
        protected: &Protected<'a>,
        plaintext: &'a mut Plaintext,
    ) -> Result<PeerElements<'a>, MessageError> {
        let level = header.msg_flags.security_level;
        let user_name = self.name.as_str().as_bytes();
        let sender = Sender {
            is_authentic: level != SecurityLevel::NoAuthNoPriv,
            has_security_name: protected.parameters.user_name == user_name,
            engine_id: EngineId::new(protected.parameters.authoritative_engine_id).ok(),
            engine_time: protected.engine_time(),
        };
        let scoped_pdu = match (&mut self.engine, level) {
            (_, SecurityLevel::NoAuthNoPriv) => {
                protected.decrypt(Protection::NoAuthNoPriv, plaintext)
            }
            (Some((engine, security)), level) => {
                let user = (user_name, &*security);
                engine.process_incoming_message(user, now, protected, level, plaintext)
            }
            (None, _) => Err(UsmError::UnknownEngineId),
        };
        match scoped_pdu {
            Ok(scoped_pdu) => sender.elements(header, scoped_pdu),
            Err(error) => sender
                .stale_report(header, error, protected)
                .ok_or(MessageError::Usm(error)),
        }
    }
}

/// What the security model says of who sent a message.
struct Sender {
    is_authentic: bool,
    has_security_name: bool,
    engine_id: Option<EngineId>,
    engine_time: EngineTime,
}

impl Sender {
    fn elements(
        self,
        header: HeaderData,
        scoped_pdu: Reader<'_>,
    ) -> Result<PeerElements<'_>, MessageError> {
        let level = header.msg_flags.security_level;
        // The transport security model leaves encryption to the transport, whatever the level.
        let is_encrypted =
            level == SecurityLevel::AuthPriv && header.msg_security_model == usm::SECURITY_MODEL;
        let decoded = ScopedPdu::decode(scoped_pdu);
        #[cfg(feature = "experiments")]
        let decoded = decoded.and_then(admit_response);
        let ScopedPdu {
            context_engine_id,
            context_name,
            pdu,
        } = decoded.map_err(|error| unreadable(error, is_encrypted))?;
        Ok(PeerElements {
            msg_id: header.msg_id,
            msg_max_size: header.msg_max_size,
            security_level: level,
            is_authentic: self.is_authentic,
            has_security_name: self.has_security_name,
            engine_id: self.engine_id,
            engine_time: self.engine_time,
            context_engine_id,
            context_name,
            pdu,
        })
    }

    /// A Report that the clock is wrong, from an engine whose own clock went backwards. It is used, but it proves
    /// nothing.
    fn stale_report<'a>(
        self,
        header: HeaderData,
        error: UsmError,
        message: &Protected<'a>,
    ) -> Option<PeerElements<'a>> {
        let ScopedPduData::Plaintext(scoped_pdu) = message.data else {
            return None;
        };
        let sender = Self {
            is_authentic: false,
            ..self
        };
        let elements = sender.elements(header, scoped_pdu).ok()?;
        let is_stale = error == UsmError::NotInTimeWindow
            && elements.reported_counter() == Some(Counter::UsmStatsNotInTimeWindows);
        is_stale.then_some(elements)
    }
}

impl<'a> PeerElements<'a> {
    /// The PDU of a Report (RFC 3412 section 7.2 (11)).
    #[must_use]
    pub fn report(&self) -> Option<&CommonPdu<'a>> {
        match &self.pdu {
            Pdu::Common(pdu) if pdu.pdu_type == PduType::Report => Some(pdu),
            _ => None,
        }
    }

    /// The counter in the first variable binding of a Report, if it is a known one.
    #[must_use]
    pub fn reported_counter(&self) -> Option<Counter> {
        let first = self.report()?.var_binds.clone().next()?.ok()?;
        Counter::ALL
            .into_iter()
            .find(|counter| first.name.arcs().eq(counter.instance().iter().copied()))
    }
}
