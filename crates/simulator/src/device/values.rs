//! The value of an object at one device, at one time.

use std::fmt::Write;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, ValueRef};
use varbind_engine::clock::Instant;
use varbind_engine::engine_id::SNMP_ENGINE_ID;
use varbind_engine::instrumentation::ReadError;

use super::Kind;
use super::group::Placed;
use super::{Device, Writes};
use crate::interfaces::{Renumbered, counter_identity};
use crate::random::{of_octets, unit};
use crate::recording::{DelayVariation, Recording, Refusal, Variation};

/// sysUpTime.0
const SYS_UP_TIME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];

/// The values that each device of a group has of its own. Without any, all play their recording as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueRules {
    /// sysUpTime continues from the recorded value, and starts at zero when the device restarts.
    pub up_time: bool,
    /// Counters grow, each at its own rate between these two, in units a second.
    pub counter_rate: Option<(f64, f64)>,
    /// Texts that replace the recorded values of these objects and of all below them.
    pub texts: Vec<(Oid, Template)>,
}

/// A text with `{index}`, `{number}`, `{address}`, `{port}`, `{serial}` and `{name}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The place in the group, counted from 1.
    Index,
    /// The place in the fleet, counted from 1.
    Number,
    Address,
    Port,
    Serial,
    Name,
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// If a word in braces is unknown: the word.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, after)) = behind.split_once('}') else {
                return Err(format!("{{{behind}"));
            };
            parts.push(Part::Text(before.to_owned()));
            parts.push(match name {
                "index" => Part::Index,
                "number" => Part::Number,
                "address" => Part::Address,
                "port" => Part::Port,
                "serial" => Part::Serial,
                "name" => Part::Name,
                other => return Err(format!("{{{other}}}")),
            });
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    /// The text for a device.
    #[must_use]
    pub fn text(&self, device: &Device<'_>) -> String {
        let mut text = String::new();
        for part in &self.0 {
            // Writing into a string does not fail.
            let _ = match part {
                Part::Text(part) => text.write_str(part),
                Part::Index => write!(text, "{}", u64::from(device.place()) + 1),
                Part::Number => write!(text, "{}", u64::from(device.number()) + 1),
                Part::Address => match device.address() {
                    Some(address) => write!(text, "{address}"),
                    None => Ok(()),
                },
                Part::Port => match device.port() {
                    Some(port) => write!(text, "{port}"),
                    None => Ok(()),
                },
                Part::Serial => text.write_str(&device.serial()),
                Part::Name => text.write_str(device.name().unwrap_or_default()),
            };
        }
        text
    }
}

impl ValueRules {
    /// Which objects of a recording have other texts, in order, with the place of the text.
    pub(crate) fn placed(&self, recording: &Recording) -> Placed {
        let mut placed = Vec::new();
        let mut name = varbind_codec::smi::OidScratch::new();
        for (rule, (root, _)) in self.texts.iter().enumerate() {
            let exact = recording.find(root.arcs());
            let mut at = exact.unwrap_or_else(|| recording.next(root.arcs(), usize::MAX));
            while at < recording.len() {
                recording.name(at, &mut name);
                if !root.is_prefix_of(name.arcs()) {
                    break;
                }
                // An empty serial number says that there is none.
                let is_empty = recording.value(at) == Some(ValueRef::OctetString(b""));
                if let Ok(at) = u32::try_from(at)
                    && (!is_empty || exact.is_some())
                {
                    placed.push((at, rule));
                }
                at += 1;
            }
        }
        placed.sort_unstable();
        placed.into_boxed_slice()
    }
}

/// The delay and error-status that the objects of a request cause, and the position of the last object.
#[derive(Debug, Default)]
pub(crate) struct Note {
    delay: AtomicU64,
    error: AtomicI32,
    pub(crate) nearby: AtomicUsize,
}

impl Note {
    /// Forgets the state of the previous request.
    pub(crate) fn clear(&self) {
        self.delay.store(0, Ordering::Relaxed);
        self.error.store(0, Ordering::Relaxed);
    }

    fn add_delay(&self, delay: Duration) {
        let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        self.delay.fetch_max(nanos, Ordering::Relaxed);
    }

    /// Makes the response an error.
    pub(crate) fn fail(&self, status: ErrorStatus) {
        self.error.store(status.code(), Ordering::Relaxed);
    }

