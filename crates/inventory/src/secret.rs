//! Secrets, and where they come from.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;
use zeroize::Zeroize;

/// The time limit of a program that prints a secret: people may have to type something.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// No secret is longer.
const MAX_OUTPUT: u64 = 64 * 1024;

/// A secret in memory: never shown, and overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// A secret of these octets.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(octets.into())
    }

    /// Its octets.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The source of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretSource {
    /// The secret itself, from the inventory or the terminal.
    Value(Secret),
    /// The first line of this file.
    File(PathBuf),
    /// The first line that this program writes to standard output.
    Command(Vec<String>),
    /// A secret that cannot be read, with the reason. Only hosts that need it fail.
    Unusable(String),
}

/// The kind of a user's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// A password (RFC 3414 section 2.6).
    Password,
    /// A key for all engines, in hexadecimal digits.
    MasterKey,
    /// A key for one engine, in hexadecimal digits.
    LocalizedKey,
}

/// The secret of a user for authentication or privacy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Credential {
    /// Its kind.
    pub kind: KeyKind,
    /// Its source.
    pub source: SecretSource,
}

/// Why a secret cannot be read. The message never contains the secret or a part of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SecretError(pub(crate) String);

impl SecretSource {
    /// The secret.
    ///
    /// # Errors
    /// If the file cannot be read or others may read it, if the program fails or takes longer than a minute, or if the
    /// first line is empty.
    pub fn read(&self) -> Result<Secret, SecretError> {
        match self {
            Self::Value(secret) => Ok(secret.clone()),
            Self::File(path) => read_file(path),
            Self::Command(words) => run(words),
            Self::Unusable(reason) => Err(SecretError(reason.clone())),
        }
    }
}

fn read_file(path: &std::path::Path) -> Result<Secret, SecretError> {
    let shown = path.display();
    let unreadable =
        |error| SecretError(format!("the secret's file {shown} cannot be read: {error}"));
    let metadata = fs::metadata(path).map_err(unreadable)?;
    let mode = metadata.permissions().mode();
    if metadata.is_file() && mode & 0o004 != 0 {
        let problem =
            format!("the secret's file {shown} can be read by everybody: chmod 600 {shown}");
        return Err(SecretError(problem));
    }
    let mut content = fs::read(path).map_err(unreadable)?;
    let secret = first_line(&content).ok_or_else(|| {
        SecretError(format!(
            "the first line of the secret's file {shown} is empty"
        ))
    });
    content.zeroize();
    secret
}

fn first_line(content: &[u8]) -> Option<Secret> {
    let line = content.split(|&octet| octet == b'\n').next()?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (!line.is_empty()).then(|| Secret::new(line))
}

/// Runs a program, which may ask at the terminal, and takes the first line of its output.
fn run(words: &[String]) -> Result<Secret, SecretError> {
    let [program, arguments @ ..] = words else {
        return Err(SecretError("no program is named for the secret".to_owned()));
    };
    let failed = |reason: &dyn fmt::Display| {
        SecretError(format!("the program {program} printed no secret: {reason}"))
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    let Some(output) = child.stdout.take() else {
        return Err(failed(&"it has no output"));
    };
    // Read beside waiting: a program that writes much would wait for its reader.
    let reader = thread::spawn(move || read_output(output));
    let status = wait(&mut child).map_err(|error| failed(&error))?;
    let content = reader.join().unwrap_or_else(|_| Ok(Vec::new()));
    let mut content = content.map_err(|error| failed(&error))?;
    if !status.success() {
        return Err(failed(&status));
    }
    let secret = first_line(&content).ok_or_else(|| failed(&"its first line is empty"));
    content.zeroize();
    secret
}

fn read_output(output: ChildStdout) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    output.take(MAX_OUTPUT).read_to_end(&mut content)?;
    Ok(content)
}

/// Waits for the end of a program, and ends it if that takes too long.
fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > COMMAND_TIMEOUT {
            child.kill()?;
            child.wait()?;
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> SecretSource {
        SecretSource::Command(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("maplesyrup");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }

    #[test]
    fn the_first_line_of_a_program_is_the_secret() {
        let secret = command(&["printf", "maple syrup\\r\\nmore\\n"])
            .read()
            .unwrap();
        assert_eq!(secret.octets(), b"maple syrup");
    }

    #[test]
    fn programs_that_fail_are_named_without_their_output() {
        for (words, reason) in [
            (&["/nonexistent/program"][..], "No such file"),
            (&["sh", "-c", "echo sesame; exit 3"], "exit status: 3"),
            (&["true"], "first line is empty"),
        ] {
            let error = command(words).read().unwrap_err().to_string();
            assert!(
                error.contains(reason) && !error.contains("sesame"),
                "{error}"
            );
        }
    }

    #[test]
    fn files_that_everybody_may_read_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        fs::write(&path, "maple syrup\n").unwrap();
        for (mode, is_read) in [(0o600, true), (0o640, true), (0o644, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let read = SecretSource::File(path.clone()).read();
            assert_eq!(read.is_ok(), is_read, "{mode:o}: {read:?}");
        }
    }
}
