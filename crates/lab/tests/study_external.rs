//! Studies of agents that the laboratory did not start: snmpd, and a simulated device.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

mod programs;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use programs::{laboratory, varbind};
use varbind_lab::measurement::TransportKind;
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol, Protection};
use varbind_lab::subject::{
    AUTHENTICATION_PASSWORD, Demands, PRIVACY_PASSWORD, Subject, user_name,
};
use varbind_testkit::peers::{Running, free_port, skip};

/// Runs a study once with these subjects; what it wrote to standard output and to standard error, and its exit code.
fn study(name: &str, arguments: &[&str], out: &Path) -> (String, String, Option<i32>) {
    let mut command = Command::new(laboratory());
    command.args(["study", "run", name, "--quick", "--repetitions", "1"]);
    command.args(arguments).arg("--out").arg(out);
    command
        .env("VARBIND_AUTH_PASSWORD", AUTHENTICATION_PASSWORD)
        .env("VARBIND_PRIV_PASSWORD", PRIVACY_PASSWORD);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let [shown, told] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (shown, told, output.status.code())
}

fn results(out: &Path) -> serde_json::Value {
    let text = fs::read_to_string(out.join("results.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The series of an experiment with a value, and the reasons of those without one.
fn of_experiment(
    results: &serde_json::Value,
    experiment: &str,
) -> (Vec<String>, Vec<(String, String)>) {
    let studies = results["studies"].as_array().unwrap().iter();
    let mut experiments = studies.flat_map(|study| study["experiments"].as_array().unwrap());
    let found = experiments.find(|one| one["id"] == experiment).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let ours = found["ours"].as_array().unwrap().iter();
    let missing = found["missing"].as_array().unwrap().iter();
    let all = ours.clone().chain(missing.clone());
    let names = results["manifest"]["subjects"].as_array().unwrap();
    assert!(all.clone().all(|one| names.contains(&one["subject"])));
    (
        ours.map(|one| text(&one["series"])).collect(),
        missing
            .map(|one| (text(&one["series"]), text(&one["reason"])))
            .collect(),
    )
}

#[test]
fn snmpd_that_runs_already_is_a_subject_with_what_is_known_of_it() {
    let protection = Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);
    let demands = Demands {
        transports: vec![TransportKind::Dtls],
        ..Demands::users(vec![protection])
    };
    let agent = match Subject::net_snmp() {
        Ok(subject) => subject.start(&demands).unwrap(),
        Err(error) => return skip(&error.to_string()),
    };
    let address = |transport| agent.target(transport).unwrap().to_string();
    let [udp, tcp, dtls] =
        [TransportKind::Udp, TransportKind::Tcp, TransportKind::Dtls].map(address);
    let keys = agent.command_arguments(TransportKind::Dtls).unwrap();
    let user = user_name(protection);
    let mut arguments = vec!["--subject", &udp, "--subject", &tcp, "--subject", &dtls];
    arguments.extend(["-c", "public", "-u", &user, "--verbose"]);
    arguments.extend(keys.iter().map(String::as_str));
    let directory = tempfile::tempdir().unwrap();
    let (shown, told, code) = study("overview", &arguments, directory.path());
    assert_eq!(code, Some(0), "{shown}\n{told}");
    let results = results(directory.path());
    let (measured, missing) = of_experiment(&results, "session");
    for series in [
        "v2c over UDP",
        "v2c over TCP",
        "v3 USM over UDP",
        "v3 over DTLS",
    ] {
        assert!(
            measured.iter().any(|one| one == series),
            "{series}: {missing:?}"
        );
    }
    let reason = |series: &str| {
        let mut missing = missing.iter();
        let found = missing.find(|(one, _)| one == series);
        found.map(|(_, reason)| reason.as_str()).unwrap_or_default()
    };
    assert!(
        reason("v3 over TLS").contains("no address over tls"),
        "{missing:?}"
    );
    assert!(
        reason("v3 over SSH").contains("no address over ssh"),
        "{missing:?}"
    );
    let (measured, missing) = of_experiment(&results, "agent");
    assert!(measured.is_empty() && !missing.is_empty());
    assert!(shown.contains("not started here"), "{shown}");
    assert!(shown.contains("no address over ssh"), "{shown}");
    // What the agent lets in is in no file.
    for file in [
        "manifest.json",
        "results.json",
        "observations.jsonl",
        "index.html",
    ] {
        let text = fs::read_to_string(directory.path().join(file)).unwrap();
        for secret in [AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD] {
            assert!(!text.contains(secret), "{file} has {secret}");
        }
    }
    let origin = &results["manifest"]["environment"]["subjects"][0]["origin"];
    assert_eq!(origin, &serde_json::json!(format!("{udp}, {tcp}, {dtls}")));
}

/// SNMP4J's agent with an address for each transport but DTLS, over which it may not answer for seconds; why there is none, if so.
fn snmp4j(directory: &Path) -> Result<(Running, Vec<String>), String> {
    for words in [
        &["init"][..],
        &["issue", "agent", "127.0.0.1"],
        &["issue", "manager", "ops"],
    ] {
        let mut command = Command::new(varbind());
        command
            .arg("pki")
            .args(words)
            .arg("--directory")
            .arg(directory);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let transports = ["udp", "tcp", "tls"].into_iter();
    let addresses: Vec<String> = transports
        .map(|transport| format!("{transport}:127.0.0.1:{}", free_port()))
        .collect();
    let child = Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/snmp4j-agent"
    ))
    .arg(directory)
    .args(&addresses)
    .env(
        "SNMP4J_LIBRARIES",
        concat!(env!("CARGO_TARGET_TMPDIR"), "/snmp4j"),
    )
    .env("VARBIND_AUTH_PASSWORD", AUTHENTICATION_PASSWORD)
    .env("VARBIND_PRIV_PASSWORD", PRIVACY_PASSWORD)
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let mut first = String::new();
    let output = child.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut first).unwrap();
    let errors = child.stderr.take().unwrap();
    let agent = Running(child);
    if first.starts_with("listening on ") {
        return Ok((agent, addresses));
    }
    let reason = BufReader::new(errors).lines().next();
    Err(reason.map_or(first, |line| line.unwrap()))
}

