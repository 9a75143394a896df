//! The program with many hosts: agents on 127/8, all of them in this process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod bounds;
mod top;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;
use tempfile::TempDir;
use varbind::agent::Agent;
use varbind::client::User;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::security::SourceAddresses;

/// One agent at all addresses of 127/8, and an inventory.
struct Fleet {
    agent: Agent,
    directory: TempDir,
    /// Never answers.
    silent: UdpSocket,
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn interfaces(columns: &'static [fn(u32) -> Value]) -> BTreeMap<Vec<u32>, Vec<Value>> {
    let row = |index: u32| {
        (
            vec![index],
            columns.iter().map(|value| value(index)).collect(),
        )
    };
    (1..=2).map(row).collect()
}

impl Fleet {
    fn start() -> Self {
        let user = User::new("ops").sha256("maplesyrup").aes128("applesauce");
        let agent = Agent::builder()
            .community("public")
            .write_community_from("private", SourceAddresses::loopback())
            .user(user)
            .scalar(oid("1.3.6.1.2.1.1.3"), || Value::TimeTicks(7))
            .scalar(oid("1.3.6.1.2.1.1.5"), || "a switch")
            .table(oid("1.3.6.1.2.1.2.2.1"), &[2, 10], || {
                interfaces(&[|n| format!("eth{n}").as_str().into(), Value::Counter32])
            })
            .table(oid("1.3.6.1.2.1.31.1.1.1"), &[6], || {
                interfaces(&[|n| Value::Counter64(u64::from(n) << 40)])
            })
            .listen("udp:0.0.0.0:0")
            .start()
            .unwrap();
        Self {
            agent,
            directory: tempfile::tempdir().unwrap(),
            silent: UdpSocket::bind("0.0.0.0:0").unwrap(),
        }
    }

