//! OpenSSH's server, in a mount namespace of its own since it wants a directory in /run.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use varbind::blocking::Client;
use varbind::manager::Manager;
use varbind::transport::ssh::{HostKey, SshOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_testkit::loopback::{DESCRIPTION, PATIENCE, SYS_DESCR_0};
use varbind_testkit::oid;
use varbind_testkit::peers::{Running, free_port, is_installed, skip};
use varbind_testkit::ssh::{Files, manager_options, ssh_keygen};

use crate::host::Host;
use crate::launcher::Listening;

const VARBIND: &str = env!("CARGO_BIN_EXE_varbind");
const SSHD: &str = "/usr/sbin/sshd";

/// OpenSSH's server.
pub(crate) struct Sshd {
    _process: Running,
    pub(crate) address: SocketAddr,
}

/// Whether there is no server of OpenSSH that can be started; if so, that is said.
pub(crate) fn sshd_is_missing() -> bool {
    let is_missing = !rustix::process::geteuid().is_root()
        || !Path::new(SSHD).exists()
        || !is_installed("unshare");
    if is_missing {
        skip("OpenSSH's server needs root and unshare");
    }
    is_missing
}

impl Sshd {
    /// A server with these lines in its configuration, and with the users of a host of its own.
    pub(crate) fn start(files: &Files, host: Option<&Host>, lines: &str) -> Option<Self> {
        let port = free_port();
        let configuration = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nPidFile none\nUsePAM no\n\
             PermitRootLogin prohibit-password\nStrictModes no\nAuthorizedKeysFile {}/ops\n{lines}\n",
            files.path("host_key").display(),
            files.path("authorized_keys").display()
        );
        let file = files.path("sshd_config");
        fs::write(&file, configuration).unwrap();
        let before = "mount -t tmpfs none /run && mkdir /run/sshd";
        let mut command = match host {
            Some(host) => host.command(before, Path::new(SSHD)),
            None => {
                let mut command = Command::new("unshare");
                let script = format!("{before} && exec \"$0\" \"$@\"");
                command.args(["--mount", "sh", "-c", &script, SSHD]);
                command
            }
        };
        let process = command
            .args(["-D", "-e", "-f"])
            .arg(&file)
            .stderr(fs::File::create(files.path("sshd.log")).unwrap())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self {
            _process: Running(process),
            address: ([127, 0, 0, 1], port).into(),
        };
        let start = Instant::now();
        while TcpStream::connect(server.address).is_err() {
            if start.elapsed() > PATIENCE {
                let log = Self::log(files);
                skip(&format!("OpenSSH's server does not start: {log}"));
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    pub(crate) fn log(files: &Files) -> String {
        fs::read_to_string(files.path("sshd.log")).unwrap_or_default()
    }
}

/// OpenSSH's server, and the agent behind it.
struct Server {
    files: Files,
    _listening: Listening,
    sshd: Sshd,
}

impl Server {
    /// A server with these lines in its configuration; `{varbind}` and `{socket}` stand for what they say.
    fn start(lines: &str) -> Option<Self> {
        if sshd_is_missing() {
            return None;
        }
        let files = Files::new();
        let listening = Listening::new(false);
        let lines = lines
            .replace("{varbind}", VARBIND)
            .replace("{socket}", &listening.socket().display().to_string());
        Some(Self {
            sshd: Sshd::start(&files, None, &lines)?,
            _listening: listening,
            files,
        })
    }

    fn log(&self) -> String {
        Sshd::log(&self.files)
    }

    fn target(&self) -> TransportAddress {
        TransportAddress::of_socket(Transport::Ssh, self.sshd.address)
    }

    fn options(&self) -> SshOptions {
        SshOptions {
            user: Some("root".to_owned()),
            ..self.files.options()
        }
    }

    fn refusal(&self, options: SshOptions) -> String {
        match Manager::open(&self.target(), manager_options(options)) {
            Ok(_) => panic!("the session is open"),
            Err(error) => error.to_string(),
        }
    }
}

const SUBSYSTEM: &str = "Subsystem snmp {varbind} ssh-subsystem --socket {socket}";

#[track_caller]
fn describes_itself(manager: &mut Manager) {
    let response = manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    assert_eq!(response.var_binds[0].value.as_str(), Some(DESCRIPTION));
}

#[test]
fn our_manager_asks_through_the_server_of_openssh() {
    let Some(server) = Server::start(SUBSYSTEM) else {
        return;
    };
    let mut manager = Manager::open(&server.target(), manager_options(server.options()))
        .unwrap_or_else(|error| {
            panic!("{error}\n{}", server.log());
        });
    for _ in 0..100 {
        describes_itself(&mut manager);
    }
}

#[test]
fn a_certificate_is_shown_to_the_server_of_openssh() {
    let lines = format!("{SUBSYSTEM}\nTrustedUserCAKeys none");
    let Some(server) = Server::start(&lines) else {
        return;
    };
    let directory = server.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "x", "-n", "root", "id_ops.pub"],
    );
    let authority = fs::read_to_string(server.files.path("ca.pub")).unwrap();
    server
        .files
        .authorize("ops", &format!("cert-authority {authority}"));
    let mut manager = Manager::open(&server.target(), manager_options(server.options())).unwrap();
    describes_itself(&mut manager);
}

#[test]
fn what_the_server_of_openssh_refuses_is_reported() {
    let Some(server) = Server::start("Subsystem sftp /bin/false\nMaxAuthTries 2") else {
        return;
    };
    let told = server.refusal(server.options());
    assert!(told.contains("the server has no subsystem snmp"), "{told}");
    let other = HostKey::generate(&server.files.path("id_other"), "other").unwrap();
    let wrong = SshOptions {
        identity_files: vec![server.files.path("id_other")],
        ..server.options()
    };
    let told = server.refusal(wrong);
    assert!(told.contains("user root was refused"), "{told}");
    assert!(told.contains(&other.fingerprint()), "{told}");
    let many = SshOptions {
        identity_files: (0..4)
            .map(|number| {
                let file = server.files.path(&format!("id_{number}"));
                HostKey::generate(&file, "").unwrap();
                file
            })
            .collect(),
        ..server.options()
    };
    let told = server.refusal(many);
    assert!(told.contains("Too many authentication failures"), "{told}");
}

#[test]
fn client_for_many_agents_asks_through_the_server_of_openssh() {
    let Some(server) = Server::start(SUBSYSTEM) else {
        return;
    };
    let client = Client::new().unwrap();
    let target = client.target_at(server.target());
    let target = target.with(|target| target.ssh(server.options()).connect_timeout(PATIENCE));
    for _ in 0..20 {
        let value = target.get(SYS_DESCR_0).unwrap();
        assert_eq!(value, DESCRIPTION.into(), "{}", server.log());
    }
}

#[test]
fn client_for_many_agents_reports_what_the_server_of_openssh_refuses() {
    let refusal = |lines: &str| {
        let server = Server::start(lines)?;
        let client = Client::new().unwrap();
        let target = client.target_at(server.target());
        let target = target.with(|target| target.ssh(server.options()).connect_timeout(PATIENCE));
        Some(target.get(SYS_DESCR_0).unwrap_err().to_string())
    };
    let Some(told) = refusal("Subsystem sftp /bin/false") else {
        return;
    };
    assert!(told.contains("the server has no subsystem snmp"), "{told}");
    // There is no agent behind the server.
    let told = refusal("Subsystem snmp {varbind} ssh-subsystem --socket /missing").unwrap();
    let reason = "the subsystem snmp has no session for this user: ";
    assert!(told.contains(reason) && told.contains("/missing"), "{told}");
}

#[test]
fn algorithms_without_any_in_common_are_named() {
    let Some(server) = Server::start("Subsystem snmp /bin/cat\nCiphers aes128-cbc") else {
        return;
    };
    let told = server.refusal(server.options());
    assert!(
        told.contains("no cipher in common") && told.contains("aes128-cbc"),
        "{told}"
    );
}
