//! A subagent of AgentX (RFC 2741) that does what a test says, over any stream.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::Bound;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

use varbind_codec::agentx::{
    AgentxPdu, ByteOrder, CloseReason, Packet, Region, ResponseError, SearchRange, frame_length,
};
use varbind_codec::smi::{Oid, Value, VarBind};

use crate::oid;

/// A connection of a subagent, with one session at a time.
pub struct Subagent {
    stream: UnixStream,
    input: Vec<u8>,
    order: ByteOrder,
    /// h.sessionID of the PDUs that it sends.
    pub session: u32,
    last_number: u32,
    /// PDUs of the master that came while a response was waited for.
    waiting: VecDeque<Packet>,
}

impl Subagent {
    /// Opens a session in this byte order, in which the subagent has three seconds for each answer.
    pub fn open(stream: UnixStream, order: ByteOrder) -> Self {
        Self::open_with_timeout(stream, order, 3)
    }

    /// Opens a session with another time limit, in seconds.
    pub fn open_with_timeout(stream: UnixStream, order: ByteOrder, timeout: u8) -> Self {
        let mut subagent = Self {
            stream,
            input: Vec::new(),
            order,
            session: 0,
            last_number: 0,
            waiting: VecDeque::new(),
        };
        subagent.session = subagent.open_another(timeout);
        subagent
    }

    /// Opens another session on the same connection, and returns its number.
    pub fn open_another(&mut self, timeout: u8) -> u32 {
        let opened = self.request(AgentxPdu::Open {
            timeout,
            id: Some(oid("1.3.6.1.4.1.32473")),
            description: b"a subagent of a test".to_vec(),
        });
        assert_eq!(error(&opened), ResponseError::NO_ERROR);
        opened.session
    }

    /// Sends a PDU of the session, and waits for its response.
    pub fn request(&mut self, pdu: AgentxPdu) -> Packet {
        self.request_in(None, pdu)
    }

    /// The same in a context.
    pub fn request_in(&mut self, context: Option<&str>, pdu: AgentxPdu) -> Packet {
        self.last_number += 1;
        let number = self.last_number;
        self.send(&Packet {
            order: self.order,
            session: self.session,
            transaction: 0,
            number,
            context: context.map(|context| context.as_bytes().to_vec()),
            pdu,
        });
        loop {
            let packet = self.read().expect("a response");
            match packet.pdu {
                AgentxPdu::Response { .. } if packet.number == number => return packet,
                _ => self.waiting.push_back(packet),
            }
        }
    }

    /// Registers a subtree, and returns the error.
    pub fn register(&mut self, subtree: &str) -> ResponseError {
        let response = self.request(AgentxPdu::Register {
            timeout: 0,
            region: region(subtree),
            is_instance: false,
        });
        error(&response)
    }

    /// Closes the session.
    pub fn close(&mut self) -> ResponseError {
        error(&self.request(AgentxPdu::Close(CloseReason::Shutdown)))
    }

    /// The next PDU of the master; `None` when the connection has ended.
    pub fn next_pdu(&mut self) -> Option<Packet> {
        match self.waiting.pop_front() {
            Some(packet) => Some(packet),
            None => self.read().ok(),
        }
    }

    /// Answers a PDU.
    pub fn respond(&mut self, to: &Packet, answer: Answer) {
        let (error, index, var_binds) = match answer {
            Answer::Variables(var_binds) => (ResponseError::NO_ERROR, 0, var_binds),
            Answer::Error(error, index) => (ResponseError(error), index, Vec::new()),
            Answer::Payload(payload) => return self.respond_with_payload(to, &payload),
            Answer::Silence => return,
        };
        self.send(&response(to, error, index, var_binds));
    }

    /// Answers a PDU with these octets behind the header.
    fn respond_with_payload(&mut self, to: &Packet, payload: &[u8]) {
        const HEADER: usize = 20;
        let mut octets = response(to, ResponseError::NO_ERROR, 0, Vec::new()).encode();
        octets.truncate(HEADER);
        let length = u32::try_from(payload.len()).expect("a short payload");
        octets[HEADER - 4..].copy_from_slice(&match to.order {
            ByteOrder::Big => length.to_be_bytes(),
            ByteOrder::Little => length.to_le_bytes(),
        });
        octets.extend_from_slice(payload);
        let _ = self.stream.write_all(&octets);
    }

    /// Sends any PDU. That the master is gone shows when its answer is read.
    pub fn send(&mut self, packet: &Packet) {
        let _ = self.stream.write_all(&packet.encode());
    }

