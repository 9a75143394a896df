//! What packages are made of, without making one.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use varbind_testkit::peers::is_installed;

/// The highest exposure that `systemd-analyze security` may find.
const EXPOSURE: f64 = 2.5;
const SERVICES: [&str; 4] = [
    "varbind-agent.service",
    "varbind-collector.service",
    "varbind-pki-renew.service",
    "varbind-receiver.service",
];

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn metadata() -> toml::Table {
    let text = fs::read_to_string(workspace().join("crates/cli/Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    manifest["package"]["metadata"].as_table().unwrap().clone()
}

/// The sources of a package's files from its directory, without those that are built.
fn sources(package: &str) -> Vec<(String, String)> {
    let metadata = metadata();
    let assets = metadata[package]["assets"].as_array().unwrap();
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let both = |asset: &toml::Value| match asset {
        toml::Value::Array(fields) => (text(&fields[0]), text(&fields[1])),
        table => (text(&table["source"]), text(&table["dest"])),
    };
    let is_built =
        |source: &str| source.starts_with("target/") || source.contains("packaging/generated/");
    let all = assets.iter().map(both);
    all.filter(|(source, _)| !is_built(source)).collect()
}

#[test]
fn all_files_of_packages_exist() {
    for (package, directory) in [
        ("deb", workspace().join("crates/cli")),
        ("generate-rpm", workspace().to_owned()),
    ] {
        let sources = sources(package);
        assert!(sources.len() > 8, "{sources:?}");
        for (source, _) in sources {
            assert!(directory.join(&source).is_file(), "{package}: {source}");
        }
    }
    let metadata = metadata();
    for script in ["post_install_script", "pre_uninstall_script"] {
        let script = metadata["generate-rpm"][script].as_str().unwrap();
        assert!(workspace().join(script).is_file(), "{script}");
    }
    let scripts = metadata["deb"]["maintainer-scripts"].as_str().unwrap();
    for script in ["postinst", "prerm", "postrm"] {
        let script = workspace().join("crates/cli").join(scripts).join(script);
        let text = fs::read_to_string(&script).unwrap();
        let status = Command::new("sh").arg("-n").arg(&script).status().unwrap();
        assert!(
            status.success() && text.contains("#DEBHELPER#"),
            "{}",
            script.display()
        );
    }
}

#[test]
fn both_packages_have_the_same_files() {
    let installed = |package: &str| {
        let mut names: Vec<_> = sources(package)
            .into_iter()
            .map(|(_, installed)| installed.trim_start_matches('/').to_owned())
            .filter(|name| name.starts_with("usr/lib/"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(installed("deb"), installed("generate-rpm"));
    let units = fs::read_dir(workspace().join("packaging/systemd")).unwrap();
    // Besides the units, users and directories.
    assert_eq!(installed("deb").len(), units.count() + 2);
}

#[test]
fn units_are_hardly_exposed() {
    if !is_installed("systemd-analyze") {
        return;
    }
    for unit in SERVICES {
        let output = Command::new("systemd-analyze")
            .args(["security", "--offline=yes"])
            .arg(workspace().join("packaging/systemd").join(unit))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, level) = text.split_once("Overall exposure level for ").unwrap();
        let level: f64 = level.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(level <= EXPOSURE, "{unit}: {level}");
    }
}
