//! What RESTCONF serves, checked by libyang's yanglint against the YANG modules that libsmi's smidump makes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::Home;
use crate::web::get;
use translation::translated;
use varbind_testkit::peers::{is_installed, skip};

mod translation;

const MODULES: [&str; 8] = [
    "SNMPv2-TC",
    "IANAifType-MIB",
    "INET-ADDRESS-MIB",
    "SNMPv2-MIB",
    "IF-MIB",
    "IP-MIB",
    "SNMP-FRAMEWORK-MIB",
    "SNMP-TARGET-MIB",
];
/// Those of them that have objects.
const SERVED: [&str; 3] = ["SNMPv2-MIB", "IF-MIB", "IP-MIB"];
/// Where MIB modules are, beside what the environment says.
const DIRECTORIES: [&str; 3] = [
    "/usr/share/snmp/mibs",
    "/usr/share/snmp/mibs/ietf",
    "/var/lib/mibs/ietf",
];
/// Where libyang has the types of RFC 6991.
const TYPES: &str = "/usr/share/yang/modules/libyang";

fn mib_directory() -> Option<PathBuf> {
    let named = std::env::var("VARBIND_MIB_DIRECTORY").ok();
    let known = DIRECTORIES.map(str::to_owned);
    let mut directories = named.into_iter().chain(known).map(PathBuf::from);
    directories.find(|directory| file(directory, "IF-MIB").is_some())
}

fn file(directory: &Path, module: &str) -> Option<PathBuf> {
    let named = |name: String| Some(directory.join(name)).filter(|file| file.exists());
    named(format!("{module}.txt")).or_else(|| named(module.to_owned()))
}

/// Writes the modules as RFC 6643 has them into a directory.
fn translate_modules(mibs: &Path, directory: &Path) {
    let configuration = directory.join("smi.conf");
    std::fs::write(&configuration, format!("path {}\n", mibs.display())).unwrap();
    for module in MODULES {
        let output = Command::new("smidump")
            .arg(format!("--config={}", configuration.display()))
            .args(["-f", "yang"])
            .arg(file(mibs, module).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let yang = translated(module, &text);
        std::fs::write(directory.join(format!("{module}.yang")), yang).unwrap();
    }
}

/// What yanglint finds wrong with data of a module; nothing if all is well.
fn check(directory: &Path, module: &str, kind: &str, data: &str) -> String {
    let file = directory.join(format!("{module}.yang"));
    check_with(directory, &file, kind, data)
}

fn check_with(directory: &Path, module: &Path, kind: &str, data: &str) -> String {
    let name = directory.join(format!("data.{kind}"));
    std::fs::write(&name, data).unwrap();
    let output = Command::new("yanglint")
        .args(["-t", "get", "-p", TYPES, "-p"])
        .arg(directory)
        .args([module, &name])
        .output()
        .unwrap();
    let mut told = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let _ = write!(told, "{}", output.status);
    }
    told
}

