//! Links to this program that have the names of Net-SNMP's tools, beside the tools themselves.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use varbind_testkit::peers::free_port;

use crate::program::Outcome;
use crate::snmpd::Snmpd;

const USERS: &str = "\
createUser ops SHA maplesyrup AES applesauce
rwuser ops auth
createUser noa
rouser noa noauth
";

/// A tool, theirs or ours, with what both need to know of a few modules.
fn command(tool: &str, is_ours: bool, arguments: &[&str]) -> Command {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manager/mibs");
    let mut command = match is_ours {
        true => Command::new(env!("CARGO_BIN_EXE_varbind")),
        false => Command::new(tool),
    };
    command
        .arg0(tool)
        .args(arguments)
        .env(
            "MIBS",
            "SNMPv2-MIB:IF-MIB:NET-SNMP-MIB:SNMP-VIEW-BASED-ACM-MIB",
        )
        .env("MIBDIRS", modules)
        .env("SNMPCONFPATH", "/nonexistent")
        .env("HOME", "/nonexistent")
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null());
    command
}

/// The errors, of usage only the first lines: what follows is another text.
fn told(outcome: &mut Outcome) {
    // These name their options there.
    for tool in ["snmpdf", "snmpdelta", "snmpusm", "snmpvacm"] {
        for heading in ["USAGE", "Usage"] {
            if let Some(at) = outcome.errors.find(&format!("{heading}: {tool}")) {
                outcome.errors.truncate(at);
            }
        }
    }
    if let Some(at) = outcome.errors.find("USAGE: ") {
        let end = outcome.errors.get(at..).and_then(|rest| rest.find('\n'));
        outcome.errors.truncate(at + end.unwrap_or(0));
    }
}

fn compare(tool: &str, arguments: &[&str]) {
    let run = |is_ours| {
        let output = command(tool, is_ours, arguments).output().unwrap();
        let mut outcome: Outcome = output.into();
        told(&mut outcome);
        outcome
    };
    assert_eq!(run(true), run(false), "{tool} {arguments:?}");
}

/// Invocations of a tool; `A` stands for the address of an agent, `N` for a port where none is.
fn compare_lines(snmpd: &Snmpd, lines: &[&str]) {
    let (agent, nobody) = (snmpd.target(), format!("127.0.0.1:{}", free_port()));
    for line in lines {
        let words = line.split(' ').map(|word| match word {
            "A" => agent.as_str(),
            "N" => nobody.as_str(),
            "''" => "",
            word => word,
        });
        let words: Vec<&str> = words.collect();
        compare(words[0], &words[1..]);
    }
}

#[test]
fn answers_are_written_as_by_the_tools() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    compare_lines(
        &snmpd,
        &[
            "snmpget -v2c -c public A sysServices.0 ifDescr.1 ifAdminStatus.1 sysObjectID.0",
            "snmpget A -v 2c SNMPv2-MIB::sysServices.0 -c public",
            "snmpget -v2c -c public A sysDescr.7 .1.4 1.3.6.1.4.1.9999.0",
            "snmpget -v1 -c public A sysServices.0 sysDescr.7 ifDescr.1",
            "snmpget -v1 -c public -Cf A sysServices.0 sysDescr.7 ifDescr.1",
            "snmpget -v1 -c public A sysDescr.7",
            "snmpget -v3 -u ops -l authNoPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 -u ops -l ap -a SHA -A maplesyrup -x AES -X applesauce A sysServices.0",
            "snmpget -u noa A sysServices.0",
            "snmpget -3u noa -3l nanp A sysServices.0",
            "snmpget -v2c -c public -Is 0 A sysServices",
            "snmpget -v2c -c public -IS sys -Is.0 A Services",
            "snmpget -v2c -c public -Ib A sysServ",
            "snmpget -v2c -c public -Ir -Pu -Ih A sysServices.0",
            "snmpgetnext -v2c -c public A sysLocation ifDescr",
            "snmpgetnext -v1 -c public A 1.3.6.1.9 sysLocation",
            "snmpbulkget -v2c -c public -Cn1r3 A sysLocation ifAdminStatus",
            "snmpwalk -v2c -c public A ifDescr",
            "snmpwalk -v1 -c public A ifAdminStatus",
            "snmpwalk -v2c -c public -Cp A sysServices",
            "snmpwalk -v2c -c public -Cp A sysServices.0",
            "snmpwalk -v2c -c public -CI A sysServices.0",
            "snmpwalk -v2c -c public -Ci A sysServices.0",
            "snmpwalk -v2c -c public -CE ifDescr.2 A ifDescr",
            "snmpwalk -v1 -c public A 1.3.6.1.9",
            "snmpwalk -v2c -c public A 1.3.6.1.9",
            "snmpbulkwalk -v2c -c public -Cr2 -Cp A vacmGroupName",
            "snmpset -v2c -c private A sysName.0 s box sysContact.0 = me",
            "snmpset -v2c -c private -Cq A sysName.0 x 6162",
        ],
    );
}

