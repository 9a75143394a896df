//! The connection to a user's authentication agent.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use russh::Signer;
use russh::keys::HashAlg;
use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::AgentClient;
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::client_configuration::AgentSocket;
use super::identity::SigningProblem;
use super::opening::CallTime;

/// How long the agent may take; a user may have to confirm the use of a key there.
const AGENT_TIMEOUT: Duration = Duration::from_secs(60);

/// Where the authentication agent listens, if there is one.
pub(super) fn path(agent: &AgentSocket) -> Option<PathBuf> {
    match agent {
        AgentSocket::Off => None,
        AgentSocket::Path(path) => Some(path.clone()),
        AgentSocket::Environment => std::env::var_os("SSH_AUTH_SOCK")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from),
    }
}

/// The authentication agent.
pub(super) type Agent = AgentClient<UnixStream>;

pub(super) async fn connect(path: &Path) -> io::Result<Agent> {
    Ok(AgentClient::connect(UnixStream::connect(path).await?))
}

/// Signs with a key of the agent.
pub(super) struct AgentSigner<'a> {
    pub(super) agent: &'a mut Agent,
    pub(super) calls: &'a CallTime,
}

impl Signer for AgentSigner<'_> {
    type Error = SigningProblem;

    async fn auth_sign(
        &mut self,
        identity: &AgentIdentity,
        digest: Option<HashAlg>,
        data: Vec<u8>,
    ) -> Result<Vec<u8>, SigningProblem> {
        let signing = timeout(AGENT_TIMEOUT, self.agent.auth_sign(identity, digest, data));
        match self.calls.measure(signing).await {
            Ok(Ok(signed)) => Ok(signed),
            Ok(Err(error)) => Err(SigningProblem::Key(error.to_string())),
            Err(_) => Err(SigningProblem::Key(format!(
                "it has not answered within {} s",
                AGENT_TIMEOUT.as_secs()
            ))),
        }
    }
}
