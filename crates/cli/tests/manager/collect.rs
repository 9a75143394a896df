//! `varbind collect` as Prometheus meets it, with our own agent behind it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::own_agent::Agent;
use crate::program::{run, varbind};

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const MODULES: &str = "
auths:
  public_v2: {community: public}
  secret: {community: sesame-word}
modules:
  if_mib:
    walk: [1.3.6.1.2.1.2.2.1.2, 1.3.6.1.2.1.2.2.1.3]
    metrics:
    - name: ifType
      oid: 1.3.6.1.2.1.2.2.1.3
      type: gauge
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups: [{labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}]
  system:
    get: [1.3.6.1.2.1.1.7.0]
    retries: 0
    timeout: 300ms
    metrics: [{name: sysServices, oid: 1.3.6.1.2.1.1.7, type: gauge, help: Services}]
";

/// A running `varbind collect`.
struct Collect {
    child: Running,
    errors: Receiver<String>,
    address: SocketAddr,
    file: PathBuf,
    _directory: TempDir,
}

impl Collect {
    fn start(notify: Option<&Path>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("snmp.yml");
        fs::write(&file, MODULES).unwrap();
        let mut command = varbind(&[
            "collect",
            &format!("--config.file={}", file.display()),
            "--web.listen-address=127.0.0.1:0",
        ]);
        // Certificates of the user who runs the tests have no part in it.
        command.env("XDG_CONFIG_HOME", directory.path());
        command.env("HOME", directory.path());
        if let Some(notify) = notify {
            command.env("NOTIFY_SOCKET", notify);
        }
        let mut child = Running(command.stderr(Stdio::piped()).spawn().unwrap());
        let (sender, errors) = channel();
        let stderr = BufReader::new(child.0.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let line: String = errors.recv_timeout(PATIENCE).unwrap();
        let address = line.strip_prefix("listening on http://").expect(&line);
        Self {
            child,
            errors,
            address: address.parse().unwrap(),
            file,
            _directory: directory,
        }
    }

    fn get(&self, path: &str) -> (u16, String) {
        request(self.address, "GET", path, &self.address.to_string())
    }

    #[track_caller]
    fn await_error(&self, part: &str) {
        while !self
            .errors
            .recv_timeout(PATIENCE)
            .expect(part)
            .contains(part)
        {}
    }
}

/// Status and body of a response.
pub(crate) fn request(server: SocketAddr, method: &str, path: &str, host: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // HTTP/1.0 has no chunks.
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

#[test]
fn modules_are_generated_from_a_generator_file() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let generator = "auths:\n  ops: {version: 3, username: ops, security_level: authNoPriv, password: sesame-word, auth_protocol: SHA}\n\
                     modules:\n  interfaces:\n    walk: [ifMtu]\n    lookups: [{source_indexes: [ifIndex], lookup: ifDescr}]\n";
    fs::create_dir(at("mibs")).unwrap();
    fs::write(
        at("mibs/EMPTY-MIB"),
        "EMPTY-MIB DEFINITIONS ::= BEGIN END\n",
    )
    .unwrap();
    fs::write(at("generator.yml"), generator).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs::set_permissions(at("generator.yml"), mode).unwrap();
    let arguments = |output: &str| {
        let words = [
            "collect",
            "generate",
            &at("generator.yml"),
            "-m",
            &at("mibs"),
            "-o",
            output,
        ];
        words.map(str::to_owned)
    };
    let output = at("snmp.yml");
    let words = arguments(&output);
    let outcome = run(&words.each_ref().map(String::as_str));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.errors.contains("1 modules with 1 metrics in "),
        "{outcome:?}"
    );
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&output).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o640);
    let outcome = run(&["collect", "--dry-run", &format!("--config.file={output}")]);
    assert_eq!(
        (outcome.code, &*outcome.output),
        (Some(0), "the configuration is valid: 1 modules, 1 auths\n"),
        "{outcome:?}"
    );
    let words = arguments("-");
    let shown = run(&words.each_ref().map(String::as_str));
    assert_eq!(shown.output, fs::read_to_string(&output).unwrap());
    fs::write(
        at("generator.yml"),
        "modules:\n  interfaces:\n    walk: [ifMtoo]\n",
    )
    .unwrap();
    let words = arguments(&output);
    let outcome = run(&words.each_ref().map(String::as_str));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let part = format!(
        "{}: line 3: module interfaces: unknown object \"ifMtoo\"",
        at("generator.yml")
    );
    assert!(outcome.errors.contains(&part), "{outcome:?}");
}

