//! An agent with users, driven by messages made by hand or by a command generator.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::access_control::{AccessEntry, ContextMatch, Vacm};
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::{Dispatcher, Outcome, response_buffer_length};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::usm::{
    AuthenticationProtocol, Credentials, LocalEngine, Password, PrivacyProtocol, User, UserTable,
};
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::statistics::{Counter, Statistics};
use varbind_engine::transport::{Received, ResponseLimits, SetHandling};

use crate::craft::{Answer, Message, agent_id};
use crate::fixture::memory::Memory;
use crate::fixture::{family, host};
use crate::simulator;

pub(crate) const BOOTS: i32 = 7;
/// snmpEngineTime when a test begins.
pub(crate) const TIME: i32 = 1000;

pub(crate) const SYS_UP_TIME: &str = "1.3.6.1.2.1.1.3.0";
pub(crate) const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
pub(crate) const SYS_CONTACT: &str = "1.3.6.1.2.1.1.4.0";

/// `open`, `signer` and `ops` have the three levels, SHA-256 and AES-128. They may do anything in the default context,
/// with privacy in `vrf` too.
pub(crate) struct Agent {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) local: LocalConfiguration,
    pub(crate) limits: ResponseLimits,
    pub(crate) sets: SetHandling,
    pub(crate) now: Instant,
    workspace: Workspace,
    buffer: Vec<u8>,
}

pub(crate) fn password(text: &str) -> Password {
    Password::new(text).expect("long enough")
}

pub(crate) fn user(name: &str, credentials: &Credentials) -> User {
    let security = credentials.localize(&agent_id()).expect("right lengths");
    User::new(SecurityName::new(name), security).expect("a name")
}

/// The credentials of `ops`.
pub(crate) fn auth_priv() -> Credentials {
    Credentials::auth_priv(
        AuthenticationProtocol::Sha256,
        &password("authentication"),
        PrivacyProtocol::Aes128,
        &password("privacyprivacy"),
    )
}

/// The credentials of `signer`.
pub(crate) fn auth_no_priv() -> Credentials {
    Credentials::auth_no_priv(AuthenticationProtocol::Sha256, &password("authentication"))
}

fn users() -> UserTable {
    UserTable::new([
        user("open", &Credentials::NoAuthNoPriv),
        user("signer", &auth_no_priv()),
        user("ops", &auth_priv()),
    ])
}

pub(crate) fn access_control(names: &[&str]) -> Vacm {
    let entry = |context: &str, security_level| AccessEntry {
        group: "all".into(),
        context_prefix: context.into(),
        context_match: ContextMatch::Exact,
        security_model: Some(SecurityModel::UserBased),
        security_level,
        read_view: "view".into(),
        write_view: "view".into(),
        notify_view: String::new(),
    };
    let builder = Vacm::builder()
        .context("")
        .context("vrf")
        .access(entry("", SecurityLevel::NoAuthNoPriv))
        .access(entry("vrf", SecurityLevel::AuthPriv))
        .view("view", family("1.3", "", true));
    names
        .iter()
        .fold(builder, |builder, name| {
            let name = SecurityName::new(*name);
            builder.group(SecurityModel::UserBased, name, "all")
        })
        .build()
        .expect("the view exists")
}

/// When a test begins; the engine started at the origin.
pub(crate) fn start() -> Instant {
    Instant::ORIGIN + Duration::from_secs(TIME.unsigned_abs().into())
}

impl Agent {
    pub(crate) fn new() -> Self {
        Self::with_engine(LocalEngine::new(agent_id(), BOOTS, Instant::ORIGIN, 42))
    }

    pub(crate) fn with_engine(engine: LocalEngine) -> Self {
        let registry = || Arc::new(host(20).build().expect("no overlap"));
        let limits = ResponseLimits {
            message: 65_507,
            bulk: 65_507,
        };
        Self {
            dispatcher: Dispatcher::new(Arc::new(Statistics::default()), Arc::<Memory>::default()),
            local: LocalConfiguration {
                engine: Some(Arc::new(engine)),
                users: users(),
                access_control: access_control(&["open", "signer", "ops"]),
                contexts: HashMap::from([
                    (String::new(), registry()),
                    ("vrf".to_owned(), registry()),
                ]),
                ..LocalConfiguration::default()
            },
            limits,
            sets: SetHandling::Now,
            now: start(),
            workspace: Workspace::default(),
            buffer: vec![0; response_buffer_length(limits.message)],
        }
    }