#[test]
fn agent_of_snmp4j_is_a_subject_with_a_name_of_its_own() {
    let keys = tempfile::tempdir().unwrap();
    let (agent, addresses) = match snmp4j(keys.path()) {
        Ok(started) => started,
        Err(reason) => return skip(&reason),
    };
    let path = |name: &str| keys.path().join(name).to_str().unwrap().to_owned();
    let [certificate, key, trust] = ["manager.pem", "manager-key.pem", "ca.pem"].map(path);
    let addresses = addresses.join(",");
    let arguments = [
        ["--subject", &addresses],
        ["--name", "snmp4j"],
        ["-c", "public"],
        ["-u", "ops"],
        ["--certificate", &certificate],
        ["--key", &key],
        ["--trust", &trust],
    ];
    let directory = tempfile::tempdir().unwrap();
    let (shown, told, code) = study("overview", arguments.as_flattened(), directory.path());
    assert_eq!(code, Some(0), "{shown}\n{told}");
    let results = results(directory.path());
    assert_eq!(
        results["manifest"]["subjects"],
        serde_json::json!(["snmp4j"])
    );
    let (measured, missing) = of_experiment(&results, "session");
    for series in [
        "v2c over UDP",
        "v2c over TCP",
        "v3 USM over UDP",
        "v3 over TLS",
    ] {
        assert!(
            measured.iter().any(|one| one == series),
            "{series}: {missing:?}"
        );
    }
    assert!(
        missing
            .iter()
            .all(|(_, reason)| !reason.contains("external")),
        "{missing:?}"
    );
    let page = fs::read_to_string(directory.path().join("index.html")).unwrap();
    assert!(page.contains("snmp4j"));
    drop(agent);
}

/// Plays a recording at a free port, and its address.
fn simulator(directory: &Path) -> (Running, String) {
    let recording = "1.3.6.1.2.1.1.1.0|4|a device\n1.3.6.1.2.1.1.3.0|67|100\n1.3.6.1.2.1.1.4.0|4|operator on duty, room 1, tel. 1\n1.3.6.1.2.1.1.5.0|4|device\n";
    fs::write(directory.join("public.snmprec"), recording).unwrap();
    let mut child = Command::new(varbind())
        .args(["simulate", directory.to_str().unwrap()])
        .args(["--listen", "udp:127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let simulator = Running(child);
    let mut addresses = lines.filter_map(|line| {
        let line = line.unwrap();
        Some(line.strip_prefix("listening on ")?.trim().to_owned())
    });
    let address = addresses.next().unwrap();
    (simulator, address)
}

#[test]
fn simulated_device_is_a_subject_beside_the_agent_of_this_build() {
    let recordings = tempfile::tempdir().unwrap();
    let (device, address) = simulator(recordings.path());
    let directory = tempfile::tempdir().unwrap();
    let (shown, told, code) = study("gamess2021", &["--subject", &address], directory.path());
    assert_eq!(code, Some(0), "{shown}\n{told}");
    let results = results(directory.path());
    let (measured, missing) = of_experiment(&results, "table-2");
    assert!(
        measured.iter().any(|one| one.contains("v2c")),
        "{measured:?} {missing:?}"
    );
    // Nothing is set without leave.
    let refused = missing
        .iter()
        .any(|(_, reason)| reason.contains("--write-community"));
    assert!(refused, "{missing:?}");
    let manifest = &results["manifest"];
    assert_eq!(
        manifest["external"]["addresses"],
        serde_json::json!([address])
    );
    // Nobody answers there any more.
    drop(device);
    let (_, told, code) = study("gamess2021", &["--subject", &address], directory.path());
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains(&address), "{told}");
}
