//! Devices that have every object of a module, made of the module: three rows in each table, with values of every type that the
//! metrics have, odd ones among them.

use std::collections::BTreeMap;
use std::hash::Hasher;

use serde::Deserialize;
use varbind::{Oid, Value};

use crate::agent::Objects;

/// The part of `snmp.yml` that says which objects there are.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    pub(crate) modules: BTreeMap<String, Module>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Module {
    #[serde(default)]
    metrics: Vec<Metric>,
}

#[derive(Debug, Deserialize)]
struct Metric {
    oid: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    indexes: Vec<Index>,
    #[serde(default)]
    lookups: Vec<Lookup>,
    #[serde(default)]
    enum_values: BTreeMap<i32, String>,
    #[serde(default)]
    regex_extracts: BTreeMap<String, serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Index {
    labelname: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    fixed_size: u32,
    #[serde(default)]
    implied: bool,
    #[serde(default)]
    enum_values: BTreeMap<u32, String>,
}

#[derive(Debug, Deserialize)]
struct Lookup {
    #[serde(default)]
    labels: Vec<String>,
    labelname: String,
    #[serde(default)]
    oid: String,
    #[serde(rename = "type", default)]
    kind: String,
}

const ROWS: u32 = 3;

impl Module {
    /// The objects of a device.
    pub(crate) fn device(&self) -> Objects {
        let mut objects = Objects::new();
        for metric in &self.metrics {
            let rows = if metric.indexes.is_empty() { 1 } else { ROWS };
            for row in 0..rows {
                metric.look_up(row, &mut objects);
            }
        }
        for metric in &self.metrics {
            let oid = arcs(&metric.oid);
            let rows = if metric.indexes.is_empty() { 1 } else { ROWS };
            for row in 0..rows {
                let index = match metric.indexes.as_slice() {
                    [] => vec![0],
                    indexes => indexes.iter().flat_map(|index| index.arcs(row)).collect(),
                };
                let name = [&oid[..], &index].concat();
                let value = metric.value(row, &name, &mut objects);
                objects.entry(name).or_insert(value);
            }
        }
        objects
    }
}

fn arcs(oid: &str) -> Vec<u32> {
    oid.parse::<Oid>().unwrap().arcs().to_vec()
}

impl Index {
    fn arcs(&self, row: u32) -> Vec<u32> {
        let row = row + 1;
        match self.kind.as_str() {
            "PhysAddress48" => vec![0, 26, 43, 60, 77, 200 + row],
            "OctetString" | "DisplayString" if self.fixed_size > 0 => {
                (0..self.fixed_size).map(|at| 64 + row + at % 32).collect()
            }
            "OctetString" | "DisplayString" if self.implied => vec![97, 98, 98 + row],
            "OctetString" | "DisplayString" => vec![3, 120, 121, 96 + row],
            "InetAddressIPv4" => vec![192, 0, 2, row],
            "InetAddressIPv6" => (0..16).map(|at| at * 10 + row).collect(),
            "InetAddress" if row.is_multiple_of(2) => {
                [vec![2, 16], (0..16).map(|at| at + row).collect()].concat()
            }
            "InetAddress" => vec![1, 4, 192, 0, 2, row],
            "InetAddressMissingSize" => vec![1, 192, 0, 2, row],
            "EnumAsInfo" => {
                let known = self.enum_values.keys().nth(row as usize - 1).copied();
                vec![known.unwrap_or(90 + row)]
            }
            _ => vec![row],
        }
    }
}

/// A number that depends on a name alone.
fn mixed(name: &[u32]) -> u32 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    for arc in name {
        hasher.write_u32(*arc);
    }
    (hasher.finish() >> 20) as u32
}

