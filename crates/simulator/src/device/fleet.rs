//! All devices, and which one a message is for.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use varbind_engine::clock::Instant;
use varbind_engine::engine_id::EngineId;

use super::{AddressRange, Group, Selection};
use crate::random::{draw, unit};
use crate::recording::Recording;

/// The first octets of engine IDs: enterprise 0, and format 5, octets of the administrator (RFC 3411, SnmpEngineID). Four
/// octets of the seed and four of the device's number follow.
const ENGINE_ID_PREFIX: [u8; 5] = [0x80, 0, 0, 0, 5];

/// What is drawn for: no two kinds of chance are alike.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Kind {
    EngineId = 1,
    Serial,
    Share,
    Counter,
    Phase,
    Loss,
    Duplicate,
    RequestId,
    GeneralError,
    TooBig,
    Jitter,
    Delay,
    Numeric,
    Trap,
}

/// All devices. They are numbered through all groups.
#[derive(Debug)]
pub struct Fleet {
    seed: u64,
    groups: Vec<Group>,
    /// The number of the first device of each group.
    firsts: Vec<u32>,
    /// Ranges of addresses in order.
    ranges: Vec<Placed>,
    has_ports: bool,
    names: HashMap<Box<[u8]>, u32>,
    /// The first of those with names: it has the communities of its group too.
    default: Option<u32>,
}

/// Addresses at a port.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// 0 for all.
    port: u16,
    range: AddressRange,
    group: usize,
    /// The place in the group of the device at the first address.
    first: u32,
}

/// Why groups are no fleet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// Two groups have an address in common.
    #[error("the groups {0:?} and {1:?} have addresses in common: give each its own")]
    Overlap(String, String),
    /// A group plays nothing.
    #[error("the group {0:?} has no recording: check its patterns against the names in the folder")]
    NoRecording(String),
    /// Two groups have one name.
    #[error("there are two groups {0:?}: give each its own name")]
    SameName(String),
    /// There are more devices than numbers.
    #[error("there are more than 2^32 devices")]
    TooMany,
}

impl Fleet {
    /// The devices of these groups.
    ///
    /// # Errors
    /// [`FleetError`] tells why they cannot be together.
    pub fn new(seed: u64, mut groups: Vec<Group>) -> Result<Self, FleetError> {
        let mut firsts = Vec::with_capacity(groups.len());
        let mut ranges: Vec<Placed> = Vec::new();
        let mut names = HashMap::new();
        let mut default = None;
        let mut next = 0_u32;
        for (at, group) in groups.iter_mut().enumerate() {
            group.prepare();
            if group.recordings.is_empty() {
                return Err(FleetError::NoRecording(group.name.clone()));
            }
            firsts.push(next);
            match &group.selection {
                Selection::Addresses(range, ports) => {
                    let ports = ports.clone().unwrap_or(0..=0);
                    let firsts = (0..).step_by(range.count().max(1) as usize);
                    ranges.extend(ports.zip(firsts).map(|(port, first)| Placed {
                        port,
                        range: *range,
                        group: at,
                        first,
                    }));
                }
                Selection::Names(all) => {
                    default = default.or(Some(next));
                    for (name, number) in all.iter().zip(next..) {
                        names.entry(name.as_bytes().into()).or_insert(number);
                    }
                }
            }
            next = next.checked_add(group.count()).ok_or(FleetError::TooMany)?;
        }
        for (at, group) in groups.iter().enumerate() {
            if groups.iter().take(at).any(|other| other.name == group.name) {
                return Err(FleetError::SameName(group.name.clone()));
            }
        }
        ranges.sort_by_key(|placed| (placed.port, placed.range.first()));
        for pair in ranges.windows(2) {
            if let [one, other] = pair
                && one.port == other.port
                && one.range.overlaps(&other.range)
            {
                let name = |at: &usize| {
                    groups
                        .get(*at)
                        .map_or_else(String::new, |group| group.name.clone())
                };
                return Err(FleetError::Overlap(name(&one.group), name(&other.group)));
            }
        }
        Ok(Self {
            seed,
            has_ports: ranges.iter().any(|placed| placed.port != 0),
            groups,
            firsts,
            ranges,
            names,
            default,
        })
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The groups, to be put together anew.
    pub(crate) fn into_groups(self) -> Vec<Group> {
        self.groups
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many devices there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.groups.iter().map(Group::count).sum()
    }

    /// The device of a number.
    #[must_use]
    pub fn device(&self, number: u32) -> Option<Device<'_>> {
        let group = self
            .firsts
            .partition_point(|first| *first <= number)
            .checked_sub(1)?;
        self.in_group(group, number - self.firsts.get(group)?)
    }

