//! A simulation: recordings, the devices that play them, and their users.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use varbind::transport::TransportAddress;
use varbind_engine::clock::Instant;
use varbind_engine::security::SourceAddresses;
use varbind_engine::security::usm::Credentials;
use varbind_mib::Mib;

use crate::device::{Fleet, GroupError};
use crate::document::{Document, DocumentError};
use crate::recording::Library;
use crate::report::SimulationReport;
use crate::secure::SecureServers;
use crate::settings::SimulationSettings;

/// A user of SNMPv3, the same at all devices.
#[derive(Clone, Debug)]
pub struct SimulatedUser {
    /// msgUserName.
    pub name: String,
    /// The secrets, from which each device has keys of its own.
    pub credentials: Credentials,
}

/// A simulation that a [`Player`](crate::Player) plays.
#[derive(Debug)]
pub struct Simulation {
    /// The devices.
    pub fleet: Fleet,
    /// The addresses to listen on.
    pub listen: Vec<TransportAddress>,
    /// The sources from which communities are accepted.
    pub sources: SourceAddresses,
    /// The users of SNMPv3.
    pub users: Vec<SimulatedUser>,
    /// Certificates and keys for secure transports.
    pub secure: SecureServers,
    /// The recordings, kept to be used again when the configuration changes.
    pub library: Library,
}

/// Why a simulation cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The folder cannot be read.
    #[error("{}: the folder of recordings cannot be read: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no recording.
    #[error("{}: no recordings: put files named .snmprec, .snmpwalk or .jsonl there (varbind record HOST writes one)", folder.display())]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// The configuration cannot be used.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The groups conflict with each other.
    #[error(transparent)]
    Fleet(#[from] GroupError),
}

impl Simulation {
    /// Reads the recordings and the configuration.
    ///
    /// # Errors
    /// [`SimulationError`] with the problem.
    pub fn load(
        settings: &SimulationSettings,
    ) -> Result<(Self, SimulationReport), SimulationError> {
        Self::load_again(settings, &Library::default())
    }

    /// Reads them again; recordings that have not changed are those of `former`.
    ///
    /// # Errors
    /// [`SimulationError`] with the problem.
    pub fn load_again(
        settings: &SimulationSettings,
        former: &Library,
    ) -> Result<(Self, SimulationReport), SimulationError> {
        let document = Document::read(settings)?;
        let folder = &settings.folder;
        let library = Library::read(folder, &Mib::builtin(), former);
        let library = library.map_err(|source| SimulationError::Folder {
            folder: folder.clone(),
            source,
        })?;
        if library.is_empty() {
            return Err(SimulationError::Empty {
                folder: folder.clone(),
            });
        }
        let simulation = document.simulation(settings, library)?;
        let report = SimulationReport::of(&simulation);
        Ok((simulation, report))
    }

    /// This simulation in the place of a former one: groups with the same name and the same boots did not restart, and sockets
    /// stay where they are.
    pub(crate) fn after(self, former: &Self, now: Instant) -> Result<Self, GroupError> {
        let known: HashMap<_, _> = former
            .fleet
            .groups()
            .iter()
            .map(|group| (group.name.as_str(), group))
            .collect();
        let seed = self.fleet.seed();
        let mut groups = self.fleet.into_groups();
        for group in &mut groups {
            let same = known.get(group.name.as_str());
            group.started = match same.filter(|other| other.boots == group.boots) {
                Some(other) => other.started,
                None => now,
            };
        }
        Ok(Self {
            fleet: Fleet::new(seed, groups)?,
            listen: former.listen.clone(),
            ..self
        })
    }
}