/// FNV-1a, whose results do not depend on the version of the compiler.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, octets: &[u8]) {
        for octet in octets {
            self.0 = (self.0 ^ u64::from(*octet)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Metric {
    /// Adds the objects that labels are looked up in. Each has a value of its own, so that no two rows have the same labels.
    fn look_up(&self, row: u32, objects: &mut Objects) {
        let mut parts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for index in &self.indexes {
            parts.insert(&index.labelname, index.arcs(row));
        }
        for lookup in self
            .lookups
            .iter()
            .filter(|lookup| !lookup.labels.is_empty())
        {
            let mut name = arcs(&lookup.oid);
            for label in &lookup.labels {
                name.extend(parts.get(&**label).into_iter().flatten());
            }
            let text = format!("name-{}-{row}", mixed(&name) % 10_000);
            let value = match lookup.kind.as_str() {
                "gauge" | "EnumAsInfo" => Value::Integer(101 + row.cast_signed()),
                "PhysAddress48" => Value::OctetString(
                    [&[2, 0, 0][..], &(0x00ff_0000 + row).to_be_bytes()[1..]].concat(),
                ),
                _ => Value::OctetString(text.into_bytes()),
            };
            let value = objects.entry(name).or_insert(value);
            if let Value::Integer(number) = value {
                parts.insert(&lookup.labelname, vec![number.cast_unsigned()]);
            }
        }
    }

    fn value(&self, row: u32, name: &[u32], objects: &mut Objects) -> Value {
        let mixed = mixed(name);
        let text = |text: &[u8]| Value::OctetString(text.to_vec());
        match self.kind.as_str() {
            "counter" if mixed.is_multiple_of(2) => Value::Counter64((1 << 53) + u64::from(mixed)),
            "counter" => Value::Counter32(mixed),
            "gauge" => match mixed % 5 {
                0 => Value::Integer(-mixed.cast_signed() / 7),
                1 => Value::TimeTicks(mixed),
                2 => Value::Counter64(u64::from(mixed) << 25),
                _ => Value::Gauge32(mixed),
            },
            "Float" | "Double" if mixed.is_multiple_of(3) => Value::Gauge32(mixed),
            "Float" => {
                let number = (f64::from(mixed) / 1000.0) as f32;
                Value::Opaque([&[0x9f, 0x78, 4][..], &number.to_be_bytes()].concat())
            }
            "Double" => {
                let number = f64::from(mixed) / 1e6;
                Value::Opaque([&[0x9f, 0x79, 8][..], &number.to_be_bytes()].concat())
            }
            "EnumAsInfo" | "EnumAsStateSet" => {
                let known = self.enum_values.keys().nth(row as usize).copied();
                Value::Integer(known.unwrap_or(99))
            }
            "Bits" => text(&[0xa5, mixed as u8]),
            "DateAndTime" => match row {
                0 => text(&[7, 232, 3, 31, 1, 2, 3, 4]),
                1 => text(&[7, 232, 12, 31, 23, 59, 60, 9, b'-', 3, 30]),
                _ => text(b"never"),
            },
            "ParseDateAndTime" if row == 0 => text(b"Apr 01 2025"),
            "ParseDateAndTime" => text(b"Tue Feb 29 12:34:56 2000"),
            "PhysAddress48" => text(&[0, 26, 43, mixed as u8, (mixed >> 8) as u8, row as u8]),
            "InetAddressIPv4" if mixed.is_multiple_of(2) => {
                Value::IpAddress([198, 51, 100, row as u8])
            }
            "InetAddressIPv4" => text(&[198, 51, 100, row as u8]),
            "InetAddressIPv6" => text(&[0xfe; 16]),
            "InetAddress" | "InetAddressMissingSize" | "LldpPortId" => {
                self.typed(row, name, objects)
            }
            "OctetString" if row == 1 => text(&[0, 255, mixed as u8]),
            _ if !self.regex_extracts.is_empty() => {
                let texts: [&[u8]; 6] = [b"12.5 V", b"True", b"False", b"-7", b"n/a", b"230"];
                text(texts[mixed as usize % texts.len()])
            }
            _ => match mixed % 6 {
                0 => text(b"quote \" backslash \\ line\nend"),
                1 => text(b"bad \xff\xfe octets \xc3"),
                2 => text("gr\u{fc}n".as_bytes()),
                3 => Value::from(&"1.3.6.1.4.1.32473".parse::<Oid>().unwrap()),
                _ => Value::OctetString(format!("text {mixed}").into_bytes()),
            },
        }
    }

    /// A value whose type is in the object before it.
    fn typed(&self, row: u32, name: &[u32], objects: &mut Objects) -> Value {
        let column = arcs(&self.oid).len() - 1;
        let mut before = name.to_vec();
        before[column] -= 1;
        let kind = objects
            .entry(before)
            .or_insert(Value::Integer(1 + row.cast_signed()));
        match kind {
            Value::Integer(1) => Value::OctetString(vec![203, 0, 113, row as u8]),
            Value::Integer(2) => Value::OctetString((0..16).collect()),
            _ => Value::OctetString(vec![1, 2, 3, 4, 5, row as u8]),
        }
    }
}