    /// The device at a place in a group.
    #[must_use]
    pub fn in_group(&self, group_at: usize, at: u32) -> Option<Device<'_>> {
        let group = self.groups.get(group_at)?;
        let number = self.firsts.get(group_at)? + at;
        (at < group.count()).then_some(Device {
            seed: self.seed,
            group,
            group_at,
            at,
            number,
        })
    }

    /// The device at an address and port.
    #[must_use]
    pub fn at_address(&self, address: IpAddr, port: u16) -> Option<Device<'_>> {
        let address = address.to_canonical();
        let at_port = |port: u16| {
            let behind = self
                .ranges
                .partition_point(|placed| (placed.port, placed.range.first()) <= (port, address));
            let placed = self.ranges.get(behind.checked_sub(1)?)?;
            let place = placed.range.place(address);
            let place = place.filter(|_| placed.port == port)?;
            self.in_group(placed.group, placed.first + place)
        };
        let found = self.has_ports.then(|| at_port(port)).flatten();
        found.or_else(|| at_port(0))
    }

    /// The device that a community or a context names.
    #[must_use]
    pub fn named(&self, name: &[u8]) -> Option<Device<'_>> {
        self.names.get(name).and_then(|number| self.device(*number))
    }

    /// The device with a name in which case does not count, as in names of hosts.
    #[must_use]
    pub fn called(&self, name: &str) -> Option<Device<'_>> {
        let same = || {
            let mut names = self.names.iter();
            let found = names.find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
            self.device(*found?.1)
        };
        self.named(name.as_bytes()).or_else(same)
    }

    /// The device that answers where neither an address nor a name tells which.
    #[must_use]
    pub fn default_device(&self) -> Option<Device<'_>> {
        self.default.and_then(|number| self.device(number))
    }

    /// The names of devices that have names.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, u32)> {
        self.names.iter().map(|(name, number)| {
            let text = std::str::from_utf8(name).unwrap_or_default();
            (text, *number)
        })
    }

    /// The device with this engine.
    #[must_use]
    pub fn with_engine(&self, engine_id: &[u8]) -> Option<Device<'_>> {
        let (_, number) = engine_id.split_last_chunk::<4>()?;
        let device = self.device(u32::from_be_bytes(*number))?;
        let engine = device.engine_id()?;
        (engine.as_octets() == engine_id).then_some(device)
    }
}

/// One device.
#[derive(Clone, Copy, Debug)]
pub struct Device<'f> {
    seed: u64,
    group: &'f Group,
    group_at: usize,
    at: u32,
    number: u32,
}

impl<'f> Device<'f> {
    /// Its number in the fleet.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Its place in its group.
    #[must_use]
    pub const fn place(&self) -> u32 {
        self.at
    }

