//! An agent of SNMPv3 with the user-based or the transport security model, driven by messages made by hand or by a command
//! generator.

mod check;
mod scoped_pdu;
pub mod transport;
pub mod user_based;

use std::collections::HashMap;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::message::SecurityLevel;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::access_control::{AccessEntry, Vacm};
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::clock::Instant;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::{DispatchOutcome, Dispatcher, response_buffer_length};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::RegistryBuilder;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::message_processing::DeferredRequest;
use varbind_engine::security::usm::LocalEngine;
use varbind_engine::security::{SecurityModel, SecurityName};
use varbind_engine::statistics::{Counter, Statistics};
use varbind_engine::transport::{Received, ResponseLimits, TransportState, WaitHandling};

use crate::command_responder::Memory;
use crate::simulator;
use crate::view::{access, family};

pub use check::{check_transport_message, check_user_based_message, choose_session};

/// snmpEngineBoots of the agent.
pub const BOOTS: i32 = 7;

/// sysUpTime.
pub const SYS_UP_TIME: &str = "1.3.6.1.2.1.1.3.0";
/// sysDescr.
pub const SYS_DESCR: &str = "1.3.6.1.2.1.1.1.0";
/// sysContact, which can be set.
pub const SYS_CONTACT: &str = "1.3.6.1.2.1.1.4.0";

/// The engine ID of the agent.
pub fn agent_id() -> EngineId {
    EngineId::new(b"\x80\x00\x7e\xd9\x04agent").expect("an engine ID")
}

/// Access to everything under these names: in the default context at any level, in `vrf` with privacy.
pub fn access_control(names: &[(SecurityModel, &str)]) -> Vacm {
    let private = AccessEntry {
        context_prefix: "vrf".into(),
        security_level: SecurityLevel::AuthPriv,
        ..access("all", "view", "view")
    };
    let builder = Vacm::builder()
        .context("")
        .context("vrf")
        .access(access("all", "view", "view"))
        .access(private)
        .view("view", family("1.3", "", true));
    names
        .iter()
        .fold(builder, |builder, &(model, name)| {
            builder.group(model, SecurityName::new(name), "all")
        })
        .build()
        .expect("the view exists")
}

/// A message to the agent that can be checked against its answer.
pub trait Request {
    /// The answer taken apart.
    type Answer: Debug;

    /// The message in octets.
    fn encode(&self) -> Vec<u8>;

    /// Takes a response to this request apart, and checks what does not depend on the objects.
    fn decode_response(&self, octets: &[u8]) -> Self::Answer;

    /// Takes a Report of `agent` on this request apart, and checks all but its variable bindings, which are returned too.
    fn decode_report(&self, agent: &V3Agent, octets: &[u8]) -> (Self::Answer, Vec<VarBind>);
}

/// An agent with the objects of a host in the default context and in `vrf`.
pub struct V3Agent {
    /// The dispatcher under test.
    pub dispatcher: Dispatcher,
    /// Users, views and objects.
    pub local: LocalConfiguration,
    /// The largest responses.
    pub limits: ResponseLimits,
    /// When a SetRequest is carried out.
    pub waits: WaitHandling,
    /// When messages arrive.
    pub now: Instant,
    /// The session that messages arrive over, if the transport is secure.
    pub state: Option<TransportState>,
    /// The messages that a simulation brought.
    pub requests: Vec<Vec<u8>>,
    workspace: Workspace,
    buffer: Vec<u8>,
}

impl V3Agent {
    fn new(engine: LocalEngine, objects: impl Fn() -> RegistryBuilder, now: Instant) -> Self {
        let registry = || Arc::new(objects().build().expect("no overlap"));
        let limits = ResponseLimits {
            message: 65_507,
            bulk: 65_507,
        };
        Self {
            dispatcher: Dispatcher::new(Arc::new(Statistics::default()), Arc::<Memory>::default()),
            local: LocalConfiguration {
                engine: Some(Arc::new(engine)),
                contexts: HashMap::from([
                    (String::new(), registry()),
                    ("vrf".to_owned(), registry()),
                ]),
                ..LocalConfiguration::default()
            },
            limits,
            waits: WaitHandling::Now,
            now,
            state: None,
            requests: Vec::new(),
            workspace: Workspace::default(),
            buffer: vec![0; response_buffer_length(limits.message)],
        }
    }

    /// Handles octets as a message.
    pub fn handle(&mut self, message: &[u8]) -> DispatchOutcome {
        let received = Received {
            now: self.now,
            remote: SocketAddr::from(([192, 0, 2, 7], 1024)),
            message,
            limits: self.limits,
            waits: self.waits,
            transport_state: self.state.as_ref(),
        };
        self.dispatcher.handle_message(
            &self.local,
            &received,
            &mut self.workspace,
            &mut self.buffer,
        )
    }

    /// Carries out a SetRequest that was deferred.
    pub fn carry_out(&mut self, set: &DeferredRequest) -> DispatchOutcome {
        let (local, now) = (&self.local, self.now);
        self.dispatcher
            .carry_out(local, now, set, &mut self.workspace, &mut self.buffer)
    }

    /// The answer in octets.
    pub fn octets(&self, outcome: &DispatchOutcome) -> Option<&[u8]> {
        outcome.answer().map(|range| &self.buffer[range])
    }

    /// Sends a request that must have a response.
    #[track_caller]
    pub fn ask<R: Request>(&mut self, request: &R) -> R::Answer {
        let outcome = self.handle(&request.encode());
        assert!(
            matches!(outcome, DispatchOutcome::Respond(_)),
            "{outcome:?}"
        );
        request.decode_response(self.octets(&outcome).expect("a response"))
    }

    /// Sends a message that must be refused for this reason, and counted so once and nowhere else.
    #[track_caller]
    pub fn refuse(&mut self, octets: &[u8], reason: Discard) -> Option<Vec<u8>> {
        let before = self.counts();
        let outcome = self.handle(octets);
        assert_eq!(outcome.discard(), Some(&reason));
        for (counter, (before, after)) in Counter::ALL
            .into_iter()
            .zip(before.into_iter().zip(self.counts()))
        {
            let expected = counter == reason.counter()
                || counter == Counter::SnmpInPkts
                || counter == Counter::SnmpOutPkts && outcome.answer().is_some();
            assert_eq!(after - before, u64::from(expected), "{counter:?}");
        }
        self.octets(&outcome).map(<[u8]>::to_vec)
    }

    /// Sends a request that must be answered with a Report, and checks all of it.
    #[track_caller]
    pub fn report<R: Request>(&mut self, request: &R, reason: Discard) -> R::Answer {
        let octets = self.refuse(&request.encode(), reason).expect("a Report");
        let (report, var_binds) = request.decode_report(self, &octets);
        let counter = reason.counter();
        let value = self.dispatcher.statistics().counter32(counter);
        let instance = Oid::new(counter.instance()).expect("a name");
        assert_eq!(var_binds, [VarBind::new(instance, Value::Counter32(value))]);
        report
    }

    /// Sends a message that must be refused in silence.
    #[track_caller]
    pub fn silence(&mut self, octets: &[u8], reason: Discard) {
        assert_eq!(self.refuse(octets, reason), None);
    }

    fn counts(&self) -> Vec<u64> {
        Counter::ALL
            .into_iter()
            .map(|counter| self.count(counter))
            .collect()
    }

    /// The value of a counter.
    pub fn count(&self, counter: Counter) -> u64 {
        self.dispatcher.statistics().value(counter)
    }
}

impl simulator::SimulatedAgent for V3Agent {
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
