//! The host: processors, memory, file systems, disks, processes, the network stack, sensors.
//!
//! Each reader adds the instances of some objects to one reading. Requests are answered from readings, and wait for a new one for
//! some milliseconds only; what the kernel has in memory they read themselves.

mod bridge;
mod disk_io;
mod disk_storage;
mod entities;
mod ethernet;
mod file_systems;
mod host_resources;
mod installed_software;
mod interface_statistics;
mod ip_scalars;
mod link_aggregation;
mod load;
mod memory;
mod neighbors;
mod network;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod q_bridge;
mod readings;
mod routes;
mod running_software;
mod sensors;
mod sockets;
mod system_statistics;
mod watched_processes;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use varbind_codec::smi::{OpaqueNumber, Value};

use super::Objects;
use super::if_table::low_half;
use crate::configuration::HostSettings;
use crate::operating_system::{HostRoot, Interfaces, Packages, ReaderThreads, Sampler, Usages};
use entities::Inventory;
pub(crate) use readings::Instances;
use readings::{Reading, Subtree};

/// hrDeviceID, hrSWRunID and others that no registry has: zeroDotZero.
const ZERO_DOT_ZERO: &[u32] = &[0, 0];

/// Where the readers of the host get their values from.
pub(crate) struct Host {
    root: HostRoot,
    settings: HostSettings,
    sampler: Arc<Sampler>,
    usages: Usages,
    packages: Packages,
    interfaces: Arc<Interfaces>,
    threads: ReaderThreads,
    /// The manufacturer and model of the processors, which stay the same while the host runs.
    processor_model: OnceLock<String>,
    inventory: Inventory,
}

impl Host {
    pub(crate) fn new(settings: &HostSettings, interfaces: &Arc<Interfaces>) -> Self {
        let root = HostRoot::new(settings.root.clone());
        let threads = ReaderThreads::default();
        Self {
            sampler: Sampler::new(root.clone()),
            root,
            settings: settings.clone(),
            usages: Usages::new(&threads),
            packages: Packages::default(),
            interfaces: Arc::clone(interfaces),
            threads,
            processor_model: OnceLock::new(),
            inventory: Inventory::default(),
        }
    }

    /// The text of a file of the host; empty where it cannot be read.
    fn text(&self, file: &str) -> String {
        self.root.text(file).unwrap_or_default()
    }

