//! Requests to the agent, and the words for what can go wrong with them.

use std::thread;
use std::time::Duration;

use varbind::client::Error;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::VarBind;
use varbind::engine::applications::command_generator::{
    Command, FailureReason, MessageProcessing, Response,
};
use varbind::engine::engine_id::EngineId;
use varbind::transport::{OpenError, SessionError, Transport, TransportAddress};
use varbind_mib::{Mib, OutputOptions, format_name};
use varbind_terminal::Failure;
use varbind_terminal::arguments::{CertificateArguments, PeerArguments, SshArguments};

use super::command_line::CommandLine;
use super::console::Console;
use super::names::Names;
use super::tool::{Call, Tool};
use super::words::{self, CONNECTION_LOST, MALFORMED, TIMEOUT, TOO_LONG, UNKNOWN_HOST};
use super::{ERROR_STATUS, FAILED, Stop};
use crate::arguments::SnmpVersion;
use crate::session::{self, Settings};

/// A session with the agent.
pub(super) struct Session {
    tool: Tool,
    /// The agent, as it is written.
    host: String,
    inner: session::Session,
    /// Why the user cannot send anything.
    unusable: Option<&'static str>,
    is_v3: bool,
    is_udp: bool,
    timeout: Duration,
    retries: u32,
}

/// Why there is no response.
#[derive(Debug)]
pub(super) enum Lost {
    /// The agent is silent.
    Timeout,
    /// Words of the library.
    Error(String),
}

/// The address of the agent, with the port of the configuration.
pub(super) fn address(line: &CommandLine) -> Option<TransportAddress> {
    let mut address: TransportAddress = line.host.parse().ok()?;
    if address.port.is_none() {
        address.port = line.port.as_ref().and_then(|port| port.parse().ok());
    }
    Some(address)
}

/// How the agent is spoken to; the second part says why nothing can be sent.
pub(super) fn settings(
    call: &Call,
    line: &CommandLine,
    address: &TransportAddress,
    console: &mut Console,
) -> Result<(Settings, Option<&'static str>), Stop> {
    let community = line.community.clone();
    let mut unusable = None;
    let processing = match line.version {
        SnmpVersion::V1 => MessageProcessing::V1 { community },
        SnmpVersion::V2c => MessageProcessing::V2c { community },
        SnmpVersion::V3 => {
            let is_secure = address.transport.is_secure();
            let by_transport = is_secure && !line.user.has_name() || line.is_transport_model;
            let parameters = match by_transport {
                true => line.user.transport_parameters(),
                false => match line.user.parameters(&call.program, console)? {
                    Ok(parameters) => parameters,
                    Err(words) => {
                        unusable = Some(words);
                        line.user.transport_parameters()
                    }
                },
            };
            MessageProcessing::V3(Box::new(parameters))
        }
    };
    let peer = PeerArguments {
        net_snmp: line.transport.clone(),
        ..PeerArguments::default()
    };
    let secure = varbind_terminal::secure_transport::options(
        address,
        &CertificateArguments::default(),
        &peer,
        &SshArguments::default(),
    );
    let secure = secure.map_err(|failure| {
        console.log(&format!("{}: {failure}\n", call.tool.name()));
        Stop::Exit(FAILED)
    })?;
    let settings = Settings::fixed(processing, line.timeout, line.retries, secure);
    Ok((settings, unusable))
}

impl Session {
    /// Opens the session, or returns the error.
    pub(super) fn open(
        call: &Call,
        line: &CommandLine,
        names: &mut Names<'_>,
        console: &mut Console,
    ) -> Result<Self, Stop> {
        let mut unknown = |cause: String, console: &mut Console| {
            names.set_detail(&line.host);
            let tool = call.tool.name();
            let detail = names.take_detail().unwrap_or_default();
            console.log(&format!("{tool}: {UNKNOWN_HOST} ({detail}){cause}\n"));
            Stop::Exit(FAILED)
        };
        let Some(address) = address(line) else {
            return Err(unknown(String::new(), console));
        };
        let (settings, unusable) = settings(call, line, &address, console)?;
        let inner = session::Session::open(&address, settings)
            .map_err(|failure| unknown(cause(&failure), console))?;
        Ok(Self {
            tool: call.tool,
            host: line.host.clone(),
            inner,
            unusable,
            is_v3: line.version == SnmpVersion::V3,
            is_udp: address.transport == Transport::Udp,
            timeout: line.timeout,
            retries: line.retries,
        })
    }

