//! snmpusm and snmpvacm: each deletes what the other program has created.

use super::{command, compare, cut_usage};
use crate::program::Outcome;
use crate::snmpd::Snmpd;

/// What is done for a new user: tool, command and the word for success; the second part undoes it.
const CREATION: [(&str, &str, &str); 8] = [
    ("snmpusm", "create jo admin", "User successfully created.\n"),
    ("snmpusm", "-Ca passwd maplesyrup crabapple jo", CHANGED),
    ("snmpusm", "-Cx passwd applesauce elderberry jo", CHANGED),
    (
        "snmpusm",
        "deactivate jo",
        "User successfully deactivated.\n",
    ),
    ("snmpusm", "activate jo", "User successfully activated.\n"),
    (
        "snmpvacm",
        "createSec2Group 3 jo guests",
        "Sec2group successfully created.\n",
    ),
    (
        "snmpvacm",
        "createView seen .1.3.6.1.2.1.1 ff:80",
        "View successfully created.\n",
    ),
    (
        "snmpvacm",
        "createAccess guests 3 1 1 seen none none",
        "Access successfully created.\n",
    ),
];
const DELETION: [(&str, &str, &str); 4] = [
    (
        "snmpvacm",
        "deleteAccess guests 3 1",
        "Access successfully deleted.\n",
    ),
    (
        "snmpvacm",
        "deleteView seen .1.3.6.1.2.1.1",
        "View successfully deleted.\n",
    ),
    (
        "snmpvacm",
        "deleteSec2Group 3 jo",
        "Sec2group successfully deleted.\n",
    ),
    ("snmpusm", "delete jo", "User successfully deleted.\n"),
];
const CHANGED: &str = "SNMPv3 Key(s) successfully changed.\n";
const ADMIN: &str = "createUser admin SHA maplesyrup AES applesauce\nrwuser admin priv\n";

/// Runs a tool as the administrator.
fn administer(target: &str, is_ours: bool, tool: &str, line: &str) -> Outcome {
    let session = "-v3 -u admin -l authPriv -a SHA -A maplesyrup -x AES -X applesauce";
    let words = session.split(' ').chain([target]).chain(line.split(' '));
    let words: Vec<&str> = words.collect();
    let mut outcome: Outcome = command(tool, is_ours, &words).output().unwrap().into();
    cut_usage(&mut outcome);
    outcome
}

#[test]
fn users_and_rights_are_changed_as_by_the_tools() {
    let Some(snmpd) = Snmpd::start_with(ADMIN) else {
        return;
    };
    let target = snmpd.target();
    let succeed = |is_ours: bool, (tool, line, done): &(&str, &str, &str)| {
        let outcome = administer(&target, is_ours, tool, line);
        let all = format!("{}{}", outcome.output, outcome.errors);
        assert_eq!((all.as_str(), outcome.code), (*done, Some(0)), "{line}");
    };
    // What one has created the other deletes.
    for is_ours in [true, false] {
        CREATION.iter().for_each(|step| succeed(is_ours, step));
        let words = "-v3 -u jo -l authPriv -a SHA -A crabapple -x AES -X elderberry";
        let words = words
            .split(' ')
            .chain([target.as_str(), "1.3.6.1.2.1.1.7.0"]);
        compare("snmpget", &words.collect::<Vec<_>>());
        DELETION.iter().for_each(|step| succeed(!is_ours, step));
    }
    for (tool, line) in [
        ("snmpusm", "create jo nobody"),
        ("snmpusm", "activate nobody"),
        ("snmpvacm", "createView seen .1.3.6.1.2.1.1 zz"),
    ] {
        let [ours, theirs] = [true, false].map(|is_ours| administer(&target, is_ours, tool, line));
        let shown = |outcome: &Outcome| (outcome.code, outcome.output.clone());
        assert_eq!(shown(&ours), shown(&theirs), "{line} {ours:?} {theirs:?}");
    }
}
