//! `varbind bench --hostile`, in its shortest form: every attack really happens, and every client is measured.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic"
)]

mod programs;

use std::fs;
use std::path::Path;
use std::process::Command;

use programs::laboratory;
use serde_json::Value;

/// Runs it with further arguments; its report as JSON and as CSV, and what it showed.
fn hostile(directory: &Path, arguments: &[&str]) -> (Value, String, String) {
    let file = |name: &str| directory.join(name).to_str().unwrap().to_owned();
    let (json, csv) = (file("report.json"), file("report.csv"));
    let output = Command::new(laboratory())
        .args(["bench", "--hostile", "--json", &json, "--csv", &csv])
        .args(arguments)
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{shown}{errors}");
    let report = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    (report, fs::read_to_string(csv).unwrap(), shown)
}

fn count(attack: &Value, what: &str) -> u64 {
    attack["effort"][what].as_u64().unwrap()
}

#[test]
fn every_attack_happens_and_every_client_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let (report, csv, shown) = hostile(directory.path(), &["--attack-time", "0.2"]);
    let quiet = report["quiet"].as_array().unwrap();
    let clients: Vec<&str> = quiet
        .iter()
        .map(|client| client["victim"].as_str().unwrap())
        .collect();
    assert_eq!(
        clients,
        [
            "udp", "open tcp", "open tls", "new tcp", "new tls", "new dtls", "new ssh", "new http"
        ]
    );
    for client in quiet {
        assert!(client["completed"].as_u64().unwrap() > 0, "{client}");
    }
    let attacks = report["attacks"].as_array().unwrap();
    assert!(attacks.len() > 30);
    for attack in attacks {
        let name = attack["attack"].as_str().unwrap();
        let has_sent = count(attack, "octets_sent") > 0;
        let happened = match name {
            _ if name.starts_with("silent") => count(attack, "opened") >= 100,
            "TCP opened and dropped" => count(attack, "opened") > 64,
            _ if name.contains("flood") || name.contains("left half-way") => {
                count(attack, "handshakes") > 0
            }
            _ if name.contains("never reading") => {
                has_sent && count(attack, "octets_received") == 0
            }
            // A build that is not optimised may take longer for the first response than the attack lasts.
            _ if name.contains(", reading") => {
                has_sent && attack["agent_cpu"].as_f64().unwrap() > 0.0
            }
            _ if name.contains("slow") || name.contains("large") || name.contains("half") => {
                has_sent && count(attack, "opened") >= 100
            }
            _ if name.contains("octet/s") => has_sent && count(attack, "opened") >= 20,
            _ => count(attack, "datagrams") > 0,
        };
        assert!(happened, "{attack}");
        assert_eq!(attack["victims"].as_array().unwrap().len(), clients.len());
        assert!(
            attack["memory"]["before"].as_u64().unwrap() > 1_000_000,
            "{attack}"
        );
        assert!(
            attack["memory"]["during"].as_u64().unwrap() > 1_000_000,
            "{attack}"
        );
        assert!(shown.contains(name), "{name}: {shown}");
    }
    let rows = csv.lines().count();
    assert_eq!(rows, 1 + clients.len() * (1 + attacks.len()));
    let columns: Vec<usize> = csv.lines().map(|line| line.matches(',').count()).collect();
    let header = columns[0];
    // Names with a comma are quoted.
    for (line, columns) in csv.lines().zip(columns) {
        assert_eq!(
            columns - usize::from(line.starts_with('"')),
            header,
            "{line}"
        );
    }
    let widest = shown
        .lines()
        .rev()
        .skip(1)
        .map(|line| line.chars().count())
        .max();
    assert!(widest.unwrap() <= 80, "{shown}");
}

#[test]
fn an_attack_without_that_name_is_refused_with_the_names() {
    let output = Command::new(laboratory())
        .args([
            "bench",
            "--hostile",
            "--attack",
            "no such",
            "--transports",
            "tcp",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("silent TCP, one source"), "{errors}");
}