#[test]
fn errors_have_the_words_of_the_tools() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    compare_lines(
        &snmpd,
        &[
            "snmpget -v2c -c public A sysDecsr.0 sysServices.0 IF-MIB::nope.1 1.3.x.1 1..3",
            "snmpget -v2c -c wrong -r0 -t0.2 A sysServices.0",
            "snmpwalk -v2c -c wrong -r0 -t0.2 A sysServices.0",
            "snmpbulkwalk -v2c -c public -r1 -t0.1 N sysServices.0",
            "snmpget -v3 -u noa -r0 -t0.2 N sysServices.0",
            "snmpwalk -v3 -u noa -r0 -t0.2 N sysServices.0",
            "snmpget -v2c -c public host.invalid sysServices.0",
            "snmpget -v2c -c public tcp:N sysServices.0",
            "snmpget -v3 -u nope A sysServices.0",
            "snmpget -v3 -u nope A SNMPv2-MIB::sysServices.0",
            "snmpwalk -v3 -u ops -l authNoPriv -a SHA -A wrongpassword A 1.3.6.1.2.1.1.7.0",
            "snmpget -v3 -u ops -l authNoPriv -A maplesyrup A 1.3.6.1.2.1.1.7.0",
            "snmpget -v3 -u ops -l authPriv -a SHA -A maplesyrup -x AES -X wrongpass -r0 -t0.3 A 1.3",
            "snmpget -v3 -u ops -l authNoPriv -a SHA -A short A sysServices.0",
            "snmpget -v3 -u noa -l authNoPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 -u ops A sysServices.0",
            "snmpget -v3 -u ops -l authNoPriv A sysServices.0",
            "snmpget -v3 -u ops -l authPriv -a SHA -A maplesyrup A sysServices.0",
            "snmpget -v3 A sysServices.0",
            "snmpset -v2c -c public A sysName.0 s x",
            "snmpset -v2c -c private A sysServices.0 i 3",
            "snmpset -v1 -c private A sysServices.0 i 3",
            "snmpset -v2c -c private A sysName.0 i 5",
            "snmpset -v2c -c private A sysName.0 n x",
            "snmpset -v2c -c private A sysName.0 q x",
            "snmpset -v2c -c private A sysName.0 s",
            "snmpset -v2c -c private A sysName.0",
            "snmpset -v2c -c private A ifAdminStatus.1 i 77",
            "snmpset -v2c -c private A ifAdminStatus.1 i foo",
            "snmpset -v2c -c private A sysName.0 x 4g sysUpTime.0 t x",
            "snmpset -v2c -c private A sysObjectID.0 o sysFoo",
            "snmpset -v2c -c private -Ir A sysName.0 i 5",
            "snmpwalk -v2c -c public A sysNope",
            "snmpbulkwalk -v1 -c public A sysDescr",
            "snmpbulkget -v2c -Cn3 -c public A sysDescr",
            "snmpget -v2c -c public -Ln A sysNope.0",
            "snmpget -v2c -c public -Lo A sysNope.0",
        ],
    );
}

