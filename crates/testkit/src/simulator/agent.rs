//! Agents: one that follows the standard, and a way to make others.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, Pdu, PduType};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::clock::Instant;

use crate::message::Message;
use crate::oid;

/// A command responder.
pub trait SimulatedAgent {
    /// The answers to a message, and how long each takes.
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)>;
}

impl<F: FnMut(Instant, &[u8]) -> Vec<(Duration, Vec<u8>)>> SimulatedAgent for F {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        self(now, message)
    }
}

/// A request as an agent sees it.
#[derive(Clone, Debug)]
pub struct Request {
    /// SNMPv1 or SNMPv2c.
    pub version: Version,
    /// The type of the PDU.
    pub pdu_type: PduType,
    /// request-id.
    pub request_id: i32,
    /// max-repetitions, not negative.
    pub max_repetitions: usize,
    /// The names of the variable bindings.
    pub names: Vec<Oid>,
}

impl Request {
    /// Reads a request of `public`.
    pub fn decode(message: &[u8]) -> Self {
        let decoded = CommunityMessage::decode(message).expect("a message");
        assert_eq!(decoded.community, b"public");
        let Pdu::Common(pdu) = decoded.pdu else {
            panic!("no trap is expected");
        };
        let names = names(&pdu);
        Self {
            version: decoded.version,
            pdu_type: pdu.pdu_type,
            request_id: pdu.request_id,
            max_repetitions: pdu.max_repetitions(),
            names,
        }
    }

    /// A response to it.
    pub fn respond(&self, status: ErrorStatus, index: i32, objects: &[VarBind]) -> Vec<u8> {
        Message {
            version: self.version,
            community: b"public".to_vec(),
            pdu_type: PduType::Response,
            request_id: self.request_id,
            error_status: status.code(),
            error_index: index,
            bindings: objects.to_vec(),
        }
        .encode()
    }
}

fn names(pdu: &CommonPdu<'_>) -> Vec<Oid> {
    pdu.var_binds
        .clone()
        .map(|var_bind| var_bind.expect("a binding").name.to_oid())
        .collect()
}

/// An agent that follows the standard.
#[derive(Clone, Debug, Default)]
pub struct StandardAgent {
    /// All that it has.
    pub objects: BTreeMap<Oid, Value>,
    /// From a request to its answer, besides the network.
    pub delay: Duration,
    /// One request at a time: others wait.
    pub one_at_a_time: bool,
    /// What each object costs.
    pub delay_per_object: Duration,
    /// The largest response.
    pub max_size: usize,
    /// What it says instead of sending fewer objects.
    pub never_truncates: Option<ErrorStatus>,
    /// An object that it answers genErr for.
    pub unreadable: Option<Oid>,
    /// The requests that came.
    pub requests: u64,
    /// The SetRequests among them.
    pub sets: u64,
    busy_until: Instant,
}

impl StandardAgent {
    /// With these objects.
    pub fn new(objects: BTreeMap<Oid, Value>) -> Self {
        Self {
            objects,
            max_size: 65_507,
            ..Self::default()
        }
    }

    fn next(&self, name: &Oid) -> VarBind {
        let behind = (Bound::Excluded(name), Bound::Unbounded);
        match self.objects.range::<Oid, _>(behind).next() {
            Some((name, value)) => VarBind::new(name.clone(), value.clone()),
            None => VarBind::new(name.clone(), Value::EndOfMibView),
        }
    }

    fn get_bulk(&self, request: &Request) -> Vec<VarBind> {
        let mut objects = Vec::new();
        let mut names = request.names.clone();
        for _ in 0..request.max_repetitions {
            for name in &mut names {
                let object = self.next(name);
                *name = object.name.clone();
                objects.push(object);
            }
        }
        objects
    }

    /// The response to a request.
    pub fn answer(&mut self, request: &Request) -> Vec<u8> {
        let mut objects: Vec<VarBind> = match request.pdu_type {
            PduType::GetNextRequest => request.names.iter().map(|name| self.next(name)).collect(),
            PduType::GetBulkRequest => self.get_bulk(request),
            PduType::GetRequest => request
                .names
                .iter()
                .map(|name| {
                    let value = self.objects.get(name).cloned();
                    VarBind::new(name.clone(), value.unwrap_or(Value::NoSuchInstance))
                })
                .collect(),
            _ => {
                self.sets += 1;
                request
                    .names
                    .iter()
                    .map(|name| VarBind::new(name.clone(), Value::Null))
                    .collect()
            }
        };
        let is_unreadable = |object: &VarBind| Some(&object.name) == self.unreadable.as_ref();
        if let Some(at) = objects.iter().position(is_unreadable) {
            let index = match request.pdu_type {
                PduType::GetBulkRequest => 1,
                _ => i32::try_from(at).expect("few") + 1,
            };
            return request.respond(ErrorStatus::GenErr, index, &[]);
        }
        if request.version == Version::V1
            && let Some(at) = objects
                .iter()
                .position(|o| o.value.as_value_ref().is_exception())
        {
            let index = i32::try_from(at).expect("few") + 1;
            let echo: Vec<_> = request
                .names
                .iter()
                .map(|name| VarBind::new(name.clone(), Value::Null))
                .collect();
            return request.respond(ErrorStatus::NoSuchName, index, &echo);
        }
        loop {
            let response = request.respond(ErrorStatus::NoError, 0, &objects);
            if response.len() <= self.max_size {
                return response;
            }
            let is_bulk = request.pdu_type == PduType::GetBulkRequest;
            match self.never_truncates {
                Some(status) if is_bulk => return request.respond(status, 0, &[]),
                None if is_bulk && objects.len() > 1 => {
                    objects.pop();
                }
                _ => return request.respond(ErrorStatus::TooBig, 0, &[]),
            }
        }
    }
}

impl SimulatedAgent for StandardAgent {
    fn respond(&mut self, now: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let request = Request::decode(message);
        self.requests += 1;
        let count = match request.pdu_type {
            PduType::GetBulkRequest => request.max_repetitions.max(1),
            _ => request.names.len(),
        };
        let work = self.delay + self.delay_per_object * u32::try_from(count).expect("few");
        let answer = self.answer(&request);
        let start = if self.one_at_a_time {
            now.max(self.busy_until)
        } else {
            now
        };
        self.busy_until = start + work;
        vec![(self.busy_until - now, answer)]
    }
}

/// A table like ifTable: `columns` columns of `rows` rows.
pub fn table(entry: &str, columns: u32, rows: u32) -> BTreeMap<Oid, Value> {
    let entry = oid(entry);
    let mut objects = BTreeMap::new();
    for column in 1..=columns {
        for row in 1..=rows {
            let name = entry.child(&[column, row]).expect("short");
            objects.insert(name, Value::Counter32(column * 1000 + row));
        }
    }
    objects
}