#[test]
fn requests_of_snmp_exporter_are_answered() {
    let agent = Agent::start();
    let target = agent.target.trim_start_matches("udp:");
    let collect = Collect::start(None);
    let (status, text) = collect.get(&format!("/snmp?target={target}&module=if_mib,system"));
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("\nsysServices 72\n"), "{text}");
    assert!(text.contains("ifDescr=\"lo\""), "{text}");
    for module in ["if_mib", "system"] {
        let figure = format!("snmp_scrape_packets_sent{{module=\"{module}\"}}");
        assert!(text.contains(&figure), "{text}");
    }
    let (status, text) = collect.get(&format!("/snmp?target={target}&module=nothing"));
    assert_eq!(
        (status, text.contains("Unknown module")),
        (400, true),
        "{text}"
    );
    let dead = format!("/snmp?target=127.0.0.1:{}&module=system", free_port());
    let (status, text) = collect.get(&dead);
    assert_eq!(status, 500, "{text}");
    assert!(text.contains("module system"), "{text}");
    let (status, text) = collect.get("/metrics");
    assert_eq!(status, 200);
    assert!(text.contains("snmp_request_errors_total 1\n"), "{text}");
    let (status, text) = collect.get("/config");
    assert_eq!(status, 200);
    assert!(
        text.contains("sysServices") && !text.contains("sesame-word"),
        "{text}"
    );
    let (status, _) = request(collect.address, "GET", "/metrics", "attacker.example");
    assert_eq!(status, 421);
}

#[test]
fn a_broken_file_leaves_the_old_configuration_in_force() {
    let collect = Collect::start(None);
    let reload = || {
        request(
            collect.address,
            "POST",
            "/-/reload",
            &collect.address.to_string(),
        )
    };
    fs::write(&collect.file, "modules: [").unwrap();
    collect.child.signal("-HUP");
    collect.await_error("the old configuration stays in force");
    let (status, text) = reload();
    assert_eq!(
        (status, text.contains("failed to reload config")),
        (500, true),
        "{text}"
    );
    // A file that is being written is empty for a moment.
    fs::write(&collect.file, "").unwrap();
    let (status, text) = reload();
    assert_eq!((status, text.contains("no modules")), (500, true), "{text}");
    assert!(collect.get("/config").1.contains("sysServices"));
    fs::write(&collect.file, MODULES.replace("sysServices", "renamed")).unwrap();
    collect.child.signal("-HUP");
    collect.await_error("were read again");
    assert!(collect.get("/config").1.contains("renamed"));
    fs::write(&collect.file, MODULES).unwrap();
    assert_eq!(reload().0, 200);
    assert!(collect.get("/config").1.contains("sysServices"));
}

#[test]
fn the_service_manager_learns_what_the_collector_does() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let next = || {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    let mut collect = Collect::start(Some(&path));
    assert_eq!(next(), "READY=1");
    collect.child.signal("-HUP");
    assert!(next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(next(), "READY=1");
    collect.child.signal("-TERM");
    assert_eq!(next(), "STOPPING=1");
    assert!(collect.child.0.wait().unwrap().success());
}

#[test]
fn a_dry_run_checks_the_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmp.yml");
    let check = |text: &str| {
        fs::write(&file, text).unwrap();
        let file = format!("--config.file={}", file.display());
        run(&["collect", "--dry-run", &file])
    };
    let outcome = check(MODULES);
    assert_eq!(
        (outcome.code, outcome.output.as_str()),
        (Some(0), "the configuration is valid: 2 modules, 2 auths\n"),
        "{outcome:?}"
    );
    for (text, part) in [
        ("auths: {a: {}}", "no modules"),
        ("modules: {m: {}}", "no auths"),
        ("modules: {m: {walc: [1.3]}}", "walc"),
    ] {
        let outcome = check(text);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.errors.contains(part), "{outcome:?}");
    }
}

#[test]
fn prometheus_scrapes_devices_through_the_collector() {
    if !is_installed("prometheus") {
        return;
    }
    let agent = Agent::start();
    let target = agent.target.trim_start_matches("udp:");
    let collect = Collect::start(None);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("prometheus.yml");
    let jobs = format!(
        "scrape_configs:
- job_name: snmp
  scrape_interval: 1s
  metrics_path: /snmp
  params: {{module: [if_mib, system]}}
  static_configs: [{{targets: ['{target}']}}]
  relabel_configs:
  - {{source_labels: [__address__], target_label: __param_target}}
  - {{source_labels: [__param_target], target_label: instance}}
  - {{target_label: __address__, replacement: '{}'}}
",
        collect.address
    );
    fs::write(&file, jobs).unwrap();
    let server = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let log = fs::File::create(directory.path().join("log")).unwrap();
    let _prometheus = Running(
        command("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!(
                "--storage.tsdb.path={}",
                directory.path().join("data").display()
            ))
            .arg(format!("--web.listen-address={server}"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap(),
    );
    let deadline = Instant::now() + PATIENCE;
    for query in ["sysServices", "ifType%7BifDescr=%22lo%22%7D"] {
        loop {
            if TcpStream::connect(server).is_ok() {
                let path = format!("/api/v1/query?query={query}");
                let (status, text) = request(server, "GET", &path, &server.to_string());
                if status == 200 && text.contains(&format!("\"instance\":\"{target}\"")) {
                    break;
                }
            }
            let log = || fs::read_to_string(directory.path().join("log"));
            assert!(Instant::now() < deadline, "{query}: {:?}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