    /// How long the response is to be held back.
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_nanos(self.delay.load(Ordering::Relaxed))
    }

    /// Which error-status the response is to have.
    pub(crate) fn error(&self) -> Option<ErrorStatus> {
        match self.error.load(Ordering::Relaxed) {
            0 => None,
            code => Some(ErrorStatus::from_code(code)),
        }
    }
}

/// The device of a request, and the time of the request.
pub(crate) struct Asked<'f> {
    pub(crate) device: Device<'f>,
    pub(crate) recording: &'f Recording,
    /// The place of the recording among those that the device plays in turn.
    pub(crate) moment: usize,
    pub(crate) now: Instant,
    /// Seconds from 1970 to the origin of time.
    pub(crate) clock: f64,
    pub(crate) writes: &'f Writes,
    pub(crate) note: &'f Note,
    /// Whether the request came in SNMPv3: then snmpEngineID has to be that of the messages.
    pub(crate) is_v3: bool,
}

impl<'f> Asked<'f> {
    /// Shows the value of the object `name`, which is at `at`.
    pub(crate) fn value(
        &self,
        at: usize,
        name: &[u32],
        show: &mut dyn FnMut(ValueRef<'_>),
    ) -> Result<(), ReadError> {
        if self.is_v3 && name == SNMP_ENGINE_ID {
            return self.engine_id(show);
        }
        if self
            .writes
            .with(self.device.number(), name, &mut *show)
            .is_some()
        {
            return Ok(());
        }
        let group = self.device.group();
        if group.faults.renumber_every.is_some() {
            let shift = self.device.interface_shift(self.now);
            let renumbered = self.recording.interfaces().renumbered(name, shift);
            if let Some(Renumbered::As(other)) = renumbered
                && let Some(other_at) = self.recording.find(&other)
            {
                return self.own_value(other_at, &other, show);
            }
        }
        self.own_value(at, name, show)
    }

    /// snmpEngineID.0 of the device.
    pub(crate) fn engine_id(&self, show: &mut dyn FnMut(ValueRef<'_>)) -> Result<(), ReadError> {
        let engine_id = self.device.engine_id().ok_or(ReadError::Failed)?;
        show(ValueRef::OctetString(engine_id.as_octets()));
        Ok(())
    }

    fn own_value(
        &self,
        at: usize,
        name: &[u32],
        show: &mut dyn FnMut(ValueRef<'_>),
    ) -> Result<(), ReadError> {
        let recorded = self.recording.value(at).ok_or(ReadError::Failed)?;
        if let Some(text) = self.device.text_at(self.moment, at) {
            return text_value(recorded, &text, show);
        }
        match self.recording.variation(at) {
            Some(variation) => return self.varied(variation, recorded, at, show),
            None if self.is_plain() => {}
            None => {
                if let Some(value) = self.live(recorded, name) {
                    show(value);
                    return Ok(());
                }
            }
        }
        show(recorded);
        Ok(())
    }

    /// Whether values do not depend on time.
    fn is_plain(&self) -> bool {
        let rules = &self.device.group().values;
        !rules.up_time && rules.counter_rate.is_none()
    }

    /// sysUpTime and counters at this time.
    fn live(&self, recorded: ValueRef<'_>, name: &[u32]) -> Option<ValueRef<'static>> {
        let rules = &self.device.group().values;
        let (restarts, since) = self.device.restarts(self.now);
        let ticks = match recorded {
            ValueRef::TimeTicks(ticks) if rules.up_time && name == SYS_UP_TIME => ticks,
            _ => return self.counter(recorded, name, (restarts, since)),
        };
        let base = if restarts == 0 { u64::from(ticks) } else { 0 };
        let hundredths = u64::try_from(since.as_millis() / 10).unwrap_or(u64::MAX);
        Some(ValueRef::TimeTicks(wrapped(base.wrapping_add(hundredths))))
    }

    fn counter(
        &self,
        recorded: ValueRef<'_>,
        name: &[u32],
        (restarts, since): (u32, Duration),
    ) -> Option<ValueRef<'static>> {
        let (least, most) = self.device.group().values.counter_rate?;
        let recorded_count = match recorded {
            ValueRef::Counter32(count) => u64::from(count),
            ValueRef::Counter64(count) => count,
            _ => return None,
        };
        let base = if restarts == 0 { recorded_count } else { 0 };
        let identity = counter_identity(name);
        let draw = unit(self.device.draw(Kind::Counter, identity));
        // Rates differ by their orders of magnitude.
        let rate = least.max(1e-9) * (most.max(1e-9) / least.max(1e-9)).powf(draw);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is not negative, and the conversion saturates"
        )]
        let grown = (since.as_secs_f64() * rate) as u64;
        let count = base.wrapping_add(grown);
        Some(match recorded {
            ValueRef::Counter64(_) => ValueRef::Counter64(count),
            _ => ValueRef::Counter32(wrapped(count)),
        })
    }

    /// Seconds since 1970.
    fn seconds(&self) -> f64 {
        self.clock + Duration::from_nanos(self.now.as_nanos()).as_secs_f64()
    }

    /// Notes how long the response takes, to a request that sets a value or reads.
    pub(crate) fn delay(&self, delay: &DelayVariation, at: usize, set: Option<ValueRef<'_>>) {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the time is positive, and far below the range"
        )]
        let wait = delay.wait(set, self.seconds() as u64);
        let draw = self
            .device
            .draw(Kind::Delay, self.now.as_nanos() ^ at as u64);
        self.note.add_delay(around(wait, delay.deviation, draw));
    }

    fn varied(
        &self,
        variation: &Variation,
        recorded: ValueRef<'_>,
        at: usize,
        show: &mut dyn FnMut(ValueRef<'_>),
    ) -> Result<(), ReadError> {
        let moment = self.now.as_nanos();
        match variation {
            Variation::Numeric(numeric) => {
                let (_, since) = self.device.restarts(self.now);
                let draw = self.device.draw(Kind::Numeric, moment ^ at as u64);
                let number = numeric.at(since.as_secs_f64(), self.seconds(), draw);
                show(numeric.value(recorded, number));
            }
            Variation::Delay(delay) => {
                self.delay(delay, at, None);
                show(recorded);
            }
            Variation::Error(error) => match error.on_read {
                Some(Refusal::NoSuchInstance) => return Err(ReadError::NoSuchInstance),
                Some(Refusal::Status(status)) => {
                    self.note.fail(status);
                    return Err(ReadError::Failed);
                }
                None => show(recorded),
            },
            Variation::WriteCache(_) | Variation::Notification(_) | Variation::Choice(_) => {
                show(recorded);
            }
        }
        Ok(())
    }
}

