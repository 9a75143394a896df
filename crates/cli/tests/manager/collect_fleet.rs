//! `varbind collect fleet.toml`, with our own agent as the fleet.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use varbind_testkit::peers::{Running, eventually, free_port, is_installed, skip};

use crate::collect::{MODULES, PATIENCE, request};
use crate::own_agent::Agent;
use crate::program::{run, varbind};

/// A module with the octets of interfaces.
const TRAFFIC: &str = "  traffic:
    walk: [1.3.6.1.2.1.2.2.1.10, 1.3.6.1.2.1.2.2.1.16]
    metrics:
    - {name: ifInOctets, oid: 1.3.6.1.2.1.2.2.1.10, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}
    - {name: ifOutOctets, oid: 1.3.6.1.2.1.2.2.1.16, type: counter, indexes: [{labelname: ifIndex, type: gauge}]}
";

/// A running collector of a fleet.
struct Fleet {
    child: Running,
    polls: Receiver<String>,
    errors: Receiver<String>,
    address: SocketAddr,
    directory: TempDir,
}

impl Fleet {
    /// Polls the targets of these addresses, and all that are added to `targets.json`.
    fn start(targets: &[&str]) -> Self {
        Self::start_with(targets, "")
    }

    /// The same with more lines at the end of the file.
    fn start_with(targets: &[&str], more: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("snmp.yml", &format!("{MODULES}{TRAFFIC}"));
        write("targets.json", "[]");
        let fleet = format!(
            "snmp-yml = ['snmp.yml']\ninterval = '1s'\nrefresh = '1s'\n\
             [prometheus]\nlisten = ['127.0.0.1:0']\n\
             [[choose]]\nobject-id = '1.3.6.1.4.1.8072'\nmodules = ['if_mib']\n\
             [[targets]]\nhosts = {targets:?}\nmodules = ['system', 'auto']\nlabels = {{site = 'lab'}}\n\
             [[targets]]\ninventory = ['targets.json']\nmodules = ['system']\nauth = 'public_v2'\n{more}"
        );
        write("fleet.toml", &fleet);
        Self::run(directory)
    }

    /// Runs the `fleet.toml` of a directory.
    fn run(directory: TempDir) -> Self {
        let file = directory.path().join("fleet.toml");
        let mut command = varbind(&["collect", "--json", file.to_str().unwrap()]);
        command.env("XDG_CONFIG_HOME", directory.path());
        command
            .env("HOME", directory.path())
            .env_remove("VARBIND_HOSTS");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Running(command.spawn().unwrap());
        let (errors, polls) = (
            lines(child.0.stderr.take().unwrap()),
            lines(child.0.stdout.take().unwrap()),
        );
        let address = std::iter::from_fn(|| Some(errors.recv_timeout(PATIENCE).unwrap()))
            .find_map(|line| Some(line.strip_prefix("listening on http://")?.to_owned()));
        let address = address.unwrap().parse().unwrap();
        Self {
            child,
            polls,
            errors,
            address,
            directory,
        }
    }

    fn get(&self, path: &str) -> String {
        let (status, text) = request(self.address, "GET", path, &self.address.to_string());
        assert_eq!(status, 200, "{text}");
        text
    }

