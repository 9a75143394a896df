use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::{Transport, TransportAddress};
use varbind_codec::ber::Writer;
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{OidScratch, Value, ValueRef, VarBind};
#[cfg(feature = "experiments")]
use varbind_web::client::{Coding, Operation};
#[cfg(feature = "experiments")]
use varbind_web::{IfRows, SoapCodec};

use super::super::names::{IF_ENTRY, oid};
use super::super::{Measure, Observation, Setting, SubjectName};
use super::Laboratory;
use crate::measurement::TransportKind;
#[cfg(not(feature = "experiments"))]
use crate::subject::NO_EXPERIMENTS;
use crate::subject::READ_COMMUNITY;

/// What an agent does to a message and its answer besides finding values: reading a request for a part of ifTable, and writing
/// the response. The objects are those of the agent; the work is done here, again and again, by our own routines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodingTask {
    /// The network whose interfaces are in the table.
    pub setting: Setting,
    /// How messages are coded.
    pub coding: MessageCoding,
    /// The columns of ifTable that are sent.
    pub columns: Vec<u32>,
    /// Of how many interfaces.
    pub rows: u32,
}

/// How messages are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageCoding {
    /// SNMPv2c in BER.
    Ber,
    /// SOAP in XML.
    Xml,
    /// The same, compressed in the format of zlib.
    XmlZlib,
}

/// Messages in each turn of the clock, at least; and CPU time that is enough, in microseconds.
const FEWEST: u32 = 16;
const ENOUGH: f64 = 4_000.0;
/// Octets of the largest response.
const LARGEST: usize = 4 << 20;

impl CodingTask {
    pub(in super::super) fn is_possible(subject: SubjectName) -> Result<(), String> {
        subject.ours_alone(|| format!("the routines of {subject} cannot be called by themselves"))
    }

    pub(super) fn observe(&self, laboratory: &mut Laboratory) -> Result<Observation, String> {
        let agent = laboratory.agent(SubjectName::Varbind)?;
        let target = agent.target(TransportKind::Tcp);
        let address = target.ok_or("the agent does not listen on tcp")?.address;
        let target = TransportAddress::of_socket(Transport::Tcp, address);
        let manager = Manager::open(&target, ManagerOptions::v2c(READ_COMMUNITY));
        let mut manager = manager.map_err(|error| error.to_string())?;
        let objects = self.objects(&mut manager)?;
        let mut observation = Observation::default();
        let (octets, each) = match self.coding {
            MessageCoding::Ber => measure_ber(&objects)?,
            #[cfg(feature = "experiments")]
            MessageCoding::Xml => measure_xml(&objects, None)?,
            #[cfg(feature = "experiments")]
            MessageCoding::XmlZlib => measure_xml(&objects, Some(Coding::Deflate))?,
            #[cfg(not(feature = "experiments"))]
            MessageCoding::Xml | MessageCoding::XmlZlib => return Err(NO_EXPERIMENTS.to_owned()),
        };
        observation.note(Measure::Cpu, each);
        observation.note(Measure::Octets, octets as f64);
        observation.note(Measure::Objects, objects.len() as f64);
        Ok(observation)
    }

    /// The objects, column by column, as in SNMP.
    fn objects(&self, manager: &mut Manager) -> Result<Vec<VarBind>, String> {
        let mut objects = Vec::new();
        for &column in &self.columns {
            let column = oid(&[IF_ENTRY, &[column]].concat());
            let mut last = column.clone();
            let wanted = objects.len() + self.rows as usize;
            while objects.len() < wanted {
                let most = u16::try_from(wanted - objects.len()).unwrap_or(u16::MAX);
                let found = manager.get_bulk(0, most, &[last]);
                let found = found.map_err(|error| error.to_string())?.var_binds;
                let inside = found
                    .into_iter()
                    .take_while(|object| column.is_prefix_of(object.name.arcs()));
                let before = objects.len();
                objects.extend(inside);
                last = match objects.last() {
                    Some(object) if objects.len() > before => object.name.clone(),
                    _ => return Err(format!("{column} has fewer than {} rows", self.rows)),
                };
            }
        }
        Ok(objects)
    }
}

/// Octets of both messages, and the CPU time that coding both takes, in microseconds.
fn measure_ber(objects: &[VarBind]) -> Result<(usize, f64), String> {
    let mut buffer = vec![0; LARGEST];
    let (request_type, repetitions) = match objects {
        [_] => (PduType::GetRequest, 0),
        _ => (PduType::GetBulkRequest, objects.len()),
    };
    let repetitions = i32::try_from(repetitions).unwrap_or(i32::MAX);
    let asked = VarBind::new(oid(IF_ENTRY), Value::Null);
    let mut code = |pdu_type, repetitions, objects: &[VarBind]| {
        let written = write_message(pdu_type, repetitions, objects, &mut buffer);
        written
            .map(<[u8]>::to_vec)
            .map_err(|error| error.to_string())
    };
    let request = code(request_type, repetitions, std::slice::from_ref(&asked))?;
    let response = code(PduType::Response, 0, objects)?.len();
    let mut scratch = OidScratch::new();
    let each = cpu_time_of(|| {
        let names = read_names(black_box(&request), &mut scratch);
        let written = write_message(PduType::Response, 0, black_box(objects), &mut buffer);
        names == Some(1) && written.is_ok()
    })?;
    Ok((request.len() + response, each))
}

