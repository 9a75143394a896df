use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "experiments")]
use super::SshHandicap;
use super::account::Account;
use super::client_configuration::{
    AgentSocket, HostKeyChecking, HostSettings, Surroundings, Tokens,
};
use super::interaction::{Interaction, NoInteraction};
use super::{SshError, SshFacts, SshStatistics, known_hosts};
use crate::transport::{Observation, TransportAddress};

/// Private keys that are tried if none are named, in the user's directory `.ssh`.
const USUAL_IDENTITIES: [&str; 3] = ["id_ed25519", "id_ecdsa", "id_rsa"];
/// Files of known hosts if none are named.
const USUAL_USER_HOSTS: [&str; 2] = ["known_hosts", "known_hosts2"];
const USUAL_GLOBAL_HOSTS: [&str; 2] = ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"];

/// Which files of OpenSSH's client configuration are read.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ConfigurationFiles {
    /// `~/.ssh/config` and `/etc/ssh/ssh_config`.
    #[default]
    Usual,
    /// These, the first of which counts most; none if the list is empty.
    These(Vec<PathBuf>),
}

/// How sessions over SSH are opened. What is not set comes from OpenSSH's client configuration.
#[derive(Clone, Debug)]
pub struct SshOptions {
    /// Who logs in, if the address has no user.
    pub user: Option<String>,
    /// OpenSSH's client configuration.
    pub configuration: ConfigurationFiles,
    /// Private keys, in place of those of the configuration.
    pub identity_files: Vec<PathBuf>,
    /// Files of known hosts, in place of those of the configuration; the first is written to.
    pub known_hosts: Vec<PathBuf>,
    /// What is done about a server whose key is not known.
    pub host_key_checking: Option<HostKeyChecking>,
    /// The authentication agent.
    pub agent: Option<AgentSocket>,
    /// Who is asked.
    pub interaction: Arc<dyn Interaction>,
    /// The counters of the sessions.
    pub statistics: Arc<SshStatistics>,
    /// Takes note of what is found out about servers.
    pub observation: Option<Arc<Observation<SshFacts>>>,
    /// Whether key exchanges with ML-KEM are not offered: where SSH is compared with transports that have none.
    pub has_classical_key_exchange: bool,
    /// What makes sessions slow on purpose: none, but where that is measured.
    #[cfg(feature = "experiments")]
    pub handicap: SshHandicap,
}

impl Default for SshOptions {
    fn default() -> Self {
        Self {
            user: None,
            configuration: ConfigurationFiles::default(),
            identity_files: Vec::new(),
            known_hosts: Vec::new(),
            host_key_checking: None,
            agent: None,
            interaction: Arc::new(NoInteraction),
            statistics: Arc::default(),
            observation: None,
            has_classical_key_exchange: false,
            #[cfg(feature = "experiments")]
            handicap: SshHandicap::default(),
        }
    }
}

/// All that is known of a server before it is spoken to.
#[derive(Debug)]
pub(crate) struct Destination {
    /// Where it is.
    pub(crate) address: TransportAddress,
    /// Who logs in.
    pub(crate) user: String,
    /// What its certificate must be for.
    pub(crate) host: String,
    /// Its name in files of known hosts.
    pub(crate) name: String,
    pub(crate) identity_files: Vec<PathBuf>,
    /// Whether the options name these files: then they should exist.
    pub(crate) names_identities: bool,
    pub(crate) certificate_files: Vec<PathBuf>,
    /// Keys of the authentication agent count only if they are in a file.
    pub(crate) identities_only: bool,
    pub(crate) agent: AgentSocket,
    /// All files of known hosts; the first is written to.
    pub(crate) known_hosts: Vec<PathBuf>,
    pub(crate) learns_to: Option<PathBuf>,
    pub(crate) hashes_names: bool,
    pub(crate) checking: HostKeyChecking,
    pub(crate) interaction: Arc<dyn Interaction>,
    pub(crate) observation: Option<Arc<Observation<SshFacts>>>,
    pub(crate) has_classical_key_exchange: bool,
    #[cfg(feature = "experiments")]
    pub(crate) handicap: SshHandicap,
}

