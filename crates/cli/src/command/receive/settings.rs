//! What the options and the configuration file say together. An option counts more than the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use varbind::engine::access_control::{ViewMask, ViewTreeFamily};
use varbind::engine::applications::notification::NotificationFilter;
use varbind::engine::applications::notification_receiver::{NotificationUser, Wanted};
use varbind::engine::security::{
    Community, CommunityTable, SecurityName, SourceAddresses, SourceFilter,
};
use varbind::notification::ReceiverLimits;
use varbind::transport::TransportAddress;
use varbind::transport::certificate::Mapping;
use varbind_agent::configuration::value::{self, OverdueRevocationLists};
use varbind_mib::Mib;
use varbind_terminal::arguments::{CertificateArguments, Overdue};
use varbind_terminal::{Failure, object_names};

use super::Arguments;
use super::document::{self, Document, Text};
use super::users::{UserEntry, check_distinct};
use crate::arguments::{MapArgument, MapArguments, SshServerArguments};
use crate::credentials;

const EXEC_JOBS: u16 = 4;
const EXEC_TIMEOUT: Duration = Duration::from_secs(30);

/// What is to be done.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) listen: Vec<TransportAddress>,
    pub(super) communities: CommunityTable,
    pub(super) users: Vec<NotificationUser>,
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) from_user: Vec<String>,
    pub(super) exec: Option<Exec>,
    pub(super) output_file: Option<PathBuf>,
    pub(super) state: Option<PathBuf>,
    pub(super) run_as: Option<String>,
    pub(super) limits: ReceiverLimits,
    pub(super) certificate: CertificateArguments,
    pub(super) map: MapArguments,
    pub(super) ssh: SshServerArguments,
    pub(super) is_json: bool,
    pub(super) letters: Vec<String>,
    pub(super) mib_directories: Option<String>,
    pub(super) modules: Option<String>,
}

/// The command for each notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exec {
    pub(super) command: OsString,
    pub(super) jobs: u16,
    pub(super) timeout: Duration,
}

impl Settings {
    /// Reads the configuration file, if there is one, and the files of secrets.
    pub(super) fn load(arguments: &Arguments) -> Result<Self, Failure> {
        let usual = Path::new(document::USUAL);
        let path = match &arguments.config {
            Some(path) => Some(path.as_path()),
            None => usual.exists().then_some(usual),
        };
        let (document, directory) = match path {
            Some(path) => (
                Document::read(path)?,
                path.parent().unwrap_or(Path::new("")),
            ),
            None => (Document::default(), Path::new("")),
        };
        Self::new(arguments, document, directory)
    }

    fn new(arguments: &Arguments, file: Document, directory: &Path) -> Result<Self, Failure> {
        let in_directory = |path: &PathBuf| directory.join(path);
        let exec = exec(arguments, &file)?;
        let communities = communities(arguments, &file);
        let users = users(arguments, &file, directory)?;
        Ok(Self {
            communities,
            users,
            exec,
            limits: limits(arguments.queue, &file.limits),
            certificate: certificate(&arguments.certificate, &file.tls, directory),
            map: map(&arguments.map, &file.tls, directory)?,
            ssh: SshServerArguments {
                host_key: or(
                    &arguments.ssh.host_key,
                    file.ssh.host_keys.iter().map(in_directory),
                ),
                authorized_keys: or(&arguments.ssh.authorized_keys, file.ssh.authorized_keys),
            },
            listen: or(
                &arguments.listen,
                file.listen.into_iter().map(|Text(address)| address),
            ),
            include: or(&arguments.subtrees, file.include),
            exclude: or(&arguments.exclude, file.exclude),
            from_user: or(&arguments.from_user, file.from_user),
            output_file: arguments
                .output_file
                .clone()
                .or_else(|| file.output_file.as_ref().map(in_directory)),
            state: arguments
                .state
                .clone()
                .or_else(|| file.state.as_ref().map(in_directory)),
            run_as: arguments.run_as.clone().or(file.run_as),
            is_json: file.format == document::Format::Json,
            letters: file.output,
            mib_directories: file.mib_directories,
            modules: file.modules,
        })
    }

    /// Whether senders of informs need to know the receiver's engine.
    pub(super) fn uses_v3(&self) -> bool {
        let mut listen = self.listen.iter();
        !self.users.is_empty() || listen.any(|address| address.transport.is_secure())
    }

    pub(super) fn wanted(&self, mib: &Mib) -> Result<Wanted, Failure> {
        let family = |subtree, included| ViewTreeFamily {
            subtree,
            mask: ViewMask::default(),
            included,
        };
        let mut families = Vec::new();
        for name in object_names::names(mib, &self.include)? {
            families.push(family(name, true));
        }
        for name in object_names::names(mib, &self.exclude)? {
            families.push(family(name, false));
        }
        if self.include.is_empty() && !families.is_empty() {
            for root in ["0.0", "1.0", "1.3", "2.0"] {
                let root = object_names::name(mib, root)?;
                families.push(family(root, true));
            }
        }
        Ok(Wanted {
            filter: NotificationFilter::new(families),
            sources: SourceAddresses::Any,
            security_names: self.from_user.iter().map(SecurityName::new).collect(),
        })
    }

