use serde::{Deserialize, Serialize};

/// Where and with what a report was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// When it began, in UTC (ISO 8601).
    pub date: String,
    /// Model of the processor.
    pub processor: String,
    /// Processor cores that may be used.
    pub cores: u32,
    /// Frequency governor, if the kernel reports it.
    pub governor: Option<String>,
    /// Kernel name and release.
    pub kernel: String,
    /// Congestion control of TCP, where nothing else is set; runs of former versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_control: Option<String>,
    /// Memory of the machine, in octets.
    pub memory: u64,
    /// Version of this program.
    pub varbind: String,
    /// Whether this program was built with optimisation.
    pub optimised: bool,
    /// Features that it was built with beyond the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The compiler that built it.
    pub rustc: String,
    /// Load average over one minute at the beginning.
    pub load_at_start: f64,
    /// Load average over one minute at the end.
    pub load_at_end: f64,
    /// Network interfaces of this host.
    pub interfaces: u32,
    /// What random order and intervals were made from.
    pub seed: u64,
    /// The time the whole run took, in seconds.
    pub duration: f64,
    /// Who was measured.
    pub subjects: Vec<SubjectDescription>,
}

/// An agent that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectDescription {
    /// Its name in this report.
    pub name: String,
    /// Its version, as it prints it.
    pub version: String,
    /// Its executable, or its address.
    pub origin: String,
}