impl SshOptions {
    /// Where a target is: a Host entry of the configuration may say so.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub fn address(
        &self,
        target: &TransportAddress,
        default_port: u16,
    ) -> Result<TransportAddress, SshError> {
        Ok(self.destination(target, default_port)?.address)
    }

    /// Where a target is, and how it is spoken to, by these options and the configuration.
    pub(crate) fn destination(
        &self,
        target: &TransportAddress,
        default_port: u16,
    ) -> Result<Destination, SshError> {
        let surroundings = surroundings();
        let settings = self.settings(target, &surroundings)?;
        let port = target.port.or(settings.port).unwrap_or(default_port);
        let user = target
            .user
            .clone()
            .or_else(|| self.user.clone())
            .or(settings.user)
            .unwrap_or_else(|| surroundings.local_user.clone());
        let tokens = |host_name| Tokens {
            host_name,
            host: &target.host,
            port,
            remote_user: &user,
            surroundings: &surroundings,
        };
        let host_name = settings.host_name.unwrap_or_else(|| target.host.clone());
        // HostName may be made of the name that the user wrote.
        let host_name = tokens(&target.host).expand(host_name.as_ref());
        let host_name = host_name.to_string_lossy().into_owned();
        let tokens = tokens(&host_name);
        let expand = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            paths.iter().map(|path| tokens.expand(path)).collect()
        };
        let usual = |names: &[&str]| -> Vec<PathBuf> {
            let home = surroundings.home.iter();
            home.flat_map(|home| names.iter().map(|name| home.join(".ssh").join(name)))
                .collect()
        };
        let named = |own: &Vec<PathBuf>| (!own.is_empty()).then(|| own.clone());
        let user_hosts = named(&self.known_hosts)
            .or_else(|| settings.user_known_hosts.map(&expand))
            .unwrap_or_else(|| usual(&USUAL_USER_HOSTS));
        let global_hosts = match settings.global_known_hosts {
            _ if !self.known_hosts.is_empty() => Vec::new(),
            Some(files) => expand(files),
            None => USUAL_GLOBAL_HOSTS.map(PathBuf::from).to_vec(),
        };
        let name = match &settings.host_key_alias {
            Some(alias) => alias.to_ascii_lowercase(),
            None => known_hosts::name_in_files(&host_name, port),
        };
        Ok(Destination {
            address: TransportAddress {
                host: host_name.clone(),
                port: Some(port),
                ..target.clone()
            },
            host: settings.host_key_alias.unwrap_or(host_name.clone()),
            name,
            identity_files: named(&self.identity_files)
                .or_else(|| settings.identity_files.map(&expand))
                .unwrap_or_else(|| usual(&USUAL_IDENTITIES)),
            names_identities: !self.identity_files.is_empty(),
            certificate_files: expand(settings.certificate_files),
            identities_only: settings.identities_only.unwrap_or(false),
            agent: self.agent_socket(settings.agent, &tokens),
            learns_to: user_hosts.first().cloned(),
            known_hosts: user_hosts.into_iter().chain(global_hosts).collect(),
            hashes_names: settings.hash_known_hosts.unwrap_or(false),
            checking: self
                .host_key_checking
                .or(settings.host_key_checking)
                .unwrap_or(HostKeyChecking::Ask),
            interaction: Arc::clone(&self.interaction),
            observation: self.observation.clone(),
            has_classical_key_exchange: self.has_classical_key_exchange,
            #[cfg(feature = "experiments")]
            handicap: self.handicap,
            user,
        })
    }

    fn agent_socket(&self, configured: Option<AgentSocket>, tokens: &Tokens<'_>) -> AgentSocket {
        match self.agent.clone().or(configured) {
            None => AgentSocket::Environment,
            Some(AgentSocket::Path(path)) => AgentSocket::Path(tokens.expand(&path)),
            Some(other) => other,
        }
    }

    fn settings(
        &self,
        target: &TransportAddress,
        surroundings: &Surroundings,
    ) -> Result<HostSettings, SshError> {
        let files = match &self.configuration {
            ConfigurationFiles::These(files) => files.clone(),
            ConfigurationFiles::Usual => {
                let own = surroundings
                    .home
                    .iter()
                    .map(|home| home.join(".ssh/config"));
                own.chain(["/etc/ssh/ssh_config".into()]).collect()
            }
        };
        HostSettings::read(&target.host, &files, surroundings)
    }
}

fn surroundings() -> Surroundings {
    let uid = rustix::process::getuid().as_raw();
    let account = Account::numbered(uid).ok().flatten();
    let home = std::env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
        .or_else(|| account.as_ref().map(|account| account.home.clone()));
    let local_user = match account {
        Some(account) => account.name,
        None => std::env::var("USER").unwrap_or_else(|_| uid.to_string()),
    };
    Surroundings { home, local_user }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(options: &SshOptions, target: &str) -> Destination {
        options.destination(&target.parse().unwrap(), 5161).unwrap()
    }

    #[test]
    fn options_come_before_the_configuration_and_the_usual() {
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("config");
        std::fs::write(
            &config,
            "Host r1\nHostName %h.example.net\nUser admin\nPort 1161\nIdentityFile /k/%r-%h\nUserKnownHostsFile /k/hosts\n",
        )
        .unwrap();
        let mut options = SshOptions {
            configuration: ConfigurationFiles::These(vec![config]),
            ..SshOptions::default()
        };
        let found = destination(&options, "ssh:r1");
        assert_eq!(found.address.to_string(), "ssh:r1.example.net:1161");
        assert_eq!(found.user, "admin");
        assert_eq!(found.name, "[r1.example.net]:1161");
        assert_eq!(
            found.identity_files,
            [PathBuf::from("/k/admin-r1.example.net")]
        );
        assert_eq!(found.known_hosts.first(), Some(&PathBuf::from("/k/hosts")));
        let found = destination(&options, "ssh:ops@r1:22");
        assert_eq!(found.user, "ops");
        assert_eq!(found.name, "r1.example.net");
        options.identity_files = vec!["/own".into()];
        options.known_hosts = vec!["/own-hosts".into()];
        let found = destination(&options, "ssh:r2");
        assert_eq!(found.identity_files, [PathBuf::from("/own")]);
        assert_eq!(found.known_hosts, [PathBuf::from("/own-hosts")]);
        assert_eq!(found.name, "[r2]:5161");
    }
}