    /// Writes the inventory; `PORT` and `SILENT` stand for the ports of the agent and of nobody.
    fn inventory(&self, text: &str) -> &Self {
        let port = self.agent.addresses()[0].port.unwrap();
        let silent = self.silent.local_addr().unwrap().port();
        let text = text
            .replace("PORT", &port.to_string())
            .replace("SILENT", &silent.to_string());
        let file = self.directory.path().join("hosts.toml");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        self
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
        command
            .args(words.split(' '))
            .env("VARBIND_HOSTS", self.directory.path().join("hosts.toml"))
            .env_remove("VARBIND_COMMUNITY")
            .env_remove("VARBIND_AUTH_PASSWORD")
            .env_remove("VARBIND_PRIV_PASSWORD")
            .env("MIBDIRS", "")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> (String, String, i32) {
        outcome(self.command(words).output().unwrap())
    }
}

fn outcome(output: Output) -> (String, String, i32) {
    let text = |octets| String::from_utf8(octets).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (text(output.stdout), text(output.stderr), code)
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

const HOSTS: &str = "
[defaults]
port = PORT
[groups.edge]
hosts = ['r1', 'r2']
user = 'ops'
auth-password = 'maplesyrup'
priv-password-command = ['printf', 'applesauce']
[groups.old]
hosts = ['s1']
[groups.wrong]
hosts = ['w1']
user = 'ops'
auth-password = 'wrongsyrup'
priv-password = 'applesauce'
[hosts]
r1 = { address = '127.0.1.1' }
r2 = { address = '127.0.1.2' }
s1 = { address = '127.0.2.1' }
w1 = { address = '127.0.3.1' }
d1 = { address = '127.0.0.1:SILENT', timeout = 0.05, retries = 1 }
d2 = { address = '127.0.0.1:SILENT', timeout = 0.05, retries = 1 }
";

#[test]
fn a_request_goes_to_all_hosts_of_a_selection() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let (output, errors, code) = fleet.run("get @edge @old sysName.0");
    let expected = [
        "r1  SNMPv2-MIB::sysName.0 = STRING: a switch",
        "r2  SNMPv2-MIB::sysName.0 = STRING: a switch",
        "s1  SNMPv2-MIB::sysName.0 = STRING: a switch",
    ];
    assert_eq!(
        (sorted(&output), errors.as_str(), code),
        (expected.to_vec(), "", 0)
    );
    let (output, _, code) = fleet.run("getnext --csv @all:&old,r2 sysName");
    let lines = sorted(&output);
    assert_eq!(lines[0], "host,name,oid,type,value,display,units");
    assert_eq!((lines.len(), code), (3, 0));
    assert!(
        lines[1].starts_with("r2,SNMPv2-MIB::sysName.0,"),
        "{output}"
    );
    let (output, _, code) = fleet.run("walk -Oqv @old ifDescr");
    assert_eq!((sorted(&output), code), (vec!["s1  eth1", "s1  eth2"], 0));
    let (output, _, code) = fleet.run("getbulk --max-repetitions 2 --json @old ifDescr");
    let lines: Vec<Json> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((lines.len(), code), (2, 0));
    assert_eq!(
        (&lines[1]["host"], &lines[1]["value"]),
        (&"s1".into(), &"eth2".into())
    );
}

#[test]
fn columns_of_tables_with_one_index_are_shown_side_by_side() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let (output, errors, code) =
        fleet.run("table @edge,s1 ifTable --columns ifDescr,ifHCInOctets --json");
    let rows: Vec<Json> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((rows.len(), errors.as_str(), code), (6, "", 0));
    for row in &rows {
        let index = row["ifIndex"].as_u64().unwrap();
        assert_eq!(row["ifDescr"], format!("eth{index}"));
        assert_eq!(row["ifHCInOctets"], index << 40);
        assert_eq!(row.get("ifInOctets"), None);
    }
    let (output, _, _) = fleet.run("table @old ifTable --columns ifDescr,ifInOctets");
    let expected = "host  Index  Descr  InOctets\ns1        1  eth1          1\ns1        2  eth2          2\n";
    assert_eq!(output, expected);
    let (output, _, _) = fleet.run("table @old ifXTable --csv --columns ifHCInOctets");
    assert_eq!(
        output,
        "host,index,ifIndex,ifHCInOctets\ns1,1,1,1099511627776\ns1,2,2,2199023255552\n"
    );
    let (output, errors, code) = fleet.run("table s1 ifTable --csv --columns ifHCInOctets");
    assert_eq!((output.lines().count(), errors.as_str(), code), (3, "", 0));
    let (_, errors, code) = fleet.run("table @old ifTable --columns sysName");
    assert_eq!(
        (errors.as_str(), code),
        ("varbind: sysName is no column of a table\n", 1)
    );
}

#[test]
fn hosts_that_fail_are_told_by_reason_and_the_exit_code_says_of_what_kind() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let (output, errors, code) = fleet.run("get @all sysName.0");
    assert_eq!((output.lines().count(), code), (3, 6), "{errors}");
    assert!(
        errors.starts_with("varbind: 3 of 6 hosts succeeded in "),
        "{errors}"
    );
    assert!(
        errors.contains("  2 failed: no answer: the host is down"),
        "{errors}"
    );
    assert!(errors.contains("\n    d1, d2\n"), "{errors}");
    assert!(errors.contains("wrong digest"), "{errors}");
    let (_, errors, code) = fleet.run("get d1,d2 sysName.0");
    assert_eq!(code, 3, "{errors}");
    let (output, errors, code) = fleet.run("get --json @wrong sysName.0");
    let line: Json = serde_json::from_str(&output).unwrap();
    assert_eq!(
        (&line["host"], &line["exit_code"], code),
        (&"w1".into(), &2.into(), 2),
        "{errors}"
    );
    let (_, errors, code) = fleet.run("get @egde sysName.0");
    let told = "varbind: egde: the inventory has no such group or host; did you mean edge?\n";
    assert_eq!((errors.as_str(), code), (told, 1));
}

#[test]
fn a_single_host_has_its_settings_from_the_inventory_and_options_win() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let shown = "SNMPv2-MIB::sysName.0 = STRING: a switch\n".to_owned();
    assert_eq!(
        fleet.run("get r1 sysName.0"),
        (shown.clone(), String::new(), 0)
    );
    assert_eq!(
        fleet.run("get -v2c -c public w1 sysName.0"),
        (shown.clone(), String::new(), 0)
    );
    assert_eq!(
        fleet.run("get -c public w1 sysName.0"),
        (shown.clone(), String::new(), 0)
    );
    assert_eq!(
        fleet.run("get -A maplesyrup w1 sysName.0"),
        (shown, String::new(), 0)
    );
    assert_eq!(fleet.run("get w1 sysName.0").2, 2);
    let (output, _, code) = fleet.run("get -v2c -c public @wrong sysName.0");
    assert_eq!((output.lines().count(), code), (1, 0));
}

#[test]
fn a_set_on_several_hosts_is_asked_for_first() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let (output, errors, code) = fleet.run("set -v2c -c private @edge sysName.0 s x");
    assert_eq!((output.as_str(), code), ("", 1));
    assert!(
        errors.contains("2 hosts would be changed") && errors.contains("--yes"),
        "{errors}"
    );
    // The agent is asked, and its objects cannot be set.
    let (_, errors, code) = fleet.run("set --yes -v2c -c private @edge sysName.0 s x");
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.contains("2 failed: answered notWritable for SNMPv2-MIB::sysName.0"),
        "{errors}"
    );
    assert_eq!(fleet.run("set -v2c -c private @old sysName.0 s x").2, 2);
}

