//! An agent over SSH, with keys and users in a directory of their own.

mod agent_process;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use varbind::agent::AgentLimits;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::ssh::{
    AgentSocket, AuthorizedKeys, ConfigurationFiles, HostKey, HostKeyChecking, SshOptions,
    SshServer, SshServerConfiguration,
};
use varbind::transport::{OpenError, Transport, TransportAddress};
use varbind_engine::applications::command_generator::RetryPolicy;

use crate::loopback::TestAgent;

pub use agent_process::SshAgentProcess;

/// A user's and a server's files.
pub struct Files {
    directory: TempDir,
}

impl Files {
    /// A host key, and a key that user `ops` may log in with.
    pub fn new() -> Self {
        let files = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        HostKey::generate(&files.path("host_key"), "host").unwrap();
        let user = HostKey::generate(&files.path("id_ops"), "ops@here").unwrap();
        fs::create_dir(files.path("authorized_keys")).unwrap();
        files.authorize("ops", &user.public_key());
        files
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Sets the authorized keys of a user.
    pub fn authorize(&self, user: &str, lines: &str) {
        fs::write(self.path("authorized_keys").join(user), lines).unwrap();
    }

    /// A server with that host key and the authorized keys.
    pub fn server_configuration(&self) -> SshServerConfiguration {
        SshServerConfiguration {
            authorized_keys: vec![AuthorizedKeys::File(format!(
                "{}/%u",
                self.path("authorized_keys").display()
            ))],
            ..SshServerConfiguration::new(vec![HostKey::read(&self.path("host_key")).unwrap()])
        }
    }

    /// Options of the user `ops`, who trusts servers that are new.
    pub fn options(&self) -> SshOptions {
        SshOptions {
            user: Some("ops".to_owned()),
            configuration: ConfigurationFiles::These(Vec::new()),
            identity_files: vec![self.path("id_ops")],
            known_hosts: vec![self.path("known_hosts")],
            host_key_checking: Some(HostKeyChecking::AcceptNew),
            agent: Some(AgentSocket::Off),
            ..SshOptions::default()
        }
    }
}

/// An agent over SSH, and a user who may log in.
pub struct SshAgent {
    /// The agent behind the server.
    pub agent: TestAgent,
    /// Its server.
    pub server: Arc<SshServer>,
    /// Keys of the user and the server.
    pub files: Files,
    /// Where it listens.
    pub address: SocketAddr,
}

impl SshAgent {
    /// With the limits of an agent.
    pub fn new() -> Self {
        Self::with(AgentLimits::default(), |_, _| {})
    }

    /// With these limits, and another configuration of the server.
    pub fn with(
        limits: AgentLimits,
        change: impl FnOnce(&Files, &mut SshServerConfiguration),
    ) -> Self {
        let files = Files::new();
        let mut configuration = files.server_configuration();
        change(&files, &mut configuration);
        let server = SshServer::new(configuration);
        let agent = TestAgent::with_limits(limits);
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = agent.agent.listen_ssh(Arc::clone(&server), any).unwrap();
        Self {
            agent,
            server,
            files,
            address,
        }
    }

    /// The address as a manager takes it.
    pub fn target(&self) -> TransportAddress {
        TransportAddress::of_socket(Transport::Ssh, self.address)
    }

    /// A session of `ops`.
    pub fn manager(&self) -> Manager {
        self.open(self.files.options()).unwrap()
    }

    /// A session with other options.
    pub fn open(&self, options: SshOptions) -> Result<Manager, OpenError> {
        Manager::open(&self.target(), manager_options(options))
    }
}

/// Options for SNMPv2c over SSH.
pub fn manager_options(ssh: SshOptions) -> ManagerOptions {
    let mut options = ManagerOptions::v2c("public");
    options.secure.ssh = ssh;
    options.connect_timeout = Duration::from_secs(10);
    // What OpenSSH's server has to start first may take its time.
    options.retry = RetryPolicy::Fixed {
        timeout: Duration::from_secs(10),
        retries: 3,
    };
    options
}

/// Runs ssh-keygen without asking anything.
pub fn ssh_keygen(directory: &Path, arguments: &[&str]) {
    let output = std::process::Command::new("ssh-keygen")
        .arg("-q")
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