fn write_message<'b>(
    pdu_type: PduType,
    repetitions: i32,
    objects: &[VarBind],
    buffer: &'b mut [u8],
) -> Result<&'b [u8], varbind_codec::ber::EncodeError> {
    let range = {
        let mut writer = Writer::new(buffer, CommunityMessage::HEADROOM)?;
        for VarBind { name, value } in objects {
            writer.append_var_bind(name.arcs(), value.as_value_ref())?;
        }
        writer.prepend_pdu(pdu_type, 0x1234_5678, 0, repetitions)?;
        writer.prepend_community_header(Version::V2c, READ_COMMUNITY.as_bytes())?;
        writer.range()
    };
    Ok(buffer.get(range).unwrap_or_default())
}

/// How many names a request has.
fn read_names(message: &[u8], scratch: &mut OidScratch) -> Option<usize> {
    let Pdu::Common(pdu) = CommunityMessage::decode(message).ok()?.pdu else {
        return None;
    };
    let mut count = 0;
    for var_bind in pdu.var_binds {
        let var_bind = var_bind.ok()?;
        black_box(var_bind.name.decode_into(scratch));
        count += usize::from(var_bind.value == ValueRef::Null);
    }
    Some(count)
}

#[cfg(feature = "experiments")]
fn measure_xml(objects: &[VarBind], coding: Option<Coding>) -> Result<(usize, f64), String> {
    let codec = SoapCodec::new();
    let rows = codec.rows(objects.iter().cloned());
    let operation = match objects {
        [_] => Operation::Object {
            name: "ifInOctets".into(),
            index: 1,
        },
        _ => Operation::Table,
    };
    let told = |error: std::io::Error| error.to_string();
    let request = SoapCodec::encode_call(&operation, coding).map_err(told)?;
    let response = |rows: &IfRows<'_>| SoapCodec::encode_response(&operation, rows, coding);
    let octets = request.len() + response(&rows).map_err(told)?.len();
    let each = cpu_time_of(|| {
        let asked = SoapCodec::decode_call(black_box(&request), coding);
        let written = response(black_box(&rows));
        asked.as_ref() == Some(&operation) && black_box(written).is_ok()
    })?;
    Ok((octets, each))
}

/// The CPU time of this thread that something takes, in microseconds: of as many in a row as can be told by the clock.
fn cpu_time_of(mut work: impl FnMut() -> bool) -> Result<f64, String> {
    // Caches fill, and what allocates has its room.
    if !work() {
        return Err("a message could not be coded".to_owned());
    }
    let mut count = FEWEST;
    loop {
        let begun = thread_time();
        for _ in 0..count {
            black_box(work());
        }
        let spent = thread_time() - begun;
        if spent >= ENOUGH {
            return Ok(spent / f64::from(count));
        }
        count = count.saturating_mul(2);
    }
}

/// CPU time of this thread, in microseconds.
fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(rows: u32) -> Vec<VarBind> {
        let columns = [2, 10].into_iter();
        let names = columns
            .flat_map(|column| (1..=rows).map(move |row| [IF_ENTRY, &[column, row]].concat()));
        let value = |name: &[u32]| match name.iter().rev().nth(1) {
            Some(2) => Value::OctetString(b"eth0".to_vec()),
            _ => Value::Counter32(4_000_000_000),
        };
        names
            .map(|name| VarBind::new(oid(&name), value(&name)))
            .collect()
    }

    #[test]
    fn messages_are_those_that_an_agent_would_send() {
        let objects = objects(3);
        let mut buffer = vec![0; 4096];
        let message = write_message(PduType::Response, 0, &objects, &mut buffer).unwrap();
        let Pdu::Common(pdu) = CommunityMessage::decode(message).unwrap().pdu else {
            panic!("another PDU");
        };
        let read = pdu.var_binds.map(|var_bind| var_bind.unwrap().to_owned());
        assert_eq!(read.collect::<Vec<_>>(), objects);
    }

    #[test]
    fn what_is_more_takes_longer() {
        let (few, many) = (objects(1), objects(200));
        let (octets_of_few, ber_of_few) = measure_ber(&few).unwrap();
        let (octets_of_many, ber_of_many) = measure_ber(&many).unwrap();
        assert!(octets_of_many > 50 * octets_of_few && ber_of_many > 0.0 && ber_of_few > 0.0);
    }

    #[cfg(feature = "experiments")]
    #[test]
    fn xml_takes_more_octets_and_compression_saves_them() {
        let many = objects(200);
        let (octets_of_many, _) = measure_ber(&many).unwrap();
        let (plain, _) = measure_xml(&many, None).unwrap();
        let (compressed, _) = measure_xml(&many, Some(Coding::Deflate)).unwrap();
        assert!(plain > octets_of_many && compressed < plain / 4);
    }
}
