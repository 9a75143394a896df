//! The report on a simulation: recordings that were read, and their defects.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use varbind::transport::TransportAddress;

use crate::device::{AddressRange, Selection};
use crate::recording::ReadingReport;
use crate::simulation::Simulation;

/// How many recordings and other remarks are shown as text; [`SimulationReport::files`] has all.
const SHOWN: usize = 20;

/// A recording and the report of reading it.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// The name of the recording.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The report of reading it.
    #[serde(flatten)]
    pub reading: ReadingReport,
}

/// The report on all recordings and the configuration.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SimulationReport {
    /// How many devices there are.
    pub devices: u32,
    /// How many recordings they play.
    pub recordings: usize,
    /// The objects of all recordings.
    pub objects: u64,
    /// The octets that the recordings take in memory.
    pub octets: usize,
    /// Each recording.
    pub files: Vec<FileReport>,
    /// Files that were not read, and devices that no request reaches.
    pub warnings: Vec<String>,
}

impl SimulationReport {
    pub(crate) fn of(simulation: &Simulation) -> Self {
        let library = &simulation.library;
        let files = library.reports().map(|(name, file, reading)| FileReport {
            name: name.to_owned(),
            file: file.to_owned(),
            reading: reading.clone(),
        });
        let files: Vec<_> = files.collect();
        let recordings = library.matching("*");
        Self {
            devices: simulation.fleet.count(),
            recordings: files.len(),
            objects: files.iter().map(|file| file.reading.objects).sum(),
            octets: recordings.map(|(_, recording)| recording.octets()).sum(),
            files,
            warnings: [library.problems(), &unreachable(simulation)].concat(),
        }
    }

    /// Whether the recordings or the configuration have problems.
    #[must_use]
    pub fn has_remarks(&self) -> bool {
        !self.warnings.is_empty() || self.files.iter().any(|file| file.reading.has_remarks())
    }
}

/// Whether a socket receives what is sent to addresses, at a port if one is given.
fn is_reached(range: &AddressRange, port: Option<u16>, listen: &[TransportAddress]) -> bool {
    listen.iter().any(|address| {
        let own = address.port.unwrap_or(address.transport.agent_port());
        let is_port = port.is_none_or(|wanted| wanted == own || own == 0);
        match address.host.trim_matches(['[', ']']).parse() {
            // The name of a host: only the resolver knows.
            Err(_) => is_port,
            Ok(ip) => is_port && range.is_reached_by(ip),
        }
    })
}

/// The groups whose addresses or ports no socket has.
fn unreachable(simulation: &Simulation) -> Vec<String> {
    let listen = &simulation.listen;
    let groups = simulation.fleet.groups().iter();
    let unreachable = |group: &crate::device::DeviceGroup| {
        let Selection::Addresses(range, ports) = &group.selection else {
            return None;
        };
        // Of several ports, the first and the last speak for all.
        let wanted = ports.as_ref().map(|ports| [*ports.start(), *ports.end()]);
        let ports = wanted.map_or_else(|| vec![None], |ports| ports.map(Some).to_vec());
        let missing = ports
            .into_iter()
            .find(|port| !is_reached(range, *port, listen));
        let port = missing?;
        let name = &group.name;
        Some(match port {
            Some(port) => format!(
                "groups {name:?}: no socket receives requests to {range} at port {port}: listen on udp:0.0.0.0:{port}"
            ),
            None => format!(
                "groups {name:?}: no socket receives requests to {range}: listen on udp:0.0.0.0:1161"
            ),
        })
    };
    groups.filter_map(unreachable).collect()
}

impl fmt::Display for SimulationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in self.warnings.iter().take(SHOWN) {
            writeln!(f, "{warning}")?;
        }
        let remarkable = || self.files.iter().filter(|file| file.reading.has_remarks());
        for file in remarkable().take(SHOWN) {
            writeln!(f, "{}: {}", file.name, file.reading)?;
        }
        for (count, what) in [
            (self.warnings.len(), "warnings"),
            (remarkable().count(), "recordings with remarks"),
        ] {
            if let Some(more) = count.checked_sub(SHOWN).filter(|more| *more > 0) {
                writeln!(f, "and {more} more {what}")?;
            }
        }
        let megabytes = self.octets.div_ceil(1_000_000);
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(
            f,
            "{} device{}, {} recording{} with {} objects ({megabytes} MB)",
            self.devices,
            plural(self.devices.into()),
            self.recordings,
            plural(self.recordings as u64),
            self.objects
        )
    }
}