#[test]
fn yanglint_takes_what_is_served_for_data_of_the_translated_modules() {
    let Some(mibs) = mib_directory() else {
        return skip(
            "there is no IF-MIB: name a directory of MIB modules in VARBIND_MIB_DIRECTORY",
        );
    };
    for program in ["smidump", "yanglint"] {
        if !is_installed(program) {
            return;
        }
    }
    if !Path::new(TYPES).exists() {
        return skip("libyang's YANG modules are not where its package has them");
    }
    let directory = tempfile::tempdir().unwrap();
    translate_modules(&mibs, directory.path());
    let home =
        Home::new("listen = [\"udp:127.0.0.1:0\"]\n[web]\nlisten = [\"http://127.0.0.1:0\"]\n");
    let agent = home.start(2);
    for module in SERVED {
        let path = format!("/restconf/data/{module}:{module}");
        for kind in ["json", "xml"] {
            let answer = get(&agent.addresses[1], &path, kind).unwrap();
            let (head, data) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
            let told = check(directory.path(), module, kind, data);
            assert_eq!(told, "", "{module} in {kind}: {data}");
        }
    }
    // The library names the modules as the translation does, and is what its own module says.
    let path = "/restconf/data/ietf-yang-library:modules-state";
    let answer = get(&agent.addresses[1], path, "json").unwrap();
    let library = answer.split_once("\r\n\r\n").unwrap().1;
    let own = Path::new(TYPES).join("ietf-yang-library@2019-01-04.yang");
    assert_eq!(check_with(directory.path(), &own, "json", library), "");
    for module in SERVED {
        let yang =
            std::fs::read_to_string(directory.path().join(format!("{module}.yang"))).unwrap();
        let revision = yang.split("revision '").nth(1).unwrap();
        let revision = revision.split('\'').next().unwrap();
        let namespace = format!("urn:ietf:params:xml:ns:yang:smiv2:{module}");
        assert!(yang.contains(&format!("namespace '{namespace}'")));
        let entry = format!(
            "\"name\":\"{module}\",\"revision\":\"{revision}\",\"namespace\":\"{namespace}\""
        );
        assert!(library.contains(&entry), "{entry}: {library}");
    }
    // It does not take everything.
    let answer = get(&agent.addresses[1], "/restconf/data/IF-MIB:IF-MIB", "json").unwrap();
    let data = answer.split_once("\r\n\r\n").unwrap().1;
    for (right, wrong) in [
        ("\"ifIndex\":1,", "\"ifIndex\":0,"),
        ("softwareLoopback", "hardwareLoopback"),
        ("\"ifNumber\"", "\"ifNumbers\""),
        ("\"ifTable\"", "\"ifEntries\""),
    ] {
        assert!(data.contains(right), "{data}");
        let damaged = data.replacen(right, wrong, 1);
        let told = check(directory.path(), "IF-MIB", "json", &damaged);
        assert_ne!(told, "", "{wrong}");
    }
    // Nothing can be set there.
    assert!(!library.contains("varbind-deviations-IF-MIB"), "{library}");
    check_deviations(directory.path(), &agent.addresses[1], library);
    agent.signal("-TERM");
    assert!(agent.wait().success());
}

/// What can be set is announced as a deviation, in a module that fits those of the translation.
fn check_deviations(directory: &Path, address: &str, library: &str) {
    let library: serde_json::Value = serde_json::from_str(library).unwrap();
    let modules = &library["ietf-yang-library:modules-state"]["module"];
    let modules = modules.as_array().unwrap();
    let entry = |name: &str| {
        let mut entries = modules.iter();
        entries.find(|entry| entry["name"] == name).unwrap()
    };
    for (module, writable, read_only) in [
        (
            "SNMPv2-MIB",
            &["sysContact", "sysName", "snmpEnableAuthenTraps"][..],
            &["sysUpTime", "sysDescr", "snmpInPkts"][..],
        ),
        (
            "SNMP-TARGET-MIB",
            &["snmpTargetAddrTDomain", "snmpTargetParamsRowStatus"],
            &["snmpUnavailableContexts"],
        ),
    ] {
        let deviation = &entry(module)["deviation"][0];
        let deviations = entry(deviation["name"].as_str().unwrap());
        assert_eq!(deviations["revision"], deviation["revision"]);
        let url = deviations["schema"].as_str().unwrap();
        let path = url.strip_prefix("http://localhost").unwrap();
        let answer = get(address, path, "json").unwrap();
        let (head, text) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("application/yang"), "{head}");
        let file = directory.join(path.rsplit('/').next().unwrap());
        std::fs::write(&file, text).unwrap();
        let output = Command::new("yanglint")
            .args(["-p", TYPES, "-p"])
            .arg(directory)
            .args(["-f", "tree"])
            .args([directory.join(format!("{module}.yang")), file])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && errors.is_empty(),
            "{errors}\n{text}"
        );
        let tree = String::from_utf8(output.stdout).unwrap();
        let flags = |leaf: &str| {
            let mut lines = tree
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>());
            let line =
                lines.find(|line| line.iter().any(|word| word.trim_end_matches('?') == leaf));
            line.unwrap_or_else(|| panic!("{leaf}: {tree}")).join(" ")
        };
        for leaf in writable {
            assert!(flags(leaf).contains("rw "), "{}", flags(leaf));
        }
        for leaf in read_only {
            assert!(flags(leaf).contains("ro "), "{}", flags(leaf));
        }
    }
}
