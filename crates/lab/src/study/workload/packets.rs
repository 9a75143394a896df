use super::super::{Measure, Observation, SubjectName};
use super::{Laboratory, SessionTask};
use crate::measurement::WireResult;
use crate::session::Packet;
use crate::workload::{FURTHER, Workload};

/// Octets of the header of Ethernet, which loopback has not. Frames are counted as tcpdump does, without what fills up
/// short ones and without the check sequence.
const ETHERNET_HEADER: u64 = 14;
/// The dominating range of sizes holds so many hundredths of all packets.
const DOMINATING: usize = 99;

const UNSEEN: &str = "packets could not be counted: it needs the right to see packets (CAP_NET_RAW), an agent on loopback \
                      and a session that works";

impl SessionTask {
    pub(super) fn observe_packets(
        &self,
        laboratory: &mut Laboratory,
        subject: SubjectName,
    ) -> Result<Observation, String> {
        let workload = self.workload(laboratory.agent_variant(subject, self.variant())?)?;
        if self.is_resumed {
            let twice = Workload {
                sessions: 2,
                exchanges: 1,
                ..workload.clone()
            };
            let probed = twice.run().map_err(|error| error.to_string())?;
            if probed.resumed == 0 {
                return Err(NOT_RESUMED.to_owned());
            }
        }
        if self.request.is_walk() {
            of_walk(&workload)
        } else {
            let wire = workload.wire().ok_or(UNSEEN)?;
            Ok(of_exchanges(&wire))
        }
    }
}

const NOT_RESUMED: &str = "sessions were not resumed: each had a full handshake";

fn of_exchanges(wire: &WireResult) -> Observation {
    let mut observation = Observation::default();
    note_all(
        &mut observation,
        wire.one_exchange.packets(),
        wire.one_exchange.octets(),
    );
    let further = f64::from(FURTHER);
    let packets = wire.ten_exchanges.packets() as f64 / further;
    let octets = wire.ten_exchanges.octets() as f64 / further;
    observation.note(Measure::WirePacketsPerExchange, packets);
    observation.note(Measure::WireOctetsPerExchange, octets);
    observation
}

fn of_walk(workload: &Workload) -> Result<Observation, String> {
    let (measured, packets) = workload.packets().ok_or(UNSEEN)?;
    if measured.outcome.failed() > 0 || measured.outcome.completed == 0 {
        let reason = measured
            .refusal
            .unwrap_or_else(|| "the walk failed".to_owned());
        return Err(reason);
    }
    let mut observation = Observation::default();
    let octets = packets.iter().map(|packet| packet.octets).sum();
    note_all(&mut observation, packets.len() as u64, octets);
    observation.note(Measure::Objects, measured.objects as f64);
    if let Some(range) = dominating(&packets) {
        observation.note(Measure::LeastDominatingFrame, range.least as f64);
        observation.note(Measure::GreatestDominatingFrame, range.greatest as f64);
        observation.note(Measure::DominatingPackets, range.packets as f64);
    }
    Ok(observation)
}

fn note_all(observation: &mut Observation, packets: u64, octets: u64) {
    observation.note(Measure::WirePackets, packets as f64);
    observation.note(Measure::WireOctets, octets as f64);
    let frames = octets + packets * ETHERNET_HEADER;
    observation.note(Measure::FrameOctets, frames as f64);
}

/// The narrowest range of frame sizes that holds nearly all packets, with its bounds at tens.
#[derive(Debug, PartialEq, Eq)]
struct Dominating {
    least: u64,
    greatest: u64,
    packets: usize,
}

fn dominating(packets: &[Packet]) -> Option<Dominating> {
    let mut sizes: Vec<u64> = packets
        .iter()
        .map(|packet| packet.octets + ETHERNET_HEADER)
        .collect();
    sizes.sort_unstable();
    let needed = (sizes.len() * DOMINATING).div_ceil(100);
    let ranges = sizes.windows(needed.max(1));
    let narrowest = ranges
        .filter_map(|range| Some((*range.first()?, *range.last()?)))
        .min_by_key(|(least, greatest)| greatest - least)?;
    let least = narrowest.0 / 10 * 10;
    let greatest = narrowest.1.div_ceil(10) * 10;
    let within = sizes
        .iter()
        .filter(|size| (least..=greatest).contains(size));
    Some(Dominating {
        least,
        greatest,
        packets: within.count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Direction;

    #[test]
    fn the_dominating_range_leaves_out_what_is_rare() {
        let packet = |octets| Packet {
            direction: Direction::Sent,
            octets,
        };
        let mut packets: Vec<Packet> = (0..1000).map(|at| packet(70 + at % 10)).collect();
        packets.extend([packet(1500), packet(40), packet(1000)]);
        let range = Dominating {
            least: 80,
            greatest: 100,
            packets: 1000,
        };
        assert_eq!(dominating(&packets), Some(range));
        assert_eq!(dominating(&[]), None);
    }
}