/// A duration that is up to `deviation` longer or shorter.
pub(crate) fn around(wait: Duration, deviation: Duration, draw: u64) -> Duration {
    let longest = wait.saturating_add(deviation);
    let shortest = wait.saturating_sub(deviation);
    shortest + (longest - shortest).mul_f64(unit(draw))
}

/// The lower 32 bits.
fn wrapped(number: u64) -> u32 {
    let [.., a, b, c, d] = number.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// A text as a value of the type that was recorded.
fn text_value(
    recorded: ValueRef<'_>,
    text: &str,
    show: &mut dyn FnMut(ValueRef<'_>),
) -> Result<(), ReadError> {
    let number = || text.parse::<i64>().ok();
    let small = || number().and_then(|number| u32::try_from(number).ok());
    let value = match recorded {
        ValueRef::OctetString(_) => Some(ValueRef::OctetString(text.as_bytes())),
        ValueRef::Integer(_) => number()
            .and_then(|number| i32::try_from(number).ok())
            .map(ValueRef::Integer),
        ValueRef::Gauge32(_) => small().map(ValueRef::Gauge32),
        ValueRef::Counter32(_) => small().map(ValueRef::Counter32),
        ValueRef::TimeTicks(_) => small().map(ValueRef::TimeTicks),
        ValueRef::Counter64(_) => text.parse().ok().map(ValueRef::Counter64),
        ValueRef::IpAddress(_) => text
            .parse::<std::net::Ipv4Addr>()
            .ok()
            .map(|address| ValueRef::IpAddress(address.octets())),
        _ => None,
    };
    // A text that is not a value of the type leaves what was recorded.
    show(value.unwrap_or(recorded));
    Ok(())
}

/// A random number that a name stands for.
pub(crate) fn name_number(name: &[u32]) -> u64 {
    name.iter().fold(of_octets(&[]), |state, arc| {
        of_octets(&[&state.to_be_bytes()[..], &arc.to_be_bytes()].concat())
    })
}
