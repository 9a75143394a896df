//! What is asked of a host again and again.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc::Sender;
use varbind::client::{Error, Target};
use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::WalkOptions;

use crate::fleet::HostFailure;

const IF_DESCR: &str = "1.3.6.1.2.1.2.2.1.2";
const IF_IN_OCTETS: &str = "1.3.6.1.2.1.2.2.1.10";
const IF_IN_ERRORS: &str = "1.3.6.1.2.1.2.2.1.14";
const IF_OUT_OCTETS: &str = "1.3.6.1.2.1.2.2.1.16";
const IF_OUT_ERRORS: &str = "1.3.6.1.2.1.2.2.1.20";
const IF_NAME: &str = "1.3.6.1.2.1.31.1.1.1.1";
const IF_HC_IN_OCTETS: &str = "1.3.6.1.2.1.31.1.1.1.6";
const IF_HC_OUT_OCTETS: &str = "1.3.6.1.2.1.31.1.1.1.10";
const COLUMNS: [&str; 8] = [
    IF_DESCR,
    IF_IN_OCTETS,
    IF_IN_ERRORS,
    IF_OUT_OCTETS,
    IF_OUT_ERRORS,
    IF_NAME,
    IF_HC_IN_OCTETS,
    IF_HC_OUT_OCTETS,
];
const HR_PROCESSOR_LOAD: &str = "1.3.6.1.2.1.25.3.3.1.2";
/// The idle time in per cent (UCD-SNMP-MIB).
const SS_CPU_IDLE: &str = "1.3.6.1.4.1.2021.11.11.0";
const SYS_UP_TIME: &str = "1.3.6.1.2.1.1.3.0";

/// Counters of an interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) name: String,
    pub(super) received: Octets,
    pub(super) sent: Octets,
    /// ifInErrors and ifOutErrors, which are 32 bits each.
    pub(super) errors: [Option<u32>; 2],
}

/// A counter of octets: 64 bits where the agent has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Octets {
    #[default]
    Unknown,
    Narrow(u32),
    Wide(u64),
}

/// What a host said at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// sysUpTime in hundredths of a second.
    pub(super) up_time: Option<u32>,
    pub(super) interfaces: BTreeMap<u32, Counters>,
    /// Load of the processors in per cent.
    pub(super) load: Option<f64>,
    pub(super) round_trip: Option<Duration>,
    pub(super) loss: f64,
}

/// A reading, or why there is none.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) host: usize,
    pub(super) at: SystemTime,
    pub(super) outcome: Result<Reading, String>,
}

impl Sample {
    pub(super) fn failed(host: usize, reason: String) -> Self {
        Self {
            host,
            at: SystemTime::now(),
            outcome: Err(reason),
        }
    }
}

/// Asks one host.
pub(super) struct Poller {
    host: usize,
    target: Target,
    interval: Duration,
    samples: Sender<Sample>,
}

impl Poller {
    pub(super) const fn new(
        host: usize,
        target: Target,
        interval: Duration,
        samples: Sender<Sample>,
    ) -> Self {
        Self {
            host,
            target,
            interval,
            samples,
        }
    }

    /// Polls until the view is closed. Hosts start at different times.
    pub(super) async fn run(self, hosts: usize) {
        let share = u32::try_from(self.host).unwrap_or_default();
        let hosts = u32::try_from(hosts).unwrap_or(u32::MAX).max(1);
        tokio::time::sleep(self.interval / hosts * share).await;
        let mut ticks = tokio::time::interval(self.interval);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let outcome = self.read().await;
            let sample = Sample {
                host: self.host,
                at: SystemTime::now(),
                outcome: outcome.map_err(|error| HostFailure::from(error).reason),
            };
            if self.samples.send(sample).await.is_err() {
                return;
            }
        }
    }

    async fn read(&self) -> Result<Reading, Error> {
        let up_time = self.target.get(SYS_UP_TIME).await?;
        let mut reading = Reading {
            up_time: match up_time {
                Value::TimeTicks(ticks) => Some(ticks),
                _ => None,
            },
            interfaces: self.interfaces().await?,
            load: self.load().await?,
            ..Reading::default()
        };
        if let Some(round_trip) = self.target.round_trip() {
            reading.round_trip = (round_trip.samples > 0).then_some(round_trip.smoothed);
            reading.loss = round_trip.loss;
        }
        Ok(reading)
    }

    async fn interfaces(&self) -> Result<BTreeMap<u32, Counters>, Error> {
        let columns: Vec<Oid> = COLUMNS
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect();
        let options = WalkOptions {
            boundaries: columns.clone(),
            root_if_empty: false,
            ..WalkOptions::default()
        };
        let mut interfaces = BTreeMap::<u32, Counters>::new();
        let mut walk = self.target.walk_with(&columns, options);
        while let Some(object) = walk.next().await {
            let object = object?;
            let name = object.name.arcs();
            let found = columns
                .iter()
                .zip(COLUMNS)
                .find_map(|(column, text)| Some((text, name.strip_prefix(column.arcs())?)));
            if let Some((column, [index])) = found {
                interfaces
                    .entry(*index)
                    .or_default()
                    .take(column, object.value);
            }
        }
        Ok(interfaces)
    }

    /// The load of the processors, where the host serves it.
    async fn load(&self) -> Result<Option<f64>, Error> {
        let mut walk = self.target.walk(HR_PROCESSOR_LOAD);
        let (mut sum, mut count) = (0.0, 0.0);
        while let Some(object) = walk.next().await {
            if let Value::Integer(load) = object?.value {
                sum += f64::from(load);
                count += 1.0;
            }
        }
        if count > 0.0 {
            return Ok(Some(sum / count));
        }
        // SNMPv1 answers with an error where there is none.
        Ok(match self.target.get(SS_CPU_IDLE).await {
            Ok(Value::Integer(idle)) => Some(100.0 - f64::from(idle)),
            Ok(_) | Err(Error::ErrorStatus { .. }) => None,
            Err(error) => return Err(error),
        })
    }
}

impl Counters {
    fn take(&mut self, column: &str, value: Value) {
        match (column, value) {
            (IF_DESCR, Value::OctetString(name)) if self.name.is_empty() => self.rename(&name),
            (IF_NAME, Value::OctetString(name)) if !name.is_empty() => self.rename(&name),
            (IF_IN_ERRORS, Value::Counter32(count)) => self.errors[0] = Some(count),
            (IF_OUT_ERRORS, Value::Counter32(count)) => self.errors[1] = Some(count),
            (IF_IN_OCTETS, Value::Counter32(count)) if self.received == Octets::Unknown => {
                self.received = Octets::Narrow(count);
            }
            (IF_OUT_OCTETS, Value::Counter32(count)) if self.sent == Octets::Unknown => {
                self.sent = Octets::Narrow(count);
            }
            (IF_HC_IN_OCTETS, Value::Counter64(count)) => self.received = Octets::Wide(count),
            (IF_HC_OUT_OCTETS, Value::Counter64(count)) => self.sent = Octets::Wide(count),
            _ => {}
        }
    }

    /// Names of agents may hold anything; a terminal is to obey none of it.
    fn rename(&mut self, name: &[u8]) {
        let name = String::from_utf8_lossy(name);
        self.name = name.replace(char::is_control, "\u{fffd}");
    }
}
