use std::thread;
use std::time::Duration;

use varbind::compression::Compression;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::smi::Oid;

use super::super::names::{IF_ENTRY, oid};
use super::super::{Measure, Observation, SubjectName};
use super::{CompressedTask, Laboratory, MessageCompression};
use crate::measurement::{Placement, TransportKind};
use crate::process::{place_in_turns, usage_of};
use crate::session::PacketCounter;
use crate::subject::READ_COMMUNITY;

/// Octets of the headers of IPv4 and TCP with timestamps, in each packet of an open connection on loopback.
const HEADERS: u64 = 52;
/// Time for the last acknowledgement.
const LATE: Duration = Duration::from_millis(60);

impl MessageCompression {
    const fn of_manager(self) -> Option<Compression> {
        match self {
            Self::None => None,
            Self::Opc => Some(Compression::Prefix),
            Self::Odc => Some(Compression::Delta),
            Self::Dictionary => Some(Compression::Dictionary),
        }
    }
}

impl CompressedTask {
    pub(super) fn observe(&self, laboratory: &mut Laboratory) -> Result<Observation, String> {
        let cores = laboratory.cores.clone();
        let agent = laboratory.agent(SubjectName::Varbind)?;
        let pid = agent.id();
        let target = agent.target(TransportKind::Tcp);
        let address = target.ok_or("the agent does not listen on tcp")?.address;
        let told = |error: std::io::Error| error.to_string();
        place_in_turns(&cores, Placement::SameCore, pid, true).map_err(told)?;
        let mut observation = Observation::default();
        // The first exchange is the one whose octets count, as a dictionary learns from it.
        let counter = PacketCounter::start(address).ok();
        let mut manager = self.open(address)?;
        if let Some(counter) = &counter {
            thread::sleep(LATE);
            counter.count().map_err(told)?;
        }
        self.retrieve(&mut manager)?;
        if let Some(counter) = &counter {
            thread::sleep(LATE);
            let wire = counter.count().map_err(told)?;
            let octets = wire.octets().saturating_sub(wire.packets() * HEADERS);
            observation.note(Measure::Octets, octets as f64);
        }
        let exchange = || (0..self.exchanges).try_for_each(|_| self.retrieve(&mut manager));
        let used = usage_of(pid, None, exchange).map_err(told)?;
        used.result?;
        let exchanges = f64::from(self.exchanges.max(1));
        let elapsed = used.elapsed.as_secs_f64() * 1e6;
        observation.note(Measure::RoundTrip, elapsed / exchanges);
        if let Some(agent) = used.agent {
            observation.note(Measure::AgentCpu, agent.total / exchanges);
        }
        observation.note(Measure::Objects, f64::from(self.objects));
        Ok(observation)
    }

    fn open(&self, address: std::net::SocketAddr) -> Result<Manager, String> {
        let target = TransportAddress::of_socket(Transport::Tcp, address);
        let mut options = ManagerOptions::v2c(READ_COMMUNITY);
        options.compression = self.compression.of_manager();
        let wanted = options.compression;
        let mut manager = Manager::open(&target, options).map_err(|error| error.to_string())?;
        let agreed = manager
            .negotiate_compression()
            .map_err(|error| error.to_string())?;
        if agreed == wanted {
            Ok(manager)
        } else {
            Err(format!(
                "the agent agreed to {agreed:?} in place of {wanted:?}"
            ))
        }
    }

    fn retrieve(&self, manager: &mut Manager) -> Result<(), String> {
        let mut count = 0;
        let mut last: Oid = oid(IF_ENTRY);
        while count < self.objects {
            let repetitions = u16::try_from(self.objects - count).unwrap_or(u16::MAX);
            let response = manager.get_bulk(0, repetitions, &[last]);
            let found = response.map_err(|error| error.to_string())?.var_binds;
            count += u32::try_from(found.len()).unwrap_or(u32::MAX);
            last = match found.into_iter().next_back() {
                Some(object) if object.name.arcs().starts_with(IF_ENTRY) => object.name,
                _ => return Err(format!("ifTable has fewer than {} objects", self.objects)),
            };
        }
        Ok(())
    }
}