#[test]
fn wrong_command_lines_end_as_those_of_the_tools() {
    let Some(snmpd) = Snmpd::start() else { return };
    compare_lines(
        &snmpd,
        &[
            "snmpget",
            "snmpget -h",
            "snmpget -V",
            "snmpget --version",
            "snmpget -v2c -c public",
            "snmpget -v2c A sysServices.0",
            "snmpget -v2c -c public A",
            "snmpset -v2c -c public A",
            "snmpget -v4 A",
            "snmpget -OZ A",
            "snmpget -Iz A",
            "snmpget -Pz A",
            "snmpget -Lz",
            "snmpget -K A",
            "snmpget -c",
            "snmpget -t x A",
            "snmpget -r x A",
            "snmpget -l foo A",
            "snmpget -a foo A",
            "snmpget -x foo A",
            "snmpget -e 12 A",
            "snmpget -3z",
            "snmpget -T foo",
            "snmpget -Cx A",
            "snmpwalk -Cx A",
            "snmpbulkwalk -Cr -v2c -c public A sysServices",
            "snmptable -v2c -c public A",
            "snmptable -v2c -c public A sysDescr",
            "snmptable -v2c -c public A 1.3.6.1.4.1.99",
            "snmptranslate",
            "snmptranslate foo",
            "snmptranslate -IR foo",
            "snmptranslate -Tq",
        ],
    );
}

#[test]
fn notifications_end_as_those_of_the_tools() {
    let Some(snmpd) = Snmpd::start() else { return };
    compare_lines(
        &snmpd,
        &[
            "snmptrap -v2c -c public N",
            "snmptrap -v2c -c public N 0",
            "snmptrap -v2c -c public N '' nope",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 s",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 i 5",
            "snmptrap -v2c -c public N '' 1.3.6.1.6.3.1.1.5.1 sysName.0 s x",
            "snmpinform -v2c -c public -t0.2 -r0 N '' 1.3.6.1.6.3.1.1.5.1",
            "snmptrap -v1 -c public N foo '' 1 0 ''",
            "snmptrap -v1 -c public N 1.3.6.1.4.1.9 1.2.3.4 6 1 0",
            "snmptrap -v1 -c public N 1.3.6.1.4.1.9 host.invalid 6 1 0",
            "snmptrap -v1 -c public N '' '' 1",
            "snmpinform -v1 -c public N '' '' 1 0 ''",
        ],
    );
}

/// What a tool says of a host, but for numbers, which change, and the address of its own end.
fn shape(tool: &str, is_ours: bool, words: &[&str]) -> Outcome {
    let mut outcome: Outcome = command(tool, is_ours, words).output().unwrap().into();
    told(&mut outcome);
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
    told(&mut outcome);
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

#[test]
fn output_options_do_what_they_do_there() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    for letters in [
        "0", "a", "b", "e", "E", "f", "n", "q", "Q", "s", "S", "t", "T", "u", "U", "v", "x", "X",
        "qv", "vQ", "nqe", "qq", "fX", "sb",
    ] {
        let output = format!("-O{letters}");
        let words = ["-v2c", "-c", "public", &output, &target];
        let names = [
            "sysServices.0",
            "ifDescr.1",
            "ifPhysAddress.2",
            "ifAdminStatus.1",
            "sysContact.0",
        ];
        compare("snmpget", &[words.as_slice(), names.as_slice()].concat());
        compare("snmpwalk", &[words.as_slice(), &["vacmGroupName"]].concat());
    }
}

#[test]
fn tables_are_laid_out_as_by_snmptable() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    for options in [
        &[][..],
        &["-Ci"],
        &["-Cb"],
        &["-Cbi", "-Cw", "40"],
        &["-Cl"],
        &["-Cf", ","],
        &["-CiHf", "|"],
        &["-Ch"],
        &["-Cc", "12"],
        &["-Cic", "8", "-Cw", "20"],
        &["-CB", "-Ci"],
        &["-CBr", "2"],
        &["-Os", "-Ci"],
        &["-OX", "-Ci"],
        &["-Of", "-Ci"],
        &["-v1", "-Ci"],
    ] {
        let rest = ["-v2c", "-c", "public", &target, "vacmSecurityToGroupTable"];
        let mut words = [options, rest.as_slice()].concat();
        if options.contains(&"-v1") {
            words.retain(|word| *word != "-v2c");
        }
        compare("snmptable", &words);
    }
    compare("snmptable", &["-v2c", "-c", "public", &target, "vacmNone"]);
}

