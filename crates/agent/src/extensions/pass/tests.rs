use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::extensions::runner::Place;
use crate::extensions::{Background, Limits, Starter};

const PATIENCE: Duration = Duration::from_secs(60);
const ROOT: &str = "1.3.6.1.4.1.9999";

fn subtree(protocol: PassProtocol, script: &str) -> PassSubtree {
    PassSubtree {
        root: ROOT.parse().unwrap(),
        program: Program {
            command: ["/bin/sh", "-c", script, "program"]
                .map(str::to_owned)
                .to_vec(),
            run_as: None,
            limits: Limits {
                time: PATIENCE,
                output: 10_000,
                memory: 1 << 40,
            },
        },
        protocol,
        interval: PATIENCE,
    }
}

fn launch(subtree: &PassSubtree) -> Launch<'_> {
    let place = Place {
        table: Table::Pass,
        at: 0,
        checksum: 0,
    };
    Launch::new(&subtree.program, &Starter::Agent, place)
}

/// What one reading brings, as `1 = value` for each instance.
fn read(subtree: &PassSubtree) -> Result<Vec<String>, String> {
    read_with(&mut subtree.worker(launch(subtree)), subtree)
}

fn read_with(
    worker: &mut impl FnMut(&dyn Fn() -> bool) -> Result<Instances, RunError>,
    subtree: &PassSubtree,
) -> Result<Vec<String>, String> {
    let instances = worker(&|| false).map_err(|error| error.to_string())?;
    let shown = |(name, value): (&[u32], &Value)| {
        let below = name.get(subtree.root.arcs().len()..).unwrap_or_default();
        let below: Vec<_> = below.iter().map(u32::to_string).collect();
        format!("{} = {value:?}", below.join("."))
    };
    Ok(instances.iter().map(shown).collect())
}

/// A table of two rows, in both protocols: a name and what comes behind it.
const ANSWERS: &str = r#"
answer() {
  case "$1 $2" in
    "get .1.3.6.1.4.1.9999"|"-g .1.3.6.1.4.1.9999") $3 ;;
    *" .1.3.6.1.4.1.9999") echo .1.3.6.1.4.1.9999.1.1; echo string; echo "one 1" ;;
    *" .1.3.6.1.4.1.9999.1.1") echo .1.3.6.1.4.1.9999.1.2; echo counter64; echo 18446744073709551615 ;;
    *) $3 ;;
  esac
}
"#;

#[test]
fn a_program_of_pass_is_run_for_each_instance() {
    let script = format!("{ANSWERS}\nanswer \"$1\" \"$2\" :");
    let found = read(&subtree(PassProtocol::Pass, &script)).unwrap();
    assert_eq!(
        found,
        [
            format!("1.1 = {:?}", Value::OctetString(b"one 1".to_vec())),
            format!("1.2 = {:?}", Value::Counter64(u64::MAX)),
        ]
    );
}

#[test]
fn a_program_may_serve_its_root_alone() {
    let script =
        "test \"$1\" = -g && test $2 = .1.3.6.1.4.1.9999 && echo $2 && echo integer && echo 7";
    let found = read(&subtree(PassProtocol::Pass, script)).unwrap();
    assert_eq!(found, [format!(" = {:?}", Value::Integer(7))]);
}

#[test]
fn a_program_of_pass_persist_runs_on_until_it_ends() {
    let directory = tempfile::tempdir().unwrap();
    let starts = directory.path().join("starts");
    let script = format!(
        "{ANSWERS}\necho x >>{}\nwhile read command; do\n  case $command in\n    PING) echo PONG ;;\n    \
         quit) exit ;;\n    *) read name; answer $command $name \"echo NONE\" ;;\n  esac\ndone",
        starts.display()
    );
    let subtree = subtree(PassProtocol::PassPersist, &script);
    let mut worker = subtree.worker(launch(&subtree));
    for _ in 0..3 {
        assert_eq!(read_with(&mut worker, &subtree).unwrap().len(), 2);
    }
    let started = || std::fs::read_to_string(&starts).unwrap().lines().count();
    assert_eq!(started(), 1);
    drop(worker);
    // One that ends after some answers is started again, in the middle of a reading.
    let some = script.replace(
        "while read command",
        "n=0; while [ $((n+=1)) -le 4 ] && read command",
    );
    let subtree = PassSubtree {
        program: Program {
            command: ["/bin/sh", "-c", &some].map(str::to_owned).to_vec(),
            ..subtree.program.clone()
        },
        ..subtree
    };
    let mut worker = subtree.worker(launch(&subtree));
    for _ in 0..3 {
        assert_eq!(read_with(&mut worker, &subtree).unwrap().len(), 2);
    }
    assert!(started() > 3);
}

