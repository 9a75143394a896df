use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use super::super::{Measure, Observation};
use crate::session::PacketCounter;
use crate::workload::LATE;

/// Counts the packets of one connection with one request, which `ask` opens and closes. It times nothing, and counts nothing where
/// packets cannot be captured.
pub(super) fn note_wire<T>(
    observation: &mut Observation,
    address: SocketAddr,
    ask: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    let counter = PacketCounter::start(address).ok();
    let answer = ask()?;
    if let Some(counter) = counter {
        thread::sleep(LATE);
        if let Ok(wire) = counter.count() {
            observation.note(Measure::WirePackets, wire.packets() as f64);
            observation.note(Measure::WireOctets, wire.octets() as f64);
        }
    }
    Ok(answer)
}

/// What connections with requests took that are no sessions of SNMP, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Connections {
    sessions: u32,
    exchanges: u32,
    opened: Duration,
    total: Duration,
    sent: u64,
    received: u64,
}

impl Connections {
    /// Opens each of so many connections and sends so many requests by it. `send` tells the octets of a request and its response,
    /// which are the same each time.
    pub(super) fn run<C>(
        sessions: u32,
        exchanges: u32,
        open: impl Fn() -> Result<C, String>,
        send: impl Fn(&mut C) -> Result<(u64, u64), String>,
    ) -> Result<Self, String> {
        let mut done = Self {
            sessions: sessions.max(1),
            exchanges: exchanges.max(1),
            ..Self::default()
        };
        for _ in 0..done.sessions {
            let begun = Instant::now();
            let mut connection = open()?;
            done.opened += begun.elapsed();
            for _ in 0..done.exchanges {
                (done.sent, done.received) = send(&mut connection)?;
            }
            drop(connection);
            done.total += begun.elapsed();
        }
        Ok(done)
    }

    /// Requests of all.
    pub(super) fn requests(&self) -> f64 {
        f64::from(self.sessions) * f64::from(self.exchanges)
    }

    /// Notes times, octets and counts.
    pub(super) fn note(&self, observation: &mut Observation) {
        let microseconds = |duration: Duration| duration.as_secs_f64() * 1e6;
        let (sessions, requests) = (f64::from(self.sessions), self.requests());
        let (total, opened) = (microseconds(self.total), microseconds(self.opened));
        let in_session = total - opened;
        let (sent, received) = (self.sent as f64, self.received as f64);
        for (measure, value) in [
            (Measure::Elapsed, total),
            (Measure::ResponseTime, total / requests),
            (Measure::SessionTime, total / sessions),
            (Measure::SetUpTime, opened / sessions),
            (Measure::RoundTrip, in_session / requests),
            (Measure::Rate, requests / (in_session / 1e6)),
            (Measure::Completed, requests),
            (Measure::Failed, 0.0),
            (Measure::OctetsSent, sent),
            (Measure::OctetsReceived, received),
            (Measure::Octets, sent + received),
        ] {
            observation.note(measure, value);
        }
    }
}
