//! A group of devices as it is written.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::Deserialize;
use varbind_codec::oid;
use varbind_codec::smi::Oid;
use varbind_mib::Mib;

use super::DocumentError;
use super::text::{Chance, WrittenDuration};
use crate::device::{AddressRange, DeviceGroup, Faults, Selection, Template, Traps, ValueRules};
use crate::recording::{Library, Recording};

const SYS_NAME: Oid = oid!("1.3.6.1.2.1.1.5.0");
/// entPhysicalSerialNum (RFC 6933).
const SERIAL_NUMBER: Oid = oid!("1.3.6.1.2.1.47.1.1.1.1.11");
/// The most ports of a group: each is a socket and a thread.
const MOST_PORTS: usize = 4096;
/// The default growth of counters: the least and the greatest rate, per second.
const DEFAULT_RATE: (f64, f64) = (1.0, 1_000_000.0);

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct GroupDocument {
    name: Option<String>,
    addresses: Option<String>,
    devices: Option<u32>,
    port: Option<u16>,
    ports: Option<String>,
    recordings: Vec<String>,
    communities: Option<Vec<String>>,
    live: Option<bool>,
    counter_rate: Option<(f64, f64)>,
    boots: Option<i32>,
    sys_name: Option<String>,
    serial_number: Option<String>,
    values: BTreeMap<String, String>,
    faults: FaultsDocument,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct FaultsDocument {
    share: Option<Chance>,
    latency: WrittenDuration,
    jitter: WrittenDuration,
    loss: Chance,
    duplicate: Chance,
    wrong_request_id: Chance,
    general_error: Chance,
    too_big: Chance,
    largest_response: Option<usize>,
    mute: bool,
    wrong_order: bool,
    endless_loop: bool,
    restart_every: Option<WrittenDuration>,
    renumber_every: Option<WrittenDuration>,
    traps: Option<TrapsDocument>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TrapsDocument {
    rate: f64,
    to: String,
    #[serde(default = "public")]
    community: String,
}

fn public() -> String {
    "public".to_owned()
}

impl GroupDocument {
    /// A device at each of these addresses.
    pub(super) fn of_addresses(range: AddressRange) -> Self {
        Self {
            addresses: Some(range.first().to_string()),
            devices: Some(range.count()),
            ..Self::default()
        }
    }

    pub(super) fn group(
        &self,
        at: usize,
        library: &Library,
        communities: &[String],
        live: bool,
    ) -> Result<DeviceGroup, DocumentError> {
        let name = self
            .name
            .clone()
            .unwrap_or_else(|| format!("group {}", at + 1));
        let error = |message: &dyn std::fmt::Display| {
            DocumentError::value(format!("groups {name:?}"), message)
        };
        let found = self.found(library).map_err(|message| error(&message))?;
        let selection = match self.range().map_err(|message| error(&message))? {
            Some(range) => {
                let ports = self.port_range().map_err(|message| error(&message))?;
                Selection::Addresses(range, ports)
            }
            None => Selection::Names(found.iter().map(|(name, _)| (*name).to_owned()).collect()),
        };
        let recordings = found.into_iter().map(|(_, recording)| recording.clone());
        let mut group = DeviceGroup::new(name.clone(), selection, recordings.collect());
        group.communities = self
            .communities
            .clone()
            .unwrap_or_else(|| communities.to_vec());
        group.values = self.values(live).map_err(|message| error(&message))?;
        group.faults = self.faults.faults().map_err(|message| error(&message))?;
        group.boots = self.boots.unwrap_or(1);
        if group.boots < 0 {
            let message = format!("boots: {} is negative: write 0 or more", group.boots);
            return Err(error(&message));
        }
        Ok(group)
    }

    /// The recordings that the patterns match, with their names.
    fn found<'l>(
        &self,
        library: &'l Library,
    ) -> Result<Vec<(&'l str, &'l Arc<Recording>)>, String> {
        let all = ["*".to_owned()];
        let patterns = if self.recordings.is_empty() {
            &all[..]
        } else {
            &self.recordings
        };
        let mut found = Vec::new();
        for pattern in patterns {
            let before = found.len();
            found.extend(library.matching(pattern));
            if found.len() == before {
                let known: Vec<_> = library
                    .matching("*")
                    .take(5)
                    .map(|(name, _)| name)
                    .collect();
                return Err(format!(
                    "no recording matches {pattern:?}: there are {}",
                    known.join(", ")
                ));
            }
        }
        Ok(found)
    }

    /// The ports at which each address is a device.
    fn port_range(&self) -> Result<Option<RangeInclusive<u16>>, String> {
        let Some(text) = &self.ports else {
            return Ok(self.port.map(|port| port..=port));
        };
        if self.port.is_some() {
            return Err("port and ports exclude each other: remove one".to_owned());
        }
        let range = text.split_once('-').and_then(|(first, last)| {
            let port = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port > 0);
            Some(port(first)?..=port(last)?)
        });
        let range = range.filter(|range| (1..=MOST_PORTS).contains(&range.len()));
        let wrong = || {
            format!("ports: {text:?} is no range of at most {MOST_PORTS} ports: write 20000-20099")
        };
        range.map(Some).ok_or_else(wrong)
    }

    fn range(&self) -> Result<Option<AddressRange>, String> {
        let Some(text) = &self.addresses else {
            return match (self.devices, self.port, &self.ports) {
                (None, None, None) => Ok(None),
                (None, None, Some(_)) => Ok(AddressRange::new(Ipv4Addr::LOCALHOST.into(), 1)),
                _ => Err("devices and port need addresses: add the first".to_owned()),
            };
        };
        let range: AddressRange = text
            .parse()
            .map_err(|error| format!("addresses: {error}"))?;
        let Some(devices) = self.devices else {
            return Ok(Some(range));
        };
        if range.count() > 1 && devices > range.count() {
            return Err(format!(
                "addresses: {text} has {} addresses, but devices is {devices}",
                range.count()
            ));
        }
        let range = AddressRange::new(range.first(), devices);
        let range = range.ok_or_else(|| {
            format!("devices: {devices} addresses from {text} on do not exist: say 1 to 16777216")
        });
        range.map(Some)
    }

    fn values(&self, live: bool) -> Result<ValueRules, String> {
        let is_live = self.live.unwrap_or(live);
        let counter_rate = self
            .counter_rate
            .or_else(|| is_live.then_some(DEFAULT_RATE));
        if let Some((least, most)) = counter_rate
            && !(least >= 0.0 && most >= least && most.is_finite())
        {
            return Err(
                "counter-rate: write the least and the greatest rate, [1, 1000]".to_owned(),
            );
        }
        let template = |text: &str| {
            Template::parse(text).map_err(|part| {
                format!("{part} is not known in {text:?}: use {{index}}, {{number}}, {{address}}, {{port}}, {{serial}} or {{name}}")
            })
        };
        let mut texts = Vec::new();
        let mib = Mib::builtin();
        for (name, text) in &self.values {
            let oid = mib
                .resolve(name)
                .map_err(|error| format!("values: {error}"))?;
            texts.push((oid, template(text)?));
        }
        if let Some(text) = &self.sys_name {
            texts.push((SYS_NAME, template(text)?));
        }
        if let Some(text) = &self.serial_number {
            texts.push((SERIAL_NUMBER, template(text)?));
        }
        Ok(ValueRules {
            up_time: is_live,
            counter_rate,
            texts,
        })
    }
}

