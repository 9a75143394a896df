//! One device: its identity, its chances and its restarts.

use std::net::IpAddr;
use std::time::Duration;

use varbind_engine::clock::Instant;
use varbind_engine::engine_id::EngineId;

use super::{DeviceGroup, Selection};
use crate::random::{draw, unit};
use crate::recording::Recording;

/// The first octets of engine IDs: enterprise 0, and format 5, octets of the administrator (RFC 3411, SnmpEngineID). Four
/// octets of the seed and four of the device's number follow.
const ENGINE_ID_PREFIX: [u8; 5] = [0x80, 0, 0, 0, 5];

/// The purpose of a random number; numbers for different purposes are independent.
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

/// One device.
#[derive(Clone, Copy, Debug)]
pub struct Device<'f> {
    pub(super) seed: u64,
    pub(super) group: &'f DeviceGroup,
    pub(super) group_at: usize,
    pub(super) at: u32,
    pub(super) number: u32,
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
    pub const fn group(&self) -> &'f DeviceGroup {
        self.group
    }

    /// The place of its group.
    pub(crate) const fn group_at(&self) -> usize {
        self.group_at
    }

    /// Its recording, with the position in the group's recordings.
    pub(crate) fn playing(&self) -> Option<(usize, &'f Recording)> {
        let count = self.group.recordings.len();
        let at = (self.at as usize).checked_rem(count)?;
        self.group
            .recordings
            .get(at)
            .map(|recording| (at, &**recording))
    }

    /// Its recording.
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

    /// Its port, if devices are selected by port.
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

    /// Its name, if devices are selected by name.
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
    use std::sync::Arc;

    use super::*;
    use crate::device::{Faults, Fleet};

    #[test]
    fn devices_restart_and_renumber_at_their_intervals() {
        let addresses = "127.0.0.1-127.0.0.100".parse().unwrap();
        let selection = Selection::Addresses(addresses, None);
        let mut flaky = DeviceGroup::new("flaky", selection, vec![Arc::default()]);
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
