//! What a network process that was taken over can do: the thread that ran the agent tries it.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use varbind_testkit::peers::skip;

use crate::process::{Agent, Home};

/// What is attempted, an attempt in each line: what, and on which file.
const ATTEMPTS: &str = "VARBIND_TEST_ATTEMPTS";

/// Makes the attempts that the environment names, and tells what became of them.
pub(crate) fn attempt_all() {
    let attempts = std::env::var(ATTEMPTS).unwrap_or_default();
    for attempt in attempts.lines() {
        let (what, path) = attempt.split_once(' ').unwrap();
        let outcome = match what {
            "read" => fs::read(path).map(drop),
            "write" => {
                let mut options = OpenOptions::new();
                options.append(true).create(true).open(path).map(drop)
            }
            "run" => Command::new(path).status().map(drop),
            "signal" => {
                let process = rustix::process::Pid::from_raw(path.parse().unwrap()).unwrap();
                rustix::process::test_kill_process(process).map_err(Into::into)
            }
            _ => panic!("{attempt}"),
        };
        let outcome = if outcome.is_ok() { "done" } else { "refused" };
        eprintln!("{attempt}: {outcome}");
    }
}

/// Runs an agent with this configuration, and makes these attempts in its place.
fn outcomes(home: &Home, attempts: &[(&str, &OsStr)]) -> Vec<String> {
    let lines: Vec<_> = attempts
        .iter()
        .map(|(what, path)| format!("{what} {}", path.display()))
        .collect();
    let agent = home.start_with(ATTEMPTS, &lines.join("\n"), 1);
    agent.signal("-TERM");
    for line in &lines {
        agent.await_log(&format!("{line}: "));
    }
    let log = agent.log();
    let outcome = |line: &String| {
        let outcome = log
            .lines()
            .find_map(|logged| logged.strip_prefix(&format!("{line}: ")));
        outcome.unwrap().to_owned()
    };
    lines.iter().map(outcome).collect()
}

/// Whether the kernel confines agents.
fn is_confined(agent: &Agent) -> bool {
    let log = agent.log();
    let missing = log.lines().find(|line| line.contains("not confined by"));
    if let Some(missing) = missing {
        skip(missing);
    }
    missing.is_none()
}

const LISTEN: &str = "listen = [\"udp:127.0.0.1:0\"]\n[host]\nserve = false\n";

#[test]
fn a_network_process_reads_no_foreign_keys_writes_no_foreign_files_and_runs_nothing() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (key, file) = (
        elsewhere.path().join("key.pem"),
        elsewhere.path().join("new"),
    );
    fs::write(&key, "secret").unwrap();
    let extend = "[[extend]]\nname = \"x\"\ncommand = [\"/bin/true\"]\n";
    let user = "[[user]]\nname = \"ops\"\naccess = \"read-write\"\nlevel = \"authNoPriv\"\nauthentication = { protocol = \"SHA-256\", password = \"of ops alone\" }\n";
    let open = "[process]\nlandlock = \"off\"\nseccomp = \"off\"\n";
    let home = Home::new(&format!("{LISTEN}{user}{extend}"));
    if !is_confined(&home.start(1)) {
        return;
    }
    let own = std::process::id().to_string();
    let by_link = format!("/proc/self/root{}", key.display());
    let by_process = format!("/proc/{own}/root{}", key.display());
    let environment = format!("/proc/{own}/environ");
    let (configuration, state) = (home.configuration(), home.state().join("new"));
    let attempts: [(&str, &OsStr); 12] = [
        ("read", configuration.as_os_str()),
        ("write", state.as_os_str()),
        ("read", OsStr::new("/proc/loadavg")),
        ("read", key.as_os_str()),
        ("read", OsStr::new(&by_link)),
        ("read", OsStr::new(&by_process)),
        ("read", OsStr::new(&environment)),
        ("write", key.as_os_str()),
        ("write", file.as_os_str()),
        ("write", configuration.as_os_str()),
        ("run", OsStr::new("/bin/true")),
        ("signal", OsStr::new(&own)),
    ];
    let (served, forbidden) = (["done"; 3], ["refused"; 9]);
    assert_eq!(
        outcomes(&home, &attempts),
        [&served[..], &forbidden].concat()
    );
    assert!(!Path::new(&file).exists());
    // Without confinement each of them is possible: these attempts could succeed.
    let home = Home::new(&format!("{LISTEN}{user}{open}{extend}"));
    let (configuration, state) = (home.configuration(), home.state().join("new"));
    let attempts = attempts.map(|(what, path)| match (what, path) {
        (_, path) if path.to_string_lossy().ends_with("agent.toml") => {
            (what, configuration.as_os_str())
        }
        ("write", path) if path.to_string_lossy().contains("state") => (what, state.as_os_str()),
        attempt => attempt,
    });
    assert_eq!(outcomes(&home, &attempts), ["done"; 12]);
}