    fn read(&mut self) -> io::Result<Packet> {
        loop {
            let length = frame_length(&self.input).expect("a PDU");
            if let Some(length) = length.filter(|length| *length <= self.input.len()) {
                let octets: Vec<_> = self.input.drain(..length).collect();
                return Ok(Packet::decode(&octets).expect("a PDU"));
            }
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => self.input.extend_from_slice(&chunk[..count]),
            }
        }
    }

    /// Answers what the master asks by a thread of its own, until the connection or the session ends.
    pub fn serve(self, answer: impl FnMut(&Packet) -> Answer + Send + 'static) -> Served {
        self.start(true, answer)
    }

    /// Answers what the master asks of several sessions, until the connection ends.
    pub fn serve_all(self, answer: impl FnMut(&Packet) -> Answer + Send + 'static) -> Served {
        self.start(false, answer)
    }

    fn start(
        mut self,
        ends_with_session: bool,
        mut answer: impl FnMut(&Packet) -> Answer + Send + 'static,
    ) -> Served {
        let stream = self.stream.try_clone().expect("another descriptor");
        let thread = thread::spawn(move || {
            while let Some(packet) = self.next_pdu() {
                match packet.pdu {
                    AgentxPdu::CleanupSet => {
                        answer(&packet);
                    }
                    AgentxPdu::Close(_) if ends_with_session => return,
                    AgentxPdu::Response { .. } | AgentxPdu::Close(_) => {}
                    _ => {
                        let answer = answer(&packet);
                        self.respond(&packet, answer);
                    }
                }
            }
        });
        Served {
            stream,
            thread: Some(thread),
        }
    }
}

/// What a subagent answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// These variables, without an error.
    Variables(Vec<VarBind>),
    /// An error, and the place of what it is about.
    Error(u16, u16),
    /// A response with these octets behind its header.
    Payload(Vec<u8>),
    /// Nothing.
    Silence,
}

fn response(to: &Packet, error: ResponseError, index: u16, var_binds: Vec<VarBind>) -> Packet {
    Packet {
        context: None,
        pdu: AgentxPdu::Response {
            up_time: 0,
            error,
            index,
            var_binds,
        },
        ..to.clone()
    }
}

/// A subagent at work. Dropping it closes the connection.
pub struct Served {
    stream: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The error of a response.
///
/// # Panics
/// When it is none.
pub fn error(packet: &Packet) -> ResponseError {
    match &packet.pdu {
        AgentxPdu::Response { error, .. } => *error,
        pdu => panic!("{pdu:?}"),
    }
}

/// A subtree with the priority that most have.
pub fn region(subtree: &str) -> Region {
    Region {
        subtree: oid(subtree),
        priority: 127,
        range: None,
    }
}

/// Instances, which answer as RFC 2741 section 7.2.3 says.
#[derive(Clone, Debug, Default)]
pub struct Instances(pub BTreeMap<Oid, Value>);

impl Instances {
    /// A table below `entry` with columns 1 to `columns` and rows 1 to `rows`, whose values say where they are.
    pub fn table(entry: &str, columns: u32, rows: u32) -> Self {
        let cells = (1..=columns).flat_map(|column| (1..=rows).map(move |row| (column, row)));
        let entry = oid(entry);
        let instance = |(column, row): (u32, u32)| {
            let name = entry.child(&[column, row]).expect("short");
            (name, Value::Gauge32(column * 1_000_000 + row))
        };
        Self(cells.map(instance).collect())
    }

    /// Answers a Get, a GetNext or a GetBulk, and anything else without variables.
    pub fn answer(&self, pdu: &AgentxPdu) -> Answer {
        Answer::Variables(match pdu {
            AgentxPdu::Get(ranges) => ranges.iter().map(|range| self.get(range)).collect(),
            AgentxPdu::GetNext(ranges) => ranges.iter().map(|range| self.next(range)).collect(),
            AgentxPdu::GetBulk {
                non_repeaters,
                max_repetitions,
                ranges,
            } => {
                let (once, often) = ranges.split_at(usize::from(*non_repeaters).min(ranges.len()));
                let mut found: Vec<_> = once.iter().map(|range| self.next(range)).collect();
                let mut row = often.to_vec();
                for _ in 0..*max_repetitions {
                    let next: Vec<_> = row.iter().map(|range| self.next(range)).collect();
                    let is_over = next.iter().all(|one| one.value == Value::EndOfMibView);
                    for (range, next) in row.iter_mut().zip(&next) {
                        range.start = next.name.clone();
                        range.is_included = false;
                    }
                    found.extend(next);
                    if is_over {
                        break;
                    }
                }
                found
            }
            _ => Vec::new(),
        })
    }

    fn get(&self, range: &SearchRange) -> VarBind {
        let value = self.0.get(&range.start).cloned();
        VarBind::new(range.start.clone(), value.unwrap_or(Value::NoSuchInstance))
    }

    fn next(&self, range: &SearchRange) -> VarBind {
        let from = match range.is_included {
            true => Bound::Included(&range.start),
            false => Bound::Excluded(&range.start),
        };
        let mut behind = self.0.range::<Oid, _>((from, Bound::Unbounded));
        let next = behind.next();
        let next = next.filter(|(name, _)| range.end.as_ref().is_none_or(|end| *name < end));
        match next {
            Some((name, value)) => VarBind::new(name.clone(), value.clone()),
            None => VarBind::new(range.start.clone(), Value::EndOfMibView),
        }
    }
}