#[test]
fn names_are_translated_as_by_snmptranslate() {
    if !varbind_testkit::peers::is_installed("snmptranslate") {
        return;
    }
    for line in [
        "sysDescr.0",
        "-IR sysDescr.0",
        "-On -IR sysDescr.0",
        "-Of SNMPv2-MIB::sysDescr.0",
        ".1.3.6.1.2.1.1.1.0",
        "SNMPv2-MIB::sysDescr.0 1.3.6",
        "-Ib sysServ",
        "-OX IF-MIB::ifDescr.1",
    ] {
        compare("snmptranslate", &line.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn without_modules_names_are_numbers() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    for words in [
        &[
            "-m",
            "",
            "-v2c",
            "-c",
            "public",
            &target,
            "1.3.6.1.2.1.1.7.0",
        ][..],
        &[
            "-m",
            ":",
            "-v2c",
            "-c",
            "public",
            &target,
            "iso.3.6.1.2.1.1.2.0",
        ],
        &["-m", "", "-v2c", "-c", "public", &target, "sysServices.0"],
    ] {
        compare("snmpget", words);
    }
}

/// The link and the option lead to the same.
#[test]
fn the_option_and_a_link_are_the_tool() {
    let Some(snmpd) = Snmpd::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("snmpget");
    symlink(env!("CARGO_BIN_EXE_varbind"), &link).unwrap();
    let words = ["-v2c", "-c", "public", &snmpd.target(), "sysNope.0"];
    let linked: Outcome = Command::new(&link).args(words).output().unwrap().into();
    let told = "sysNope.0: Unknown Object Identifier (Sub-id not found: (top) -> sysNope)\n";
    assert_eq!((linked.errors.as_str(), linked.code), (told, Some(1)));
    let by_option = Command::new(env!("CARGO_BIN_EXE_varbind"))
        .arg("get")
        .args(words)
        .arg("--net-snmp-output")
        .output();
    assert_eq!(Outcome::from(by_option.unwrap()), linked);
}

#[test]
fn snmp_conf_fills_what_the_command_line_leaves_open() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmp.conf");
    let read = |text: &str, words: &[&str]| {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let run = |is_ours| -> Outcome {
            let mut command = command("snmpget", is_ours, words);
            command
                .env("SNMPCONFPATH", directory.path())
                .env_remove("MIBS");
            command.output().unwrap().into()
        };
        let (ours, theirs) = (run(true), run(false));
        assert_eq!(ours, theirs, "{text} {words:?}");
        ours
    };
    let mibs = "mibs SNMPv2-MIB:IF-MIB\n";
    let community = format!("{mibs}defVersion 2c\ndefCommunity public\nretries 0\n");
    for (text, words) in [
        (community.clone(), &[target.as_str(), "sysServices.0"][..]),
        (
            format!("{community}printNumericOids yes\nquickPrinting 1\n"),
            &["-OS", &target, "sysServices.0"],
        ),
        (
            community.clone(),
            &["-t0.2", "--defCommunity=wrong", &target, "sysServices.0"],
        ),
        (
            format!(
                "{mibs}defSecurityName ops\ndefSecurityLevel authPriv\ndefAuthType SHA\n\
                     defAuthPassphrase \"maplesyrup\"\ndefPrivType AES\ndefPrivPassphrase applesauce\n"
            ),
            &[&target, "ifDescr.1"],
        ),
        (
            "mibs :\ndefVersion 1\ndefCommunity public\n".to_owned(),
            &[&target, "1.3.6.1.2.1.1.7.0"],
        ),
    ] {
        read(&text, words);
    }
    // Only ours warns.
    let secret = "defVersion 2c\ndefCommunity public\ndefPassphrase maplesyrup\n";
    fs::write(&file, secret).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let mut command = command("snmpget", true, &[&target, "sysServices.0"]);
    let outcome: Outcome = command
        .env("SNMPCONFPATH", directory.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(outcome.output, "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n");
    assert!(
        outcome.errors.contains("others can read it: chmod 600"),
        "{}",
        outcome.errors
    );
}