    /// What differs from `other` and counts only from the next start on.
    pub(super) fn fixed_differences(&self, other: &Self) -> Vec<&'static str> {
        [
            ("listen", self.listen != other.listen),
            ("exec", self.exec != other.exec),
            ("state", self.state != other.state),
            ("run-as", self.run_as != other.run_as),
            ("limits", self.limits != other.limits),
            (
                "format and output",
                self.is_json != other.is_json || self.letters != other.letters,
            ),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
    }
}

/// What the options say, or else the file.
fn or<T: Clone>(options: &[T], file: impl IntoIterator<Item = T>) -> Vec<T> {
    if options.is_empty() {
        file.into_iter().collect()
    } else {
        options.to_vec()
    }
}

fn within(filters: &[Text<SourceFilter>]) -> SourceAddresses {
    let filters = filters.iter().map(|Text(filter)| *filter);
    SourceAddresses::Within(filters.collect())
}

fn communities(arguments: &Arguments, file: &Document) -> CommunityTable {
    let sources = match (&arguments.source[..], &file.sources[..]) {
        ([], []) => None,
        ([], sources) => Some(within(sources)),
        (sources, _) => Some(SourceAddresses::Within(sources.to_vec())),
    };
    let from = |default: SourceAddresses| sources.clone().unwrap_or(default);
    let mut named: Vec<(Vec<u8>, SourceAddresses)> = Vec::new();
    for name in &arguments.community {
        named.push((name.0.clone(), from(SourceAddresses::Any)));
    }
    if named.is_empty() {
        for community in &file.community {
            let sources = match &community.sources {
                Some(sources) => within(sources),
                None => from(SourceAddresses::Any),
            };
            named.push((community.name.clone().into_bytes(), sources));
        }
    }
    if named.is_empty() && file.user.is_empty() {
        named.push((b"public".to_vec(), from(SourceAddresses::loopback())));
    }
    let rows = (1..).zip(named).map(|(number, (name, sources))| Community {
        name,
        // The name of the community is a secret of a kind.
        security_name: SecurityName::new(format!("community-{number}")),
        context_name: String::new(),
        sources,
    });
    CommunityTable::new(rows.collect())
}

fn users(
    arguments: &Arguments,
    file: &Document,
    directory: &Path,
) -> Result<Vec<NotificationUser>, Failure> {
    let options = &arguments.users;
    let of_file: &[UserEntry] = match (&options.plain.name, &options.described[..]) {
        (None, []) => &file.user,
        _ => &[],
    };
    check_distinct(&options.described)?;
    check_distinct(of_file)?;
    let mut users = Vec::new();
    if options.plain.name.is_some() {
        let user = credentials::user(&options.plain)?;
        let user = NotificationUser::new(user.user_name().clone(), user.credentials)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        users.push(user);
    }
    for entry in &options.described {
        users.push(entry.user(Path::new(""))?);
    }
    for entry in of_file {
        users.push(entry.user(directory)?);
    }
    Ok(users)
}

fn exec(arguments: &Arguments, file: &Document) -> Result<Option<Exec>, Failure> {
    let command = arguments.exec.clone();
    let Some(command) = command.or_else(|| file.exec.clone().map(OsString::from)) else {
        if arguments.exec_jobs.is_some() || arguments.exec_timeout.is_some() {
            return Err(Failure::Usage(
                "--exec-jobs and --exec-timeout belong to --exec: name a command".to_owned(),
            ));
        }
        return Ok(None);
    };
    if arguments.output_file.is_some() {
        return Err(Failure::Usage(
            "--exec and --output-file: a command takes the place of the output; choose one"
                .to_owned(),
        ));
    }
    let jobs = arguments.exec_jobs.or(file.exec_jobs).unwrap_or(EXEC_JOBS);
    if !(1..=256).contains(&jobs) {
        return Err(Failure::Usage(format!(
            "exec-jobs = {jobs}: from 1 to 256 commands can run at once"
        )));
    }
    let of_file = file.exec_timeout.map(|value::Duration(timeout)| timeout);
    Ok(Some(Exec {
        command,
        jobs,
        timeout: arguments.exec_timeout.or(of_file).unwrap_or(EXEC_TIMEOUT),
    }))
}