    /// Waits until a page has all of these parts.
    #[track_caller]
    fn await_parts(&self, path: &str, parts: &[&str]) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.get(path);
            if parts.iter().all(|part| text.contains(part)) {
                return text;
            }
            assert!(Instant::now() < deadline, "{parts:?}\n{text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

#[test]
fn a_fleet_is_polled_and_shown() {
    let agent = Agent::start_with("[system]\nobject-id = \"net-snmp-linux\"\n");
    let target = agent.target.trim_start_matches("udp:");
    let dead = format!("127.0.0.1:{}", free_port());
    let fleet = Fleet::start(&[target, &dead]);
    // if_mib is chosen by sysObjectID.
    let instance = format!("instance=\"{target}\",site=\"lab\"");
    let page = fleet.await_parts(
        "/metrics",
        &[
            &format!("\nsysServices{{{instance}}} 72\n"),
            &format!("\nifType{{{instance},ifDescr=\"lo\""),
            &format!("\nup{{module=\"if_mib\",{instance}}} 1\n"),
            &format!("\nup{{module=\"system\",instance=\"{dead}\",site=\"lab\"}} 0\n"),
            "\nsnmp_collect_failure{module=\"system\",reason=",
        ],
    );
    assert!(
        !page.contains(&format!("sysServices{{instance=\"{dead}\"")),
        "{page}"
    );
    let one = fleet.get(&format!("/metrics?target={target}&module=system"));
    assert!(
        one.contains("sysServices") && !one.contains("ifType"),
        "{one}"
    );
    let line = fleet.polls.recv_timeout(PATIENCE).unwrap();
    let poll: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(poll["labels"]["site"], "lab", "{line}");

    let text = fleet.get("/api/targets");
    let status: Value = serde_json::from_str(&text).unwrap();
    let state = |name: &str| {
        let targets = status["targets"].as_array().unwrap();
        let found = targets.iter().find(|target| target["name"] == name);
        found.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (&*state(target), &*state(&dead)),
        ("ok", "silent"),
        "{text}"
    );
    assert!(fleet.get("/").contains("<title>varbind collect</title>"));

    // A target that appears in a file is polled without a reload, and one that leaves the file is forgotten.
    let other = target.replace("127.0.0.1", "localhost");
    let file = fleet.directory.path().join("targets.json");
    fs::write(&file, format!("[{{\"targets\": [\"{other}\"]}}]")).unwrap();
    fleet.await_parts(
        "/metrics",
        &[&format!("\nsysServices{{instance=\"{other}\"}} 72\n")],
    );
    fs::write(&file, "[]").unwrap();
    eventually("the target stays", || {
        !fleet.get("/api/targets").contains(&other)
    });
    fleet.child.signal("-TERM");
    let mut child = fleet.child;
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn usr1_prints_the_state_of_the_fleet() {
    let dead = format!("127.0.0.1:{}", free_port());
    let fleet = Fleet::start(&[&dead]);
    fleet.await_parts("/api/targets", &["\"silent\""]);
    fleet.child.signal("-USR1");
    let lines = std::iter::from_fn(|| Some(fleet.errors.recv_timeout(PATIENCE).unwrap()));
    let line = lines
        .skip_while(|line| !line.starts_with("targets: 1 silent"))
        .nth(3);
    let line = line.unwrap();
    assert!(line.starts_with(&format!("  silent {dead}: ")), "{line}");
    assert!(
        line.contains("no response") || line.contains("refused"),
        "{line}"
    );
}

#[test]
fn sighup_with_a_broken_file_keeps_the_fleet_and_names_the_line() {
    let agent = Agent::start_with("[system]\nobject-id = \"net-snmp-linux\"\n");
    let target = agent.target.trim_start_matches("udp:");
    let fleet = Fleet::start(&[target]);
    let up = format!("\nup{{module=\"system\",instance=\"{target}\",site=\"lab\"}} 1\n");
    fleet.await_parts("/metrics", &[&up]);
    let file = fleet.directory.path().join("fleet.toml");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, whole.replace("refresh = '1s'", "refresh = soon")).unwrap();
    fleet.child.signal("-HUP");
    let error = std::iter::from_fn(|| Some(fleet.errors.recv_timeout(PATIENCE).unwrap()))
        .find(|line| line.contains("the old configuration stays in force"));
    let error = error.unwrap();
    assert!(
        error.contains(&format!("{}, line 3:", file.display())),
        "{error}"
    );
    fleet.await_parts("/metrics", &[&up]);

    let (_, page) = request(
        fleet.address,
        "GET",
        "/api/targets",
        &fleet.address.to_string(),
    );
    assert!(page.contains(target), "{page}");
    let more = format!(
        "{whole}[[targets]]\nhosts = ['127.0.0.9:9']\nmodules = ['system']\nauth = 'public_v2'\n"
    );
    fs::write(&file, more).unwrap();
    fleet.child.signal("-HUP");
    fleet.await_parts("/metrics", &[&up, "instance=\"127.0.0.9:9\""]);
}

#[test]
fn reload_replaces_outputs_and_names_the_line_of_a_wrong_one() {
    let agent = Agent::start();
    let target = agent.target.trim_start_matches("udp:");
    let file = |name: &str| format!("type = 'json-lines'\npath = '{name}'\nlinger = '1ms'\n");
    let fleet = Fleet::start(&[target]);
    let at = |name: &str| fleet.directory.path().join(name);
    let whole = fs::read_to_string(at("fleet.toml")).unwrap();
    let reload = |outputs: &str| {
        fs::write(at("fleet.toml"), format!("{whole}{outputs}")).unwrap();
        let host = fleet.address.to_string();
        request(fleet.address, "POST", "/-/reload", &host)
    };
    let await_line = |name: &str| {
        eventually(name, || {
            fs::read_to_string(at(name)).is_ok_and(|text| text.contains('\n'))
        });
    };
    let first = file(&at("first").display().to_string());
    let second = file(&at("second").display().to_string());
    let added = format!("[output.a]\n{first}");
    assert_eq!(reload(&added), (200, String::new()));
    await_line("first");
    // A signal does the same.
    fs::write(at("fleet.toml"), format!("{whole}[output.b]\n{second}")).unwrap();
    fleet.child.signal("-HUP");
    await_line("second");
    fleet.await_parts("/metrics", &["varbind_output_polls_total{output=\"b\"}"]);
    let (status, why) = reload(&format!(
        "[output.b]\n{second}[output.c]\ntype = 'json-lines'\npaht = 'x'\n"
    ));
    let line = whole.matches('\n').count() + 7;
    assert_eq!(status, 500, "{why}");
    let part = format!("fleet.toml, line {line}: output c: unknown key paht; did you mean path?");
    assert!(why.contains(&part), "{part}\n{why}");
    let (status, why) = request(
        fleet.address,
        "GET",
        "/-/reload",
        &fleet.address.to_string(),
    );
    assert_eq!(status, 400, "{why}");
    fleet.child.signal("-TERM");
    let mut child = fleet.child;
    assert!(child.0.wait().unwrap().success());
    // What was polled while outputs changed is in one file or in the other, once.
    let mut slots = Vec::new();
    for name in ["first", "second"] {
        let text = fs::read_to_string(fleet.directory.path().join(name)).unwrap();
        for line in text.lines() {
            let poll: Value = serde_json::from_str(line).unwrap();
            slots.push((poll["module"].to_string(), poll["slot"].as_u64().unwrap()));
        }
    }
    let lines: Vec<Value> = fleet
        .polls
        .iter()
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    let polled = lines
        .iter()
        .map(|poll| (poll["module"].to_string(), poll["slot"].as_u64().unwrap()));
    let begun = slots.first().cloned().unwrap();
    let expected: Vec<_> = polled.skip_while(|poll| *poll != begun).collect();
    assert_eq!(slots, expected);
}

#[test]
fn modules_of_a_fleet_are_generated() {
    let agent = Agent::start();
    let target = agent.target.trim_start_matches("udp:");
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    fs::create_dir(directory.path().join("mibs")).unwrap();
    // Other objects than those that are built in need a module; one must be there.
    write("mibs/EMPTY-MIB", "EMPTY-MIB DEFINITIONS ::= BEGIN END\n");
    write(
        "generator.yml",
        "auths: {public_v2: {}}\nmodules:\n  services:\n    walk: [sysServices]\n",
    );
    write(
        "fleet.toml",
        &format!(
            "generator-yml = ['generator.yml']\nmib-directories = ['mibs']\ninterval = '1s'\n\
             [prometheus]\nlisten = ['127.0.0.1:0']\n[[targets]]\nhosts = ['{target}']\nmodules = ['services']\n"
        ),
    );
    let fleet = Fleet::run(directory);
    fleet.await_parts("/metrics", &["\nsysServices{"]);
}

#[test]
fn notifications_go_into_the_outputs_of_the_fleet() {
    let port = free_port();
    let directory = tempfile::tempdir().unwrap();
    let receive = directory.path().join("receive.toml");
    let lines = format!("listen = ['udp:127.0.0.1:{port}']\n[[community]]\nname = 'sesame-word'\n");
    fs::write(&receive, lines).unwrap();
    fs::set_permissions(&receive, fs::Permissions::from_mode(0o600)).unwrap();
    let fleet = Fleet::start_with(
        &[&format!("127.0.0.1:{}", free_port())],
        &format!("[notifications]\nconfiguration = {receive:?}\n"),
    );
    let target = format!("127.0.0.1:{port}");
    let inform = [
        "inform",
        "-v",
        "2c",
        "-c",
        "sesame-word",
        &target,
        "",
        "IF-MIB::linkDown",
        "ifIndex.3",
        "i",
        "3",
        "ifDescr.3",
        "s",
        "eth3",
    ];
    let outcome = run(&inform);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let polls = std::iter::from_fn(|| Some(fleet.polls.recv_timeout(PATIENCE).unwrap()));
    let poll = polls
        .map(|line| serde_json::from_str::<Value>(&line).unwrap())
        .find(|poll| poll["module"] == "notification");
    let text = poll.unwrap().to_string();
    for part in [
        "IF-MIB::linkDown",
        "\"ifIndex\":\"3\"",
        "\"ifDescr\":\"eth3\"",
        "\"snmp_notification\":1",
        "\"target\":\"127.0.0.1",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("sesame-word"), "{text}");
    fleet.await_parts("/metrics", &["\nsnmp_collect_notifications_total 1\n"]);
}

/// What Chromium makes of a page, once a part of it is there.
#[track_caller]
fn rendered(fleet: &Fleet, place: &str, part: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let output = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args([
                "--enable-logging=stderr",
                "--v=0",
                "--virtual-time-budget=2000",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(["--dump-dom", &format!("http://{}/{place}", fleet.address)])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let complaints: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .collect();
        assert!(complaints.is_empty(), "{complaints:?}");
        let document = String::from_utf8_lossy(&output.stdout).into_owned();
        if document.contains(part) {
            return document;
        }
        assert!(
            Instant::now() < deadline,
            "{part} is not in {document}\n{said}"
        );
    }
}

#[test]
fn the_page_shows_targets_and_interfaces_in_a_browser() {
    if !is_installed("chromium") {
        skip(
            "the page of the collector was not looked at: there is no chromium (package chromium)",
        );
        return;
    }
    let agent = Agent::start();
    let target = agent.target.trim_start_matches("udp:");
    let dead = format!("127.0.0.1:{}", free_port());
    let fleet = Fleet::start(&[target, &dead]);
    let file = fleet.directory.path().join("fleet.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("'system', 'auto'", "'system', 'traffic'", 1),
    )
    .unwrap();
    fleet.await_parts("/metrics", &["\nifInOctets{"]);
    let fleet_page = rendered(&fleet, "", &format!("#{}", dead.replace(':', "%3A")));
    for part in [
        "1 ok",
        "silent",
        "without a response",
        "% of a processor",
        "standard output",
    ] {
        assert!(fleet_page.contains(part), "{part} is not in {fleet_page}");
    }
    let place = format!("#{}", target.replace(':', "%3A"));
    let page = rendered(&fleet, &place, "<path class=\"in\" d=\"M");
    assert!(page.contains("bit/s") && page.contains("traffic"), "{page}");
}

#[test]
fn a_fleet_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("snmp.yml", MODULES);
    let file = directory.path().join("fleet.toml");
    let path = file.to_str().unwrap();
    let check = |targets: &str| {
        write(
            "fleet.toml",
            &format!(
                "snmp-yml = ['snmp.yml']\n[output.file]\ntype = 'json-lines'\n[[targets]]\n{targets}"
            ),
        );
        run(&["collect", "--check", path])
    };
    let outcome = check("hosts = ['router1', 'tls:router2']\nmodules = ['system', 'if_mib']");
    let expected =
        format!("{path}: the configuration is valid: 2 targets, 4 polls in each interval\n");
    assert_eq!(
        (outcome.code, outcome.output),
        (Some(0), expected),
        "{}",
        outcome.errors
    );
    let outcome = check("hosts = ['router1']\nmodules = ['sytsem']");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let part = format!(
        "{path}: targets[0].modules: no file of snmp-yml or generator-yml has module sytsem; did you mean system?"
    );
    assert!(outcome.errors.contains(&part), "{outcome:?}");
}
