//! All devices, and which one a message is for.

use std::collections::HashMap;
use std::net::IpAddr;

use super::{AddressRange, Device, DeviceGroup, Selection};

/// All devices. They are numbered through all groups.
#[derive(Debug)]
pub struct Fleet {
    seed: u64,
    groups: Vec<DeviceGroup>,
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

/// Why groups cannot form a fleet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// Two groups have an address in common.
    #[error("the groups {0:?} and {1:?} have addresses in common: give each its own")]
    Overlap(String, String),
    /// A group has no recording.
    #[error("the group {0:?} has no recording: check its patterns against the names in the folder")]
    NoRecording(String),
    /// Two groups have one name.
    #[error("there are two groups {0:?}: give each its own name")]
    SameName(String),
    /// There are more devices than numbers.
    #[error("there are more than 2^32 devices: give groups smaller ranges")]
    TooMany,
}

impl Fleet {
    /// The devices of these groups.
    ///
    /// # Errors
    /// [`GroupError`] if they conflict with each other.
    pub fn new(seed: u64, mut groups: Vec<DeviceGroup>) -> Result<Self, GroupError> {
        let mut firsts = Vec::with_capacity(groups.len());
        let mut ranges: Vec<Placed> = Vec::new();
        let mut names = HashMap::new();
        let mut default = None;
        let mut next = 0_u32;
        for (at, group) in groups.iter_mut().enumerate() {
            group.prepare();
            if group.recordings.is_empty() {
                return Err(GroupError::NoRecording(group.name.clone()));
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
            next = next.checked_add(group.count()).ok_or(GroupError::TooMany)?;
        }
        check_names(&groups)?;
        ranges.sort_by_key(|placed| (placed.port, placed.range.first()));
        check_overlaps(&groups, &ranges)?;
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
    pub(crate) fn into_groups(self) -> Vec<DeviceGroup> {
        self.groups
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[DeviceGroup] {
        &self.groups
    }

    /// How many devices there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.groups.iter().map(DeviceGroup::count).sum()
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

    /// The device that answers messages which select no device by address or name.
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

fn check_names(groups: &[DeviceGroup]) -> Result<(), GroupError> {
    for (at, group) in groups.iter().enumerate() {
        if groups.iter().take(at).any(|other| other.name == group.name) {
            return Err(GroupError::SameName(group.name.clone()));
        }
    }
    Ok(())
}

/// Ranges must be sorted by port and address.
fn check_overlaps(groups: &[DeviceGroup], ranges: &[Placed]) -> Result<(), GroupError> {
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
            return Err(GroupError::Overlap(name(&one.group), name(&other.group)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::Ipv4Addr;
    use std::sync::Arc;

    use super::*;

    fn group(name: &str, addresses: &str, port: Option<u16>) -> DeviceGroup {
        let ports = port.map(|port| port..=port);
        let selection = Selection::Addresses(addresses.parse().unwrap(), ports);
        DeviceGroup::new(name, selection, vec![Arc::default()])
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
        let million = DeviceGroup::new(
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
        let ports = DeviceGroup::new("ports", selection, vec![Arc::default()]);
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
            Err(GroupError::Overlap(..))
        ));
        let same = vec![group("a", "127.0.0.1", None), group("a", "127.0.0.2", None)];
        assert!(matches!(Fleet::new(7, same), Err(GroupError::SameName(_))));
        let empty = DeviceGroup::new("a", Selection::Names(vec![]), vec![]);
        assert!(matches!(
            Fleet::new(7, vec![empty]),
            Err(GroupError::NoRecording(_))
        ));
    }
}
