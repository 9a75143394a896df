//! snmpstatus, snmpdf and snmpdelta.

use varbind_testkit::peers::free_port;

use super::{command, cut_usage};
use crate::program::Outcome;
use crate::snmpd::Snmpd;

/// What a tool says of a host, but for numbers, which change, and the address of its own end.
fn shape(tool: &str, is_ours: bool, words: &[&str]) -> Outcome {
    let mut outcome: Outcome = command(tool, is_ours, words).output().unwrap().into();
    cut_usage(&mut outcome);
    let own = outcome.output.find("->").zip(outcome.output.find("]=>["));
    if let Some((start, end)) = own {
        outcome.output.replace_range(start..end, "");
    }
    let is_number = |c: char| c.is_ascii_digit();
    outcome.output = outcome
        .output
        .split(is_number)
        .filter(|part| !part.is_empty())
        .collect();
    outcome
}

#[test]
fn hosts_are_shown_as_by_the_tools() {
    let Some(snmpd) = Snmpd::start() else { return };
    let (agent, nobody) = (snmpd.target(), format!("127.0.0.1:{}", free_port()));
    for line in [
        "snmpstatus -v2c -c public A",
        "snmpstatus -v1 -c public A",
        "snmpstatus -v2c -c public -r0 -t0.2 N",
        "snmpstatus -v2c -c public -Cx A",
        "snmpstatus -v2c A",
        "snmpdf -v2c -c public A extra",
        "snmpdelta -v2c -c public A",
        "snmpdelta -v2c -c public A nope.0",
    ] {
        let words = line.split(' ').map(|word| match word {
            "A" => agent.as_str(),
            "N" => nobody.as_str(),
            word => word,
        });
        let words: Vec<&str> = words.collect();
        let (ours, theirs) = (
            shape(words[0], true, &words[1..]),
            shape(words[0], false, &words[1..]),
        );
        assert_eq!(ours, theirs, "{line}");
    }
    // Theirs needs the modules of HOST-RESOURCES-MIB.
    let df: Outcome = command("snmpdf", true, &["-v2c", "-c", "public", &agent])
        .output()
        .unwrap()
        .into();
    let heading = "Description              Size (kB)            Used       Available Used%\n";
    assert!(
        df.output.starts_with(heading) && df.output.contains("%\n"),
        "{df:?}"
    );
}
