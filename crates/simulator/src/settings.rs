//! The files and overrides from which a simulation is loaded.

use std::io;
use std::path::{Path, PathBuf};

use varbind::transport::TransportAddress;

use crate::device::AddressRange;

/// The configuration in a folder of recordings.
pub const CONFIGURATION_FILE: &str = "simulation.toml";

/// The files of a simulation, and settings that override its configuration.
#[derive(Clone, Debug, Default)]
pub struct SimulationSettings {
    /// The folder with recordings, or one recording.
    pub folder: PathBuf,
    /// The configuration, if there is one.
    pub configuration: Option<PathBuf>,
    /// The addresses to listen on.
    pub listen: Vec<TransportAddress>,
    /// A device at each of these addresses, instead of the groups of the configuration.
    pub addresses: Option<AddressRange>,
    /// The communities of groups that name none.
    pub communities: Vec<String>,
    /// The seed of all random choices.
    pub seed: Option<u64>,
    /// Whether sysUpTime and counters advance in groups that do not set it.
    pub live: bool,
}

impl SimulationSettings {
    /// A folder, a recording, or a configuration, whose folder has the recordings.
    ///
    /// # Errors
    /// When the path does not exist.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        let is_configuration = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        if !is_configuration || path.is_dir() {
            return Self::of_folder(path);
        }
        std::fs::metadata(path)?;
        let folder = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        Ok(Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            configuration: Some(path.to_owned()),
            ..Self::default()
        })
    }

    /// A folder, or a recording, and the configuration in it.
    ///
    /// # Errors
    /// When there is neither.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let is_folder = std::fs::metadata(folder)?.is_dir();
        let configuration = Some(folder.join(CONFIGURATION_FILE));
        Ok(Self {
            folder: folder.to_owned(),
            configuration: configuration.filter(|path| is_folder && path.exists()),
            ..Self::default()
        })
    }
}