#[test]
fn instances_may_come_as_json_lines() {
    let script = r#"
        echo '{"oid":"1.3.6.1.4.1.9999.2","type":"Integer","value":2}'
        echo
        echo '{"oid":"1.3.6.1.4.1.9999.1","type":"OctetString","value":"00ff","encoding":"hex"}'
    "#;
    let found = read(&subtree(PassProtocol::JsonLines, script)).unwrap();
    assert_eq!(
        found,
        [
            format!("1 = {:?}", Value::OctetString(vec![0, 255])),
            format!("2 = {:?}", Value::Integer(2)),
        ]
    );
}

#[test]
fn wrong_answers_are_reported_with_their_question() {
    use PassProtocol::{JsonLines, Pass, PassPersist};
    for (protocol, script, expected) in [
        (Pass, "echo x", "in three lines, not \"x\""),
        (
            Pass,
            "test $1 = -n && echo $2 && echo string && echo v",
            "1.3.6.1.4.1.9999 does not come behind 1.3.6.1.4.1.9999",
        ),
        (
            Pass,
            "test $1 = -n && echo $2.1 && echo float && echo 1",
            "answer to getnext .1.3.6.1.4.1.9999 is wrong: \"float\" is not a type",
        ),
        (
            Pass,
            "test $1 = -n && echo $2.1 && echo string && echo 0123456789012345678901234567890123456789",
            "more than 10000 octets",
        ),
        (PassPersist, "read x; echo PANG; read x", "not PONG"),
        (PassPersist, "exit", "has ended instead of"),
        (PassPersist, "read x; echo PONG", "has ended instead of"),
        (
            JsonLines,
            "echo; echo '{}'",
            "line 2: expected a text with the key \"oid\"",
        ),
        (
            JsonLines,
            "echo '{\"oid\":\"1.3.6\",\"type\":\"Integer\",\"value\":2}'",
            "line 1: 1.3.6 is not below 1.3.6.1.4.1.9999",
        ),
        (JsonLines, "exit 3", "exit status 3"),
    ] {
        let told = read(&subtree(protocol, script)).unwrap_err();
        assert!(told.contains(expected), "{script}: {told}");
    }
    let mut slow = subtree(PassPersist, "sleep 1000");
    slow.program.limits.time = Duration::from_millis(200);
    let told = read(&slow).unwrap_err();
    assert!(told.contains("did not end within 0.2 s"), "{told}");
}

#[test]
fn repeated_failures_leave_no_instances_and_end_with_their_tasks() {
    let directory = tempfile::tempdir().unwrap();
    let fails = directory.path().join("fails");
    let script = format!(
        "test -e {} && exit 1; echo '{{\"oid\":\"1.3.6.1.4.1.9999.1\",\"type\":\"Integer\",\"value\":2}}'",
        fails.display()
    );
    let mut task = subtree(PassProtocol::JsonLines, &script);
    task.interval = Duration::from_millis(5);
    let subtrees = Background::new(vec![task], None);
    subtrees.start(&Starter::Agent, 0).unwrap();
    let await_count = |expected: usize| {
        let deadline = Instant::now() + PATIENCE;
        while subtrees.result(0).map(|found| found.iter().count()) != Some(expected) {
            assert!(Instant::now() < deadline, "{expected} instances");
            thread::sleep(Duration::from_millis(2));
        }
    };
    await_count(1);
    std::fs::write(&fails, "").unwrap();
    await_count(0);
    let shared = Arc::clone(&subtrees.shared);
    drop(subtrees);
    let deadline = Instant::now() + PATIENCE;
    while Arc::strong_count(&shared) > 1 {
        assert!(Instant::now() < deadline, "the thread ends");
        thread::sleep(Duration::from_millis(2));
    }
}
