//! The options for credentials of an agent that runs already.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use varbind::transport::{Transport, TransportAddress};
use varbind_lab::measurement::TransportKind;
use varbind_lab::security::{Account, Password};
use varbind_lab::session::Target;
use varbind_lab::subject::SecureAccesses;
use varbind_terminal::arguments::{CertificateArguments, PeerArguments, SshArguments};
use varbind_terminal::secret::{SecretArgument, first_line};
use varbind_terminal::{Failure, secure_transport};

const HEADING: &str = "Agents that run already";

/// Communities, a user, keys and certificates.
#[derive(Args, Debug)]
pub(crate) struct AgentArguments {
    /// A user of the agent, for SNMPv3
    ///
    /// The passwords are in the environment variables VARBIND_AUTH_PASSWORD and VARBIND_PRIV_PASSWORD, or in
    /// files.
    #[arg(short = 'u', long, value_name = "NAME", help_heading = HEADING)]
    user: Option<String>,

    /// The user's password for authentication, the first line of a file
    #[arg(long, value_name = "FILE", requires = "user", help_heading = HEADING)]
    auth_password_file: Option<PathBuf>,

    /// The user's password for privacy, the first line of a file
    #[arg(long, value_name = "FILE", requires = "user", help_heading = HEADING)]
    priv_password_file: Option<PathBuf>,

    /// Community for reading
    #[arg(short = 'c', long, value_name = "COMMUNITY", help_heading = HEADING)]
    community: Option<SecretArgument>,

    /// Community for writing
    #[arg(long, value_name = "COMMUNITY", help_heading = HEADING)]
    write_community: Option<SecretArgument>,

    #[command(flatten)]
    certificate: CertificateArguments,

    #[command(flatten)]
    peer: PeerArguments,

    #[command(flatten)]
    ssh: SshArguments,
}

impl AgentArguments {
    /// The name of the first option of these that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--user", self.user.is_some()),
            ("--community", self.community.is_some()),
            ("--write-community", self.write_community.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }

    pub(crate) fn community(&self) -> Result<Option<String>, Failure> {
        self.community.as_ref().map(text).transpose()
    }

    pub(crate) fn write_community(&self) -> Result<Option<String>, Failure> {
        self.write_community.as_ref().map(text).transpose()
    }

    /// What sessions over a secure transport need; nothing over others.
    pub(crate) fn accesses(
        &self,
        agent: &TransportAddress,
    ) -> Result<Option<SecureAccesses>, Failure> {
        if !agent.transport.is_secure() {
            return Ok(None);
        }
        let secure = secure_transport::options(agent, &self.certificate, &self.peer, &self.ssh)?;
        Ok(Some(SecureAccesses::of_agent(agent.clone(), secure)))
    }

    /// The user with what passwords there are.
    pub(crate) fn account(&self) -> Result<Option<Account>, Failure> {
        let Some(name) = &self.user else {
            return Ok(None);
        };
        Ok(Some(Account {
            name: name.clone(),
            authentication_password: password(
                self.auth_password_file.as_deref(),
                "VARBIND_AUTH_PASSWORD",
            )?,
            privacy_password: password(
                self.priv_password_file.as_deref(),
                "VARBIND_PRIV_PASSWORD",
            )?,
        }))
    }
}

fn text(community: &SecretArgument) -> Result<String, Failure> {
    String::from_utf8(community.0.clone())
        .map_err(|_| Failure::Usage("the community is not text in UTF-8".to_owned()))
}

/// A password from a file, or else from the environment.
fn password(file: Option<&Path>, variable: &str) -> Result<Option<Password>, Failure> {
    let (octets, origin) = match (file, std::env::var_os(variable)) {
        (Some(file), _) => (
            first_line(file, "password file")?,
            file.display().to_string(),
        ),
        (None, Some(value)) => (value.into_encoded_bytes(), variable.to_owned()),
        (None, None) => return Ok(None),
    };
    let password = Password::new(octets);
    let password = password.map_err(|error| Failure::Usage(format!("{origin}: {error}")))?;
    Ok(Some(password))
}

/// The address with its name resolved.
pub(crate) fn target(address: &TransportAddress) -> Result<Target, Failure> {
    let resolved = address
        .resolve(address.transport.agent_port())
        .map_err(|error| {
            Failure::Usage(format!(
                "the name {} cannot be resolved: {error}",
                address.host
            ))
        })?;
    // As the manager does.
    let preferred = resolved.iter().min_by_key(|socket| socket.is_ipv6());
    let socket: SocketAddr = preferred
        .copied()
        .ok_or_else(|| Failure::Usage(format!("the name {} has no address", address.host)))?;
    Ok(Target {
        transport: match address.transport {
            Transport::Udp => TransportKind::Udp,
            Transport::Tcp => TransportKind::Tcp,
            Transport::Tls => TransportKind::Tls,
            Transport::Dtls => TransportKind::Dtls,
            Transport::Ssh => TransportKind::Ssh,
        },
        address: socket,
    })
}
