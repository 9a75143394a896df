use std::fs;
use std::path::Path;
use std::process::Command;

use varbind::transport::message_size::UDP_PAYLOAD;

use super::agent::Configured;
use super::child::write_secret;
use super::demands::Addresses;
use super::secure_keys::{MANAGER, SecureKeys};
use super::users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, user_name};
use super::{
    Agent, CounterCache, Demands, READ_COMMUNITY, SshHandicap, SubjectError, WRITE_COMMUNITY,
};
use crate::link::Lane;
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};
use crate::session::Target;

/// Starts our agent with a configuration of its own.
pub(super) fn start(
    executable: &Path,
    demands: &Demands,
    first: Scheme,
) -> Result<Agent, SubjectError> {
    Agent::start(
        |directory, addresses| {
            let state = directory.join("state");
            fs::create_dir(&state)?;
            let configuration = directory.join("agent.toml");
            let keys = demands
                .is_secure()
                .then(|| SecureKeys::make(directory.join("pki"), addresses))
                .transpose()?;
            let sources = if demands.is_asked_from_elsewhere {
                "sources = [\"0.0.0.0/0\"]\n"
            } else {
                ""
            };
            let mut text = format!(
                "listen = {:?}\n\
                 state-directory = {state:?}\n\
                 [[community]]\nname = \"{READ_COMMUNITY}\"\naccess = \"read-only\"\n{sources}\
                 [[community]]\nname = \"{WRITE_COMMUNITY}\"\naccess = \"read-write\"\n{sources}",
                listen(addresses)
            );
            if demands.compression {
                text.insert_str(0, "compression = [\"opc\", \"odc\", \"dictionary\"]\n");
            }
            let users = demands.users.iter();
            let mut text = users.fold(text, |text, user| text + &of_user(*user));
            text += &limits(demands);
            text += match demands.counter_cache {
                CounterCache::Usual => "",
                CounterCache::Off => "[counters]\nmax-age = \"0ms\"\n",
                CounterCache::Lasting => "[counters]\nmax-age = \"1h\"\n",
            };
            if let Some(keys) = &keys {
                text += &secure_transports(keys, demands);
            }
            let web = addresses.web_listened_at();
            if !web.is_empty() {
                text += &format!("[web]\nlisten = {web:?}\n");
                if let (true, Some(lane)) = (demands.is_asked_from_elsewhere, Lane::new(1)) {
                    text += &format!("hosts = [\"{}\"]\n", lane.far());
                }
            }
            write_secret(&configuration, &text)?;
            let mut command = Command::new(executable);
            command.args(["agent", "--dumpable", "--config"]);
            command.arg(&configuration);
            if leaves_out_encryption(demands) {
                command.arg("--unsafe-tls-without-encryption");
            }
            let handicap = &demands.ssh_handicap;
            if *handicap != SshHandicap::NONE {
                command.args(["--ssh-handicap", handicap.as_str()]);
            }
            let accesses = keys.map(|keys| keys.accesses()).transpose()?;
            #[cfg(feature = "experiments")]
            let accesses = accesses
                .map(|accesses| accesses.with_handicap(handicap))
                .transpose()?;
            Ok(Configured { command, accesses })
        },
        "varbind agent",
        demands,
        first,
    )
    .map_err(|error| with_advice(error, demands))
}

const LEGACY_TLS_ADVICE: &str = "TLS 1.0 needs a varbind that is built with the feature openssl-tls, and TLS without encryption one with experiments too";

/// Suggests what an agent may lack that ended because of its options.
fn with_advice(error: SubjectError, demands: &Demands) -> SubjectError {
    match error {
        SubjectError::Ended { command, output }
            if demands.transports.iter().any(|kind| kind.is_legacy_tls()) =>
        {
            SubjectError::Ended {
                command,
                output: format!("{output}\n{LEGACY_TLS_ADVICE}"),
            }
        }
        error => error,
    }
}

/// The addresses as they are written.
fn listen(addresses: &Addresses) -> Vec<String> {
    let targets = addresses.listened_at();
    let address = |target: &Target| match target.transport {
        tls if tls.is_legacy_tls() => format!("tls:{}", target.address),
        _ => target.to_string(),
    };
    targets.iter().map(address).collect()
}

fn limits(demands: &Demands) -> String {
    let mut text = "[limits]\n".to_owned();
    if let Some(sessions) = demands.sessions {
        let sessions = sessions + SPARE_SESSIONS;
        text += &format!("tcp-sessions = {sessions}\ntcp-sessions-per-source = {sessions}\n");
    }
    if demands.sends_fragments {
        text += &format!("message-size = {UDP_PAYLOAD}\n");
    }
    text
}

