//! Finding out how far one gets with an agent over TLS, DTLS and SSH, step by step.

mod access;
mod certificates;
mod client_hello;
mod reachability;
mod ssh;
mod tls;

use std::time::Duration;

use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::transport::{OpenError, SecureTransportOptions, Transport};
use varbind_terminal::Failure;

use super::findings::{Verdict, advise, conclude, report_step};
use crate::arguments::SessionArguments;
use crate::session::{Session, Settings, context_options, transport_options, version_option};

/// How long a step may take if nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The report on one agent.
struct Examination<'a> {
    session: &'a SessionArguments,
    timeout: Duration,
}

/// What sessions are opened with after all that was found out.
struct Way {
    options: SecureTransportOptions,
    /// What our side is by this transport.
    own: Own,
    /// The option that trusts the server, which only the user can decide on.
    trusting: Option<Trusting>,
}

/// What the agent's configuration has to know of us.
enum Own {
    /// The certificate's fingerprint, and the names that can be made of it, by which rule.
    Certificate {
        fingerprint: String,
        names: Vec<(&'static str, String)>,
        /// How it is renewed, if it has expired: no rule of an agent lets it in then.
        renewal: Option<Renewal>,
    },
    /// The user who logs in.
    User(String),
}

/// How an expired certificate is renewed.
struct Renewal {
    text: String,
    command: String,
}

impl Own {
    /// A name that it may have at the agent.
    fn name(&self) -> &str {
        match self {
            Self::User(name) => name,
            Self::Certificate { names, .. } => names.first().map_or("NAME", |(_, name)| name),
        }
    }
}

/// An option that would make it work, and what the user has to make sure of first.
struct Trusting {
    option: String,
    condition: String,
}

/// Whether the user-based model is to be looked at, too.
pub(super) enum Next {
    /// There is a user with passwords.
    User,
    Nothing,
}

pub(super) fn examine(session: &SessionArguments) -> Result<Next, Failure> {
    let limits = session.timeout.unwrap_or(TIMEOUT);
    let examination = Examination {
        session,
        timeout: limits,
    };
    let way = match session.target.transport {
        Transport::Ssh => examination.examine_ssh()?,
        _ => examination.examine_tls()?,
    };
    if session.user.name.is_some() && way.trusting.is_none() {
        return Ok(Next::User);
    }
    examination.examine_access(&way)?;
    examination.conclude(&way)?;
    Ok(Next::Nothing)
}

impl Examination<'_> {
    /// Opens a session in which nothing is asked yet.
    fn open_session(
        &self,
        secure: SecureTransportOptions,
    ) -> Result<Result<Session, OpenError>, Failure> {
        let processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
        let mut settings = Settings::over(self.session, processing, secure);
        settings.connect_timeout = self.timeout;
        match Session::open(&self.session.target, settings) {
            Ok(session) => Ok(Ok(session)),
            Err(Failure::Open(error)) => Ok(Err(error)),
            Err(failure) => Err(failure),
        }
    }

    fn conclude(&self, way: &Way) -> Result<(), Failure> {
        let session = self.session;
        let mut options = version_option(session).to_owned();
        options += &transport_options(session, way.trusting.is_some());
        if let Some(Trusting { option, .. }) = &way.trusting {
            options += option;
            options.push(' ');
        }
        options += &context_options(session);
        let line = format!("varbind get {options}{} sysUpTime.0", session.target);
        match &way.trusting {
            None => conclude(&line, None),
            Some(trusting) => {
                conclude(&line, Some(&trusting.condition))?;
                Err(no_session("the agent is not trusted yet"))
            }
        }
    }

    /// What the agent's configuration needs so that we have a name there.
    fn advise_mapping(own: &Own) -> Result<(), Failure> {
        let Own::Certificate {
            fingerprint,
            renewal,
            ..
        } = own
        else {
            return Ok(());
        };
        if let Some(Renewal { text, command }) = renewal {
            return advise(text, Some(command));
        }
        let name = own.name();
        let example = format!(
            "[[tls.map]]\nfingerprint = \"{fingerprint}\"\nname = {name:?}\n\n[[transport-user]]\nname = {name:?}"
        );
        advise(
            "In the configuration of a varbind agent, this lets our certificate in",
            Some(&example),
        )
    }
}

/// The end of an examination that was reported.
fn reported(failure: impl Into<Failure>) -> Failure {
    failure.into().already_reported()
}

fn no_session(reason: &str) -> Failure {
    reported(Failure::Transport(reason.to_owned()))
}

fn good(what: &str, text: &str) -> Result<(), Failure> {
    report_step(Verdict::Good, what, text)
}

fn bad(what: &str, text: &str) -> Result<(), Failure> {
    report_step(Verdict::Bad, what, text)
}

fn open(what: &str, text: &str) -> Result<(), Failure> {
    report_step(Verdict::Open, what, text)
}
