//! The subjects' own commands, as a user would run them.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{
    AUTHENTICATION_PASSWORD, Agent, MANAGER, PRIVACY_PASSWORD, READ_COMMUNITY, Subject,
    command_line, find_executable, user_name,
};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// How Net-SNMP's commands find their keys for DTLS.
const NET_SNMP_KEYS: [&str; 9] = [
    "-v3",
    "-l",
    "authPriv",
    "-T",
    "our_identity=manager",
    "-T",
    "their_identity=agent",
    "-T",
    "trust_cert=authority",
];

/// A command of a subject against its own agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    executable: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
}

/// What a command asks, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandQuestion<'a> {
    /// The name of the command, as `get`; Net-SNMP's is `snmpget`.
    pub command: &'a str,
    /// The object, dotted.
    pub name: &'a str,
    /// How messages are secured.
    pub scheme: Scheme,
    /// The transport.
    pub transport: TransportKind,
}

impl OwnCommand {
    /// The command of a subject; all without MIB files, the best case of each.
    ///
    /// # Errors
    /// Why it has none here.
    pub fn of(
        subject: &Subject,
        agent: &Agent,
        question: CommandQuestion<'_>,
    ) -> Result<Self, String> {
        let transport = question.transport;
        if !subject.offers(transport) {
            return Err(format!("it does not offer {transport}"));
        }
        let no_session = || format!("{transport} is not among the transports of this run");
        let target = agent.target(transport).ok_or_else(no_session)?;
        let (executable, mut arguments) = match subject {
            Subject::External(_) => {
                return Err("an agent that runs already has no command here".into());
            }
            Subject::Varbind { executable } => {
                (executable.clone(), owned(&[question.command, "-m", ""]))
            }
            Subject::NetSnmp { .. } => {
                let name = format!("snmp{}", question.command);
                let executable = find_executable(&name).ok_or_else(|| {
                    format!("{name} is not installed: on Debian it is in package snmp")
                })?;
                (executable, owned(&["-m", "", "-On"]))
            }
        };
        let is_ours = matches!(subject, Subject::Varbind { .. });
        let mut environment = Vec::new();
        if !is_ours && let Some(directory) = agent.directory() {
            // A command that knows certificates writes an index of each of their directories there. Every command reads all
            // indexes at its start, so each measurement would slow down those after it.
            environment.push(("SNMP_PERSISTENT_DIR", directory.join("commands")));
        }
        arguments.extend(match question.scheme {
            Scheme::V1 => owned(&["-v1", "-c", READ_COMMUNITY]),
            Scheme::V2c => owned(&["-v2c", "-c", READ_COMMUNITY]),
            Scheme::V3(protection) => of_user(protection),
            Scheme::V3Transport if is_ours => {
                agent.command_arguments(transport).ok_or_else(no_session)?
            }
            Scheme::V3Transport => {
                let keys = agent.keys().and_then(|keys| keys.parent());
                environment.push(("SNMPCONFPATH", keys.ok_or_else(no_session)?.to_owned()));
                owned(&NET_SNMP_KEYS)
            }
        });
        arguments.push(match (transport, is_ours) {
            (TransportKind::Dtls, false) => format!("dtlsudp:{}", target.address),
            (TransportKind::Ssh, _) => format!("ssh:{MANAGER}@{}", target.address),
            _ => target.to_string(),
        });
        arguments.push(question.name.to_owned());
        Ok(Self {
            executable,
            arguments,
            environment,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().cloned());
        command
    }

    /// As one would write it.
    #[must_use]
    pub fn line(&self) -> String {
        command_line(&self.command())
    }

    /// How long it takes, from the start of its process to its end.
    ///
    /// # Errors
    /// If it fails.
    pub fn time(&self) -> Result<Duration, String> {
        let mut command = self.command();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let begun = Instant::now();
        let status = command.status().map_err(|error| error.to_string())?;
        let wall = begun.elapsed();
        if status.success() {
            Ok(wall)
        } else {
            Err(format!("{} ended with {status}", self.line()))
        }
    }
}

/// Passwords are on the command line: they are those of an agent that ends with the run.
fn of_user(protection: Protection) -> Vec<String> {
    let mut arguments = owned(&["-v3", "-u", &user_name(protection)]);
    let level = match (protection.authentication(), protection.privacy()) {
        (None, _) => "noAuthNoPriv",
        (Some(_), None) => "authNoPriv",
        (Some(_), Some(_)) => "authPriv",
    };
    arguments.extend(owned(&["-l", level]));
    if let Some(protocol) = protection.authentication() {
        let options = ["-a", protocol.name(), "-A", AUTHENTICATION_PASSWORD];
        arguments.extend(owned(&options));
    }
    if let Some(protocol) = protection.privacy() {
        arguments.extend(owned(&["-x", protocol.name(), "-X", PRIVACY_PASSWORD]));
    }
    arguments
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
