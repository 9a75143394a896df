use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind::transport::ssh::HostKey;

use super::child::{ChildProcess, last_output, write_secret};
use super::demands::{LONGEST_START, free_address};
use super::directory::directory;
use super::{Storage, SubjectError, find_executable};
use crate::netconf::{NetconfAccess, NetconfSession};

/// A server of NETCONF with data of its own: netconfd (yuma123), and OpenSSH's sshd before it. Both end when this goes away.
#[derive(Debug)]
pub(crate) struct Netconfd {
    access: NetconfAccess,
    // Dropped in this order: the processes end before their directory goes.
    processes: [ChildProcess; 2],
    _directory: TempDir,
}

/// The programs, which are where daemons are.
struct Programs {
    netconfd: PathBuf,
    subsystem: PathBuf,
    sshd: PathBuf,
}

const IF_MIB: &str = include_str!("yang/IF-MIB.yang");
const MODULES: [(&str, &str); 2] = [
    ("IF-MIB.yang", IF_MIB),
    ("SNMPv2-MIB.yang", include_str!("yang/SNMPv2-MIB.yang")),
];
/// Where the modules of NETCONF itself are.
const USUAL_MODULES: &str = "/usr/share/yuma/modules";
/// Where sshd of Debian shuts in its processes that are not logged in. The service makes it, if it is started.
const SSHD_DIRECTORY: &str = "/run/sshd";

const NAME: &str = "netconfd";
/// sshd has the user's shell start the subsystem, and bash would read the user's .bashrc first, which can take longer than all else.
const NO_STARTUP_FILES: &str = "SHLVL=2";
/// How often a session is tried until the server is there.
const TRY: Duration = Duration::from_millis(20);

impl Programs {
    fn find() -> Result<Self, SubjectError> {
        let find = |program, package| {
            let found = find_executable(program);
            found.ok_or(SubjectError::NotInstalled { program, package })
        };
        Ok(Self {
            netconfd: find(NAME, "netconfd")?,
            subsystem: find("netconf-subsystem", "netconfd")?,
            sshd: find("sshd", "openssh-server")?,
        })
    }
}

impl Netconfd {
    /// Starts it with this content of its running configuration, as XML.
    ///
    /// # Errors
    /// If a program is not installed, or takes no session.
    pub(crate) fn start(content: &str) -> Result<Self, SubjectError> {
        let programs = Programs::find()?;
        let failed = |error| SubjectError::Start {
            command: NAME.to_owned(),
            error,
        };
        let directory = directory(Storage::Disk).map_err(failed)?;
        let access = access(directory.path()).map_err(failed)?;
        let commands = configure(directory.path(), &programs, &access, content);
        let mut processes = Vec::new();
        for (command, log) in commands.map_err(failed)? {
            let process = ChildProcess::start(command, &directory.path().join(log));
            processes.push(process.map_err(failed)?);
        }
        let processes = <[_; 2]>::try_from(processes)
            .map_err(|_| failed(io::ErrorKind::InvalidInput.into()))?;
        let mut server = Self {
            access,
            processes,
            _directory: directory,
        };
        server.wait()?;
        Ok(server)
    }

    /// The columns of ifTable that it has.
    pub(crate) fn columns() -> impl Iterator<Item = &'static str> {
        let leaves = IF_MIB.lines().map(str::trim_start);
        leaves.filter_map(|line| line.strip_prefix("leaf ")?.split(' ').next())
    }

    /// What a client needs.
    pub(crate) const fn access(&self) -> &NetconfAccess {
        &self.access
    }

    /// The processes, without those of sessions.
    pub(crate) fn ids(&self) -> [u32; 2] {
        self.processes.each_ref().map(ChildProcess::id)
    }

    /// Waits until it takes sessions.
    fn wait(&mut self) -> Result<(), SubjectError> {
        let begun = Instant::now();
        loop {
            let Err(error) = NetconfSession::open(&self.access) else {
                return Ok(());
            };
            for process in &mut self.processes {
                if process.has_ended() {
                    return Err(SubjectError::Ended {
                        command: process.command().to_owned(),
                        output: last_output(process.log()),
                    });
                }
            }
            if begun.elapsed() > LONGEST_START {
                let outputs = self.processes.iter().map(|one| last_output(one.log()));
                let outputs: Vec<String> = outputs.collect();
                return Err(SubjectError::NoSession {
                    who: format!("netconf:{}", self.access.address),
                    reason: format!("{error}\n{}", outputs.join("\n")),
                });
            }
            std::thread::sleep(TRY);
        }
    }
}

/// The manager's keys and the server's.
fn access(directory: &Path) -> io::Result<NetconfAccess> {
    let host = HostKey::generate(&directory.join("host_key"), "netconfd");
    let host = host.map_err(io::Error::other)?;
    let host_key = directory.join("host_key.pub");
    write_secret(&host_key, &format!("{}\n", host.public_key()))?;
    let identity = directory.join("manager_key");
    let manager = HostKey::generate(&identity, "manager").map_err(io::Error::other)?;
    let authorized = format!("{}\n", manager.public_key());
    write_secret(&directory.join("authorized_keys"), &authorized)?;
    Ok(NetconfAccess {
        address: free_address(Ipv4Addr::LOCALHOST.into())?,
        user: own_name()?,
        identity,
        host_key,
    })
}

/// The user of this process. An sshd that root did not start can log in this user only.
fn own_name() -> io::Result<String> {
    let output = Command::new("id").arg("-un").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes the files of both processes, and returns their commands with the names of their logs.
fn configure(
    directory: &Path,
    programs: &Programs,
    access: &NetconfAccess,
    content: &str,
) -> io::Result<[(Command, &'static str); 2]> {
    for (name, module) in MODULES {
        fs::write(directory.join(name), module)?;
    }
    let at = |name: &str| directory.join(name).display().to_string();
    let startup =
        format!("<config xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">{content}</config>\n");
    fs::write(directory.join("startup-cfg.xml"), startup)?;
    // Only root can make it, and only an sshd of root needs it.
    let _there = fs::create_dir(SSHD_DIRECTORY);
    let (ip, port) = (access.address.ip(), access.address.port());
    let settings = format!(
        "Port {port}\n\
         ListenAddress {ip}\n\
         HostKey {}\n\
         AuthorizedKeysFile {}\n\
         PidFile none\n\
         StrictModes no\n\
         UsePAM no\n\
         AuthenticationMethods publickey\n\
         SetEnv {NO_STARTUP_FILES}\n\
         Subsystem netconf {} --ncxserver-sockname={port}@{}\n",
        at("host_key"),
        at("authorized_keys"),
        programs.subsystem.display(),
        at("socket"),
    );
    write_secret(&directory.join("sshd_config"), &settings)?;
    let mut netconfd = Command::new(&programs.netconfd);
    netconfd
        .args(["--module=IF-MIB", "--module=SNMPv2-MIB"])
        .arg(format!("--modpath={}:{USUAL_MODULES}", directory.display()))
        .arg(format!("--startup={}", at("startup-cfg.xml")))
        .arg(format!("--ncxserver-sockname={}", at("socket")))
        .args([
            format!("--port={port}"),
            format!("--superuser={}", access.user),
        ])
        .arg("--log-level=warn")
        // Where it would keep files of its own.
        .env("HOME", directory);
    let mut sshd = Command::new(&programs.sshd);
    sshd.args(["-D", "-e", "-f"]).arg(at("sshd_config"));
    Ok([(netconfd, "netconfd.log"), (sshd, "sshd.log")])
}
