//! A host whose users are those of a test: programs see them in a mount namespace of their own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;
use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::peers::{Running, is_installed, skip};

/// A user of the host beside root.
pub(crate) const OPS: (&str, u32) = ("ops", 54_321);
/// Another.
pub(crate) const EVE: (&str, u32) = ("eve", 54_322);
/// The fields of `/etc/shadow` of an account that may be used, without a password.
pub(crate) const USABLE: &str = "*:19000:0:99999:7:::";
/// A number that is not a user's.
pub(crate) const NOBODY_AT_ALL: u32 = 54_323;

/// Users, their home directories, and a program that all of them may run.
pub(crate) struct Host {
    directory: TempDir,
}

impl Host {
    /// `None`, and that is said, where no such host can be made.
    pub(crate) fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip("the user of the test is not root");
            return None;
        }
        if !is_installed("unshare") || !is_installed("setpriv") || !may_mount() {
            skip("no mount namespace can be made");
            return None;
        }
        let host = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        open_to_all(host.directory.path());
        let mut passwd = fs::read_to_string("/etc/passwd").unwrap();
        for (name, uid) in [OPS, EVE] {
            let home = host.home(name);
            fs::create_dir(&home).unwrap();
            chown(&home, Some(uid), Some(uid)).unwrap();
            passwd += &format!("{name}:x:{uid}:{uid}::{}:/bin/sh\n", home.display());
        }
        fs::write(host.path("passwd"), passwd).unwrap();
        host.write_shadow(USABLE);
        let program = env!("CARGO_BIN_EXE_varbind");
        if fs::hard_link(program, host.program()).is_err() {
            fs::copy(program, host.program()).unwrap();
        }
        Some(host)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes `/etc/shadow`, in which these fields follow the name of each user of the test.
    pub(crate) fn write_shadow(&self, fields: &str) {
        let lines = [OPS.0, EVE.0].map(|name| format!("{name}:{fields}\n"));
        fs::write(self.path("shadow"), lines.concat()).unwrap();
    }

    /// Gives a user another shell.
    pub(crate) fn set_shell(&self, user: &str, shell: &str) {
        let passwd = fs::read_to_string(self.path("passwd")).unwrap();
        let lines = passwd.lines().map(|line| match line.rsplit_once(':') {
            Some((rest, _)) if line.starts_with(&format!("{user}:")) => format!("{rest}:{shell}\n"),
            _ => format!("{line}\n"),
        });
        fs::write(self.path("passwd"), lines.collect::<String>()).unwrap();
    }

    pub(crate) fn home(&self, user: &str) -> PathBuf {
        self.path(&format!("home-{user}"))
    }

    /// `varbind`, where all users can reach it.
    pub(crate) fn program(&self) -> PathBuf {
        self.path("varbind")
    }

    /// A command that sees the users of this host; `before` is run by the shell before it.
    pub(crate) fn command(&self, before: &str, program: &Path) -> Command {
        let script = format!(
            "mount --bind \"$0/passwd\" /etc/passwd && mount --bind \"$0/shadow\" /etc/shadow && {before} exec \"$@\"",
            before = if before.is_empty() {
                String::new()
            } else {
                format!("{before} &&")
            }
        );
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", &script])
            .arg(self.directory.path())
            .arg(program);
        command
    }

    /// `varbind` run by a user of this host, who need not have a name.
    pub(crate) fn varbind_as(&self, uid: u32, arguments: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        let id = uid.to_string();
        command
            .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
            .arg(self.program())
            .args(arguments)
            .env("HOME", self.directory.path())
            .env_remove("SSH_AUTH_SOCK");
        command
    }

    /// Writes a file that belongs to a user.
    pub(crate) fn write_as(&self, uid: u32, file: &Path, text: &str) {
        let directory = file.parent().unwrap();
        if !directory.exists() {
            fs::create_dir_all(directory).unwrap();
            chown(directory, Some(uid), Some(uid)).unwrap();
        }
        fs::write(file, text).unwrap();
        chown(file, Some(uid), Some(uid)).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// An agent of this host with a configuration; its state goes to a directory of the host.
    pub(crate) fn agent(&self, configuration: &str) -> HostAgent {
        self.agent_after("", configuration)
    }

    /// The same, when the shell has run `before`.
    pub(crate) fn agent_after(&self, before: &str, configuration: &str) -> HostAgent {
        self.configure(configuration);
        let mut command = self.command(before, &self.program());
        command
            .args(["agent", "--config"])
            .arg(self.path("agent.toml"));
        let mut child = Running(
            command
                .env_remove("VARBIND_LOG")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap(),
        );
        let log = BufReader::new(child.0.stderr.take().unwrap());
        HostAgent { child, log }
    }

    pub(crate) fn configure(&self, configuration: &str) {
        let state = self.path("state");
        let text = format!("state-directory = {state:?}\n{configuration}");
        fs::write(self.path("agent.toml"), text).unwrap();
    }
}

/// `varbind agent`.
pub(crate) struct HostAgent {
    child: Running,
    log: BufReader<ChildStderr>,
}

impl HostAgent {
    /// The address that it tells to listen on.
    pub(crate) fn target(&mut self) -> String {
        let mut output = BufReader::new(self.child.0.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim_end().strip_prefix("listening on ") {
            Some(target) => target.to_owned(),
            None => panic!("{line} {}", self.wait_for_log("the agent ended")),
        }
    }

    /// Reads the log up to a line with this text, and returns the line.
    pub(crate) fn wait_for_log(&mut self, expected: &str) -> String {
        let mut line = String::new();
        while !line.contains(expected) {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "the agent ended");
        }
        line
    }

    pub(crate) fn reload(&mut self) {
        self.child.signal("-HUP");
        self.wait_for_log("the configuration was read again");
    }
}

pub(crate) fn open_to_all(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Waits until a file is there.
pub(crate) fn wait_for(child: &mut Child, file: &Path) {
    let begun = std::time::Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < PATIENCE, "{} is not made", file.display());
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

impl HostAgent {
    pub(crate) fn wait_for(&mut self, file: &Path) {
        wait_for(&mut self.child.0, file);
    }
}

fn may_mount() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| {
        Command::new("unshare")
            .args(["--mount", "mount", "--bind", "/etc/passwd", "/etc/passwd"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}