#[test]
fn an_agent_that_stays_root_reads_no_environment_of_other_processes() {
    if !rustix::process::geteuid().is_root() {
        skip("only root has capabilities to give up");
        return;
    }
    // Landlock would refuse that too.
    let home = Home::new(&format!("{LISTEN}[process]\nlandlock = \"off\"\n"));
    let own = format!("/proc/{}/environ", std::process::id());
    assert!(fs::read(&own).is_ok());
    let mut other = Command::new("sleep").arg("60").uid(65534).spawn().unwrap();
    let of_other = format!("/proc/{}/environ", other.id());
    let attempts = [
        ("read", OsStr::new(&own)),
        ("read", OsStr::new(&of_other)),
        ("read", OsStr::new("/proc/self/environ")),
    ];
    let outcomes = outcomes(&home, &attempts);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(outcomes, ["refused", "refused", "done"]);
}

#[test]
fn an_agent_that_stays_root_uses_files_of_another_owner() {
    if !rustix::process::geteuid().is_root() {
        skip("only root has capabilities to give up");
        return;
    }
    let user = "[[user]]\nname = \"ops\"\naccess = \"read-write\"\nlevel = \"authNoPriv\"\nauthentication = { protocol = \"SHA-256\", password = \"of ops alone\" }\n";
    let home = Home::new(&format!("{LISTEN}{user}"));
    fs::create_dir(home.state()).unwrap();
    for (path, mode) in [(home.state(), 0o700), (home.configuration(), 0o600)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        chown(&path, Some(65534), Some(65534)).unwrap();
    }
    let agent = home.start(1);
    let log = agent.await_log("the agent keeps CAP_DAC_OVERRIDE");
    assert!(log.contains("the agent keeps CAP_DAC_READ_SEARCH"), "{log}");
    agent.signal("-HUP");
    agent.await_log("the configuration was read again");
}

#[test]
fn a_user_that_does_not_exist_is_an_error_of_start_and_check() {
    let home = Home::new(&format!("{LISTEN}[process]\nuser = \"no-such-user\"\n"));
    let expected = "user \"no-such-user\" of [process]: there is no such user: `useradd --system no-such-user` makes one";
    let output = home.fail();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && told.contains(expected),
        "{told}"
    );
    let options = varbind_agent::Options::new(Some(home.configuration()), Vec::new());
    let told = varbind_agent::check(&options).unwrap_err().to_string();
    assert_eq!(told, expected);
}

#[test]
fn a_reload_that_needs_what_was_given_up_leaves_the_former_configuration() {
    let elsewhere = tempfile::tempdir().unwrap();
    let home = Home::new(LISTEN);
    let agent = home.start(1);
    if !is_confined(&agent) {
        return;
    }
    home.configure(&format!(
        "{LISTEN}[[extend]]\nname = \"x\"\ncommand = [\"/bin/true\"]\n"
    ));
    agent.signal("-HUP");
    let log = agent.await_log("the old configuration stays in force");
    assert!(
        log.contains("cannot run programs any more: restart it"),
        "{log}"
    );
    let other = format!(
        "{LISTEN}[tls]\ncertificate = \"{}/agent.pem\"\n",
        elsewhere.path().display()
    );
    home.configure(&other);
    agent.signal("-HUP");
    let log = agent.await_in_log("the old configuration stays in force", 2);
    assert!(log.contains("is outside of the directories"), "{log}");
    home.configure(LISTEN);
    agent.signal("-HUP");
    agent.await_log("the configuration was read again");
}