#[test]
fn the_doctor_examines_all_hosts() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let (output, errors, code) = fleet.run("doctor --json @edge,w1");
    let mut found = BTreeMap::new();
    for line in output.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let host = line["host"].as_str().unwrap().to_owned();
        found.insert(host, line["exit_code"].as_u64().unwrap());
    }
    let expected = [("r1", 0), ("r2", 0), ("w1", 2)];
    assert_eq!(
        found,
        expected.map(|(host, code)| (host.to_owned(), code)).into(),
        "{errors}"
    );
    assert_eq!(code, 2, "{errors}");
    assert!(
        errors.contains("authentication: the password is wrong"),
        "{errors}"
    );
}

#[test]
fn a_thousand_hosts_are_asked_within_bounds() {
    let fleet = Fleet::start();
    fleet.inventory(
        "[defaults]\nport = PORT\n[hosts.'sw[1:1000]']\naddress = '127.7.[0:9].[1:100]'\n",
    );
    let (output, errors, code) = fleet.run("get --parallel 100 --json @all sysName.0");
    assert_eq!((errors.as_str(), code), ("", 0));
    let mut names = BTreeMap::new();
    for line in output.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        *names.entry(line["host"].to_string()).or_insert(0) += 1;
    }
    assert_eq!(names.len(), 1000);
    assert!(names.values().all(|count| *count == 1));
}

#[test]
fn an_output_that_is_full_ends_the_command() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    for words in [
        "get @edge sysName.0",
        "walk @edge ifTable",
        "table --csv @edge ifTable",
        "doctor @edge",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = fleet.command(words).stdout(full).output().unwrap();
        let (_, errors, code) = outcome(output);
        assert_eq!(code, 1, "{words}: {errors}");
        assert!(errors.contains("the output cannot be written"), "{errors}");
    }
}

#[test]
fn what_came_before_ctrl_c_is_kept() {
    let fleet = Fleet::start();
    fleet.inventory("[hosts]\na = { address = '127.0.1.1:PORT' }\nb = { address = '127.0.0.1:SILENT', timeout = 600 }\n");
    let mut child = fleet
        .command("get @all sysName.0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "a  SNMPv2-MIB::sysName.0 = STRING: a switch\n");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let (_, errors, code) = outcome(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{errors}");
    assert!(
        errors.starts_with("varbind: interrupted: 1 of 2 hosts succeeded in "),
        "{errors}"
    );
    assert!(errors.ends_with("\n  1 not finished\n"), "{errors}");
}

const ODD: &str = r#"
[defaults]
port = PORT
address = '127.0.1.1'
[groups."Gruppe mit Umlauten äöü"]
hosts = ["a b", "comma,quote\"x", "-v", "r\u00f6uter\u0301", "\u001b[31mred\nline", "@all", "b:!c", "=cmd"]
"#;

#[test]
fn odd_names_of_hosts_and_groups_are_shown_without_harm() {
    let fleet = Fleet::start();
    fleet.inventory(ODD);
    let names = [
        "a b",
        "comma,quote\"x",
        "-v",
        "r\u{f6}uter\u{301}",
        "\u{1b}[31mred\nline",
        "@all",
        "b:!c",
        "=cmd",
    ];
    let run = |words: &[&str]| outcome(fleet.command("get").args(words).output().unwrap());
    let (output, errors, code) = run(&["--json", "@all", "sysName.0"]);
    assert_eq!((errors.as_str(), code), ("", 0));
    let found = |line: &str| -> Json { serde_json::from_str(line).unwrap() };
    let mut hosts: Vec<_> = output
        .lines()
        .map(|line| found(line)["host"].clone())
        .collect();
    hosts.sort_by_key(|host| names.iter().position(|name| *name == host));
    assert_eq!(hosts, names);
    for options in [&[][..], &["--csv"]] {
        let words = [options, &["@Gruppe mit Umlauten äöü", "sysName.0"]].concat();
        let (output, errors, code) = run(&words);
        assert_eq!((errors.as_str(), code), ("", 0));
        assert!(
            !output.contains('\u{1b}') || options == ["--csv"],
            "{output}"
        );
        assert!(output.contains("röuter\u{301}"), "{output}");
    }
    let (output, _, _) = run(&["--csv", "@all", "sysName.0"]);
    let quoted = "\"comma,quote\"\"x\",";
    assert!(
        output.lines().any(|line| line.starts_with(quoted)),
        "{output}"
    );
    // A failure names them too.
    let (_, errors, code) = run(&[
        "-v2c",
        "-c",
        "wrong",
        "-t",
        "0.05",
        "-r",
        "0",
        "@all",
        "sysName.0",
    ]);
    assert_eq!(code, 3);
    assert!(
        !errors.contains('\u{1b}') && errors.contains("=cmd"),
        "{errors}"
    );
}