    /// The response to a command. An agent over UDP that is not there may come: silence is what Net-SNMP's tools see.
    pub(super) fn request(&mut self, command: Command<'_>) -> Result<Response, Lost> {
        if let Some(words) = self.unusable {
            return Err(Lost::Error(words.to_owned()));
        }
        let mut left = self.retries;
        loop {
            let error = match self.inner.request(command) {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let lost = self.lost(&error);
            let is_refused = matches!(
                &error,
                Error::Unanswered(unanswered)
                    if matches!(unanswered.failure.reason, FailureReason::Transport(_))
            );
            if !is_refused || !self.is_udp || left == 0 {
                return Err(lost);
            }
            left -= 1;
            thread::sleep(self.timeout);
        }
    }

    /// Sets objects, and tells what is wrong. The second part says whether they are set.
    pub(super) fn set(
        &mut self,
        objects: &[VarBind],
        line: &CommandLine,
        names: &mut Names<'_>,
        console: &mut Console,
    ) -> (u8, bool) {
        let response = match self.request(Command::Set(objects)) {
            Ok(response) => response,
            Err(lost) => return (self.print_lost(&lost, names, console), false),
        };
        if response.error_status == ErrorStatus::NoError {
            return (0, true);
        }
        print_error_status(".", (&line.mib, &line.output), &response, console);
        (ERROR_STATUS, false)
    }

    /// The engine that is spoken to, once it is known.
    pub(super) fn remote_engine(&self) -> Option<EngineId> {
        self.inner.remote_engine().map(|engine| *engine.id())
    }

    fn lost(&self, error: &Error) -> Lost {
        let words = match error {
            Error::Unanswered(unanswered) => match &unanswered.failure.reason {
                FailureReason::NoAnswer if self.is_v3 && self.inner.remote_engine().is_none() => {
                    TIMEOUT
                }
                FailureReason::NoAnswer | FailureReason::NoAnswerToUser(_) => {
                    return Lost::Timeout;
                }
                FailureReason::Transport(_) if self.is_udp && self.is_v3 => TIMEOUT,
                FailureReason::Transport(_) if self.is_udp => return Lost::Timeout,
                FailureReason::Transport(_) => CONNECTION_LOST,
                FailureReason::Report(reason) => words::report(*reason),
                FailureReason::MalformedAnswer(_) => MALFORMED,
                FailureReason::Encode(_) => TOO_LONG,
                other => return Lost::Error(other.to_string()),
            },
            Error::Deadline { .. } => return Lost::Timeout,
            other => return Lost::Error(other.to_string()),
        };
        Lost::Error(words.to_owned())
    }

    /// Tells why there is no response. Two tools end the sentence with a full stop.
    pub(super) fn print_lost(
        &self,
        lost: &Lost,
        names: &mut Names<'_>,
        console: &mut Console,
    ) -> u8 {
        match lost {
            Lost::Timeout => {
                let stop = match self.tool {
                    Tool::Get | Tool::GetNext => ".",
                    _ => "",
                };
                console.error(&format!("Timeout: No Response from {}{stop}\n", self.host));
            }
            Lost::Error(words) => names.log_error(self.tool.name(), words, console),
        }
        FAILED
    }
}

/// What the system says of a session that could not be opened, behind the words.
fn cause(failure: &Failure) -> String {
    match failure {
        Failure::Open(OpenError::Connecting { error, .. }) => match &**error {
            SessionError::System(error) => {
                let text = error.to_string();
                let text = text.split(" (os error").next().unwrap_or_default();
                format!(" ({text})")
            }
            error => format!(" ({error})"),
        },
        Failure::Open(OpenError::Resolving { .. }) => String::new(),
        failure => format!(" ({failure})"),
    }
}

/// Tells an error-status. `end` stands behind the heading: one tool has no full stop there.
pub(super) fn print_error_status(
    end: &str,
    (mib, options): (&Mib, &OutputOptions),
    response: &Response,
    console: &mut Console,
) {
    let reason = words::error_status(response.error_status);
    let mut text = format!("Error in packet{end}\nReason: {reason}\n");
    if response.error_index != 0 {
        text.push_str("Failed object: ");
        let at = usize::try_from(response.error_index).ok();
        let object = at.and_then(|at| response.var_binds.get(at.checked_sub(1)?));
        if let Some(object) = object {
            format_name(mib, options, object.name.arcs(), &mut text);
            text.push('\n');
        }
        text.push('\n');
    }
    console.error(&text);
}