fn limits(queue: Option<usize>, file: &document::Limits) -> ReceiverLimits {
    let defaults = ReceiverLimits::default();
    let time = |time: Option<value::Duration>, default| time.map_or(default, |time| time.0);
    let tcp_idle = time(file.tcp_idle_timeout, defaults.tcp_idle);
    ReceiverLimits {
        message: file.message_size.map_or(defaults.message, |size| size.0),
        queue: queue.or(file.queue).unwrap_or(defaults.queue),
        receive_buffer: file.receive_buffer.unwrap_or(defaults.receive_buffer),
        tcp_sessions: file.tcp_sessions.unwrap_or(defaults.tcp_sessions),
        tcp_sessions_per_source: file
            .tcp_sessions_per_source
            .unwrap_or(defaults.tcp_sessions_per_source),
        tcp_sessions_per_block: file
            .tcp_sessions_per_block
            .unwrap_or(defaults.tcp_sessions_per_block),
        tcp_first_message: time(file.tcp_first_message_timeout, tcp_idle),
        session_lifetime: file
            .session_lifetime
            .map_or(defaults.session_lifetime, |lifetime| lifetime.0),
        tcp_idle,
        tcp_message: time(file.tcp_message_timeout, defaults.tcp_message),
        handshake: time(file.handshake_timeout, defaults.handshake),
        handshakes_per_source: file
            .handshakes_per_source
            .unwrap_or(defaults.handshakes_per_source),
    }
}

fn certificate(
    options: &CertificateArguments,
    file: &document::Tls,
    directory: &Path,
) -> CertificateArguments {
    let in_directory = |path: &PathBuf| directory.join(path);
    let file_path = |path: &Option<PathBuf>| path.as_ref().map(in_directory);
    let is_own = options.certificate.is_some();
    CertificateArguments {
        certificate: options
            .certificate
            .clone()
            .or_else(|| file_path(&file.certificate)),
        // The key of another certificate is of no use.
        key: options
            .key
            .clone()
            .or_else(|| file_path(&file.key).filter(|_| !is_own)),
        trust: or(&options.trust, file.trust.iter().map(in_directory)),
        revocation_list: or(
            &options.revocation_list,
            file.revocation_lists.iter().map(in_directory),
        ),
        overdue_revocation_lists: match file.overdue_revocation_lists {
            OverdueRevocationLists::Use => Overdue::Use,
            OverdueRevocationLists::Refuse => options.overdue_revocation_lists,
        },
    }
}

fn map(
    options: &MapArguments,
    file: &document::Tls,
    directory: &Path,
) -> Result<MapArguments, Failure> {
    let mut rules = Vec::new();
    for rule in &file.map {
        let certificate = match (&rule.certificate, &rule.fingerprint) {
            (Some(path), None) => directory.join(path).to_string_lossy().into_owned(),
            (None, Some(fingerprint)) => fingerprint.clone(),
            _ => {
                return Err(Failure::Usage(
                    "[[tls.map]] needs one of certificate and fingerprint".to_owned(),
                ));
            }
        };
        let to = match (rule.to, &rule.name) {
            (Some(to), None) => Mapping::from(to),
            (None, Some(name)) => Mapping::Specified(name.clone()),
            _ => {
                return Err(Failure::Usage(
                    "[[tls.map]] needs one of to and name".to_owned(),
                ));
            }
        };
        rules.push(MapArgument { certificate, to });
    }
    Ok(MapArguments {
        map: or(&options.map, rules),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits_of(text: &str) -> ReceiverLimits {
        let document: Document = toml::from_str(&format!("[limits]\n{text}")).unwrap();
        limits(None, &document.limits)
    }

    #[test]
    fn every_limit_can_be_configured() {
        let configured = limits_of(
            "queue = 1\nreceive-buffer = 2\nmessage-size = 1500\ntcp-sessions = 3\ntcp-sessions-per-source = 4\n\
             tcp-sessions-per-block = 5\ntcp-first-message-timeout = \"6s\"\nsession-lifetime = \"7h\"\n\
             tcp-idle-timeout = \"8s\"\ntcp-message-timeout = \"9s\"\nhandshake-timeout = \"10s\"\n\
             handshakes-per-source = 11",
        );
        let expected = ReceiverLimits {
            message: 1500,
            queue: 1,
            receive_buffer: 2,
            tcp_sessions: 3,
            tcp_sessions_per_source: 4,
            tcp_sessions_per_block: 5,
            tcp_first_message: Duration::from_secs(6),
            session_lifetime: Some(Duration::from_secs(7 * 3600)),
            tcp_idle: Duration::from_secs(8),
            tcp_message: Duration::from_secs(9),
            handshake: Duration::from_secs(10),
            handshakes_per_source: 11,
        };
        assert_eq!(configured, expected);
    }

    #[test]
    fn without_limits_sessions_may_be_silent_and_open_for_long() {
        assert_eq!(limits_of(""), ReceiverLimits::default());
        assert_eq!(
            limits_of("session-lifetime = \"0s\"").session_lifetime,
            None
        );
        let patient = limits_of("tcp-idle-timeout = \"10h\"");
        assert_eq!(patient.tcp_first_message, Duration::from_secs(36_000));
    }
}
