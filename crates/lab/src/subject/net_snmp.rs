use std::fs;
use std::path::Path;
use std::process::Command;

use super::agent::Configured;
use super::child::write_secret;
use super::demands::Addresses;
use super::secure_keys::{MANAGER, SecureKeys};
use super::users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, user_name};
use super::{Agent, Demands, READ_COMMUNITY, SubjectError, WRITE_COMMUNITY, is_built};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// Starts snmpd with a configuration of its own and no other: the same host data, nothing that our agent lacks.
///
/// sysContact and its like are not configured: snmpd would make them read-only.
pub(super) fn start(
    executable: &Path,
    demands: &Demands,
    first: Scheme,
) -> Result<Agent, SubjectError> {
    let mut demands = demands.clone();
    demands.transports.retain(|&transport| speaks(transport));
    Agent::start(
        |directory, addresses| {
            // snmpd keeps its state in a file of the same name: not in the same directory, then.
            let state = directory.join("state");
            fs::create_dir(&state)?;
            let configuration = directory.join("snmpd.conf");
            let keys = demands.is_secure().then(|| {
                let keys = SecureKeys::make(directory.join("pki"), addresses)?;
                place(&keys, directory)?;
                Ok::<_, std::io::Error>(keys)
            });
            let keys = keys.transpose()?;
            let listen = listen(addresses);
            let text = format!(
                "agentAddress {listen}\n\
                 rocommunity {READ_COMMUNITY}\n\
                 rwcommunity {WRITE_COMMUNITY}\n\
                 rocommunity6 {READ_COMMUNITY}\n\
                 rwcommunity6 {WRITE_COMMUNITY}\n\
                 {GETBULK}\n"
            );
            let users = demands.users.iter();
            let mut text = users.fold(text, |text, user| text + &of_user(*user));
            if let Some(keys) = &keys {
                let manager = keys.manager_fingerprint()?;
                let level = if leaves_out_encryption(&demands) {
                    "authNoPriv"
                } else {
                    "authPriv"
                };
                text += &format!(
                    "[snmp] localCert agent\n[snmp] trustCert authority\n\
                     [snmpd] certSecName 10 {manager} --sn {MANAGER}\n\
                     [snmpd] rwuser -s tsm {MANAGER} {level}\n"
                );
            }
            write_secret(&configuration, &text)?;
            let mut command = Command::new(executable);
            command
                .args(["-f", "-C", "-c"])
                .arg(&configuration)
                .args(["-LO", "w"])
                .env("SNMP_PERSISTENT_DIR", state)
                .env("SNMPCONFPATH", directory)
                .env("MIBS", "");
            if demands.transports.iter().any(|one| one.is_legacy_tls()) {
                let settings = directory.join("openssl.cnf");
                fs::write(&settings, openssl_settings(&demands))?;
                command.env("OPENSSL_CONF", settings);
            }
            Ok(Configured {
                command,
                accesses: keys.map(|keys| keys.accesses()).transpose()?,
            })
        },
        "snmpd",
        &demands,
        first,
    )
}

/// As many objects as were asked for: by itself, snmpd answers no GetBulkRequest with more than 100.
const GETBULK: &str = "maxGetbulkResponses -1";

/// Whether snmpd can be asked over a transport. Over TLS it supports only version 1.0.
pub(crate) const fn speaks(transport: TransportKind) -> bool {
    match transport {
        TransportKind::Udp | TransportKind::Tcp | TransportKind::Dtls => true,
        TransportKind::Tls | TransportKind::Ssh => false,
        TransportKind::LegacyTls
        | TransportKind::IntegrityOnlyTls
        | TransportKind::LegacyAesTls => is_built(transport),
    }
}

fn leaves_out_encryption(demands: &Demands) -> bool {
    demands
        .transports
        .contains(&TransportKind::IntegrityOnlyTls)
}

/// Systems configure OpenSSL so that it refuses TLS 1.0 with its digests and suites. These settings are for one process.
fn openssl_settings(demands: &Demands) -> String {
    let suites = if leaves_out_encryption(demands) {
        "ECDHE-ECDSA-NULL-SHA"
    } else {
        "DEFAULT"
    };
    format!(
        "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = default\n\
         [default]\nMinProtocol = TLSv1\nCipherString = {suites}:@SECLEVEL=0\n"
    )
}

pub(super) fn listen(addresses: &Addresses) -> String {
    let mut addresses: Vec<String> = addresses
        .listened_at()
        .iter()
        .map(|target| {
            let transport = match target.transport {
                TransportKind::Dtls => "dtlsudp".to_owned(),
                tls if tls.is_legacy_tls() => "tlstcp".to_owned(),
                other => other.to_string(),
            };
            let version = if target.address.is_ipv6() { "6" } else { "" };
            format!("{transport}{version}:{}", target.address)
        })
        .collect();
    addresses.sort_by_key(|address| !address.starts_with("udp"));
    addresses.join(",")
}

/// Puts certificates and keys where Net-SNMP looks for them.
pub(super) fn place(keys: &SecureKeys, directory: &Path) -> std::io::Result<()> {
    let tls = directory.join("tls");
    for part in ["certs", "private", "ca-certs"] {
        fs::create_dir_all(tls.join(part))?;
    }
    let agent = keys.agent();
    fs::copy(keys.trust(), tls.join("ca-certs/authority.crt"))?;
    fs::copy(agent.certificate, tls.join("certs/agent.crt"))?;
    fs::copy(agent.key, tls.join("private/agent.key"))?;
    let manager = keys.manager();
    fs::copy(manager.certificate, tls.join("certs/manager.crt"))?;
    // For its commands, which look in the same place.
    fs::copy(manager.key, tls.join("private/manager.key"))?;
    Ok(())
}

/// With `-C` snmpd does not read its persistent file, where createUser usually stands.
fn of_user(protection: Protection) -> String {
    let name = user_name(protection);
    let mut creation = format!("createUser {name}");
    if let Some(protocol) = protection.authentication() {
        creation += &format!(" {protocol} {AUTHENTICATION_PASSWORD}");
    }
    if let Some(protocol) = protection.privacy() {
        creation += &format!(" {protocol} {PRIVACY_PASSWORD}");
    }
    let level = match protection {
        Protection::NoAuthNoPriv => "noauth",
        Protection::AuthNoPriv(_) => "auth",
        Protection::AuthPriv(..) => "priv",
    };
    format!("{creation}\nrwuser {name} {level}\n")
}

/// The version that snmpd prints: `NET-SNMP version:  5.9.3`.
pub(super) fn version(executable: &Path) -> String {
    let output = Command::new(executable).arg("-v").output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines()
        .find_map(|line| line.split_once("version:"))
        .map_or("unknown", |(_, version)| version.trim())
        .to_owned()
}
