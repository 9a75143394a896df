//! Groups of devices that are alike.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use varbind_engine::clock::Instant;

use super::{AddressRange, Faults, ValueRules};
use crate::recording::Recording;

/// The places of objects, and of the texts that they have.
pub(crate) type Placed = Box<[(u32, usize)]>;

/// How requests select a device of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// Each has an address. If ports are given, each has one of them at that address: the first devices have the first port.
    Addresses(AddressRange, Option<RangeInclusive<u16>>),
    /// Each is one recording; the community or the context of a message is its name.
    Names(Vec<String>),
}

/// Devices that are alike.
#[derive(Debug)]
pub struct DeviceGroup {
    /// Its name, by which it is known again when the configuration changes.
    pub name: String,
    /// How requests select a device.
    pub selection: Selection,
    /// Their recordings, assigned in turn: the first device plays the first recording.
    pub recordings: Vec<Arc<Recording>>,
    /// The communities that they accept.
    pub communities: Vec<String>,
    /// The values that each has of its own.
    pub values: ValueRules,
    /// Their faults.
    pub faults: Faults,
    /// snmpEngineBoots at their start.
    pub boots: i32,
    /// When they started.
    pub started: Instant,
    /// How many requests each has had, if anything depends on it.
    pub(crate) requests: Box<[AtomicU32]>,
    /// Which objects of each recording have other texts, at each of its moments.
    pub(crate) placed: Vec<Vec<Placed>>,
}

impl DeviceGroup {
    /// A group of devices without values of their own and without faults, that started at the origin of time.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        selection: Selection,
        recordings: Vec<Arc<Recording>>,
    ) -> Self {
        Self {
            name: name.into(),
            selection,
            recordings,
            communities: vec!["public".to_owned()],
            values: ValueRules::default(),
            faults: Faults::default(),
            boots: 1,
            started: Instant::ORIGIN,
            requests: Box::default(),
            placed: Vec::new(),
        }
    }

    /// How many devices it has.
    #[must_use]
    pub fn count(&self) -> u32 {
        match &self.selection {
            Selection::Addresses(range, None) => range.count(),
            Selection::Addresses(range, Some(ports)) => {
                let ports = u32::try_from(ports.len()).unwrap_or(u32::MAX);
                range.count().saturating_mul(ports)
            }
            Selection::Names(names) => u32::try_from(names.len()).unwrap_or(u32::MAX),
        }
    }

    /// Counts a request to the device at a place.
    pub(crate) fn count_request(&self, at: u32) -> u32 {
        let counter = self.requests.get(at as usize);
        counter.map_or(0, |counter| counter.fetch_add(1, Ordering::Relaxed))
    }

    /// Prepares counters of requests, if faults depend on chance, and finds the objects with other texts.
    pub(crate) fn prepare(&mut self) {
        let rules = &self.values;
        let placed = |recording: &Arc<Recording>| {
            let moments = recording.moments();
            moments.map(|moment| rules.placed(moment)).collect()
        };
        self.placed = match rules.texts.is_empty() {
            true => Vec::new(),
            false => self.recordings.iter().map(placed).collect(),
        };
        let wanted = match self.faults.depend_on_chance() {
            true => self.count() as usize,
            false => 0,
        };
        if self.requests.len() != wanted {
            self.requests = (0..wanted).map(|_| AtomicU32::new(0)).collect();
        }
    }
}
