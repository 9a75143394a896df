//! Subagents of others, each in a network of its own: what they serve is the same through this agent as through Net-SNMP's
//! master, and comes back when they do.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, eventually, free_port, is_installed, python, skip};

use crate::process::{Agent, Home, ask};

const PATIENCE: Duration = Duration::from_secs(90);

/// Interfaces with the same names and addresses wherever it runs. Nothing that it starts outlives it.
const NETWORK: &str = "
mount -t tmpfs none /run
ip link set lo up
ip link add va address 02:00:00:00:00:01 type veth peer name vb address 02:00:00:00:00:02
ip address add 192.0.2.1/24 dev va
ip link set va up
ip link set vb up
";

/// A program that serves objects, and what it is to serve.
struct Peer {
    /// What must be installed, beside Net-SNMP's programs.
    programs: &'static [&'static str],
    /// Whether it changes its user, which the root of a user namespace may not.
    needs_root: bool,
    /// Shell commands that start it and wait, since the shell ends with the test whatever the program makes of itself. `$socket` is the
    /// master's, `$directory` is its own.
    script: &'static str,
    /// Subtrees, and how many instances are there at least.
    subtrees: &'static [(&'static str, usize)],
}

const LLDPD: Peer = Peer {
    programs: &["lldpd"],
    needs_root: true,
    script: "mkdir -p /run/lldpd
lldpd -d -x -X \"$socket\" -I va,vb -S description -P platform &
wait",
    subtrees: &[(".1.0.8802.1.1.2.1.1", 5), (".1.0.8802.1.1.2.1.3", 15)],
};

const KEEPALIVED: Peer = Peer {
    programs: &["keepalived"],
    needs_root: false,
    script: "cat > \"$directory/keepalived.conf\" <<END
global_defs {
  enable_snmp_vrrp
  enable_snmp_rfc
  enable_snmp_keepalived
  snmp_socket $socket
  router_id router
}
vrrp_instance one {
  interface va
  state BACKUP
  virtual_router_id 7
  virtual_ipaddress { 192.0.2.7/32 }
}
END
rm -f \"$directory/pid\" \"$directory/vrrp-pid\"
keepalived -n -l -P -f \"$directory/keepalived.conf\" -p \"$directory/pid\" -r \"$directory/vrrp-pid\" &
wait",
    subtrees: &[
        (".1.3.6.1.4.1.9586.100.5", 50),
        (".1.3.6.1.2.1.68", 30),
        (".1.3.6.1.2.1.207", 25),
    ],
};

const FRR: Peer = Peer {
    programs: &["/usr/lib/frr/bgpd", "/usr/lib/x86_64-linux-gnu/frr/modules/bgpd_snmp.so"],
    needs_root: true,
    script: "mkdir -p /run/frr
chown frr /run/frr \"$directory\"
export SNMPCONFPATH=\"$directory\"
echo \"agentXSocket $socket\" > \"$directory/frr.conf\"
echo agentx > \"$directory/zebra.conf\"
cat > \"$directory/bgpd.conf\" <<END
agentx
router bgp 65001
 bgp router-id 192.0.2.1
 neighbor 192.0.2.2 remote-as 65002
 neighbor 192.0.2.2 shutdown
 network 198.51.100.0/24
END
cat > \"$directory/ospfd.conf\" <<END
agentx
router ospf
 ospf router-id 192.0.2.1
 network 192.0.2.0/24 area 0
END
for daemon in zebra bgpd ospfd; do
  /usr/lib/frr/$daemon -u frr -g frr -M snmp -f \"$directory/$daemon.conf\" -z \"$directory/zserv\" \\
    -i \"$directory/$daemon.pid\" --vty_socket \"$directory\" -P 0 &
done
wait",
    subtrees: &[(".1.3.6.1.2.1.15", 20), (".1.3.6.1.2.1.14", 50)],
};

/// Net-SNMP's agent with results of a program, below a name that neither master has.
const SNMPD: Peer = Peer {
    programs: &[],
    needs_root: false,
    script: "echo 'extend -cacheTime 3600 .1.3.6.1.4.1.32473.9 lines /usr/bin/seq 300' > \"$directory/subagent.conf\"
snmpd -f -C -X -Lf /dev/null -x \"$socket\" -c \"$directory/subagent.conf\" &
wait",
    subtrees: &[(".1.3.6.1.4.1.32473.9", 300)],
};

/// The two masters.
struct Masters {
    directory: TempDir,
    agent: Agent,
    _home: Home,
    _net_snmp: Running,
    /// Of Net-SNMP's master.
    address: String,
}

