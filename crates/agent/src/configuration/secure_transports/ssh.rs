use std::path::{Path, PathBuf};

#[cfg(feature = "experiments")]
use varbind::transport::ssh::SshHandicap;
use varbind::transport::ssh::{
    AuthorizedKeys, HostKey, HostKeyError, SshServerConfiguration, SubsystemSocket,
};

use crate::configuration::document::{Ssh, Subsystem};
use crate::configuration::error::Problem;

/// The host keys of OpenSSH's server.
const HOST_KEYS: [&str; 3] = [
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_rsa_key",
];
/// The mode of a socket to which every user of the host may connect.
const FOR_ALL_USERS: u32 = 0o666;
/// Files of SSH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredSsh {
    pub(crate) host_keys: Vec<PathBuf>,
    /// Paths in which `%u` stands for the user.
    pub(crate) authorized_keys: Vec<String>,
    /// Whether the users of the operating system may log in with their own authorized_keys.
    pub(crate) accounts: bool,
    pub(crate) user_authorities: Vec<PathBuf>,
    /// Whether PAM checks passwords and accounts.
    pam: bool,
    /// Where launchers of OpenSSH's server connect.
    pub(crate) subsystem: Option<SubsystemSocket>,
    /// Private keys for sessions that the agent opens.
    pub(crate) identity: Vec<PathBuf>,
    /// Keys of the hosts to which it opens them.
    pub(crate) known_hosts: Vec<PathBuf>,
    /// What makes sessions slow on purpose: no file says so.
    #[cfg(feature = "experiments")]
    pub(crate) handicap: SshHandicap,
}

impl ConfiguredSsh {
    pub(super) fn new(ssh: Ssh, directory: &Path) -> Result<Self, Problem> {
        let within = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            paths.into_iter().map(|path| directory.join(path)).collect()
        };
        let authorized_keys: Vec<String> = ssh
            .authorized_keys
            .iter()
            .map(|path| directory.join(path).to_string_lossy().into_owned())
            .collect();
        let pam = match ssh.pam {
            Some(pam) if *pam.get_ref() && !HAS_PAM => {
                return Err(Problem::at(
                    pam.span(),
                    "this program was built without PAM: build it with `--features pam`, or let OpenSSH's server check passwords \
                     ([ssh.subsystem])",
                ));
            }
            Some(pam) => pam.into_inner(),
            None => false,
        };
        Ok(Self {
            pam,
            host_keys: ssh.host_keys.map_or_else(usual_host_keys, within),
            // Who names files means these.
            accounts: ssh.accounts.unwrap_or(authorized_keys.is_empty()),
            authorized_keys,
            user_authorities: within(ssh.user_authorities),
            subsystem: ssh
                .subsystem
                .map(|subsystem| subsystem_socket(subsystem, directory)),
            identity: within(ssh.identity),
            known_hosts: within(ssh.known_hosts),
            #[cfg(feature = "experiments")]
            handicap: SshHandicap::default(),
        })
    }
}

fn subsystem_socket(subsystem: Subsystem, directory: &Path) -> SubsystemSocket {
    let usual = SubsystemSocket::default();
    SubsystemSocket {
        path: subsystem
            .socket
            .map_or(usual.path, |path| directory.join(path)),
        mode: if subsystem.all_users {
            FOR_ALL_USERS
        } else {
            usual.mode
        },
        root_names_users: subsystem.root_names_users,
    }
}

impl ConfiguredSsh {
    /// All files that are named, without those of users.
    pub(crate) fn files(&self) -> Vec<&Path> {
        let files = [
            &self.host_keys,
            &self.user_authorities,
            &self.identity,
            &self.known_hosts,
        ];
        files.into_iter().flatten().map(PathBuf::as_path).collect()
    }

    /// Whether PAM checks passwords and accounts.
    pub(crate) const fn uses_pam(&self) -> bool {
        self.pam
    }

    /// Reads the host keys, and loads what checks passwords.
    ///
    /// # Errors
    /// When one of them cannot be used, or there is none.
    pub(crate) fn load(&self) -> Result<SshServerConfiguration, SshServerError> {
        let mut keys = Vec::new();
        for file in &self.host_keys {
            keys.push(HostKey::read(file).map_err(SshServerError::Unusable)?);
        }
        if keys.is_empty() {
            return Err(SshServerError::None);
        }
        let mut configuration = SshServerConfiguration::new(keys);
        let files = self.authorized_keys.iter().cloned();
        let accounts = self.accounts.then_some(AuthorizedKeys::Accounts);
        configuration.authorized_keys = files.map(AuthorizedKeys::File).chain(accounts).collect();
        configuration
            .user_authorities
            .clone_from(&self.user_authorities);
        #[cfg(feature = "experiments")]
        {
            configuration.handicap = self.handicap;
        }
        if self.pam {
            add_pam(&mut configuration)?;
        }
        Ok(configuration)
    }
}

/// Whether this program was built with PAM.
const HAS_PAM: bool = cfg!(feature = "pam");

#[cfg(feature = "pam")]
fn add_pam(configuration: &mut SshServerConfiguration) -> Result<(), SshServerError> {
    use std::sync::Arc;
    use varbind::transport::ssh::Pam;

    let pam = Pam::load().map_err(|error| SshServerError::Pam(error.to_string()))?;
    configuration.password_check = Some(Arc::new(move |user, password, address| {
        pam.check_password(user, password, address)
            .map_err(|refusal| refusal.to_string())
    }));
    configuration.account_check = Some(Arc::new(move |user, address| {
        pam.check_account(user, address)
            .map_err(|refusal| refusal.to_string())
    }));
    Ok(())
}

#[cfg(not(feature = "pam"))]
#[expect(
    clippy::unnecessary_wraps,
    clippy::missing_const_for_fn,
    reason = "with PAM it can fail"
)]
fn add_pam(_: &mut SshServerConfiguration) -> Result<(), SshServerError> {
    Ok(())
}

/// Why the agent cannot be a server of SSH.
#[derive(Debug, thiserror::Error)]
pub enum SshServerError {
    /// A file is not what it should be.
    #[error("the SSH host key {0}")]
    Unusable(HostKeyError),
    /// The configuration names no host key, and OpenSSH's server has none.
    #[error(
        "there is no SSH host key: make one with `ssh-keygen -t ed25519 -N '' -f FILE`, and name it in `host-keys` of \
         [ssh]"
    )]
    None,
    /// Passwords are to be checked by PAM, which is not there.
    #[error("`pam` of [ssh]: {0}")]
    Pam(String),
}

/// Those of OpenSSH's server that exist.
pub(crate) fn usual_host_keys() -> Vec<PathBuf> {
    HOST_KEYS
        .iter()
        .map(PathBuf::from)
        .filter(|path| path.exists())
        .collect()
}