impl FaultsDocument {
    fn faults(&self) -> Result<Faults, String> {
        let interval = |name: &str, written: Option<WrittenDuration>| match written {
            Some(WrittenDuration(duration)) if duration.as_millis() < 100 => {
                Err(format!("faults: {name} is at least 100ms"))
            }
            other => Ok(other.map(|WrittenDuration(duration)| duration)),
        };
        Ok(Faults {
            share: self.share.map_or(1.0, |share| share.0),
            latency: self.latency.0,
            jitter: self.jitter.0,
            loss: self.loss.0,
            duplicate: self.duplicate.0,
            wrong_request_id: self.wrong_request_id.0,
            general_error: self.general_error.0,
            too_big: self.too_big.0,
            largest_response: self.largest_response,
            mute: self.mute,
            wrong_order: self.wrong_order,
            endless_loop: self.endless_loop,
            restart_every: interval("restart-every", self.restart_every)?,
            renumber_every: interval("renumber-every", self.renumber_every)?,
            traps: self.traps.as_ref().map(TrapsDocument::traps).transpose()?,
        })
    }
}

impl TrapsDocument {
    fn traps(&self) -> Result<Traps, String> {
        let to: SocketAddr = self.to.parse().map_err(|_| {
            format!(
                "traps: {:?} is not an address with a port: write 127.0.0.1:1162",
                self.to
            )
        })?;
        if !(0.0..=1e6).contains(&self.rate) {
            return Err(format!(
                "traps: the rate is 0 to 1000000 a second, not {}",
                self.rate
            ));
        }
        Ok(Traps {
            rate: self.rate,
            to,
            community: self.community.clone(),
        })
    }
}
