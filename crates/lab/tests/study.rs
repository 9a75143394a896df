//! `varbind study` as users run it: interrupted, repeated, compared, and with what it cannot use.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod programs;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use programs::laboratory;
use rustix::process::{Pid, Signal, kill_process};
use varbind_testkit::peers::{eventually, skip};

const RUN: [&str; 8] = [
    "study",
    "run",
    "du2001",
    "--quick",
    "--repetitions",
    "2",
    "--subject",
    "varbind",
];

/// Shells have their background jobs ignore SIGINT, and these tests with them; the program does not.
fn varbind_lab(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", laboratory()]);
    command.args(arguments);
    command
}

fn run_into(directory: &Path) -> Command {
    let mut command = varbind_lab(&RUN);
    command.arg("--out").arg(directory);
    command
}

fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Observations; lines about the machine are not counted.
fn lines(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines();
    lines.filter(|line| !line.starts_with("{\"block\"")).count()
}

/// The example of docs/adding-a-study.md is run as users run it.
#[test]
fn a_study_of_ones_own_is_run_from_its_file() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/adding-a-study.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, from) = page.split_once("```toml\n").unwrap();
    let (study, _) = from.split_once("```").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let [file, out] = ["own.toml", "results"].map(|name| directory.path().join(name));
    fs::write(&file, study).unwrap();
    let run = || {
        let mut command = varbind_lab(&["study", "run", "--quick", "--subject", "varbind"]);
        command.args(["--repetitions", "2", "--file"]).arg(&file);
        command.arg("--out").arg(&out);
        output(command)
    };
    let done = run();
    assert!(done.status.success(), "{done:?}");
    let results = fs::read_to_string(out.join("results.csv")).unwrap();
    assert!(results.contains("get-time"), "{results}");
    // The run knows its study without the file.
    let report = output(varbind_lab(&["study", "report", out.to_str().unwrap()]));
    assert!(report.status.success(), "{report:?}");
    fs::write(&file, study.replace("Time of a get", "A get")).unwrap();
    let other = run();
    assert!(stderr(&other).contains("file of the study"), "{other:?}");
    fs::write(&file, study.replace("example2027", "du2001")).unwrap();
    assert!(stderr(&run()).contains("has this name"));
    fs::write(&file, study.replace("unit = ", "unti = ")).unwrap();
    let refused = run();
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(stderr(&refused).contains("own.toml: "), "{refused:?}");
}

#[test]
fn the_studies_are_listed_and_shown() {
    let listed = stdout(&output(varbind_lab(&["study", "list"])));
    for name in [
        "du2001",
        "pras2004",
        "marinov2006",
        "hardaker2008",
        "gamess2021",
    ] {
        assert!(listed.contains(name), "{listed}");
    }
    let shown = stdout(&output(varbind_lab(&["study", "show", "du2001"])));
    assert!(
        shown.contains("Table 6") && shown.contains("163 %"),
        "{shown}"
    );
    for command in ["show", "run"] {
        let unknown = output(varbind_lab(&["study", command, "du2002"]));
        assert_eq!(unknown.status.code(), Some(1));
        let told = stderr(&unknown);
        assert!(told.contains("similar value exists: 'du2001'"), "{told}");
    }
}

/// The ids of the processes that a process has started, and those that they have.
fn descendants(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    let children: Vec<u32> = text
        .split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect();
    let all = children.iter().flat_map(|child| descendants(*child));
    children
        .iter()
        .copied()
        .chain(all.collect::<Vec<_>>())
        .collect()
}

fn send(process: u32, signal: Signal) {
    let process = Pid::from_raw(process.cast_signed()).unwrap();
    kill_process(process, signal).unwrap();
}

/// One that has ended and is not waited for by whoever adopted it has ended.
fn is_running(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, fields)| fields.trim_start());
    state.is_some_and(|fields| !fields.starts_with(['Z', 'X']))
}

