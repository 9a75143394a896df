//! prTable of UCD-SNMP-MIB: how many processes there are of the programs that the configuration names.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, integer, text};
use crate::configuration::WatchedProcess;
use crate::operating_system::{Process, processes};

pub(super) const ROOTS: &[&[u32]] = &[PR_TABLE];

const PR_TABLE: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 2];
const PR_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 2, 1];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    if host.settings.watched.is_empty() {
        return;
    }
    let processes = processes(&host.root);
    for (index, watched) in (1_u32..).zip(&host.settings.watched) {
        let count = processes
            .iter()
            .filter(|process| runs(process, &watched.name));
        row(instances, index, watched, count.count());
    }
}

/// Whether a process is of a program. The kernel keeps 15 octets of its name, and the first argument may be its path.
fn runs(process: &Process, program: &str) -> bool {
    let file = process.path.rsplit('/').next();
    process.name == program || file == Some(program)
}

fn row(instances: &mut Instances, index: u32, watched: &WatchedProcess, count: usize) {
    let error = error(watched, count);
    let columns = [
        // prIndex, prNames, prMin, prMax: 0 where there is none, prCount
        (1, integer(index)),
        (2, text(&watched.name)),
        (3, integer(watched.minimum)),
        (4, integer(watched.maximum.unwrap_or(0))),
        (5, integer(count)),
        // prErrorFlag, prErrMessage, prErrFix, prErrFixCmd
        (100, Value::Integer(error.is_some().into())),
        (101, text(&error.unwrap_or_default())),
        (102, Value::Integer(0)),
        (103, text("")),
    ];
    instances.row(PR_ENTRY, &[index], columns);
}

/// What is wrong with a number of processes, in the words of Net-SNMP's agent.
fn error(watched: &WatchedProcess, count: usize) -> Option<String> {
    let name = &watched.name;
    if count == 0 && watched.minimum > 0 {
        return Some(format!("No {name} process running"));
    }
    if count < watched.minimum.into() {
        return Some(format!("Too few {name} running (# = {count})"));
    }
    let is_exceeded = watched
        .maximum
        .is_some_and(|maximum| count > maximum.into());
    is_exceeded.then(|| format!("Too many {name} running (# = {count})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_and_too_many_processes_are_errors() {
        let watched = |minimum, maximum| WatchedProcess {
            name: "x".to_owned(),
            minimum,
            maximum,
        };
        for (watched, count, expected) in [
            (watched(1, None), 0, Some("No x process running")),
            (watched(1, None), 900, None),
            (watched(2, Some(3)), 1, Some("Too few x running (# = 1)")),
            (watched(2, Some(3)), 3, None),
            (watched(0, Some(0)), 0, None),
            (watched(0, Some(0)), 1, Some("Too many x running (# = 1)")),
        ] {
            assert_eq!(error(&watched, count).as_deref(), expected);
        }
    }

    #[test]
    fn programs_are_found_by_their_name_or_file() {
        let process = |name: &str, path: &str| Process {
            name: name.to_owned(),
            path: path.to_owned(),
            ..Process::default()
        };
        assert!(runs(&process("sshd", "sshd: /usr/sbin/sshd -D"), "sshd"));
        assert!(runs(
            &process("a-long-name-tha", "/usr/bin/a-long-name-that-goes-on"),
            "a-long-name-that-goes-on"
        ));
        assert!(!runs(
            &process("sshd-session", "/usr/lib/sshd-session"),
            "sshd"
        ));
    }
}
