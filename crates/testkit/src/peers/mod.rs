//! Programs of others that tests talk to, which need not be installed: where they are, the visible skip of a test that misses
//! one, packages for Python, ports, and the end of processes.

mod python;

use std::collections::HashSet;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use python::python;

/// Directories of daemons, which are not in everybody's PATH.
const DAEMONS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// The first of the ports that [`free_port`] chooses from. Those that systems give out begin at 32768.
const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 10_000;

/// How far apart processes with successive numbers begin, so that they do not try the same ports at the same moment.
const PORTS_OF_A_PROCESS: u32 = 97;

/// Tells that the calling test, or a part of it, is skipped: on standard error, and in the file that the environment variable
/// `VARBIND_SKIP_LOG` names, which `make test` counts.
///
/// # Panics
///
/// If that file cannot be written.
#[track_caller]
pub fn skip(reason: &str) {
    let line = format!("skipped: {}: {reason}\n", calling_test());
    eprint!("{line}");
    if let Some(path) = env::var_os("VARBIND_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(path);
        // One write, so that tests of several processes do not mix their lines.
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that VARBIND_SKIP_LOG names");
    }
}

/// The program of tests, and the test in it, for which the test harness names the thread.
fn calling_test() -> String {
    let path = env::current_exe().unwrap_or_default();
    let file = path.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo appends a hash.
    let program = file.rsplit_once('-').map_or(&*file, |(name, _)| name);
    match thread::current().name() {
        Some(test) if test != "main" => format!("{program} {test}"),
        _ => program.to_owned(),
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(DAEMONS.map(PathBuf::from))
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

/// Whether `program` is in the PATH, or where daemons are. If not, the test is counted as skipped.
#[track_caller]
#[must_use]
pub fn is_installed(program: &str) -> bool {
    let found = find(program).is_some();
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Runs `program`, also when it is a daemon that is not in the PATH.
#[must_use]
pub fn command(program: &str) -> Command {
    Command::new(find(program).unwrap_or_else(|| program.into()))
}

/// A port that no socket has, over UDP or TCP, and that the system gives to no other process.
///
/// It is not tried by a socket: a program that another test is starting would have a copy of that until it is executed.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = std::process::id().wrapping_mul(PORTS_OF_A_PROCESS) % u32::from(PORTS);
    let process = u16::try_from(first).unwrap_or_default();
    let used = used_ports();
    for _ in 0..PORTS {
        let offset = process.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS;
        let port = FIRST_PORT + offset;
        if !used.contains(&port) {
            return port;
        }
    }
    panic!("no port is free");
}

/// The local ports of all sockets (proc_net(5)), those of closed connections among them.
fn used_ports() -> HashSet<u16> {
    let tables = ["tcp", "tcp6", "udp", "udp6"].into_iter();
    let tables = tables.filter_map(|table| fs::read_to_string(format!("/proc/net/{table}")).ok());
    let local_port = |line: &str| {
        let (_, port) = line.split_whitespace().nth(1)?.rsplit_once(':')?;
        u16::from_str_radix(port, 16).ok()
    };
    let ports = tables.flat_map(|table| table.lines().filter_map(local_port).collect::<Vec<_>>());
    ports.collect()
}

/// For so long a program that is being started may hold a copy of a socket.
const PATIENCE: Duration = Duration::from_secs(60);

/// Listens where another socket of this process listened until now: a program that another test is starting has a copy of it until
/// it is executed.
///
/// # Errors
///
/// Those of `listen`, that the address is in use among them if it stays so for long.
pub fn listen_again<T>(mut listen: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let begun = Instant::now();
    loop {
        match listen() {
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse && begun.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(1));
            }
            listening => return listening,
        }
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// With `failure` if it does not hold after a minute and a half.
#[track_caller]
pub fn eventually(failure: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < deadline, "{failure}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A process that ends with its test.
#[derive(Debug)]
pub struct Running(pub Child);

impl Running {
    /// Sends it a signal, as `kill` names it: `-HUP`.
    ///
    /// # Panics
    ///
    /// If it cannot be sent.
    #[track_caller]
    pub fn signal(&self, signal: &str) {
        let process = self.0.id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{self:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, UdpSocket};

    use super::*;

    #[test]
    fn a_skip_names_its_test() {
        let test = calling_test();
        assert!(
            test.ends_with("a_skip_names_its_test") || test == "varbind_testkit",
            "{test}"
        );
        assert!(test.starts_with("varbind_testkit"), "{test}");
    }

    #[test]
    fn a_program_that_is_not_there_is_not_installed() {
        assert_eq!(find("varbind-has-no-such-program"), None);
        assert!(is_installed("sh"));
    }

    #[test]
    fn no_port_is_given_twice() {
        let ports: Vec<_> = (0..10).map(|_| free_port()).collect();
        let mut different = ports.clone();
        different.dedup();
        assert_eq!(ports, different);
    }

    #[test]
    fn ports_of_sockets_are_not_free() {
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let tcp = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
        let tcp = tcp.expect("a listener");
        let addresses = [udp.local_addr(), tcp.local_addr()].map(|address| address.expect("bound"));
        let used = used_ports();
        for address in addresses {
            assert!(used.contains(&address.port()), "{address}");
        }
    }

    #[test]
    fn an_address_that_becomes_free_is_waited_for() {
        let mut former = Some(TcpListener::bind("127.0.0.1:0").expect("a listener"));
        let address = former.as_ref().and_then(|one| one.local_addr().ok());
        let address = address.expect("bound");
        let mut attempts = 0;
        let listener = listen_again(|| {
            attempts += 1;
            let attempt = TcpListener::bind(address);
            former = None;
            attempt
        });
        assert!(listener.is_ok() && attempts > 1, "{listener:?}");
        let refused = listen_again(|| TcpListener::bind("192.0.2.1:0"));
        assert!(refused.is_err(), "an address of another host");
    }

    #[test]
    fn a_process_ends_with_its_test() {
        let running = Running(command("sleep").arg("1000").spawn().expect("sleep"));
        let directory = format!("/proc/{}", running.0.id());
        assert!(std::path::Path::new(&directory).exists());
        drop(running);
        assert!(!std::path::Path::new(&directory).exists());
    }
}