    pub(crate) fn handle(&mut self, message: &[u8]) -> Outcome {
        let received = Received {
            now: self.now,
            remote: SocketAddr::from(([192, 0, 2, 7], 1024)),
            message,
            limits: self.limits,
            sets: self.sets,
            transport_state: None,
        };
        self.dispatcher.handle_message(
            &self.local,
            &received,
            &mut self.workspace,
            &mut self.buffer,
        )
    }

    /// The answer in octets.
    pub(crate) fn octets(&self, outcome: &Outcome) -> Option<&[u8]> {
        outcome.answer().map(|range| &self.buffer[range])
    }

    /// Sends a request that must have a response.
    #[track_caller]
    pub(crate) fn ask(&mut self, message: &Message) -> Answer {
        let outcome = self.handle(&message.encode());
        assert!(matches!(outcome, Outcome::Respond(_)), "{outcome:?}");
        let octets = self.octets(&outcome).expect("a response");
        assert!(octets.len() <= usize::try_from(message.msg_max_size).expect("positive"));
        let answer = Answer::decode(message, octets);
        assert_eq!(answer.pdu_type, PduType::Response);
        assert_eq!(answer.msg_id, message.msg_id);
        assert_eq!(answer.request_id, message.request_id);
        assert_eq!(answer.level, message.level);
        assert_eq!(answer.user_name, message.user_name);
        assert_eq!(answer.context_engine_id, message.context_engine_id);
        assert_eq!(answer.context_name, message.context_name);
        answer
    }

    /// Sends a message that must be refused for this reason, and counted so once and nowhere else.
    #[track_caller]
    pub(crate) fn refuse(&mut self, octets: &[u8], reason: Discard) -> Option<Vec<u8>> {
        let before = self.counts();
        let outcome = self.handle(octets);
        assert_eq!(outcome.discard(), Some(&reason));
        for (counter, (before, after)) in Counter::ALL
            .into_iter()
            .zip(before.into_iter().zip(self.counts()))
        {
            let expected = counter == reason.counter() || counter == Counter::SnmpInPkts;
            assert_eq!(after - before, u64::from(expected), "{counter:?}");
        }
        self.octets(&outcome).map(<[u8]>::to_vec)
    }

    /// Sends a request that must be answered with a Report, and checks all of it.
    #[track_caller]
    pub(crate) fn report(&mut self, message: &Message, reason: Discard) -> Answer {
        let octets = self.refuse(&message.encode(), reason).expect("a Report");
        let report = Answer::decode(message, &octets);
        let counter = reason.counter();
        let value = self.dispatcher.statistics().counter32(counter);
        assert_eq!(report.pdu_type, PduType::Report);
        assert_eq!(report.msg_id, message.msg_id);
        assert!(!report.reportable);
        // RFC 3412 7.1 (3) e and f
        assert_eq!(report.engine_id, agent_id().as_octets());
        assert_eq!(report.context_engine_id, agent_id().as_octets());
        assert_eq!(report.context_name, b"");
        assert_eq!(report.user_name, message.user_name);
        let engine = self.local.engine.as_ref().expect("an engine");
        let time = engine.time(self.now);
        assert_eq!((report.boots, report.time), (time.boots, time.time));
        let instance = varbind_codec::smi::Oid::new(counter.instance()).expect("a name");
        assert_eq!(
            report.var_binds,
            [VarBind::new(instance, Value::Counter32(value))]
        );
        report
    }

    /// Sends a message that must be refused in silence.
    #[track_caller]
    pub(crate) fn silence(&mut self, octets: &[u8], reason: Discard) {
        assert_eq!(self.refuse(octets, reason), None);
    }

    fn counts(&self) -> Vec<u64> {
        let value = |counter| self.dispatcher.statistics().value(counter);
        Counter::ALL.into_iter().map(value).collect()
    }

    pub(crate) fn count(&self, counter: Counter) -> u64 {
        self.dispatcher.statistics().value(counter)
    }
}

impl simulator::agent::Agent for Agent {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        self.now = now;
        let outcome = self.handle(message);
        let answer = self.octets(&outcome).map(<[u8]>::to_vec);
        answer
            .into_iter()
            .map(|octets| (Duration::ZERO, octets))
            .collect()
    }
}
