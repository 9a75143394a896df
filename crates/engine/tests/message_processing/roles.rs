//! The applications that take messages, and what each says to one.

use std::net::SocketAddr;
use std::sync::Arc;

use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, ContextEngine, GeneratorConfiguration, GeneratorOutput,
    MessageProcessing, TransportParameters, V3Parameters, V3Security,
};
use varbind_engine::applications::notification_receiver::{
    self, NotificationReceiver, NotificationUser, response_buffer_length,
};
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::DispatchOutcome;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::SecurityName;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::{Credentials, LocalEngine, RemoteEngine};
use varbind_engine::transport::{
    Received, ResponseLimits, SecureTransport, TransportState, WaitHandling,
};
use varbind_testkit::oid;
use varbind_testkit::v3::transport::session;
use varbind_testkit::v3::user_based::{Answer, auth_no_priv, auth_priv, start};
use varbind_testkit::v3::{BOOTS, SYS_DESCR, V3Agent, agent_id};
use varbind_testkit::v3::{transport, user_based};

/// Who takes a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// A command responder: its engine is authoritative.
    Responder,
    /// A command generator: the other engine is.
    Generator,
    /// A notification receiver of an inform: its engine is authoritative.
    InformReceiver,
    /// A notification receiver of a trap: the other engine is.
    TrapReceiver,
}

impl Role {
    pub(crate) const ALL: [Self; 4] = [
        Self::Responder,
        Self::Generator,
        Self::InformReceiver,
        Self::TrapReceiver,
    ];

    const fn pdu_type(self) -> PduType {
        match self {
            Self::Responder => PduType::GetRequest,
            Self::Generator => PduType::Response,
            Self::InformReceiver => PduType::InformRequest,
            Self::TrapReceiver => PduType::TrapV2,
        }
    }

    const fn reportable(self) -> bool {
        matches!(self, Self::Responder | Self::InformReceiver)
    }

    fn var_binds(self) -> Vec<VarBind> {
        match self {
            Self::Responder | Self::Generator => vec![VarBind::new(oid(SYS_DESCR), Value::Null)],
            Self::InformReceiver | Self::TrapReceiver => vec![
                VarBind::new(oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(1)),
                VarBind::new(
                    oid("1.3.6.1.6.3.1.1.4.1.0"),
                    Value::ObjectIdentifier((&oid("1.3.6.1.6.3.1.1.5.3")).into()),
                ),
            ],
        }
    }
}

/// What takes long to make.
pub(crate) struct Bench {
    users_agent: V3Agent,
    tls_agent: V3Agent,
    signer: Credentials,
    ops: Credentials,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            users_agent: V3Agent::with_users(),
            tls_agent: V3Agent::over_tls(),
            signer: auth_no_priv(),
            ops: auth_priv(),
        }
    }

    fn users(&self) -> [(&'static str, Credentials); 3] {
        [
            ("open", Credentials::NoAuthNoPriv),
            ("signer", self.signer.clone()),
            ("ops", self.ops.clone()),
        ]
    }

    fn parameters(&self, level: SecurityLevel) -> V3Parameters {
        let user = self
            .users()
            .into_iter()
            .find(|(_, credentials)| credentials.security_level() == level);
        let (name, credentials) = user.expect("a user of each level");
        let mut parameters =
            V3Parameters::user(SecurityName::new(name), credentials).expect("a user");
        let user = parameters.security.user_mut().expect("a user");
        user.engine = Some(RemoteEngine::new(agent_id()));
        parameters
    }
}

/// What a role says to a message of the user-based security model.
pub(crate) fn user(
    bench: &mut Bench,
    role: Role,
    right: &user_based::Message,
    change: fn(&mut user_based::Message),
) -> String {
    let level = right.level;
    let mut message = user_based::Message {
        pdu_type: role.pdu_type(),
        reportable: role.reportable(),
        var_binds: role.var_binds(),
        ..right.clone()
    };
    match role {
        Role::Responder => {
            change(&mut message);
            respond(&mut bench.users_agent, &message.encode())
        }
        Role::Generator => {
            let (mut generator, request) = asked(bench.parameters(level));
            let request = Answer::decode(&message, &request);
            (message.msg_id, message.request_id) = (request.msg_id, request.request_id);
            change(&mut message);
            taken(&mut generator, &message.encode())
        }
        Role::InformReceiver | Role::TrapReceiver => {
            change(&mut message);
            received(bench, role, None, &message.encode())
        }
    }
}

