//! An agent behind a secure transport, driven by messages made by hand or by a command generator.

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
use varbind_engine::instrumentation::Scalar;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::LocalEngine;
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::statistics::{Counter, Statistics};
use varbind_engine::transport::{
    Received, ResponseLimits, SecureTransport, SetHandling, TransportState,
};

use crate::craft::{Message, agent_id};
use crate::fixture::memory::Memory;
use crate::fixture::{family, host, oid};
use crate::simulator;

pub(crate) const SYS_UP_TIME: &str = "1.3.6.1.2.1.1.3.0";
pub(crate) const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
pub(crate) const SYS_CONTACT: &str = "1.3.6.1.2.1.1.4.0";
pub(crate) const SNMP_ENGINE_ID: &str = "1.3.6.1.6.3.10.2.1.1.0";

/// `alice`, over TLS, may do anything with the transport security model: in the default context at any level, in `vrf`
/// with privacy.
pub(crate) struct Agent {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) local: LocalConfiguration,
    pub(crate) limits: ResponseLimits,
    pub(crate) now: Instant,
    /// How messages come.
    pub(crate) state: Option<TransportState>,
    /// The messages that came.
    pub(crate) requests: Vec<Vec<u8>>,
    workspace: Workspace,
    buffer: Vec<u8>,
}

/// A session of that level.
pub(crate) fn session(
    transport: SecureTransport,
    name: &str,
    level: SecurityLevel,
) -> TransportState {
    TransportState::new(transport, SecurityName::new(name), level, 1)
}

/// Groups of these names may do everything.
pub(crate) fn access_control(names: &[(SecurityModel, &str)]) -> Vacm {
    let entry = |context: &str, security_level| AccessEntry {
        group: "all".into(),
        context_prefix: context.into(),
        context_match: ContextMatch::Exact,
        security_model: None,
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
        .fold(builder, |builder, &(model, name)| {
            builder.group(model, SecurityName::new(name), "all")
        })
        .build()
        .expect("the view exists")
}

impl Agent {
    pub(crate) fn new() -> Self {
        let registry = || {
            let name = oid("1.3.6.1.6.3.10.2.1.1");
            let engine_id = Value::OctetString(agent_id().as_octets().to_vec());
            let scalar = Scalar::new(&name, move |_| Some(engine_id.clone()));
            let objects = host(20).register(name, Arc::new(scalar));
            Arc::new(objects.build().expect("no overlap"))
        };
        let limits = ResponseLimits {
            message: 65_507,
            bulk: 65_507,
        };
        let engine = LocalEngine::new(agent_id(), 7, Instant::ORIGIN, 42);
        Self {
            dispatcher: Dispatcher::new(Arc::new(Statistics::default()), Arc::<Memory>::default()),
            local: LocalConfiguration {
                engine: Some(Arc::new(engine)),
                transport_security_model: Some(TransportSecurityModel::default()),
                access_control: access_control(&[(SecurityModel::Transport, "alice")]),
                contexts: HashMap::from([
                    (String::new(), registry()),
                    ("vrf".to_owned(), registry()),
                ]),
                ..LocalConfiguration::default()
            },
            limits,
            now: Instant::from_nanos(70_000_000),
            state: Some(session(
                SecureTransport::Tls,
                "alice",
                SecurityLevel::AuthPriv,
            )),
            requests: Vec::new(),
            workspace: Workspace::default(),
            buffer: vec![0; response_buffer_length(limits.message)],
        }
    }

    /// The same where `alice` has access with SNMPv1 and SNMPv2c as well.
    pub(crate) fn for_everybody() -> Self {
        let mut agent = Self::new();
        agent.local.access_control = access_control(&[
            (SecurityModel::SnmpV1, "alice"),
            (SecurityModel::SnmpV2c, "alice"),
            (SecurityModel::Transport, "alice"),
        ]);
        agent
    }

    pub(crate) fn handle(&mut self, message: &[u8]) -> Outcome {
        let received = Received {
            now: self.now,
            remote: SocketAddr::from(([192, 0, 2, 7], 1024)),
            message,
            limits: self.limits,
            sets: SetHandling::Now,
            transport_state: self.state.as_ref(),
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
    pub(crate) fn ask(&mut self, message: &Message) -> Message {
        let outcome = self.handle(&message.encode());
        assert!(matches!(outcome, Outcome::Respond(_)), "{outcome:?}");
        let answer = Message::decode(self.octets(&outcome).expect("a response"));
        assert_eq!(answer.pdu_type, PduType::Response);
        assert_eq!(answer.msg_id, message.msg_id);
        assert_eq!(answer.request_id, message.request_id);
        assert_eq!(answer.level, message.level);
        assert_eq!(answer.security_model, 4);
        assert_eq!(answer.security_parameters, b"");
        assert!(!answer.reportable);
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
    pub(crate) fn report(&mut self, message: &Message, reason: Discard) -> Message {
        let octets = self.refuse(&message.encode(), reason).expect("a Report");
        let report = Message::decode(&octets);
        let counter = reason.counter();
        let value = self.dispatcher.statistics().counter32(counter);
        assert_eq!(report.pdu_type, PduType::Report);
        assert_eq!(report.msg_id, message.msg_id);
        assert_eq!(report.security_model, 4);
        assert_eq!(report.security_parameters, b"");
        assert!(!report.reportable);
        // RFC 3412 7.1 (3) e and f
        assert_eq!(report.context_engine_id, agent_id().as_octets());
        assert_eq!(report.context_name, b"");
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
        self.requests.push(message.to_vec());
        let outcome = self.handle(message);
        let answer = self.octets(&outcome).map(<[u8]>::to_vec);
        answer
            .into_iter()
            .map(|octets| (Duration::ZERO, octets))
            .collect()
    }
}