impl Masters {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        open_to_all(directory.path());
        let ours = directory.path().join("ours");
        let home = Home::new(&format!(
            "listen = [\"udp:127.0.0.1:0\"]\n[[community]]\nname = \"public\"\n[agentx]\nsocket = {ours:?}\n"
        ));
        let agent = home.start(2);
        fs::set_permissions(&ours, Permissions::from_mode(0o777)).unwrap();
        let theirs = directory.path().join("theirs");
        let file = directory.path().join("snmpd.conf");
        let configuration = format!(
            "master agentx\nagentXSocket {}\nagentXPerms 0777 0777\nrocommunity public\n",
            theirs.display()
        );
        fs::write(&file, configuration).unwrap();
        let address = format!("udp:127.0.0.1:{}", free_port());
        let net_snmp = command("snmpd")
            .args(["-f", "-C", "-Lf", "/dev/null", "-I", "-mteTrigger", "-c"])
            .args([&file, &PathBuf::from(&address)])
            .env("SNMP_PERSISTENT_DIR", directory.path())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        // The socket is there a moment before it listens.
        eventually("no socket of snmpd", || {
            UnixStream::connect(&theirs).is_ok()
        });
        Self {
            directory,
            agent,
            _home: home,
            _net_snmp: Running(net_snmp),
            address,
        }
    }

    /// Starts a program for each master.
    fn connect(&self, mut start: impl FnMut(&Path, &Path) -> Running) -> [Running; 2] {
        ["ours", "theirs"].map(|name| {
            let directory = self.directory.path().join(format!("at-{name}"));
            fs::create_dir_all(&directory).unwrap();
            open_to_all(&directory);
            start(&self.directory.path().join(name), &directory)
        })
    }

    /// What both masters answer.
    fn walk(&self, tool: &str, subtree: &str) -> [Vec<String>; 2] {
        [&self.agent.addresses[0], &self.address].map(|address| {
            let text = ask(tool, "public", address, &[subtree]);
            text.lines().map(without_moving_parts).collect()
        })
    }

    /// Waits until both serve at least so many instances of a subtree, and the same.
    #[track_caller]
    fn expect(&self, subtree: &str, least: usize) {
        let last = std::cell::RefCell::default();
        let begun = Instant::now();
        loop {
            let [ours, theirs] = self.walk("snmpbulkwalk", subtree);
            if ours == theirs && ours.len() >= least {
                break;
            }
            *last.borrow_mut() = (ours, theirs);
            let (ours, theirs) = &*last.borrow();
            assert!(
                begun.elapsed() < PATIENCE,
                "{subtree}: {ours:#?}\nis not {theirs:#?}\n{}",
                self.agent.log()
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        let [by_bulk, by_next] = ["snmpbulkwalk", "snmpwalk"].map(|tool| self.walk(tool, subtree));
        assert_eq!(by_bulk[0], by_next[0]);
    }
}

/// A line without a value that changes by itself.
fn without_moving_parts(line: &str) -> String {
    let (name, value) = line.split_once(" = ").unwrap_or((line, ""));
    let moving = ["Timeticks", "Counter32", "Counter64"];
    match moving.iter().find(|kind| value.starts_with(**kind)) {
        Some(kind) => format!("{name} = {kind}"),
        None => line.to_owned(),
    }
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The namespaces of a peer: those of its user, too, where the test is not root.
fn namespaces() -> Command {
    let mut command = Command::new("unshare");
    let kinds = if is_root() { "-nmpf" } else { "-Urnmpf" };
    command
        .args([kinds, "--kill-child", "--mount-proc", "sh", "-ec"])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

#[track_caller]
fn has_namespaces() -> bool {
    if !["unshare", "ip"].into_iter().all(is_installed) {
        return false;
    }
    let made = namespaces().arg(NETWORK).output().unwrap();
    if !made.status.success() {
        skip(String::from_utf8_lossy(&made.stderr).trim_end());
    }
    made.status.success()
}

fn has_masters() -> bool {
    ["snmpd", "snmpwalk", "snmpbulkwalk"]
        .into_iter()
        .all(is_installed)
}

impl Peer {
    fn is_here(&self) -> bool {
        if !self.programs.iter().copied().all(is_installed) || !has_masters() {
            return false;
        }
        if self.needs_root && !is_root() {
            skip(&format!("{} needs root", self.programs[0]));
            return false;
        }
        has_namespaces()
    }

    fn start(&self, socket: &Path, directory: &Path) -> Running {
        let child = namespaces()
            .arg(format!("{NETWORK}{}", self.script))
            .env("socket", socket)
            .env("directory", directory)
            .env("SNMP_PERSISTENT_DIR", directory)
            .stderr(Stdio::null())
            .spawn();
        Running(child.unwrap())
    }

    fn check(&self) {
        if !self.is_here() {
            return;
        }
        let masters = Masters::start();
        let start = || masters.connect(|socket, directory| self.start(socket, directory));
        let running = start();
        for (subtree, least) in self.subtrees {
            masters.expect(subtree, *least);
        }
        // It is gone, and it comes again.
        drop(running);
        let (subtree, least) = self.subtrees[0];
        eventually("rows of a subagent that is gone", || {
            masters.walk("snmpbulkwalk", subtree)[0].len() <= 1
        });
        let _running = start();
        masters.expect(subtree, least);
    }
}

#[test]
fn lldpd_serves_the_same_through_both_masters() {
    LLDPD.check();
}

#[test]
fn keepalived_serves_the_same_through_both_masters() {
    KEEPALIVED.check();
}

#[test]
fn snmpd_serves_the_same_through_both_masters() {
    SNMPD.check();
}

#[test]
fn frr_serves_the_same_through_both_masters() {
    FRR.check();
}

/// In Python, always in network byte order, without GetBulk.
const PYAGENTX: &str = "
import sys, pyagentx3

class Table(pyagentx3.Updater):
    def update(self):
        for row in range(1, 41):
            self.set_INTEGER('1.1.%d' % row, row)
            self.set_OCTETSTRING('1.2.%d' % row, 'row %d' % row)
            self.set_COUNTER64('1.3.%d' % row, row << 40)

class Agent(pyagentx3.Agent):
    def setup(self):
        self.register('1.3.6.1.4.1.32473.7', Table)

Agent('varbind', sys.argv[1]).start()
";

#[test]
fn pyagentx_serves_the_same_through_both_masters() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = python(directory, &["pyagentx3==0.1.4"]) else {
        return;
    };
    if !has_masters() {
        return;
    }
    let masters = Masters::start();
    let _running = masters.connect(|socket, _| {
        let child = Command::new(&python)
            .args(["-c", PYAGENTX])
            .arg(socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Running(child.unwrap())
    });
    masters.expect(".1.3.6.1.4.1.32473.7", 120);
}
