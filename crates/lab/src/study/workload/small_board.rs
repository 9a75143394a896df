use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use crate::measurement::TransportKind;

/// The environment variable that names the file with the figures.
const FILE: &str = "VARBIND_SMALL_BOARD";

/// What a get costs an agent that was built for a small board and is run by an emulator. It is read from the file that
/// `VARBIND_SMALL_BOARD` names, which `scripts/small-board` writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallBoardTask {
    /// The processor it was built for, as `aarch64`.
    pub architecture: String,
    /// The version with its security, as `v3-tsm`.
    pub version: String,
    /// The transport.
    pub transport: TransportKind,
}

/// One of the figures in such a file.
#[derive(Debug, Deserialize)]
struct Figures {
    architecture: String,
    version: String,
    transport: TransportKind,
    instructions_per_exchange: f64,
    /// In octets.
    resident: f64,
}

impl SmallBoardTask {
    pub(in super::super) fn is_possible(subject: SubjectName) -> Result<(), String> {
        match subject {
            SubjectName::Varbind => Ok(()),
            SubjectName::NetSnmp => {
                Err("our agent alone is built for the processors of small boards".to_owned())
            }
        }
    }

    pub(super) fn observe(&self) -> Result<Observation, String> {
        let file = std::env::var_os(FILE).ok_or_else(|| {
            format!(
                "{FILE} names no file with figures of small boards: `scripts/small-board --output FILE` makes one where compilers \
                 and emulators for their processors are installed"
            )
        })?;
        self.read(Path::new(&file))
    }

    fn read(&self, path: &Path) -> Result<Observation, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| told(&error))?;
        let all: Vec<Figures> = serde_json::from_str(&text).map_err(|error| told(&error))?;
        let is_it = |one: &Figures| {
            one.architecture == self.architecture
                && one.version == self.version
                && one.transport == self.transport
        };
        let found = all.into_iter().find(is_it).ok_or_else(|| {
            let (version, transport) = (&self.version, self.transport);
            told(&format!(
                "it has no {version} over {transport} on {}",
                self.architecture
            ))
        })?;
        let mut observation = Observation::default();
        observation.note(Measure::Instructions, found.instructions_per_exchange);
        observation.note(Measure::Resident, found.resident);
        Ok(observation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_or_their_absence_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("boards.json");
        let text = r#"[{"architecture": "aarch64", "request": "get", "version": "v2c", "transport": "udp",
            "instructions_per_exchange": 9000, "resident": 4096000}]"#;
        fs::write(&path, text).unwrap();
        let task = |architecture: &str| SmallBoardTask {
            architecture: architecture.to_owned(),
            version: "v2c".to_owned(),
            transport: TransportKind::Udp,
        };
        let found = task("aarch64").read(&path).unwrap().measures;
        assert_eq!(found.get(&Measure::Instructions), Some(&9000.0));
        assert_eq!(found.get(&Measure::Resident), Some(&4_096_000.0));
        let error = task("armv7").read(&path).unwrap_err();
        assert!(error.contains("no v2c over udp on armv7"), "{error}");
        fs::write(&path, "[").unwrap();
        let error = task("armv7").read(&path).unwrap_err();
        assert!(error.contains("boards.json: "), "{error}");
    }
}