/// What a role says to a message of the transport security model that comes by a session of that level.
pub(crate) fn transport(
    bench: &mut Bench,
    role: Role,
    level: SecurityLevel,
    change: fn(&mut transport::Message),
) -> String {
    let mut message = transport::Message {
        pdu_type: role.pdu_type(),
        reportable: role.reportable(),
        var_binds: role.var_binds(),
        ..transport::Message::get(level, SYS_DESCR)
    };
    let state = session(SecureTransport::Tls, "alice", level);
    match role {
        Role::Responder => {
            change(&mut message);
            bench.tls_agent.state = Some(state);
            respond(&mut bench.tls_agent, &message.encode())
        }
        Role::Generator => {
            let security = V3Security::Transport(TransportParameters {
                security_level: level,
            });
            let (mut generator, request) = asked(V3Parameters::new(security));
            let request = transport::Message::decode(&request);
            (message.msg_id, message.request_id) = (request.msg_id, request.request_id);
            change(&mut message);
            taken(&mut generator, &message.encode())
        }
        Role::InformReceiver | Role::TrapReceiver => {
            change(&mut message);
            received(bench, role, Some(&state), &message.encode())
        }
    }
}

fn respond(agent: &mut V3Agent, message: &[u8]) -> String {
    match agent.handle(message) {
        DispatchOutcome::Respond(_) => "response".to_owned(),
        DispatchOutcome::Report(_, discard) => format!("Report on {discard:?}"),
        DispatchOutcome::Discarded(discard) => format!("{discard:?}"),
        DispatchOutcome::Deferred(_) => "deferred".to_owned(),
    }
}

/// A command generator whose request is on its way.
fn asked(mut parameters: V3Parameters) -> (CommandGenerator, Vec<u8>) {
    parameters.context_engine = ContextEngine::Known(agent_id());
    let processing = MessageProcessing::V3(Box::new(parameters));
    let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), 7);
    let sent = generator.send(Command::Get(&[oid(SYS_DESCR)]));
    sent.expect("a request");
    let mut buffer = vec![0; 1472];
    let GeneratorOutput::Transmit(request) = generator.poll_output(start(), &mut buffer) else {
        panic!("the request is due");
    };
    let request = request.to_vec();
    (generator, request)
}

fn taken(generator: &mut CommandGenerator, message: &[u8]) -> String {
    let taken = generator.handle_message(start(), message);
    let statistics = generator.statistics();
    let counted = [
        statistics.responses,
        statistics.undecodable_messages,
        statistics.unexpected_messages,
        statistics.unknown_request_ids,
    ];
    match taken {
        Ok(()) => format!("taken {counted:?}"),
        Err(discard) => format!("{discard:?} {counted:?}"),
    }
}

fn received(bench: &Bench, role: Role, state: Option<&TransportState>, message: &[u8]) -> String {
    let own = match role {
        Role::InformReceiver => agent_id(),
        _ => EngineId::new(b"\x80\0\0\0\x04receiver").expect("an engine ID"),
    };
    let users = bench.users().map(|(name, credentials)| {
        NotificationUser::new(SecurityName::new(name), credentials).expect("a user")
    });
    let receiver = NotificationReceiver::new(notification_receiver::ReceiverConfiguration {
        users: users.to_vec(),
        transport_security_model: state.map(|_| TransportSecurityModel::default()),
        engine: Some(Arc::new(LocalEngine::new(own, BOOTS, Instant::ORIGIN, 7))),
        ..notification_receiver::ReceiverConfiguration::default()
    });
    let limits = ResponseLimits {
        message: 65_507,
        bulk: 65_507,
    };
    let received = Received {
        now: start(),
        remote: SocketAddr::from(([192, 0, 2, 33], 40_000)),
        message,
        limits,
        waits: WaitHandling::Now,
        transport_state: state,
    };
    let mut buffer = vec![0; response_buffer_length(limits.message)];
    let outcome = receiver.handle_message(&received, &mut buffer);
    let loss = outcome.loss();
    match outcome {
        notification_receiver::ReceiverOutcome::Deliver(delivery) => {
            let is_acknowledged = delivery.acknowledgement.is_some();
            format!("delivered, acknowledged: {is_acknowledged}")
        }
        notification_receiver::ReceiverOutcome::Respond(_, discard) => {
            format!("answer to {discard:?}, {loss:?}")
        }
        notification_receiver::ReceiverOutcome::Discarded(discard) => {
            format!("{discard:?}, {loss:?}")
        }
    }
}
