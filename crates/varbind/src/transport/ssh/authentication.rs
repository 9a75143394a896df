//! How a client proves who it is: the keys of the authentication agent, keys in files with their certificates, then
//! passwords.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use russh::client::{AuthResult, Handle, KeyboardInteractiveAuthResponse};
use russh::keys::Certificate;
use russh::keys::agent::AgentIdentity;
use russh::{MethodKind, MethodSet};

use super::SshError;
use super::agent::{self, Agent, AgentSigner};
use super::client_handler::ClientHandler;
use super::error::AuthenticationAttempt;
use super::identity::{FileIdentity, FileSigner, SigningProblem, digest_of};
use super::known_hosts::fingerprint;
use super::opening::CallTime;
use super::options::Destination;
use crate::transport::Observation;

/// Questions that a server may ask beside the password.
const QUESTIONS: usize = 10;

/// An authentication in progress.
pub(crate) struct Authentication<'a> {
    handle: &'a mut Handle<ClientHandler>,
    destination: &'a Arc<Destination>,
    calls: &'a CallTime,
    tried: Vec<AuthenticationAttempt>,
    /// What the server would still take; `None` as long as it has not said.
    accepted: Option<MethodSet>,
    succeeded: bool,
}

impl<'a> Authentication<'a> {
    pub(crate) const fn new(
        handle: &'a mut Handle<ClientHandler>,
        destination: &'a Arc<Destination>,
        calls: &'a CallTime,
    ) -> Self {
        Self {
            handle,
            destination,
            calls,
            tried: Vec::new(),
            accepted: None,
            succeeded: false,
        }
    }

    /// Tries what there is, in the usual order.
    pub(crate) async fn run(mut self) -> Result<(), SshError> {
        Observation::note(self.destination.observation.as_deref(), |facts| {
            facts.user.clone_from(&self.destination.user);
        });
        let identities = self.file_identities().await?;
        self.try_agent(&identities).await?;
        for identity in &identities {
            if self.is_over(MethodKind::PublicKey) {
                break;
            }
            self.try_file(identity).await?;
        }
        if !self.is_over(MethodKind::Password) || !self.is_over(MethodKind::KeyboardInteractive) {
            self.try_password().await?;
        }
        if self.succeeded {
            return Ok(());
        }
        let accepted = self.accepted.iter().flat_map(|methods| methods.iter());
        let accepted: Vec<&str> = accepted.map(Into::into).collect();
        Err(SshError::AuthenticationRefused {
            user: self.destination.user.clone(),
            tried: self.tried,
            accepted: accepted.join(", "),
        })
    }

    /// Whether it is no use to go on with a method.
    fn is_over(&self, method: MethodKind) -> bool {
        self.succeeded
            || self
                .accepted
                .as_ref()
                .is_some_and(|accepted| !accepted.contains(&method))
    }

    async fn file_identities(&mut self) -> Result<Vec<Arc<FileIdentity>>, SshError> {
        let destination = Arc::clone(self.destination);
        let reading = move || -> Vec<_> {
            let read = |file: &PathBuf| {
                let identity = FileIdentity::read(file, &destination.certificate_files);
                (file.clone(), identity)
            };
            destination.identity_files.iter().map(read).collect()
        };
        let mut identities = Vec::new();
        for (file, identity) in self.calls.run(reading).await? {
            let problem = match identity {
                Ok(Some(identity)) => {
                    identities.push(Arc::new(identity));
                    continue;
                }
                Ok(None) if !self.destination.names_identities => continue,
                Ok(None) => "there is no such file".to_owned(),
                Err(problem) => problem,
            };
            self.note(format!("key {}", file.display()), Some(problem));
        }
        Ok(identities)
    }

    fn note(&mut self, with: String, problem: Option<String>) {
        let attempt = AuthenticationAttempt { with, problem };
        Observation::note(self.destination.observation.as_deref(), |facts| {
            facts.refused.push(attempt.clone());
        });
        self.tried.push(attempt);
    }

    fn conclude(&mut self, with: String, result: AuthResult) -> Result<(), SshError> {
        match result {
            AuthResult::Success => {
                self.succeeded = true;
                Observation::note(self.destination.observation.as_deref(), |facts| {
                    facts.accepted = Some(with);
                });
            }
            AuthResult::Failure {
                remaining_methods, ..
            } => {
                // This is how the library tells that the connection has ended.
                if self.handle.is_closed() {
                    return Err(russh::Error::Disconnect.into());
                }
                self.note(with, None);
                self.accepted = Some(remaining_methods);
            }
        }
        Ok(())
    }

