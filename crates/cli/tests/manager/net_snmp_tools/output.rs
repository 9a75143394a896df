//! Output options, tables and names.

use super::{USERS, compare};
use crate::snmpd::Snmpd;

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
