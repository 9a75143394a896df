//! Receivers of notifications, started for the occasion.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::agent::Configured;
use super::child::{ChildProcess, command_line, last_output, write_secret};
use super::demands::Addresses;
use super::directory::directory;
use super::secure_keys::{MANAGER, SecureKeys};
use super::users::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, user_name};
use super::{
    Demands, READ_COMMUNITY, SecureAccesses, Storage, Subject, SubjectError, find_executable,
    net_snmp, varbind,
};
use crate::measurement::TransportKind;
use crate::process::is_listened_at;
use crate::security::Protection;
use crate::session::{SecureAccess, Target};

/// The engine that sends traps, in hexadecimal digits: snmptrapd has to know users of each.
pub(crate) const SENDER: &str = "8000ffff0576617262696e64";

/// How long a receiver may take until it listens.
const LONGEST_START: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// What snmptrapd writes of each notification.
const LINE: &str = "received";

/// A receiver that runs, and writes a line for each notification. It is stopped when this goes away.
#[derive(Debug)]
pub(crate) struct Receiver {
    targets: Vec<Target>,
    accesses: Option<SecureAccesses>,
    output: PathBuf,
    /// Octets of the output that were read.
    read: u64,
    received: u64,
    // Dropped in this order: the process ends before its directory goes.
    process: ChildProcess,
    _directory: TempDir,
}

