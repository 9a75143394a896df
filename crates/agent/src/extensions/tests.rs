use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::background::Known;
use super::runner::Place;
use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

fn program(script: &str) -> Program {
    Program {
        command: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        run_as: None,
        limits: Limits {
            time: PATIENCE,
            output: 1000,
            memory: 1 << 40,
        },
    }
}

fn run_it(program: &Program) -> Result<RunResult, String> {
    let place = Place {
        table: Table::Extend,
        at: 0,
        checksum: 0,
    };
    Launch::new(program, &Starter::Agent, place)
        .run(&|| false)
        .map_err(|error| error.to_string())
}

#[test]
fn output_and_exit_status_are_those_of_the_program() {
    let result = run_it(&program(
        "echo one; echo; printf 'th\\303\\266ree\\r\\n'; exit 3",
    ))
    .unwrap();
    let lines: Vec<_> = result.lines().collect();
    assert_eq!(lines, [&b"one"[..], b"", "thöree".as_bytes()]);
    assert_eq!(result.status, 3);
    assert_eq!(run_it(&program("true")).unwrap().lines().count(), 0);
    assert_eq!(run_it(&program("echo")).unwrap().lines().count(), 1);
    assert_eq!(run_it(&program("printf x")).unwrap().lines().count(), 1);
    assert_eq!(run_it(&program("kill -9 $$")).unwrap().status, 137);
}

#[test]
fn the_environment_is_empty_and_nothing_is_read() {
    let result = run_it(&program("/usr/bin/env | sort; cat; pwd")).unwrap();
    let text = String::from_utf8(result.output).unwrap();
    let names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    // A shell adds some of its own.
    let own = ["LC_ALL", "PATH", "PWD", "OLDPWD", "SHLVL", "_", "/"];
    assert!(names.iter().all(|name| own.contains(name)), "{text}");
    assert!(text.ends_with("/\n"), "{text}");
}

#[test]
fn limits_end_a_program_and_all_that_it_started() {
    let mut slow = program("sleep 1000 & sleep 1000");
    slow.limits.time = Duration::from_millis(300);
    let begun = Instant::now();
    let told = run_it(&slow).unwrap_err();
    assert!(told.contains("/bin/sh did not end within 0.3 s"), "{told}");
    assert!(begun.elapsed() < PATIENCE);
    let told = run_it(&program("while :; do echo xxxxxxxxxxxxxxx; done")).unwrap_err();
    assert!(told.contains("more than 1000 octets"), "{told}");
    let mut missing = program("true");
    missing.command = vec!["/no/such/program".to_owned()];
    let told = run_it(&missing).unwrap_err();
    assert!(
        told.contains("/no/such/program cannot be started"),
        "{told}"
    );
}

#[test]
fn a_program_left_in_the_background_holds_nothing_up() {
    let result = run_it(&program("sleep 1000 & echo done")).unwrap();
    assert_eq!(result.output, b"done\n");
}

fn extension(name: &str, script: &str, interval: Duration) -> Extension {
    Extension {
        name: name.to_owned(),
        kind: ExtensionKind::Program {
            program: program(script),
            interval,
        },
        root: None,
        is_exec: false,
    }
}

fn started(extensions: Vec<Extension>) -> Extensions {
    let extensions = Extensions::new(extensions, None);
    extensions.start(&Starter::Agent, 0).unwrap();
    extensions
}

fn await_that(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn programs_run_again_and_a_slow_one_delays_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("runs");
    let count = format!("echo x >>{0}; wc -l <{0}", file.display());
    let extensions = started(vec![
        extension("slow", "sleep 1000", PATIENCE),
        extension("count", &count, Duration::from_millis(1)),
        Extension {
            name: "fixed".to_owned(),
            kind: ExtensionKind::Fixed("text".to_owned()),
            root: None,
            is_exec: false,
        },
    ]);
    let output = |at: usize| {
        let (_, result) = extensions.results().nth(at)?;
        String::from_utf8(result?.output.clone()).ok()
    };
    assert_eq!(output(2).as_deref(), Some("text"));
    await_that("it runs three times", || {
        output(1).and_then(|text| text.trim().parse::<u32>().ok()) >= Some(3)
    });
    assert_eq!(output(0), None);
    assert!(extensions.version() > 3);
    let shared = Arc::clone(&extensions.shared);
    drop(extensions);
    // The threads end, the one whose program sleeps too.
    await_that("all threads end", || Arc::strong_count(&shared) == 1);
}

#[test]
fn a_program_that_cannot_be_started_has_a_result_that_tells_so() {
    let mut broken = extension("broken", "", PATIENCE);
    if let ExtensionKind::Program { program, .. } = &mut broken.kind {
        program.command = vec!["/no/such/program".to_owned()];
    }
    let extensions = started(vec![broken]);
    let result = || extensions.results().next().and_then(|(_, result)| result);
    await_that("there is a result", || result().is_some());
    assert_eq!(result().unwrap().status, NO_RESULT);
}

#[test]
fn a_failure_keeps_the_last_output_and_repeated_ones_drop_it() {
    let task = extension("up", "true", PATIENCE);
    let success = Known {
        result: Arc::new(RunResult {
            output: b"one\n".to_vec(),
            status: 0,
        }),
        read_at: Some(Instant::now()),
        failures: 0,
    };
    let after = |failures| Known::after_failures(&task, Some(success.clone()), failures);
    for (failures, output, is_read) in [
        (1, &b"one\n"[..], true),
        (2, b"one\n", true),
        (3, b"", false),
    ] {
        let known = after(failures);
        assert_eq!(known.result.output, output, "{failures}");
        assert_eq!(known.result.status, NO_RESULT, "{failures}");
        assert_eq!(known.read_at.is_some(), is_read, "{failures}");
        assert_eq!(known.failures, failures);
    }
    let first = Known::after_failures(&task, None, 1);
    assert_eq!((&*first.result.output, first.read_at), (&b""[..], None));
}

#[test]
fn ages_of_results_are_told() {
    let extensions = started(vec![
        extension("up", "echo one", PATIENCE),
        extension("hangs", "sleep 1000", PATIENCE),
        Extension {
            name: "fixed".to_owned(),
            kind: ExtensionKind::Fixed("text".to_owned()),
            root: None,
            is_exec: false,
        },
    ]);
    await_that("it runs", || extensions.ages()[0].contains("result of"));
    let ages = extensions.ages();
    assert!(ages[0].starts_with("extend up: result of "), "{ages:?}");
    assert!(ages[0].ends_with(" s ago"), "{ages:?}");
    assert_eq!(ages[1..], ["extend hangs: no result yet"]);
}

#[test]
fn results_outlive_a_change_of_other_extensions() {
    let once = |name| extension(name, "echo result", PATIENCE);
    let former = started(vec![once("kept"), once("changed")]);
    let has_results = |extensions: &Extensions| -> Vec<bool> {
        extensions
            .results()
            .map(|(_, result)| result.is_some())
            .collect()
    };
    await_that("both have run", || has_results(&former) == [true, true]);
    let changed = extension("changed", "echo other", PATIENCE);
    let next = Extensions::new(vec![once("new"), changed, once("kept")], Some(&former));
    assert_eq!(has_results(&next), [false, false, true]);
}
