//! The directories and files that a configuration needs.

use std::fs;
use std::path::{Path, PathBuf};

use super::ConfinementError;
use super::user::{ServiceUser, create_socket_directory, make_directory};
use crate::agentx::AgentxAddress;
use crate::configuration::AgentConfiguration;
use crate::persistence::create_durably;

/// Files that every user of a host may read: libraries, those of the kernel and of the C library, and the list of logins.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/lib",
    "/lib64",
    "/proc",
    "/sys",
    "/dev/null",
    "/dev/urandom",
    "/run/nscd",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/run/systemd/sessions",
    "/run/systemd/userdb",
    "/run/utmp",
    "/run/NetworkManager",
];
/// What of /etc a process of root may read: the rest has the keys of others.
const OF_ETC: [&str; 19] = [
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/machine-id",
    "/etc/nologin",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssh/ssh_config",
    "/etc/ssh/ssh_config.d",
    "/etc/ssh/ssh_known_hosts",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];
/// Directories with files of many owners: of these the named files alone are kept.
const SHARED: [&str; 10] = [
    "/",
    "/etc",
    "/etc/ssh",
    "/etc/ssl/private",
    "/home",
    "/root",
    "/run",
    "/tmp",
    "/var",
    "/var/lib",
];

/// What a configuration needs of the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// Files that the configuration names.
    pub(super) named: Vec<PathBuf>,
    /// Read, with all below it.
    pub(super) read: Vec<PathBuf>,
    /// Of the host, in a container, or of its users.
    pub(super) of_host: Vec<PathBuf>,
    /// Read and written: state.
    pub(super) written: Vec<PathBuf>,
    /// Sockets are made and removed here.
    pub(super) sockets: Vec<PathBuf>,
    /// Whether files of the users of the host are read too.
    pub(super) of_users: bool,
}

impl Files {
    /// Those of a configuration from this file, for a process of root or another one.
    pub(super) fn of(configuration: &AgentConfiguration, file: &Path, is_of_root: bool) -> Self {
        let mut files = Self::default();
        files.add_file(file);
        let transports = &configuration.secure_transports;
        let tls = transports.tls.files();
        let ssh = transports.ssh.files();
        for path in tls
            .into_iter()
            .chain(ssh)
            .chain(configuration.secret_files.iter().map(PathBuf::as_path))
        {
            files.add_file(path);
        }
        for pattern in &transports.ssh.authorized_keys {
            match literal_part(pattern) {
                directory if directory.ends_with('/') => {
                    files.read.push(absolute(Path::new(directory)));
                }
                file => files.add_file(Path::new(file)),
            }
        }
        // Of the agent as a client of SSH. The directory has the keys of the user.
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        files.read.extend(home.map(|home| home.join(".ssh/config")));
        files.of_users = configuration.listens_ssh()
            && (transports.ssh.accounts || !transports.ssh.authorized_keys.is_empty());
        let has_accounts = transports.ssh.accounts && configuration.listens_ssh();
        if has_accounts {
            files.of_host.extend(homes());
        }
        if has_accounts || !is_of_root {
            // Users and names are looked up there, in files that are replaced; the rights of its user keep secrets from it.
            files.of_host.push("/etc".into());
        }
        if configuration.host.root != Path::new("/") {
            files.of_host.push(absolute(&configuration.host.root));
        }
        if configuration.host.installed_software {
            files
                .of_host
                .push(configuration.host.root.join("var/lib/dpkg"));
        }
        files.written.push(absolute(&configuration.state_directory));
        for address in &configuration.agentx.addresses {
            if let AgentxAddress::Unix { path, .. } = address {
                files.sockets.extend(path.parent().map(absolute));
            }
        }
        if let Some(subsystem) = &transports.ssh.subsystem {
            files.sockets.extend(subsystem.path.parent().map(absolute));
        }
        files
    }

    /// Keeps the directory of a file, so that another file can take its place, and that of the file that a link leads to.
    fn add_file(&mut self, path: &Path) {
        let path = absolute(path);
        self.named.push(path.clone());
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        for path in [path, real] {
            let directory = path.parent().unwrap_or(&path);
            let is_shared = is_one_of(&SHARED, directory);
            let kept = if is_shared {
                path.clone()
            } else {
                directory.to_owned()
            };
            if !self.read.contains(&kept) {
                self.read.push(kept);
            }
        }
    }

    /// All that may be read, of whatever configuration.
    pub(super) fn readable(&self) -> impl Iterator<Item = PathBuf> {
        let links = OF_ETC.iter().filter_map(|path| fs::canonicalize(path).ok());
        let own = self.read.iter().chain(&self.of_host).cloned();
        let system = SYSTEM.iter().chain(&OF_ETC).map(PathBuf::from);
        own.chain(system).chain(links)
    }

