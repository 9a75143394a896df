use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::{Measure, Observation, SubjectName};
use crate::measurement::TransportKind;

/// The environment variable that names the file with the figures.
const FILE: &str = "VARBIND_SMALL_BOARD";
/// What agents are asked there.
const REQUEST: &str = "get";

/// What a get costs an agent that was built for a small board and is run by an emulator, as `scripts/small-board` found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallBoardTask {
    /// The processor it was built for, as `aarch64`.
    pub architecture: String,
    /// The version with its security, as `v3-tsm`.
    pub version: String,
    /// The transport.
    pub transport: TransportKind,
}

/// What `scripts/small-board` wrote, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallBoards {
    /// The file that was read.
    pub file: PathBuf,
    /// All its figures.
    pub figures: Vec<SmallBoardFigures>,
}

/// The figures of one kind of exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmallBoardFigures {
    /// The processor, as `aarch64`.
    pub architecture: String,
    /// The request, as `get`.
    pub request: String,
    /// The version with its security, as `v3-tsm`.
    pub version: String,
    /// The transport.
    pub transport: TransportKind,
    /// Instructions of the agent for an exchange, without those of the kernel.
    pub instructions_per_exchange: f64,
    /// The agent's memory in octets.
    pub resident: f64,
}

impl SmallBoards {
    /// What the file that the environment variable `VARBIND_SMALL_BOARD` names has; `None` if it names none.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn of_environment() -> Result<Option<Self>, String> {
        let file = std::env::var_os(FILE).map(PathBuf::from);
        let read = file.map(|file| {
            Self::read(&file).map_err(|error| format!("{FILE}: {}: {error}", file.display()))
        });
        read.transpose()
    }

    /// Whether these are the figures of `other`, and perhaps more.
    pub(in super::super) fn has_all_of(&self, other: &Self) -> bool {
        other
            .figures
            .iter()
            .all(|figures| self.figures.contains(figures))
    }

    fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        Ok(Self {
            file: file.to_owned(),
            figures: serde_json::from_str(&text).map_err(|error| error.to_string())?,
        })
    }
}

impl SmallBoardTask {
    pub(in super::super) fn is_possible(subject: SubjectName) -> Result<(), String> {
        subject
            .ours_alone(|| "our agent alone is built for the processors of small boards".to_owned())
    }

    pub(super) fn observe(&self, boards: Option<&SmallBoards>) -> Result<Observation, String> {
        let boards = boards.ok_or_else(|| {
            format!(
                "{FILE} names no file with figures of small boards: `scripts/small-board --output FILE` makes one where compilers \
                 and emulators for their processors are installed"
            )
        })?;
        let is_it = |one: &&SmallBoardFigures| {
            one.request == REQUEST
                && one.architecture == self.architecture
                && one.version == self.version
                && one.transport == self.transport
        };
        let found = boards.figures.iter().find(is_it).ok_or_else(|| {
            let (file, version, transport) = (&boards.file, &self.version, self.transport);
            format!(
                "{}: it has no {REQUEST} in {version} over {transport} on {}",
                file.display(),
                self.architecture
            )
        })?;
        let mut observation = Observation::default();
        observation.note(Measure::Instructions, found.instructions_per_exchange);
        observation.note(Measure::Memory, found.resident);
        Ok(observation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_or_their_absence_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("boards.json");
        let text = r#"[{"architecture": "aarch64", "request": "get", "version": "v2c", "transport": "udp",
            "instructions_per_exchange": 9000, "resident": 4096000}]"#;
        fs::write(&path, text).unwrap();
        let boards = SmallBoards::read(&path).unwrap();
        let task = |architecture: &str| SmallBoardTask {
            architecture: architecture.to_owned(),
            version: "v2c".to_owned(),
            transport: TransportKind::Udp,
        };
        let found = task("aarch64").observe(Some(&boards)).unwrap().measures;
        assert_eq!(found.get(&Measure::Instructions), Some(&9000.0));
        assert_eq!(found.get(&Measure::Memory), Some(&4_096_000.0));
        let error = task("armv7").observe(Some(&boards)).unwrap_err();
        assert!(error.contains("no get in v2c over udp on armv7"), "{error}");
        let error = task("armv7").observe(None).unwrap_err();
        assert!(error.contains("scripts/small-board"), "{error}");
        fs::write(&path, "[").unwrap();
        let error = SmallBoards::read(&path).unwrap_err();
        assert!(error.contains("line 1"), "{error}");
    }
}
