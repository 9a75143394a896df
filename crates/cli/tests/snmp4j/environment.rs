//! Where SNMP4J is run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use varbind_testkit::peers::skip;

/// What is fetched, from Maven Central.
const ARTIFACT: &str = "org.snmp4j:snmp4j:3.9.4";
const JAR: &str = "snmp4j-3.9.4.jar";
const DIRECTORY: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/snmp4j-3.9.4");
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snmp4j/Peer.java");

/// The class path of the peer, which is compiled at the first call; `None` where that is not possible.
pub(crate) fn class_path() -> Option<String> {
    // Tests, and runs of them at the same time, prepare it once.
    fs::create_dir_all(DIRECTORY).unwrap();
    let lock = File::create(format!("{DIRECTORY}/lock")).unwrap();
    lock.lock().unwrap();
    match prepare() {
        Ok(path) => Some(path),
        Err(reason) => {
            skip(&format!("tests with SNMP4J: {reason}"));
            None
        }
    }
}

fn prepare() -> Result<String, String> {
    let directory = Path::new(DIRECTORY);
    let jar = directory.join(JAR);
    if !jar.exists() {
        run(Command::new("mvn").args([
            "-q",
            "-B",
            "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
            &format!("-Dartifact={ARTIFACT}"),
            &format!("-DoutputDirectory={DIRECTORY}"),
        ]))?;
    }
    let jar = jar.to_str().unwrap();
    if is_older(&directory.join("Peer.class"), Path::new(SOURCE)) {
        run(Command::new("javac").args(["-cp", jar, "-d", DIRECTORY, SOURCE]))?;
    }
    Ok(format!("{jar}:{DIRECTORY}"))
}

fn is_older(made: &Path, source: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    modified(made).is_none_or(|made| modified(source).is_some_and(|source| made < source))
}

/// A key with its certificates, and one that is trusted, in the form that Java reads.
pub(crate) struct Stores {
    pub(crate) key: PathBuf,
    pub(crate) trust: PathBuf,
}

pub(crate) const STORE_PASSWORD: &str = "of the store";

impl Stores {
    /// Of files in `directory`: NAME.pem, NAME-key.pem and ca.pem.
    pub(crate) fn make(directory: &Path, name: &str) -> Result<Self, String> {
        let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
        let stores = Self {
            key: directory.join(format!("{name}.p12")),
            trust: directory.join("trust.p12"),
        };
        run(Command::new("openssl").args([
            "pkcs12",
            "-export",
            "-in",
            &path(&format!("{name}.pem")),
            "-inkey",
            &path(&format!("{name}-key.pem")),
            "-name",
            name,
            "-out",
            stores.key.to_str().unwrap(),
            "-passout",
            &format!("pass:{STORE_PASSWORD}"),
        ]))?;
        run(Command::new("keytool").args([
            "-importcert",
            "-noprompt",
            "-alias",
            "ca",
            "-file",
            &path("ca.pem"),
            "-storetype",
            "PKCS12",
            "-keystore",
            stores.trust.to_str().unwrap(),
            "-storepass",
            STORE_PASSWORD,
        ]))?;
        Ok(stores)
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let mut told = String::from_utf8_lossy(&output.stdout).into_owned();
    told += &String::from_utf8_lossy(&output.stderr);
    let line = told.lines().find(|line| !line.trim().is_empty());
    Err(format!("{name} failed: {}", line.unwrap_or_default()))
}