/// Directories that processes of the laboratory have made for their agents.
fn directories_of(processes: &[u32]) -> usize {
    let prefixes: Vec<String> = processes
        .iter()
        .map(|process| format!("varbind-lab-{process}-"))
        .collect();
    let entries = fs::read_dir(std::env::temp_dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .count()
}

#[test]
fn a_run_that_is_interrupted_leaves_nothing_behind_and_says_how_it_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let observations = directory.path().join("observations.jsonl");
    for (signal, code) in [
        (Signal::INT, Some(130)),
        (Signal::TERM, Some(143)),
        (Signal::KILL, None),
    ] {
        let least = lines(&observations) + 3;
        let mut command = run_into(directory.path());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        eventually("nothing is measured", || lines(&observations) >= least);
        let processes = descendants(child.id());
        assert!(processes.len() >= 2, "a site and its agent: {processes:?}");
        assert!(directories_of(&processes) > 0);
        if signal == Signal::INT {
            let other = output(run_into(directory.path()));
            assert_eq!(other.status.code(), Some(1));
            assert!(stderr(&other).contains("another"), "{}", stderr(&other));
        }
        send(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), code);
        let mut told = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        if code.is_some() {
            assert!(told.contains("the same command goes on"), "{told}");
            assert!(told.contains(" measurements are in "), "{told}");
        }
        eventually("a process stays", || {
            !processes.iter().any(|process| is_running(*process))
        });
        assert_eq!(directories_of(&processes), 0);
        assert!(!directory.path().join("results.json").exists());
    }
    let text = fs::read_to_string(&observations).unwrap();
    assert!(!text.contains("trouble"), "{text}");
}

