use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::server::{Programs, serve};
use super::*;
use crate::configuration::AgentConfiguration;
use crate::extensions::program::{Launch, Limits, Program, Starter};

const PATIENCE: Duration = Duration::from_secs(60);
const ROOT: &str = "1.3.6.1.4.1.9999";

/// A runner in a thread, with the configuration in this file.
fn runner(file: &Path) -> (Arc<Runner>, thread::JoinHandle<()>) {
    let (own, other) = socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )
    .unwrap();
    let read = AgentConfiguration::load(file).unwrap().checksum;
    let file = file.to_owned();
    let serving = thread::spawn(move || {
        let mut programs = Programs::of(Some(file));
        serve(other.as_fd(), &mut programs).unwrap();
    });
    let runner = Arc::new(Runner::new(own, None));
    runner.read(read, None).unwrap();
    (runner, serving)
}

fn extend(script: &str) -> String {
    format!("[[extend]]\nname = \"x\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n")
}

fn place(file: &Path, table: Table, at: usize) -> Place {
    let checksum = AgentConfiguration::load(file).unwrap().checksum;
    Place {
        table,
        at,
        checksum,
    }
}

fn output(runner: &Arc<Runner>, place: Place) -> Result<(String, i32), String> {
    let program = Program {
        command: Vec::new(),
        run_as: None,
        limits: Limits {
            time: PATIENCE,
            output: 1000,
            memory: 1 << 30,
        },
    };
    let starter = Starter::Runner(Arc::clone(runner));
    let result = Launch::new(&program, &starter, place).run(&|| false);
    let result = result.map_err(|error| error.to_string())?;
    Ok((String::from_utf8(result.output).unwrap(), result.status))
}

#[test]
fn programs_of_the_configuration_run_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    fs::write(&file, extend("echo one; exit 3")).unwrap();
    let (runner, serving) = runner(&file);
    let first = place(&file, Table::Extend, 0);
    assert_eq!(output(&runner, first), Ok(("one\n".to_owned(), 3)));
    // A place that the configuration does not have.
    for (table, at) in [(Table::Extend, 1), (Table::Pass, 0)] {
        let told = output(&runner, Place { table, at, ..first }).unwrap_err();
        assert!(told.contains("no such program"), "{told}");
    }
    // An argument that nothing is configured with.
    let question = Some(Question {
        is_next: true,
        name: vec![1, 3],
    });
    let told = RunOf::start(&runner, first, question, false).unwrap_err();
    assert!(told.to_string().contains("no such program"), "{told}");
    drop(runner);
    serving.join().unwrap();
}

#[test]
fn programs_in_use_can_be_run_while_another_configuration_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    fs::write(&file, extend("echo one")).unwrap();
    let (runner, serving) = runner(&file);
    let first = place(&file, Table::Extend, 0);
    fs::write(&file, extend("echo two")).unwrap();
    let second = place(&file, Table::Extend, 0);
    let told = output(&runner, second).unwrap_err();
    assert!(told.contains("no such program"), "{told}");
    let told = runner.read(!second.checksum, Some(first.checksum));
    let told = told.unwrap_err().to_string();
    assert!(told.contains("changed"), "{told}");
    runner.read(second.checksum, Some(first.checksum)).unwrap();
    // Whatever becomes of the file.
    fs::remove_file(&file).unwrap();
    assert_eq!(output(&runner, first), Ok(("one\n".to_owned(), 0)));
    assert_eq!(output(&runner, second), Ok(("two\n".to_owned(), 0)));
    runner.read(second.checksum, Some(second.checksum)).unwrap();
    assert!(output(&runner, first).is_err());
    assert_eq!(output(&runner, second), Ok(("two\n".to_owned(), 0)));
    drop(runner);
    serving.join().unwrap();
}

#[test]
fn questions_of_pass_stay_below_its_root() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    let script = "printf '%s\\n' \"$*\"";
    let pass = format!(
        "[[pass]]\noid = \"{ROOT}\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}, \"program\"]\n"
    );
    fs::write(&file, &pass).unwrap();
    let (runner, serving) = runner(&file);
    let place = place(&file, Table::Pass, 0);
    let ask = |name: &[u32]| {
        let question = Some(Question {
            is_next: true,
            name: name.to_vec(),
        });
        let (run, mut stdout, _) = RunOf::start(&runner, place, question, false)?;
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut text)?;
        run.end();
        Ok::<_, std::io::Error>(text)
    };
    let root: Oid = ROOT.parse().unwrap();
    assert_eq!(
        ask(&[root.arcs(), &[7]].concat()).unwrap(),
        format!("-n .{ROOT}.7\n")
    );
    assert!(ask(&[1, 3, 6]).is_err());
    assert!(ask(&[]).is_err());
    drop(runner);
    serving.join().unwrap();
}

#[test]
fn the_end_of_the_agent_ends_programs() {
    let directory = tempfile::tempdir().unwrap();
    let (file, pid) = (
        directory.path().join("agent.toml"),
        directory.path().join("pid"),
    );
    // The runner of root gives programs another user.
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(
        &file,
        extend(&format!(
            "echo $$ >{}.new; mv {0}.new {0}; exec sleep 1000",
            pid.display()
        )),
    )
    .unwrap();
    let (runner, serving) = runner(&file);
    let place = place(&file, Table::Extend, 0);
    let started = RunOf::start(&runner, place, None, false).unwrap();
    let begun = Instant::now();
    while !pid.exists() {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(2));
    }
    // Not more of it than a reload may need.
    let _second = RunOf::start(&runner, place, None, false).unwrap();
    let told = RunOf::start(&runner, place, None, false).unwrap_err();
    assert!(told.to_string().contains("too many"), "{told}");
    let process = fs::read_to_string(&pid).unwrap();
    let process = Path::new("/proc").join(process.trim());
    assert!(process.exists());
    drop((started, _second, runner));
    serving.join().unwrap();
    assert!(!process.exists());
}
