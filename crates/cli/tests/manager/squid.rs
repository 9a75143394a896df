//! Squid's own agent, which speaks SNMPv1 and v2c alone, behind `[[proxy]]`: it is read over TLS.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::own_agent::Agent;
use crate::program::{initialize, run};

const PATIENCE: Duration = Duration::from_secs(60);
/// SQUID-MIB.
const SQUID: &str = "1.3.6.1.4.1.3495.1";
/// cacheUptime.
const CACHE_UPTIME: &str = "1.3.6.1.4.1.3495.1.1.3.0";

struct Squid {
    running: Running,
    target: String,
    directory: TempDir,
}

impl Squid {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        // Squid of root becomes another user, who writes there.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let port = free_port();
        let at = |name: &str| directory.path().join(name).display().to_string();
        let configuration = format!(
            "http_port 127.0.0.1:{}\nhttp_access deny all\n\
             snmp_port {port}\nsnmp_incoming_address 127.0.0.1\n\
             acl monitoring snmp_community public\nsnmp_access allow monitoring localhost\nsnmp_access deny all\n\
             visible_hostname squid.example\naccess_log none\ncache_log {}\npid_filename {}\ncoredump_dir {}\n\
             netdb_filename none\npinger_enable off\ncache_mem 1 MB\nmemory_cache_shared off\nshutdown_lifetime 0 seconds\n",
            free_port(),
            at("log"),
            at("pid"),
            directory.path().display(),
        );
        fs::write(at("squid.conf"), configuration).unwrap();
        let child = command("squid")
            // It names its shared memory after that, once for the whole system.
            .args([
                "-N",
                "-n",
                &format!("varbind{port}"),
                "-f",
                &at("squid.conf"),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let squid = Self {
            running: Running(child),
            target: format!("udp:127.0.0.1:{port}"),
            directory,
        };
        let deadline = Instant::now() + PATIENCE;
        while squid.ask("get", CACHE_UPTIME).is_empty() {
            let log = fs::read_to_string(squid.directory.path().join("log"));
            assert!(Instant::now() < deadline, "squid does not answer: {log:?}");
        }
        squid
    }

    fn ask(&self, command: &str, name: &str) -> String {
        let community = ["-v", "2c", "-c", "public", "-t", "1", "-On"];
        run(&[&[command], &community[..], &[&self.target, name]].concat()).output
    }
}

impl Drop for Squid {
    /// Squid removes its shared memory.
    fn drop(&mut self) {
        self.running.signal("-TERM");
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && matches!(self.running.0.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Names and values.
fn objects(walk: &str) -> Vec<(&str, &str)> {
    walk.lines()
        .filter_map(|line| line.split_once(" = "))
        .collect()
}

/// The directory of an agent for `ops`, with Squid behind it as a context and as a subtree.
fn front_of(device: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let listen = format!("tls:127.0.0.1:{}", free_port());
    let options = ["--administrator", "ops", "--listen", &listen];
    let initialized = initialize(home.path(), &options);
    assert_eq!(initialized.code, Some(0), "{initialized:?}");
    fs::write(at("squid.community"), "public\n").unwrap();
    fs::set_permissions(at("squid.community"), fs::Permissions::from_mode(0o600)).unwrap();
    let target = format!("[[proxy]]\ntarget = {device:?}\ncommunity-file = \"squid.community\"\n");
    let mut configuration = fs::read_to_string(at("agent.toml")).unwrap();
    configuration += &format!(
        "\n{target}context = \"squid\"\nusers = [\"ops\"]\n\n{target}name = \"objects\"\nsubtree = {SQUID:?}\n"
    );
    fs::write(at("agent.toml"), configuration).unwrap();
    home
}

#[test]
fn squids_agent_is_read_over_tls_as_context_and_as_subtree() {
    if !is_installed("squid") {
        return;
    }
    let squid = Squid::start();
    let home = front_of(&squid.target);
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (_agent, targets) = Agent::start_listening(&home.path().join("agent.toml"), 1);

    let (certificate, trust) = (at("pki/manager.pem"), at("pki/ca.pem"));
    let ask = |command: &str, arguments: &[&str]| {
        let secure = ["--certificate", &certificate, "--trust", &trust];
        run(&[&[command], &secure[..], arguments].concat())
    };
    let walk = |options: &[&str], from: &str| {
        let arguments = [&["-On"], options, &[&targets[0], from]].concat();
        let walked = ask("walk", &arguments);
        assert_eq!(walked.code, Some(0), "{walked:?}");
        walked.output
    };
    let before = squid.ask("walk", SQUID);
    let by_context = walk(&["--context", "squid"], SQUID);
    let by_subtree = walk(&[], SQUID);
    let after = squid.ask("walk", SQUID);

    let (before, after) = (objects(&before), objects(&after));
    assert!(before.len() > 50, "{before:?}");
    // What moves while it is read has other values.
    let still: Vec<_> = before
        .iter()
        .filter(|object| after.contains(object))
        .collect();
    assert!(still.len() > before.len() / 2, "{before:?} {after:?}");
    let names = |objects: &[(&str, &str)]| -> Vec<String> {
        objects.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    for walked in [&by_context, &by_subtree] {
        let walked = objects(walked);
        assert_eq!(names(&walked), names(&before));
        for object in &still {
            assert!(walked.contains(object), "{object:?} is not in {walked:?}");
        }
    }
    let everything = walk(&["--context", "squid"], "1.3");
    assert_eq!(names(&objects(&everything)), names(&before));
    // Behind a name that is greater than all of its own Squid begins again. That goes no further than the agent.
    let beyond = ask(
        "getnext",
        &["--context", "squid", "-On", &targets[0], "1.3.6.1.5"],
    );
    assert!(beyond.errors.contains("genErr"), "{beyond:?}");
    assert!(objects(&beyond.output).is_empty(), "{beyond:?}");
    // What Squid does not have costs the other names of a request nothing.
    let names = ["1.3.6.1.4.1.3495.1.2.2.0", "1.3.6.1.4.1.3495.1.99.0"];
    let mixed = ask(
        "get",
        &[&["--context", "squid", "-On", &targets[0]], &names[..]].concat(),
    );
    assert!(mixed.output.contains("squid"), "{mixed:?}");
    assert!(mixed.output.contains("No Such Instance"), "{mixed:?}");
}
