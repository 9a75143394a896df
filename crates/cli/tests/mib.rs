//! The command mib, and names from modules in the other commands.
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A home directory with modules in it.
struct Home {
    directory: TempDir,
}

/// What a program wrote and how it ended.
struct Outcome {
    output: String,
    errors: String,
    code: Option<i32>,
}

impl Home {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = Self { directory };
        fs::create_dir_all(home.path("mibs/deeper")).unwrap();
        let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mib/tests/modules");
        for (name, place) in [
            ("VARBIND-EXAMPLE-MIB.txt", "mibs"),
            ("VARBIND-OLD-MIB.txt", "mibs/deeper"),
            ("VARBIND-BROKEN-MIB.txt", "mibs/deeper"),
        ] {
            fs::copy(modules.join(name), home.path(place).join(name)).unwrap();
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_varbind"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env("HOME", self.directory.path())
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_DATA_HOME")
            .env_remove("MIBS")
            .env_remove("MIBDIRS")
            .output()
            .unwrap();
        Outcome {
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments);
        assert_eq!(outcome.code, Some(0), "{}", outcome.errors);
        outcome.output
    }
}

const NUMBERS: &str = "1.3.6.1.4.1.32473.1.1.4.1.4.2.2.252.0.0.0.1.97";

#[test]
fn compiled_modules_are_known_to_all_commands() {
    let home = Home::new();
    let compiled = home.run(&["mib", "compile", "mibs"]);
    assert_eq!(compiled.code, Some(0), "{}", compiled.errors);
    assert!(
        compiled
            .errors
            .contains("VARBIND-BROKEN-MIB.txt:18:5: error: "),
        "{}",
        compiled.errors
    );
    assert!(
        compiled.errors.contains("varbind: 3 modules with "),
        "{}",
        compiled.errors
    );
    assert!(home.path(".local/share/varbind/mibs.catalog").is_file());
    let name = home.succeed(&["translate", NUMBERS]);
    assert_eq!(
        name,
        "VARBIND-EXAMPLE-MIB::exampleStatus.busy.'......'.'a'\n"
    );
    let number = home.succeed(&[
        "translate",
        "-On",
        "exampleStatus.busy.\"2:fc:0:0:0:1\".\"a\"",
    ]);
    assert_eq!(number.trim_end(), format!(".{NUMBERS}"));
    assert_eq!(
        home.succeed(&["translate", "-On", "VARBIND-OLD-MIB::oldTrap"]),
        ".1.3.6.1.4.1.32473.2.0.7\n"
    );
    // Without any module but those that are built in.
    let name = home.succeed(&["translate", "-m", "", "1.3.6.1.4.1.32473.2.0.7"]);
    assert_eq!(name, "SNMPv2-SMI::enterprises.32473.2.0.7\n");
    // A module that is not there is worth a warning only, as with Net-SNMP's tools.
    let unknown = home.run(&["translate", "-m", "NO-SUCH-MIB", "1.3.6"]);
    assert_eq!(
        (unknown.code, unknown.output.as_str()),
        (Some(0), "SNMPv2-SMI::dod\n")
    );
    assert!(
        unknown.errors.contains("NO-SUCH-MIB is not known"),
        "{}",
        unknown.errors
    );
}

#[test]
fn directories_are_compiled_when_they_are_named_and_again_when_they_change() {
    let home = Home::new();
    let known = |directory: &str| home.run(&["translate", "-M", directory, "-On", "oldGauge.0"]);
    assert_eq!(known("mibs/deeper").output, ".1.3.6.1.4.1.32473.2.1.0\n");
    let kept = || fs::read_dir(home.path(".cache/varbind")).unwrap().count();
    assert_eq!(kept(), 1);
    // Directories below are not looked into, as Net-SNMP does not.
    let unknown = known("mibs");
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.errors.contains("unknown object \"oldGauge\""),
        "{}",
        unknown.errors
    );
    assert_eq!(kept(), 2);
    fs::remove_file(home.path("mibs/deeper/VARBIND-OLD-MIB.txt")).unwrap();
    assert_eq!(known("mibs/deeper").code, Some(1));
    assert_eq!(kept(), 2);
    let nowhere = known("no-such-directory");
    assert_eq!(nowhere.code, Some(1));
    assert!(
        nowhere
            .errors
            .contains("none of the directories of MIB modules exists: no-such-directory; name others with -M or MIBDIRS"),
        "{}",
        nowhere.errors
    );
    let files = home.succeed(&["translate", "-M", "+mibs", "-On", "exampleMIB"]);
    assert_eq!(files, ".1.3.6.1.4.1.32473.1\n");
}