    /// Makes the directories that the agent writes into, as long as it may. What is not there then is not kept.
    ///
    /// # Errors
    /// When one cannot be made.
    pub(super) fn make_directories(
        &mut self,
        user: Option<&ServiceUser>,
    ) -> Result<(), ConfinementError> {
        // Also where nothing is written yet: a reload may bring the first user.
        for path in &self.written {
            // The store tells better what is wrong with it.
            if let Err(error) = make_directory(path, user, create_durably) {
                log::debug!("{}: {error}", path.display());
            }
        }
        self.written.retain(|path| path.is_dir());
        for path in &self.sockets {
            let made = make_directory(path, user, create_socket_directory);
            made.map_err(|source| ConfinementError::Directory {
                path: path.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// The first path of these that is not within `kept`.
    pub(super) fn first_beyond(&self, kept: &Self) -> Option<PathBuf> {
        let is_within = |path: &Path, directories: &[PathBuf]| {
            directories
                .iter()
                .any(|directory| path.starts_with(directory))
        };
        let mut read = self.read.iter().chain(&self.of_host);
        let unread = read.find(|path| {
            !is_within(path, &kept.read)
                && !is_within(path, &kept.of_host)
                && !is_within(path, &kept.written)
                && !is_below_one_of(&SYSTEM, path)
                && !is_below_one_of(&OF_ETC, path)
        });
        let mut sockets = self.sockets.iter();
        // The state directory of the start stays.
        unread
            .or_else(|| sockets.find(|path| !is_within(path, &kept.sockets)))
            .cloned()
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn is_one_of(paths: &[&str], path: &Path) -> bool {
    paths.iter().any(|other| Path::new(other) == path)
}

fn is_below_one_of(directories: &[&str], path: &Path) -> bool {
    let mut directories = directories.iter();
    directories.any(|directory| path.starts_with(directory))
}

/// The path before the first placeholder.
fn literal_part(pattern: &str) -> &str {
    pattern.split('%').next().unwrap_or_default()
}

/// The directories that users have their homes in, as far as /etc/passwd names them.
fn homes() -> Vec<PathBuf> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut homes = vec![PathBuf::from("/home")];
    for home in users.lines().filter_map(|line| line.split(':').nth(5)) {
        let home = Path::new(home);
        let is_own = home.is_absolute() && !is_one_of(&SHARED, home);
        if is_own || home == Path::new("/root") {
            homes.push(home.to_owned());
        }
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Files {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/srv/snmp")).unwrap();
        Files::of(&configuration, Path::new("/srv/snmp/agent.toml"), true)
    }

    #[test]
    fn directories_of_named_files_are_kept_and_shared_ones_are_not() {
        let files = of(
            "listen = [\"tls:127.0.0.1:0\"]\nstate-directory = \"/srv/state\"\n[tls]\ncertificate = \"/srv/tls/a.pem\"\n\
             key = \"/etc/key.pem\"\n[ssh]\nhost-keys = [\"/etc/ssh/host\"]\n[agentx]\nsocket = \"/srv/agentx/master\"\n",
        );
        for kept in ["/srv/snmp", "/srv/tls", "/etc/key.pem", "/etc/ssh/host"] {
            assert!(files.read.contains(&kept.into()), "{kept}: {files:?}");
        }
        assert!(!files.read.contains(&"/etc/ssh".into()), "{files:?}");
        assert_eq!(files.written, [Path::new("/srv/state")]);
        assert_eq!(files.sockets, [Path::new("/srv/agentx")]);
    }

    #[test]
    fn files_of_secrets_certificates_and_keys_of_users_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = directory.path().join(name).join("file");
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, "long enough\n").unwrap();
            path.display().to_string()
        };
        let kept = ["password", "community", "trust", "revoked", "map"].map(file);
        let [password, community, trust, revoked, map] = &kept;
        let files = of(&format!(
            "listen = [\"ssh:127.0.0.1:0\"]\n[[user]]\nname = \"a\"\naccess = \"read-only\"\n\
             authentication = {{ protocol = \"SHA-256\", password-file = {password:?} }}\nlevel = \"authNoPriv\"\n\
             [[proxy]]\ntarget = \"udp:192.0.2.1\"\ncontext = \"x\"\ncommunity-file = {community:?}\n\
             [tls]\ntrust = [{trust:?}]\nrevocation-lists = [{revoked:?}]\n\
             [[tls.map]]\ncertificate = {map:?}\nto = \"common-name\"\n\
             [ssh]\naccounts = true\nauthorized-keys = [\"keys/%u\", \"/srv/keys-%u\", \"/home/%u/keys\"]\n",
        ));
        for kept in &kept {
            let kept = Path::new(kept).parent().unwrap();
            assert!(files.read.contains(&kept.into()), "{kept:?}: {files:?}");
        }
        for kept in ["/srv/snmp/keys", "/srv", "/home"] {
            assert!(files.read.contains(&kept.into()), "{kept}: {files:?}");
        }
        assert!(files.read.iter().all(|path| path.is_absolute()));
        assert!(files.of_host.contains(&"/home".into()), "{files:?}");
    }

    #[test]
    fn a_configuration_in_a_shared_directory_is_kept_alone() {
        let configuration = AgentConfiguration::parse_in("", Path::new("/etc")).unwrap();
        let files = Files::of(&configuration, Path::new("/etc/agent.toml"), true);
        assert!(files.read.contains(&"/etc/agent.toml".into()), "{files:?}");
        assert!(!files.read.contains(&"/etc".into()), "{files:?}");
    }

    #[test]
    fn a_file_elsewhere_is_beyond() {
        let kept = of("");
        let beyond = |text: &str| of(text).first_beyond(&kept);
        assert_eq!(beyond(""), None);
        assert_eq!(beyond("[tls]\ncertificate = \"pki/other.pem\"\n"), None);
        assert_eq!(beyond("[tls]\ntrust = [\"/etc/ssl/certs/ca.pem\"]\n"), None);
        let elsewhere = beyond("[tls]\ncertificate = \"/srv/elsewhere/a.pem\"\n");
        assert_eq!(elsewhere, Some("/srv/elsewhere".into()));
        let socket = beyond("[agentx]\nsocket = \"/srv/agentx/master\"\n");
        assert_eq!(socket, Some("/srv/agentx".into()));
    }
}