    /// ipSystemStatsRefreshRate: how old counters may be, in milliseconds.
    fn refresh_rate(&self) -> Value {
        gauge(u64::try_from(self.settings.max_age.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A reader, and the names below which it adds instances.
struct Reader {
    name: &'static str,
    roots: &'static [&'static [u32]],
    read: fn(&Host, &mut Instances),
    /// Whether it reads nothing but what the kernel has in memory, so that no thread needs to be woken for it.
    is_prompt: bool,
}

/// Served together with interfaces and addresses, also where nothing else of the host is.
const IP_SCALARS: Reader = Reader {
    name: "IP",
    roots: ip_scalars::ROOTS,
    read: ip_scalars::read,
    is_prompt: true,
};

/// A request reads no more than its objects need, and readers that may take long are apart from the others, which are prompt.
const READERS: &[Reader] = &[
    Reader {
        name: "clock",
        roots: host_resources::CLOCK,
        read: host_resources::read_clock,
        is_prompt: true,
    },
    Reader {
        name: "system",
        roots: host_resources::SYSTEM,
        read: host_resources::read_system,
        is_prompt: false,
    },
    Reader {
        name: "number of processes",
        roots: host_resources::PROCESSES,
        read: host_resources::read_processes,
        is_prompt: false,
    },
    Reader {
        name: "devices",
        roots: host_resources::DEVICES,
        read: host_resources::read_devices,
        is_prompt: false,
    },
    Reader {
        name: "processors",
        roots: host_resources::PROCESSORS,
        read: host_resources::read_processors,
        is_prompt: true,
    },
    Reader {
        name: "network devices",
        roots: host_resources::NETWORKS,
        read: host_resources::read_networks,
        is_prompt: true,
    },
    Reader {
        name: "disk devices",
        roots: disk_storage::ROOTS,
        read: disk_storage::read,
        is_prompt: false,
    },
    Reader {
        name: "storage",
        roots: file_systems::ROOTS,
        read: file_systems::read,
        is_prompt: false,
    },
    Reader {
        name: "processes",
        roots: running_software::ROOTS,
        read: running_software::read,
        is_prompt: false,
    },
    Reader {
        name: "software",
        roots: installed_software::ROOTS,
        read: installed_software::read,
        is_prompt: false,
    },
    Reader {
        name: "memory",
        roots: memory::ROOTS,
        read: memory::read,
        is_prompt: true,
    },
    Reader {
        name: "load",
        roots: load::ROOTS,
        read: load::read,
        is_prompt: true,
    },
    Reader {
        name: "statistics",
        roots: system_statistics::ROOTS,
        read: system_statistics::read,
        is_prompt: true,
    },
    Reader {
        name: "disks",
        roots: disk_io::ROOTS,
        read: disk_io::read,
        is_prompt: true,
    },
    Reader {
        name: "network",
        roots: network::ROOTS,
        read: network::read,
        is_prompt: true,
    },
    Reader {
        name: "TCP sockets",
        roots: sockets::TCP_TABLES,
        read: sockets::read_tcp,
        is_prompt: false,
    },
    Reader {
        name: "UDP sockets",
        roots: sockets::UDP_TABLES,
        read: sockets::read_udp,
        is_prompt: false,
    },
    Reader {
        name: "sensors",
        roots: sensors::ROOTS,
        read: sensors::read,
        is_prompt: false,
    },
    Reader {
        name: "interfaces",
        roots: interface_statistics::ROOTS,
        read: interface_statistics::read,
        is_prompt: false,
    },
    Reader {
        name: "neighbors",
        roots: neighbors::ROOTS,
        read: neighbors::read,
        is_prompt: false,
    },
    Reader {
        name: "routes",
        roots: routes::ROOTS,
        read: routes::read,
        is_prompt: false,
    },
    Reader {
        name: "entities",
        roots: entities::ROOTS,
        read: entities::read,
        is_prompt: false,
    },
    Reader {
        name: "bridges",
        roots: bridge::ROOTS,
        read: bridge::read,
        is_prompt: false,
    },
    Reader {
        name: "vlans",
        roots: q_bridge::ROOTS,
        read: q_bridge::read,
        is_prompt: false,
    },
    Reader {
        name: "ethernet",
        roots: ethernet::ROOTS,
        read: ethernet::read,
        is_prompt: false,
    },
    Reader {
        name: "bonds",
        roots: link_aggregation::ROOTS,
        read: link_aggregation::read,
        is_prompt: false,
    },
    Reader {
        name: "watched",
        roots: watched_processes::ROOTS,
        read: watched_processes::read,
        is_prompt: false,
    },
];

/// The objects of the host with one configuration. They outlive a reload that does not concern them, with what was read.
pub(crate) struct HostObjects {
    settings: HostSettings,
    readings: Vec<(Arc<Reading>, &'static [&'static [u32]])>,
}

impl HostObjects {
    pub(crate) fn new(host: Host) -> Arc<Self> {
        let settings = host.settings.clone();
        let host = Arc::new(host);
        let is_of_kernel = host.root.is_of_kernel();
        let reading = |&Reader {
                           name,
                           roots,
                           read,
                           is_prompt,
                       }: &Reader| {
            let threads = host.threads.clone();
            let host = Arc::clone(&host);
            let read = move |instances: &mut Instances| read(&host, instances);
            let reading = Reading::new(name, settings.max_age, &threads, read);
            let is_prompt = is_prompt && is_of_kernel;
            let reading = Arc::new(if is_prompt { reading.prompt() } else { reading });
            (reading, roots)
        };
        let readers = if settings.is_served { READERS } else { &[] };
        let readers = readers.iter().chain([&IP_SCALARS]);
        Arc::new(Self {
            readings: readers.map(reading).collect(),
            settings,
        })
    }

    /// Whether they are those of these settings.
    pub(crate) fn has(&self, settings: &HostSettings) -> bool {
        self.settings == *settings
    }

    /// The age of each reading, a line for each that requests have asked for.
    pub(crate) fn ages(&self) -> Vec<String> {
        let readings = self.readings.iter();
        readings.filter_map(|(reading, _)| reading.age()).collect()
    }

    pub(crate) fn register(&self, objects: &mut Objects) {
        for (reading, roots) in &self.readings {
            for root in *roots {
                let reading = Arc::clone(reading);
                objects.register(root, |root| Arc::new(Subtree::new(root.clone(), reading)));
            }
        }
    }
}

/// How old answers about the host may be.
pub(crate) const MAX_AGE: Duration = Duration::from_secs(1);

/// An INTEGER; what exceeds its range becomes its limit.
fn integer(number: impl TryInto<i32>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i32::MAX))
}

/// A Gauge32, which stays at its maximum (RFC 2578 section 7.1.7).
fn gauge(number: u64) -> Value {
    Value::Gauge32(u32::try_from(number).unwrap_or(u32::MAX))
}

/// A Counter32, which runs on modulo 2^32.
const fn counter(number: u64) -> Value {
    Value::Counter32(low_half(number))
}

fn text(text: &str) -> Value {
    let mut end = text.len().min(255);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Value::OctetString(text.as_bytes().get(..end).unwrap_or_default().to_vec())
}

fn object_identifier(arcs: &[u32]) -> Value {
    varbind_codec::smi::Oid::new(arcs).map_or(Value::Null, |oid| Value::from(&oid))
}

/// A number in the Opaque type of Net-SNMP.
fn float(number: f32) -> Value {
    let mut buffer = [0; 12];
    let encoded = OpaqueNumber::Float(number).encode(&mut buffer);
    Value::Opaque(encoded.unwrap_or_default().to_vec())
}