    /// Its group.
    #[must_use]
    pub const fn group(&self) -> &'f Group {
        self.group
    }

    /// The place of its group.
    pub(crate) const fn group_at(&self) -> usize {
        self.group_at
    }

    /// What it plays, and which of the group's recordings that is.
    pub(crate) fn playing(&self) -> Option<(usize, &'f Recording)> {
        let count = self.group.recordings.len();
        let at = (self.at as usize).checked_rem(count)?;
        self.group
            .recordings
            .get(at)
            .map(|recording| (at, &**recording))
    }

    /// What it plays.
    #[must_use]
    pub fn recording(&self) -> Option<&'f Recording> {
        self.playing().map(|(_, recording)| recording)
    }

    /// The text that an object has at this device instead of its recorded value.
    pub(crate) fn text_at(&self, moment: usize, at: usize) -> Option<String> {
        if self.group.placed.is_empty() {
            return None;
        }
        let (recording, _) = self.playing()?;
        let placed = self.group.placed.get(recording)?.get(moment)?;
        let wanted = u32::try_from(at).ok()?;
        let behind = placed.partition_point(|(at, _)| *at <= wanted);
        let (found, rule) = placed.get(behind.checked_sub(1)?)?;
        let (_, template) = self.group.values.texts.get(*rule)?;
        (*found == wanted).then(|| template.text(self))
    }

    /// Its address, if it has one of its own.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match &self.group.selection {
            Selection::Addresses(range, _) => range.address(self.at % range.count().max(1)),
            Selection::Names(_) => None,
        }
    }

    /// Its port, if that tells it from others.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match &self.group.selection {
            Selection::Addresses(range, Some(ports)) => {
                let at = u16::try_from(self.at / range.count().max(1)).ok()?;
                ports.start().checked_add(at)
            }
            _ => None,
        }
    }

    /// Its name, if that tells it from others.
    #[must_use]
    pub fn name(&self) -> Option<&'f str> {
        match &self.group.selection {
            Selection::Addresses(..) => None,
            Selection::Names(names) => names.get(self.at as usize).map(String::as_str),
        }
    }

    /// A random number for this device.
    pub(crate) fn draw(&self, kind: Kind, of: u64) -> u64 {
        draw(&[self.seed, kind as u64, u64::from(self.number), of])
    }

    /// Whether something happens that has this chance.
    pub(crate) fn happens(&self, kind: Kind, of: u64, chance: f64) -> bool {
        chance > 0.0 && unit(self.draw(kind, of)) < chance
    }

    /// snmpEngineID.
    #[must_use]
    pub fn engine_id(&self) -> Option<EngineId> {
        let seed = draw(&[self.seed, Kind::EngineId as u64]).to_be_bytes();
        let number = self.number.to_be_bytes();
        let octets = [&ENGINE_ID_PREFIX[..], seed.get(..4)?, &number].concat();
        EngineId::new(&octets).ok()
    }

    /// A serial number: eight hexadecimal digits, different for each device.
    #[must_use]
    pub fn serial(&self) -> String {
        // Multiplied by an odd number, no two of 32 bits are alike.
        let salt = draw(&[self.seed, Kind::Serial as u64]);
        let salt = u32::try_from(salt >> 32).unwrap_or_default();
        format!("{:08X}", self.number.wrapping_mul(0x9e37_79b1) ^ salt)
    }

    /// Whether the faults of the group are this device's.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        let share = self.group.faults.share;
        share >= 1.0 || self.happens(Kind::Share, 0, share)
    }

    /// How often it has restarted since the start of the simulation, and how long ago the last time was.
    #[must_use]
    pub fn restarts(&self, now: Instant) -> (u32, Duration) {
        let up = now.saturating_since(self.group.started);
        match self.period(self.group.faults.restart_every, up) {
            Some((0, _)) | None => (0, up),
            Some((count, since)) => (u32::try_from(count).unwrap_or(u32::MAX), since),
        }
    }

    /// snmpEngineBoots.
    #[must_use]
    pub fn boots(&self, now: Instant) -> i32 {
        let (restarts, _) = self.restarts(now);
        let restarts = i32::try_from(restarts).unwrap_or(i32::MAX);
        self.group.boots.saturating_add(restarts)
    }

    /// By how many places its interfaces have moved.
    pub(crate) fn interface_shift(&self, now: Instant) -> u64 {
        let up = now.saturating_since(self.group.started);
        self.period(self.group.faults.renumber_every, up)
            .map_or(0, |(count, _)| count)
    }

    /// How many periods have passed, and since when the present one lasts. Devices do not begin them together.
    fn period(&self, every: Option<Duration>, up: Duration) -> Option<(u64, Duration)> {
        let every = every.filter(|every| !every.is_zero() && self.is_faulty())?;
        let every = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
        let phase = self.draw(Kind::Phase, 0) % every;
        let up = u64::try_from(up.as_nanos()).unwrap_or(u64::MAX);
        let total = up.saturating_add(phase);
        Some((total / every, Duration::from_nanos(total % every)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use super::*;
    use crate::device::Faults;

    fn group(name: &str, addresses: &str, port: Option<u16>) -> Group {
        let ports = port.map(|port| port..=port);
        let selection = Selection::Addresses(addresses.parse().unwrap(), ports);
        Group::new(name, selection, vec![Arc::default()])
    }

    fn number(fleet: &Fleet, address: &str, port: u16) -> Option<u32> {
        fleet
            .at_address(address.parse().unwrap(), port)
            .map(|device| device.number())
    }

    #[test]
    fn a_million_devices_are_found_by_address_number_and_engine() {
        let first = Ipv4Addr::new(127, 1, 0, 0);
        let range = AddressRange::new(first.into(), 1_000_000).unwrap();
        let million = Group::new(
            "million",
            Selection::Addresses(range, None),
            vec![Arc::default()],
        );
        let fleet =
            Fleet::new(7, vec![group("few", "127.0.0.1-127.0.0.9", None), million]).unwrap();
        assert_eq!(fleet.count(), 1_000_009);
        let (mut engines, mut serials) = (HashSet::new(), HashSet::new());
        for at in (0..1_000_000).step_by(9_973) {
            let address = Ipv4Addr::from(u32::from(first) + at).into();
            let device = fleet.at_address(address, 161).unwrap();
            assert_eq!((device.number(), device.place()), (at + 9, at));
            assert_eq!(device.address(), Some(address));
            let engine = device.engine_id().unwrap();
            assert_eq!(
                fleet.with_engine(engine.as_octets()).unwrap().number(),
                at + 9
            );
            assert!(engines.insert(engine) && serials.insert(device.serial()));
        }
        assert_eq!(number(&fleet, "127.0.0.10", 161), None);
        assert!(fleet.device(1_000_009).is_none());
    }

    #[test]
    fn ports_tell_devices_with_one_address_apart() {
        let groups = vec![
            group("any", "127.0.0.1-127.0.0.2", None),
            group("one", "127.0.0.1", Some(1161)),
            group("other", "127.0.0.1", Some(1162)),
        ];
        let fleet = Fleet::new(7, groups).unwrap();
        assert_eq!(number(&fleet, "127.0.0.1", 1161), Some(2));
        assert_eq!(number(&fleet, "127.0.0.1", 1162), Some(3));
        assert_eq!(number(&fleet, "127.0.0.1", 1163), Some(0));
        assert_eq!(number(&fleet, "127.0.0.2", 1161), Some(1));
        assert_eq!(number(&fleet, "::ffff:127.0.0.2", 1161), Some(1));
    }

    #[test]
    fn each_port_of_a_range_is_a_device() {
        let range = "127.0.0.1-127.0.0.2".parse().unwrap();
        let selection = Selection::Addresses(range, Some(2000..=2999));
        let ports = Group::new("ports", selection, vec![Arc::default()]);
        let fleet = Fleet::new(7, vec![group("first", "127.0.0.1", None), ports]).unwrap();
        assert_eq!(fleet.count(), 2001);
        for (address, port, expected) in [
            ("127.0.0.1", 2000, 1),
            ("127.0.0.2", 2000, 2),
            ("127.0.0.1", 2999, 1999),
            ("127.0.0.1", 3000, 0),
        ] {
            assert_eq!(number(&fleet, address, port), Some(expected));
        }
        let device = fleet.device(1999).unwrap();
        assert_eq!(device.port(), Some(2999));
        assert_eq!(device.address(), Some(Ipv4Addr::new(127, 0, 0, 1).into()));
    }

    #[test]
    fn groups_that_cannot_be_together_are_refused() {
        let overlap = vec![
            group("a", "127.0.0.0/24", None),
            group("b", "127.0.0.7", None),
        ];
        assert!(matches!(
            Fleet::new(7, overlap),
            Err(FleetError::Overlap(..))
        ));
        let same = vec![group("a", "127.0.0.1", None), group("a", "127.0.0.2", None)];
        assert!(matches!(Fleet::new(7, same), Err(FleetError::SameName(_))));
        let empty = Group::new("a", Selection::Names(vec![]), vec![]);
        assert!(matches!(
            Fleet::new(7, vec![empty]),
            Err(FleetError::NoRecording(_))
        ));
    }

    #[test]
    fn devices_restart_and_renumber_at_their_intervals() {
        let mut flaky = group("flaky", "127.0.0.1-127.0.0.100", None);
        let hour = Duration::from_secs(3600);
        flaky.faults = Faults {
            share: 0.5,
            restart_every: Some(hour),
            renumber_every: Some(hour),
            ..Faults::default()
        };
        let fleet = Fleet::new(7, vec![flaky]).unwrap();
        let devices: Vec<_> = (0..100)
            .map(|number| fleet.device(number).unwrap())
            .collect();
        let faulty = devices.iter().filter(|device| device.is_faulty()).count();
        assert!((30..70).contains(&faulty), "{faulty}");
        for device in &devices {
            let at = |hours: u64| Instant::ORIGIN + hour * u32::try_from(hours).unwrap();
            let expected = if device.is_faulty() { 1 } else { 0 };
            for hours in 1..5 {
                let (before, _) = device.restarts(at(hours - 1));
                let (after, since) = device.restarts(at(hours));
                assert_eq!(after - before, expected);
                assert!(expected == 0 || since < hour);
                assert_eq!(
                    device.interface_shift(at(hours)) - device.interface_shift(at(hours - 1)),
                    u64::from(expected)
                );
                assert_eq!(device.boots(at(hours)), 1 + i32::try_from(after).unwrap());
            }
        }
    }
}