/// The manager by its certificate, and by the same name over SSH, in all versions.
fn secure_transports(keys: &SecureKeys, demands: &Demands) -> String {
    let is_older =
        |one: &TransportKind| matches!(one, TransportKind::LegacyTls | TransportKind::LegacyAesTls);
    let version = if demands.transports.iter().any(is_older) {
        "minimum-version = \"1.0\"\n"
    } else {
        ""
    };
    let user = if leaves_out_encryption(demands) {
        authenticated_user()
    } else {
        format!(
            "[[transport-user]]\nname = \"{MANAGER}\"\naccess = \"read-write\"\nversions = [\"v1\", \"v2c\", \"v3\"]\n"
        )
    };
    let keys = keys_of(keys, version, "accounts = false\n");
    format!("{keys}{user}")
}

/// Keys for TLS and SSH, and the manager's, as a receiver reads them.
pub(super) fn keys(keys: &SecureKeys) -> String {
    keys_of(keys, "", "")
}

fn keys_of(keys: &SecureKeys, version: &str, accounts: &str) -> String {
    let agent = keys.agent();
    format!(
        "[tls]\n{version}certificate = {:?}\nkey = {:?}\ntrust = [{:?}]\n\
         [[tls.map]]\ncertificate = {:?}\nname = \"{MANAGER}\"\n\
         [ssh]\nhost-keys = [{:?}]\nauthorized-keys = [{:?}]\n{accounts}",
        agent.certificate,
        agent.key,
        keys.trust(),
        keys.manager().certificate,
        keys.host_key(),
        keys.authorized_keys(),
    )
}

fn leaves_out_encryption(demands: &Demands) -> bool {
    demands
        .transports
        .contains(&TransportKind::IntegrityOnlyTls)
}

/// The manager, whose messages need not be encrypted.
fn authenticated_user() -> String {
    let models = ["v1", "v2c", "tsm"].map(|model| {
        format!(
            "[[group]]\nname = \"{MANAGER}\"\nsecurity-model = \"{model}\"\nsecurity-names = [\"{MANAGER}\"]\n"
        )
    });
    format!(
        "[[transport-user]]\nname = \"{MANAGER}\"\naccess = \"none\"\n{}\
         [[access]]\ngroup = \"{MANAGER}\"\nsecurity-level = \"auth-no-priv\"\nread = \"all\"\nwrite = \"all\"\n",
        models.concat()
    )
}

/// Sessions beyond those that are counted.
const SPARE_SESSIONS: u32 = 16;

fn of_user(protection: Protection) -> String {
    format!(
        "[[user]]\nname = {:?}\naccess = \"read-write\"\nlevel = {:?}\n{}",
        user_name(protection),
        protection.level_name(),
        secrets(protection)
    )
}

/// The passwords of a user, as all programs of ours read them.
pub(super) fn secrets(protection: Protection) -> String {
    let mut text = String::new();
    if let Some(protocol) = protection.authentication() {
        text += &format!(
            "authentication = {{ protocol = \"{protocol}\", password = {AUTHENTICATION_PASSWORD:?} }}\n"
        );
    }
    if let Some(protocol) = protection.privacy() {
        text += &format!(
            "privacy = {{ protocol = \"{protocol}\", password = {PRIVACY_PASSWORD:?} }}\n"
        );
    }
    text
}

/// The version that the program prints, with its features: `0.1.0 (experiments, openssl-tls)`.
pub(super) fn version(executable: &Path) -> String {
    let text = long_version(executable);
    let version = text.split_whitespace().nth(1).unwrap_or("unknown");
    match features(&text) {
        Some(features) => format!("{version} ({features})"),
        None => version.to_owned(),
    }
}

/// Whether the program is built with the feature `experiments`.
pub(crate) fn has_experiments(executable: &Path) -> bool {
    let text = long_version(executable);
    features(&text).is_some_and(|features| features.split(", ").any(|one| one == "experiments"))
}

/// `varbind 0.1.0`, and in a second line the features that are not in the default build.
fn long_version(executable: &Path) -> String {
    let output = Command::new(executable).arg("--version").output();
    output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default()
}

fn features(long_version: &str) -> Option<&str> {
    let mut lines = long_version.lines();
    lines.find_map(|line| line.strip_prefix("features: "))
}
