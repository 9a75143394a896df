//! SNMPv3 with the transport security model: whether the agent answers, and to whom.

use std::time::Duration;

use varbind::client::Error;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::{
    Command, ContextEngine, FailureReason, MessageProcessing, Response,
};
use varbind::transport::{SecurityFailureKind, TransportError};
use varbind_terminal::Failure;

use super::{Examination, Own, Way, bad, good, open, reported};
use crate::arguments::SnmpVersion;
use crate::command::doctor::community::version_name;
use crate::command::doctor::engine_id::Meaning;
use crate::command::doctor::findings::advise;
use crate::command::doctor::probe::sys_up_time;
use crate::command::doctor::report::{Days, milliseconds};
use crate::credentials;
use crate::session::{self, Session, Settings};

impl Examination<'_> {
    pub(super) fn examine_access(&self, way: &Way) -> Result<(), Failure> {
        let mut session = Session::open(&self.session.target, self.settings(way)?)?;
        let answer = session.request(Command::Get(&[sys_up_time()?]));
        // A server of TLS 1.3 looks at its client's certificate after the client's handshake.
        if let Some(text) = refused(&answer) {
            bad("accepted", &text)?;
            Self::advise_mapping(&way.own)?;
            return Err(answer.map_or_else(reported, |_| Failure::Reported));
        }
        if matches!(way.own, Own::Certificate { .. }) {
            match is_end(&answer) {
                true => open(
                    "accepted",
                    "the agent ended the session without a word: its log may say why",
                )?,
                false => good("accepted", "the agent takes our certificate")?,
            }
        }
        self.print_engine(&session, &answer)?;
        let outcome = self.print_up_time(answer, way);
        drop(session);
        outcome?;
        self.print_resumption(way)
    }

    fn settings(&self, way: &Way) -> Result<Settings, Failure> {
        let processing = match self.session.version() {
            SnmpVersion::V3 => {
                let mut parameters = credentials::transport_parameters(&self.session.user);
                if parameters.context_engine == ContextEngine::Local {
                    // So that the name of the engine is asked for.
                    parameters.context_engine = ContextEngine::Peer;
                }
                MessageProcessing::V3(Box::new(parameters))
            }
            _ => session::processing(self.session)?,
        };
        let mut settings = Settings::over(self.session, processing, way.options.clone());
        settings.connect_timeout = self.timeout;
        Ok(settings)
    }

    fn print_engine(
        &self,
        session: &Session,
        answer: &Result<Response, Error>,
    ) -> Result<(), Failure> {
        if self.session.version() != SnmpVersion::V3 {
            return Ok(());
        }
        match session.context_engine_id() {
            Some(id) if self.session.user.context_engine_id.is_none() => good(
                "engine ID",
                &format!("{id}: {} (discovered as in RFC 5343)", Meaning(&id)),
            )?,
            Some(id) => good("engine ID", &format!("{id}: {}", Meaning(&id)))?,
            None if answer.is_ok() => open("engine ID", "the agent does not tell it to us")?,
            None => {}
        }
        match session.peer_max_message_size() {
            Some(size) => good("message size", &format!("{size} octets")),
            None => Ok(()),
        }
    }

    fn print_up_time(&self, answer: Result<Response, Error>, way: &Way) -> Result<(), Failure> {
        let version = self.session.version();
        let name = version_name(version);
        let status = match &answer {
            Ok(response) if response.error_status != ErrorStatus::NoError => response.error_status,
            Ok(response) => match response.var_binds.first().map(|object| &object.value) {
                Some(Value::TimeTicks(time)) => {
                    let up = Days(Duration::from_millis(u64::from(*time) * 10));
                    let took = milliseconds(response.round_trip);
                    let text = format!("{up}, answered in {took:.1} ms ({name})");
                    return good("sysUpTime", &text);
                }
                _ => {
                    bad(
                        "sysUpTime",
                        "the agent has no such object for us: is there a view with it?",
                    )?;
                    return Err(Failure::Reported);
                }
            },
            Err(Error::Unanswered(it)) => match &it.failure.reason {
                FailureReason::NoContextEngineId(status) => *status,
                _ => ErrorStatus::NoError,
            },
            Err(_) => ErrorStatus::NoError,
        };
        // SNMPv1 has no other way to say that there is no access.
        let is_refused = match version {
            SnmpVersion::V1 => status == ErrorStatus::NoSuchName,
            _ => status == ErrorStatus::AuthorizationError,
        };
        if is_refused {
            let text =
                format!("{status}: the agent knows who we are, and gives us no access in {name}");
            bad("sysUpTime", &text)?;
            advise_access(&way.own, version)?;
            return Err(Failure::Reported);
        }
        match answer {
            Ok(_) => {
                bad(
                    "sysUpTime",
                    &format!("{status}: {}", crate::error_status::explanation(status)),
                )?;
                Err(Failure::Reported)
            }
            Err(error) => {
                bad("sysUpTime", &why(&error, version))?;
                Err(reported(error))
            }
        }
    }
}

/// Why there is no answer, without the target.
fn why(error: &Error, version: SnmpVersion) -> String {
    match error {
        Error::Unanswered(unanswered) => match &unanswered.failure.reason {
            FailureReason::NoAnswer if version != SnmpVersion::V3 => format!(
                "no answer: the agent may not take {} over this transport; leave the version out for SNMPv3",
                version_name(version)
            ),
            FailureReason::NoAnswer => {
                "no answer: the agent may not support SNMPv3 with the transport security model"
                    .to_owned()
            }
            reason => reason.to_string(),
        },
        error => error.to_string(),
    }
}

fn transport_error(answer: &Result<Response, Error>) -> Option<&TransportError> {
    match answer {
        Err(Error::Unanswered(unanswered)) => TransportError::of(&unanswered.failure.reason),
        _ => None,
    }
}

/// What the agent says against our certificate, if it does.
fn refused(answer: &Result<Response, Error>) -> Option<String> {
    match transport_error(answer) {
        Some(TransportError::Security(failure))
            if failure.kind() == SecurityFailureKind::RefusedByPeer =>
        {
            Some(failure.explanation().to_owned())
        }
        _ => None,
    }
}

fn is_end(answer: &Result<Response, Error>) -> bool {
    transport_error(answer).is_some()
}

fn advise_access(own: &Own, version: SnmpVersion) -> Result<(), Failure> {
    let name = own.name();
    let versions = match version {
        SnmpVersion::V1 => "\nversions = [\"v1\", \"v3\"]",
        SnmpVersion::V2c => "\nversions = [\"v2c\", \"v3\"]",
        SnmpVersion::V3 => "",
    };
    advise(
        "In the configuration of a varbind agent, this gives access",
        Some(&format!("[[transport-user]]\nname = {name:?}{versions}")),
    )?;
    if let Own::Certificate { names, .. } = own
        && let [_, others @ ..] = names.as_slice()
        && !others.is_empty()
    {
        let others: Vec<_> = others
            .iter()
            .map(|(word, name)| format!("{name:?} ({word})"))
            .collect();
        let others = others.join(", ");
        let text =
            format!("Or with the name that its [[tls.map]] makes of our certificate: {others}");
        advise(&text, None)?;
    }
    if version != SnmpVersion::V3 {
        return Ok(());
    }
    advise(
        "Elsewhere: add this name, with the security model 4 (transport), to a group of vacmSecurityToGroupTable",
        None,
    )
}