impl Receiver {
    /// Starts the receiver of a subject, and waits until it listens.
    pub(crate) fn start(subject: &Subject, demands: &Demands) -> Result<Self, SubjectError> {
        let failed = |error| SubjectError::Start {
            command: "a receiver of notifications".to_owned(),
            error,
        };
        let directory = directory(Storage::Disk).map_err(failed)?;
        let addresses = Addresses::free(demands).map_err(failed)?;
        let output = directory.path().join("notifications");
        let configured = match subject {
            Subject::NetSnmp { .. } => of_net_snmp(directory.path(), demands, &addresses, &output)?,
            Subject::Varbind { executable } => {
                of_varbind(executable, directory.path(), demands, &addresses, &output)
                    .map_err(failed)?
            }
            Subject::External(_) => return Err(failed(io::ErrorKind::Unsupported.into())),
        };
        let line = command_line(&configured.command);
        let log = directory.path().join("output");
        let started = ChildProcess::start(configured.command, &log);
        let mut receiver = Self {
            targets: addresses.targets(),
            accesses: configured.accesses,
            output,
            read: 0,
            received: 0,
            process: started.map_err(|error| SubjectError::Start {
                command: line.clone(),
                error,
            })?,
            _directory: directory,
        };
        let begun = Instant::now();
        let is_listening =
            |target: &Target| is_listened_at(target.transport, target.address.port());
        // It opens its secure transports after the others.
        while !receiver.targets.iter().all(is_listening) {
            if receiver.process.has_ended() {
                return Err(SubjectError::Ended {
                    command: line,
                    output: last_output(&log),
                });
            }
            if begun.elapsed() > LONGEST_START {
                return Err(SubjectError::Start {
                    command: line,
                    error: io::ErrorKind::TimedOut.into(),
                });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(receiver)
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether its process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }

    /// Where it listens over a transport.
    pub(crate) fn target(&self, transport: TransportKind) -> Option<Target> {
        let mut targets = self.targets.iter().copied();
        targets.find(|target| target.transport == transport)
    }

    /// What sessions over a secure transport need.
    pub(crate) fn access(&self, transport: TransportKind) -> Option<&SecureAccess> {
        let accesses = self.accesses.as_ref().filter(|_| transport.is_secure());
        accesses.map(|accesses| accesses.of(transport, false))
    }

    /// How many notifications it has received.
    pub(crate) fn received(&mut self) -> io::Result<u64> {
        let mut file = match File::open(&self.output) {
            // It is made with the first notification.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened?,
        };
        file.seek(SeekFrom::Start(self.read))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // A line that is not whole is read again.
        let whole = text.iter().rposition(|octet| *octet == b'\n');
        let lines = text.get(..whole.map_or(0, |at| at + 1)).unwrap_or_default();
        self.read += lines.len() as u64;
        let is_one = |line: &&[u8]| line.starts_with(b"{") || *line == LINE.as_bytes();
        let lines = lines.split(|octet| *octet == b'\n');
        self.received += lines.filter(is_one).count() as u64;
        Ok(self.received)
    }
}

fn of_varbind(
    executable: &Path,
    directory: &Path,
    demands: &Demands,
    addresses: &Addresses,
    output: &Path,
) -> io::Result<Configured> {
    let keys = demands.is_secure();
    let keys = keys.then(|| SecureKeys::make(directory.join("pki"), addresses));
    let keys = keys.transpose()?;
    let targets = addresses.listened_at().into_iter();
    let listen: Vec<String> = targets.map(|target| target.to_string()).collect();
    let mut text = format!(
        "listen = {listen:?}\nstate = {:?}\noutput-file = {output:?}\nformat = \"json\"\n\
         [[community]]\nname = \"{READ_COMMUNITY}\"\n",
        directory.join("state")
    );
    for &protection in &demands.users {
        text += &format!(
            "[[user]]\nname = {:?}\nlevel = {:?}\n{}",
            user_name(protection),
            protection.level_name(),
            varbind::secrets(protection)
        );
    }
    if let Some(keys) = &keys {
        text += &varbind::keys(keys);
    }
    let configuration = directory.join("receive.toml");
    write_secret(&configuration, &text)?;
    let mut command = Command::new(executable);
    command.args(["receive", "--config"]).arg(&configuration);
    let accesses = keys.map(|keys| keys.accesses()).transpose()?;
    Ok(Configured { command, accesses })
}

fn of_net_snmp(
    directory: &Path,
    demands: &Demands,
    addresses: &Addresses,
    output: &Path,
) -> Result<Configured, SubjectError> {
    let executable = find_executable("snmptrapd").ok_or(SubjectError::NotInstalled {
        program: "snmptrapd",
        package: "snmptrapd",
    })?;
    let configured = || -> io::Result<Configured> {
        let keys = demands.is_secure().then(|| {
            let keys = SecureKeys::make(directory.join("pki"), addresses)?;
            net_snmp::place(&keys, directory)?;
            Ok::<_, io::Error>(keys)
        });
        let keys = keys.transpose()?;
        let mut text = format!(
            "snmpTrapdAddr {}\nauthCommunity log {READ_COMMUNITY}\n",
            net_snmp::listen(addresses)
        );
        for &protection in &demands.users {
            text += &of_user(protection);
        }
        if let Some(keys) = &keys {
            let manager = keys.manager_fingerprint()?;
            text += &format!(
                "[snmp] localCert agent\n[snmp] trustCert authority\n\
                 [snmptrapd] certSecName 10 {manager} --sn {MANAGER}\n\
                 [snmptrapd] authUser log -s tsm {MANAGER} priv\n"
            );
        }
        let configuration = directory.join("snmptrapd.conf");
        write_secret(&configuration, &text)?;
        let state = directory.join("state");
        fs::create_dir(&state)?;
        let mut command = Command::new(executable);
        command
            .args(["-f", "-n", "-C", "-c"])
            .arg(&configuration)
            .args(["-F", &format!("{LINE}\n"), "-Lf"])
            .arg(output)
            .env("SNMP_PERSISTENT_DIR", state)
            .env("SNMPCONFPATH", directory)
            .env("MIBS", "");
        let accesses = keys.map(|keys| keys.accesses()).transpose()?;
        Ok(Configured { command, accesses })
    };
    configured().map_err(|error| SubjectError::Start {
        command: "snmptrapd".to_owned(),
        error,
    })
}

/// A user at the engine of the receiver, for informs, and at that of the sender, for traps.
fn of_user(protection: Protection) -> String {
    let name = user_name(protection);
    let mut secrets = String::new();
    if let Some(protocol) = protection.authentication() {
        secrets += &format!(" {protocol} {AUTHENTICATION_PASSWORD}");
    }
    if let Some(protocol) = protection.privacy() {
        secrets += &format!(" {protocol} {PRIVACY_PASSWORD}");
    }
    let level = match protection {
        Protection::NoAuthNoPriv => "noauth",
        Protection::AuthNoPriv(_) => "auth",
        Protection::AuthPriv(..) => "priv",
    };
    format!(
        "createUser {name}{secrets}\ncreateUser -e 0x{SENDER} {name}{secrets}\nauthUser log {name} {level}\n"
    )
}