#[test]
fn what_a_site_or_an_agent_was_doing_when_it_was_killed_is_reported_or_done_again() {
    let directory = tempfile::tempdir().unwrap();
    let observations = directory.path().join("observations.jsonl");
    let child = run_into(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    eventually("nothing is measured", || lines(&observations) >= 3);
    let site = descendants(child.id());
    send(site[0], Signal::KILL);
    let agent = || {
        let now = descendants(child.id());
        now.get(1).copied().filter(|agent| !site.contains(agent))
    };
    eventually("no other site", || agent().is_some());
    let before = lines(&observations);
    eventually("nothing is measured", || lines(&observations) > before + 3);
    send(agent().unwrap(), Signal::KILL);
    let ended = child.wait_with_output().unwrap();
    let told = stderr(&ended);
    assert!(ended.status.success(), "{told}");
    // Measured or not, the agent is started again, and why it is not measured is told.
    let text = fs::read_to_string(&observations).unwrap();
    let failed = text.lines().filter(|line| line.contains("\"measures\":[]"));
    let failed = failed.count();
    assert!(failed <= 1, "{told}");
    if failed == 1 {
        assert!(told.contains("ended while it was measured"), "{told}");
        assert!(told.contains(" measurements failed: the same"), "{told}");
        let before = lines(&observations);
        let again = output(run_into(directory.path()));
        assert!(again.status.success(), "{}", stderr(&again));
        assert_eq!(lines(&observations), before + 1);
        assert!(!stderr(&again).contains("failed"), "{}", stderr(&again));
    }
    let text = fs::read_to_string(directory.path().join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
    let experiments = results["studies"][0]["experiments"].as_array().unwrap();
    for experiment in experiments {
        let missing = experiment["missing"].as_array().unwrap().iter();
        // Tests are run without the features that are for the laboratory alone, too.
        let built = |missing: &&serde_json::Value| {
            let reason = missing["reason"].as_str().unwrap();
            !reason.starts_with("this program was built without")
        };
        assert_eq!(missing.filter(built).count(), 0, "{experiment}");
    }
}

fn assert_each_subject_is_judged(results: &serde_json::Value) {
    let claims = results["studies"][0]["claims"].as_array().unwrap();
    assert!(claims.len() > 8);
    let subjects = results["manifest"]["subjects"].as_array().unwrap();
    for claim in claims {
        let verdicts = claim["verdicts"].as_array().unwrap();
        let judged: Vec<_> = verdicts.iter().map(|one| &one["subject"]).collect();
        assert_eq!(judged, subjects.iter().collect::<Vec<_>>(), "{claim}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_and_can_be_repeated_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    let first = directory.path().join("first");
    let observations = first.join("observations.jsonl");
    let mut child = run_into(&first).spawn().unwrap();
    eventually("nothing is measured", || lines(&observations) >= 5);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = fs::read_to_string(&observations).unwrap();
    assert!(!first.join("results.json").exists());

    let finished = output(run_into(&first));
    assert!(finished.status.success(), "{}", stderr(&finished));
    let all = fs::read_to_string(&observations).unwrap();
    let whole = done.rfind('\n').map_or("", |end| &done[..=end]);
    assert!(all.starts_with(whole), "what was done was done again");
    for file in [
        "manifest.json",
        "results.json",
        "results.csv",
        "repetitions.csv",
        "results.md",
        "index.html",
    ] {
        assert!(first.join(file).exists(), "{file}");
    }
    let text = fs::read_to_string(first.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_each_subject_is_judged(&results);
    let ours = results["studies"][0]["experiments"][0]["ours"].as_array();
    let values = ours.unwrap()[0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 2, "two repetitions were asked for");

    // Nothing is left to do: no agent is started, nothing is measured.
    let again = output(run_into(&first));
    assert!(again.status.success());
    assert_eq!(fs::read_to_string(&observations).unwrap(), all);

    let second = directory.path().join("second");
    let mut replay = varbind_lab(&["study", "replay"]);
    replay.arg(&first).arg("--out").arg(&second);
    let replayed = output(replay);
    assert!(replayed.status.success(), "{}", stderr(&replayed));
    assert_eq!(
        lines(&second.join("observations.jsonl")),
        lines(&observations)
    );

    let mut compare = varbind_lab(&["study", "compare", "--json"]);
    compare.arg(&first).arg(&second);
    let compared = output(compare);
    let compared: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert!(compared[0]["values"].as_array().unwrap().len() > 50);
    let missing = (missing(&first), missing(&second));
    assert_eq!(compared[0]["unmatched"], 0, "{missing:?}");
    assert_eq!(compared[0]["environment"].as_array().unwrap().len(), 0);
    let claims = ["claims", "own_claims"].into_iter();
    let claims = claims.flat_map(|kind| results["studies"][0][kind].as_array().unwrap());
    let judged = claims.map(|claim| claim["verdicts"].as_array().unwrap().len());
    assert_eq!(compared[0]["verdicts"]["count"], judged.sum::<usize>());

    let mut other = run_into(&first);
    other.args(["--seed", "7"]);
    let other = output(other);
    assert_eq!(other.status.code(), Some(1));
    let told = stderr(&other);
    assert!(told.contains("seed 1 there, 7 requested now"), "{told}");
    assert!(told.contains("--out"), "{told}");

    let mut replay = varbind_lab(&["study", "replay"]);
    let into_itself = output({
        replay.arg(&first).arg("--out").arg(first.join("."));
        replay
    });
    assert_eq!(into_itself.status.code(), Some(1));
    let told = stderr(&into_itself);
    assert!(told.contains("choose another directory"), "{told}");

    compare_with_unlike_runs(&first, &second);
}

/// Why values of a run are missing.
fn missing(directory: &Path) -> Vec<String> {
    let text = fs::read_to_string(directory.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
    let experiments = results["studies"][0]["experiments"].as_array().unwrap();
    let all = experiments.iter().map(|one| &one["missing"]);
    let all = all.flat_map(|missing| missing.as_array().unwrap());
    all.map(ToString::to_string)
        .filter(|one| !one.contains("was built without"))
        .collect()
}

/// The second run is made to be one of other things.
fn compare_with_unlike_runs(first: &Path, second: &Path) {
    let compare = || {
        let mut compare = varbind_lab(&["study", "compare"]);
        compare.arg(first).arg(second);
        output(compare)
    };
    let path = second.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    manifest["seed"] = 9.into();
    manifest["environment"]["kernel"] = "Linux 1.0".into();
    fs::write(&path, manifest.to_string()).unwrap();
    let compared = compare();
    assert!(compared.status.success());
    let told = stdout(&compared);
    assert!(told.contains("run differs in seed: 1, then 9"), "{told}");
    assert!(told.contains("environment differs in kernel: "), "{told}");
    assert!(told.contains(" verdicts differ: "), "{told}");

    // What is there is of another machine: nothing is added to it.
    fs::write(second.join("observations.jsonl"), "").unwrap();
    let mut mixed = run_into(second);
    mixed.args(["--seed", "9"]);
    let mixed = output(mixed);
    assert_eq!(mixed.status.code(), Some(1));
    assert!(
        stderr(&mixed).contains("Linux 1.0 there"),
        "{}",
        stderr(&mixed)
    );
    let nothing = compare();
    assert_eq!(nothing.status.code(), Some(1));
    let told = stderr(&nothing);
    assert!(told.contains("no measurement of"), "{told}");
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let mut limited = Command::new("sh");
    // In blocks of 512 octets: enough for the manifest.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\""])
        .arg(laboratory())
        .args(RUN)
        .arg("--out")
        .arg(&out);
    let full = output(limited);
    assert_eq!(full.status.code(), Some(1), "{}", stderr(&full));
    assert!(
        stderr(&full).contains("observations.jsonl"),
        "{}",
        stderr(&full)
    );
    let kept = fs::read_to_string(out.join("observations.jsonl")).unwrap();
    let kept = &kept[..=kept.rfind('\n').unwrap()];
    let finished = output(run_into(&out));
    assert!(finished.status.success(), "{}", stderr(&finished));
    let all = fs::read_to_string(out.join("observations.jsonl")).unwrap();
    assert!(all.starts_with(kept));
}

#[test]
fn results_that_cannot_be_used_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let nothing = output({
        let mut command = varbind_lab(&["study", "report"]);
        command.arg(directory.path());
        command
    });
    assert_eq!(nothing.status.code(), Some(1));
    assert!(
        stderr(&nothing).contains("manifest.json"),
        "{}",
        stderr(&nothing)
    );
    fs::write(
        directory.path().join("manifest.json"),
        "{\"schema_version\": 99}",
    )
    .unwrap();
    let other = output(run_into(directory.path()));
    assert_eq!(other.status.code(), Some(1));
    assert!(
        stderr(&other).contains("schema version 99"),
        "{}",
        stderr(&other)
    );
}

/// The program where a shell has taken something away in namespaces of its own; `None` where that is not allowed.
fn without(what: &str, arguments: &[&str], out: &Path) -> Option<Output> {
    const NOT_TAKEN: i32 = 99;
    let script = format!("{{ {what}; }} || exit {NOT_TAKEN}; exec \"$0\" \"$@\"");
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .arg(laboratory())
        .args(arguments);
    if arguments.contains(&"study") {
        command.arg("--out").arg(out);
    }
    let output = command.output().ok();
    let output = output.filter(|output| {
        output.status.code() != Some(NOT_TAKEN) && !stderr(output).starts_with("unshare:")
    });
    if output.is_none() {
        skip("unshare is not there, or not allowed");
    }
    output
}

#[test]
fn what_cannot_be_measured_without_namespaces_is_reported_and_the_rest_is_measured() {
    const DENIED: &str = "echo 0 > /proc/sys/user/max_net_namespaces";
    let run = [
        "study",
        "run",
        "hardaker2008",
        "--quick",
        "--repetitions",
        "1",
    ];
    let directory = tempfile::tempdir().unwrap();
    let observations = directory.path().join("observations.jsonl");
    let Some(denied) = without(DENIED, &run, directory.path()) else {
        return;
    };
    let told = stderr(&denied);
    assert!(denied.status.success(), "{told}");
    assert!(
        told.contains("not measured: this machine does not allow"),
        "{told}"
    );
    assert!(told.contains("max_*_namespaces"), "{told}");
    let shown = stdout(&denied);
    assert!(
        shown.contains("values could not be measured: this machine"),
        "{shown}"
    );
    let text = fs::read_to_string(&observations).unwrap();
    assert!(text.contains("\"twin\"") && text.contains("trouble"));
    // It is tried again, and nothing new is found.
    let again = without(DENIED, &run, directory.path()).unwrap();
    assert!(again.status.success(), "{}", stderr(&again));
    assert_eq!(fs::read_to_string(&observations).unwrap(), text);

    let link = without(DENIED, &["link", "--", "true"], directory.path()).unwrap();
    assert_eq!(link.status.code(), Some(77), "{}", stderr(&link));
}

#[test]
fn an_agent_that_is_not_installed_is_reported() {
    const HIDDEN: &str = "for file in /usr/sbin/snmpd /usr/local/sbin/snmpd /sbin/snmpd; do \
                          test ! -e $file || mount --bind /dev/null $file || exit 99; done; PATH=/usr/bin:/bin";
    let directory = tempfile::tempdir().unwrap();
    let run = ["study", "run", "du2001", "--quick", "--subject", "net-snmp"];
    let Some(alone) = without(HIDDEN, &run, directory.path()) else {
        return;
    };
    assert_eq!(alone.status.code(), Some(77), "{}", stderr(&alone));
    assert!(stderr(&alone).contains("snmpd is not installed"));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