    async fn try_agent(&mut self, files: &[Arc<FileIdentity>]) -> Result<(), SshError> {
        let Some(path) = agent::path(&self.destination.agent) else {
            return Ok(());
        };
        let with = format!("agent {}", path.display());
        let opened = match agent::connect(&path).await {
            Ok(mut agent) => {
                // Keys that are for certain servers only; agents that do not know of it refuse, and that is all.
                if let Some(binding) = self.handle.agent_session_binding() {
                    let _ = agent.bind_session(binding, false).await;
                }
                agent.request_identities().await.map(|found| (agent, found))
            }
            Err(error) => Err(error.into()),
        };
        let (mut agent, found) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.note(with, Some(error.to_string()));
                return Ok(());
            }
        };
        let is_in_file = |identity: &AgentIdentity| {
            let key = identity.public_key();
            files
                .iter()
                .position(|file| file.public_key().key_data() == key.key_data())
        };
        let mut found: Vec<_> = found
            .into_iter()
            .map(|identity| (is_in_file(&identity), identity))
            .filter(|(place, _)| place.is_some() || !self.destination.identities_only)
            .collect();
        // Those that are named come first: servers count what they refuse.
        found.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
        for (_, identity) in found {
            if self.is_over(MethodKind::PublicKey) {
                break;
            }
            self.try_agent_identity(&mut agent, identity).await?;
        }
        Ok(())
    }

    async fn try_agent_identity(
        &mut self,
        agent: &mut Agent,
        identity: AgentIdentity,
    ) -> Result<(), SshError> {
        let user = self.destination.user.clone();
        let calls = self.calls;
        let mut signer = AgentSigner { agent, calls };
        let key = identity.public_key().into_owned();
        let digest = digest_of(&key);
        let (with, result) = match identity {
            AgentIdentity::PublicKey { comment, .. } => (
                format!("key {comment} of the agent ({})", fingerprint(&key)),
                self.handle
                    .authenticate_publickey_with(user, key, digest, &mut signer)
                    .await,
            ),
            AgentIdentity::Certificate {
                certificate,
                comment,
            } => (
                format!(
                    "certificate {:?}{} {comment} of the agent ({})",
                    certificate.key_id(),
                    out_of_date(&certificate),
                    fingerprint(&key)
                ),
                self.handle
                    .authenticate_certificate_with(user, certificate, digest, &mut signer)
                    .await,
            ),
        };
        let is_closed = self.handle.is_closed();
        let result = result.map_err(|problem| match problem {
            SigningProblem::Key(error) if !is_closed => {
                SigningProblem::Key(format!("the agent does not sign: {error}"))
            }
            _ => SigningProblem::Closed,
        });
        self.conclude_signed(with, result)
    }

    async fn try_file(&mut self, identity: &Arc<FileIdentity>) -> Result<(), SshError> {
        let interaction = &self.destination.interaction;
        let user = &self.destination.user;
        let digest = digest_of(identity.public_key());
        for certificate in &identity.certificates {
            let with = format!(
                "certificate {:?}{} of {}",
                certificate.key_id(),
                out_of_date(certificate),
                identity.description()
            );
            let mut signer = FileSigner {
                identity,
                interaction,
                calls: self.calls,
            };
            let result = self
                .handle
                .authenticate_certificate_with(user, certificate.clone(), digest, &mut signer)
                .await;
            self.conclude_signed(with, result)?;
            if self.is_over(MethodKind::PublicKey) {
                return Ok(());
            }
        }
        let mut signer = FileSigner {
            identity,
            interaction,
            calls: self.calls,
        };
        let key = identity.public_key().clone();
        let result = self
            .handle
            .authenticate_publickey_with(user, key, digest, &mut signer)
            .await;
        self.conclude_signed(identity.description(), result)
    }

    fn conclude_signed(
        &mut self,
        with: String,
        result: Result<AuthResult, SigningProblem>,
    ) -> Result<(), SshError> {
        match result {
            Ok(result) => self.conclude(with, result),
            Err(SigningProblem::Closed) => Err(russh::Error::Disconnect.into()),
            Err(SigningProblem::Key(problem)) => {
                self.note(with, Some(problem));
                Ok(())
            }
        }
    }

    async fn try_password(&mut self) -> Result<(), SshError> {
        let destination = Arc::clone(self.destination);
        let asking = move || {
            let Destination { user, address, .. } = &*destination;
            destination.interaction.password(user, &address.host)
        };
        let Some(password) = self.calls.run(asking).await? else {
            return Ok(());
        };
        let user = &self.destination.user;
        if !self.is_over(MethodKind::Password) {
            let result = self
                .handle
                .authenticate_password(user, password.as_str())
                .await?;
            self.conclude("password".to_owned(), result)?;
        }
        // Servers with PAM often ask for the password in this way only.
        if self.accepted.is_some() && !self.is_over(MethodKind::KeyboardInteractive) {
            self.answer_questions(&password).await?;
        }
        Ok(())
    }

    async fn answer_questions(&mut self, password: &str) -> Result<(), SshError> {
        let user = &self.destination.user;
        let mut response = self
            .handle
            .authenticate_keyboard_interactive_start(user, None::<String>)
            .await?;
        for _ in 0..QUESTIONS {
            match response {
                KeyboardInteractiveAuthResponse::Success => {
                    self.succeeded = true;
                    Observation::note(self.destination.observation.as_deref(), |facts| {
                        facts.accepted = Some("password, as answer to a question".to_owned());
                    });
                    return Ok(());
                }
                KeyboardInteractiveAuthResponse::Failure {
                    remaining_methods, ..
                } => {
                    self.note("password, as answer to a question".to_owned(), None);
                    self.accepted = Some(remaining_methods);
                    return Ok(());
                }
                KeyboardInteractiveAuthResponse::InfoRequest { prompts, .. } => {
                    // What is shown while it is typed is not a password.
                    let answers = prompts.iter().map(|prompt| {
                        if prompt.echo {
                            String::new()
                        } else {
                            password.to_owned()
                        }
                    });
                    response = self
                        .handle
                        .authenticate_keyboard_interactive_respond(answers.collect())
                        .await?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a certificate can be in use today, by our clock: servers do not tell why they refuse one.
fn out_of_date(certificate: &Certificate) -> &'static str {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    if now >= certificate.valid_before() {
        " (which has expired)"
    } else if now < certificate.valid_after() {
        " (which is not yet valid)"
    } else {
        ""
    }
}
