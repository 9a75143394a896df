use std::fmt::Write;

use varbind_codec::smi::VarBind;
use varbind_mib::{Mib, OutputOptions, format_var_bind};

use crate::cases::{LETTERS, var_binds};
use crate::peer::NetSnmp;
use crate::responder::Responder;

/// What Net-SNMP 5.9.3 printed, under a heading for each set of letters.
const SAMPLES: &str = include_str!("../samples/display.txt");

/// Combinations of letters are only compared where Net-SNMP is installed.
fn is_sampled(letters: &str) -> bool {
    letters.len() <= 1
}

fn ours(letters: &str) -> String {
    let mib = Mib::builtin();
    let mut options = OutputOptions::parse(letters).expect("known letters");
    // Net-SNMP leaves them as they are.
    options.line_breaks = true;
    let mut out = String::new();
    for VarBind { name, value } in var_binds() {
        format_var_bind(&mib, &options, name.arcs(), value.as_value_ref(), &mut out);
        out.push('\n');
    }
    out
}

fn assert_same(letters: &str, ours: &str, theirs: &str) {
    let mut differences = String::new();
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        if ours != theirs {
            let _ = writeln!(differences, "  ours   {ours}\n  theirs {theirs}");
        }
    }
    assert!(differences.is_empty(), "-O{letters}\n{differences}");
    assert_eq!(ours.lines().count(), theirs.lines().count(), "-O{letters}");
}

#[test]
fn variable_bindings_look_like_the_samples() {
    let mut rest = SAMPLES;
    for letters in LETTERS.iter().filter(|letters| is_sampled(letters)) {
        let heading = format!("# -O{letters}\n");
        rest = rest.strip_prefix(&heading).expect("the next heading");
        let end = rest.find("\n# -O").map_or(rest.len(), |end| end + 1);
        let (theirs, after) = rest.split_at(end);
        assert_same(letters, &ours(letters), theirs);
        rest = after;
    }
    assert_eq!(rest, "");
}

/// With `VARBIND_WRITE_SAMPLES` set, the samples are written anew.
#[test]
fn variable_bindings_look_like_those_of_snmpget() {
    let Some(net_snmp) = NetSnmp::find() else {
        return;
    };
    let responder = Responder::start(var_binds());
    let mut samples = String::new();
    let mut all = Vec::new();
    for letters in LETTERS {
        let mut arguments: Vec<String> = ["-v2c", "-cpublic", "-r0", "-t5"]
            .iter()
            .map(|&argument| argument.to_owned())
            .collect();
        if !letters.is_empty() {
            arguments.push(format!("-O{letters}"));
        }
        arguments.push(format!("127.0.0.1:{}", responder.port));
        arguments.extend(
            var_binds()
                .iter()
                .map(|var_bind| format!(".{}", var_bind.name)),
        );
        let output = net_snmp.run("snmpget", &arguments);
        assert!(output.status.success(), "{output:?}");
        let theirs = String::from_utf8_lossy(&output.stdout).into_owned();
        if is_sampled(letters) {
            let _ = write!(samples, "# -O{letters}\n{theirs}");
        }
        all.push((letters, theirs));
    }
    if std::env::var_os("VARBIND_WRITE_SAMPLES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/display.txt");
        std::fs::write(path, samples).expect("the samples can be written");
    }
    for (letters, theirs) in all {
        assert_same(letters, &ours(letters), &theirs);
    }
}