#[test]
fn a_catalog_can_be_kept_anywhere() {
    let home = Home::new();
    home.succeed(&["mib", "compile", "-q", "mibs", "-o", "my.catalog"]);
    let name = home.succeed(&["translate", "-M", "my.catalog", "-On", "oldGauge"]);
    assert_eq!(name, ".1.3.6.1.4.1.32473.2.1\n");
    fs::write(home.path("my.catalog"), "nonsense").unwrap();
    let damaged = home.run(&["translate", "-M", "my.catalog", "-On", "oldGauge"]);
    assert_eq!(damaged.code, Some(1));
    assert!(
        damaged
            .errors
            .contains("my.catalog: it is not a catalog of MIB modules"),
        "{}",
        damaged.errors
    );
    let nothing = home.run(&["mib", "compile", "no-such-directory"]);
    assert_eq!(nothing.code, Some(1));
    assert!(
        nothing.errors.contains("no-such-directory cannot be read"),
        "{}",
        nothing.errors
    );
}

#[test]
fn modules_and_objects_are_reported() {
    let home = Home::new();
    let list = home.succeed(&["mib", "list", "-M", "mibs"]);
    let line = list
        .lines()
        .find(|line| line.starts_with("VARBIND-EXAMPLE-MIB "))
        .unwrap();
    assert!(
        line.contains("SMIv2  2024-02-29") && line.ends_with("mibs/VARBIND-EXAMPLE-MIB.txt"),
        "{line}"
    );
    assert!(
        list.lines()
            .any(|line| line.starts_with("IF-MIB ") && line.ends_with("built in"))
    );
    let shown = home.succeed(&[
        "mib",
        "show",
        "-M",
        "mibs",
        "exampleStatus",
        "Temperature",
        "VARBIND-EXAMPLE-MIB",
    ]);
    for line in [
        "VARBIND-EXAMPLE-MIB::exampleStatus",
        "  OID         1.3.6.1.4.1.32473.1.1.4.1.4",
        "  Access      read-create",
        "  Syntax      RowStatus (INTEGER)",
        "  Index       exampleState, exampleAddress, IMPLIED exampleName",
        "    The status.",
        "VARBIND-EXAMPLE-MIB::Temperature",
        "  Hint        d-1",
        "  Syntax      INTEGER, -500 to 1000 or 2000",
        "  Updated     2024-02-29",
        "    The authors of varbind",
    ] {
        assert!(shown.lines().any(|known| known == line), "{line}\n{shown}");
    }
    assert!(
        home.succeed(&["mib", "show", "-m", "", "ifDescr"])
            .contains("  File        built in\n")
    );
    let unknown = home.run(&["mib", "show", "-m", "", "NoSuchThing"]);
    assert_eq!(unknown.code, Some(1));
}

#[test]
fn lint_fails_for_errors_only() {
    let home = Home::new();
    let broken = home.run(&["mib", "lint", "mibs/deeper/VARBIND-BROKEN-MIB.txt"]);
    assert_eq!(broken.code, Some(1));
    let place = "mibs/deeper/VARBIND-BROKEN-MIB.txt:18:5: error: ";
    assert!(
        broken.output.lines().any(|line| line.starts_with(place)),
        "{}",
        broken.output
    );
    assert!(broken.errors.contains("errors"), "{}", broken.errors);
    let good = home.run(&["mib", "lint", "mibs/VARBIND-EXAMPLE-MIB.txt"]);
    assert_eq!(good.code, Some(0), "{}{}", good.output, good.errors);
    fs::write(home.path("text"), "no module").unwrap();
    let none = home.run(&["mib", "lint", "text"]);
    assert_eq!(none.code, Some(1));
    assert!(
        none.errors
            .contains("text cannot be read: it has no MIB module"),
        "{}",
        none.errors
    );
}
