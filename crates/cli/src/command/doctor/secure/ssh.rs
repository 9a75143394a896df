//! SSH: the server's key, who logs in with what, and the subsystem.

use std::sync::Arc;

use varbind::transport::ssh::{HostKeyFacts, SshError, SshFacts};
use varbind::transport::{Observation, OpenError, SecureTransportOptions, Transport};
use varbind_terminal::host_question::AtTerminal;
use varbind_terminal::{Failure, secure_transport};

use super::{Examination, Own, Trusting, Way, bad, good, no_session, open, reported};

impl Examination<'_> {
    pub(super) fn examine_ssh(&self) -> Result<Way, Failure> {
        let target = &self.session.target;
        let observation = Arc::new(Observation::default());
        let mut ssh = match secure_transport::ssh(&self.session.ssh) {
            Ok(ssh) => ssh,
            Err(failure) => {
                bad("identity", &failure.to_string())?;
                return Err(reported(failure));
            }
        };
        ssh.observation = Some(Arc::clone(&observation));
        // That is a step here.
        ssh.interaction = Arc::new(AtTerminal {
            reports_new_keys: false,
        });
        let address = match ssh.address(target, Transport::Ssh.agent_port()) {
            Ok(address) => address,
            Err(error) => {
                bad("configuration", &error.to_string())?;
                return Err(no_session(&error.to_string()));
            }
        };
        if (&address.host, address.port) != (&target.host, target.port)
            && address.host != target.host
        {
            good(
                "configuration",
                &format!("{} is {address} by ssh_config", target.host),
            )?;
        }
        let addresses = self.resolve(&address)?;
        let (_, stream) = self.connect(&addresses)?;
        self.print_identification(&stream)?;
        drop(stream);
        let mut secure = SecureTransportOptions::default();
        secure.ssh = ssh;
        let opened = self.open_session(secure.clone())?;
        let facts: SshFacts = observation.take();
        if let (Some(key_exchange), Some(cipher)) = (&facts.key_exchange, &facts.cipher) {
            good("session", &format!("{cipher}, key exchange {key_exchange}"))?;
        }
        let error = opened.err();
        if let Some(key) = &facts.host_key {
            self.print_host_key(key, error.as_ref())?;
        }
        if let Some(user) = Some(&facts.user).filter(|user| !user.is_empty()) {
            print_authentication(user, &facts, error.as_ref())?;
        }
        if let Some(error) = error {
            print_rest(&error, &facts)?;
            return Err(reported(error));
        }
        good("subsystem", "snmp is opened")?;
        Ok(Way {
            options: secure,
            own: Own::User(facts.user),
            trusting: None,
        })
    }

    fn print_host_key(&self, key: &HostKeyFacts, error: Option<&OpenError>) -> Result<(), Failure> {
        let kind = if key.is_certificate {
            "certificate"
        } else {
            "key"
        };
        let shown = format!("{} {kind} {}", key.algorithm, key.fingerprint);
        let problem = ssh_error(error);
        match problem {
            Some(SshError::HostKeyUnknown { .. }) => {
                let file = key
                    .file
                    .as_ref()
                    .map_or_else(String::new, |it| format!(" in {}", it.display()));
                bad(
                    "host key",
                    &format!("the server's {shown}: not known for {}{file}", key.host),
                )?;
                let trusting = Trusting {
                    option: "--accept-new-host-key".to_owned(),
                    condition: "If this fingerprint is that of the agent that you mean (compare it there: ssh-keygen -lf), this takes it in"
                        .to_owned(),
                };
                let own = Own::User(String::new());
                self.conclude(&Way {
                    options: SecureTransportOptions::default(),
                    own,
                    trusting: Some(trusting),
                })
            }
            Some(SshError::HostKeyChanged { known, .. }) => {
                bad("host key", &format!("{shown}: it has changed"))?;
                open(
                    "",
                    &format!(
                        "{} line {} says {}",
                        known.file.display(),
                        known.line,
                        known.fingerprint
                    ),
                )?;
                open(
                    "",
                    "an attack, or a new installation: if you know why, remove the line",
                )
            }
            Some(SshError::HostKeyRevoked { revoked, .. }) => bad(
                "host key",
                &format!(
                    "{shown}: revoked in {} line {}",
                    revoked.file.display(),
                    revoked.line
                ),
            ),
            Some(SshError::HostCertificate { problem, .. }) => {
                bad("host key", &format!("{shown}: {problem}"))
            }
            _ => {
                good("host key", &shown)?;
                match (&key.known, key.is_certificate) {
                    (Some(known), _) => open(
                        "",
                        &format!("known by {} line {}", known.file.display(), known.line),
                    ),
                    (None, true) => open("", "signed by an authority that is known"),
                    (None, false) => open("", "accepted now"),
                }
            }
        }
    }
}

fn ssh_error(error: Option<&OpenError>) -> Option<&SshError> {
    match error {
        Some(OpenError::Ssh { error, .. }) => Some(error),
        _ => None,
    }
}

fn print_authentication(
    user: &str,
    facts: &SshFacts,
    error: Option<&OpenError>,
) -> Result<(), Failure> {
    let what = format!("user {user}");
    for attempt in &facts.refused {
        open(&what, &attempt.to_string())?;
    }
    if let Some(with) = &facts.accepted {
        return good(&what, &format!("{with}: accepted"));
    }
    if let Some(error) = ssh_error(error)
        && let SshError::AuthenticationRefused {
            tried, accepted, ..
        } = error
    {
        let accepted = match accepted.as_str() {
            "" => String::new(),
            accepted => format!(" (the server takes: {accepted})"),
        };
        let is_refused = tried.iter().any(|attempt| attempt.problem.is_none());
        let text = match (tried.is_empty(), is_refused) {
            (true, _) => "this side has no private key, in a file or an SSH agent, and no password",
            (false, true) => "all is refused",
            (false, false) => "none of these can be used",
        };
        bad(&what, &format!("{text}{accepted}"))?;
        let advice = secure_transport::ssh_advice(error).trim_start_matches("; ");
        if !advice.is_empty() {
            open("", advice)?;
        }
        if is_refused {
            open("", "the agent's log says more")?;
        }
    }
    Ok(())
}

/// Reports observations that no step has reported yet.
fn print_rest(error: &OpenError, facts: &SshFacts) -> Result<(), Failure> {
    let text = super::tls::reason(error);
    match ssh_error(Some(error)) {
        Some(SshError::SubsystemRefused | SshError::ChannelRefused(_)) => bad("subsystem", &text),
        Some(
            SshError::AuthenticationRefused { .. }
            | SshError::HostKeyUnknown { .. }
            | SshError::HostKeyChanged { .. }
            | SshError::HostKeyRevoked { .. }
            | SshError::HostCertificate { .. },
        ) => Ok(()),
        _ if facts.key_exchange.is_none() => bad("session", &text),
        _ => bad("SSH", &text),
    }
}
