//! PDUs of the Agent Extensibility protocol (RFC 2741 section 6), as octets and as types.

mod octets;

use varbind_codec::smi::{Oid, VarBind};

pub(crate) use octets::{ByteOrder, DecodeError};
use octets::{Fields, Output};

/// The octets of the header, which tells the length of what follows.
pub(crate) const HEADER: usize = 20;
/// The largest payload that is taken: more than the largest message of SNMP, so that each response fits.
const LARGEST_PAYLOAD: u32 = 1 << 18;
const VERSION: u8 = 1;

// h.flags (section 6.1)
const INSTANCE_REGISTRATION: u8 = 0x01;
const NEW_INDEX: u8 = 0x02;
const ANY_INDEX: u8 = 0x04;
const NON_DEFAULT_CONTEXT: u8 = 0x08;
const NETWORK_BYTE_ORDER: u8 = 0x10;

/// A PDU with what its header says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packet {
    pub(crate) order: ByteOrder,
    pub(crate) session: u32,
    pub(crate) transaction: u32,
    pub(crate) number: u32,
    /// The context's name; `None` is the default context.
    pub(crate) context: Option<Vec<u8>>,
    pub(crate) pdu: Pdu,
}

/// A PDU without its header.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pdu {
    Open {
        /// In seconds; 0 leaves it to the master.
        timeout: u8,
        id: Option<Oid>,
        description: Vec<u8>,
    },
    Close(CloseReason),
    Register {
        /// In seconds; 0 leaves it to the session.
        timeout: u8,
        region: Region,
        /// The name is that of an instance as a whole.
        is_instance: bool,
    },
    Unregister(Region),
    Get(Vec<SearchRange>),
    GetNext(Vec<SearchRange>),
    GetBulk {
        non_repeaters: u16,
        max_repetitions: u16,
        ranges: Vec<SearchRange>,
    },
    TestSet(Vec<VarBind>),
    CommitSet,
    UndoSet,
    CleanupSet,
    Notify(Vec<VarBind>),
    Ping,
    IndexAllocate {
        wanted: WantedIndex,
        indexes: Vec<VarBind>,
    },
    IndexDeallocate(Vec<VarBind>),
    AddAgentCaps {
        id: Oid,
        description: Vec<u8>,
    },
    RemoveAgentCaps(Oid),
    Response {
        /// sysUpTime, in hundredths of a second.
        up_time: u32,
        error: ResponseError,
        /// Which variable binding the error is about, counted from 1.
        index: u16,
        var_binds: Vec<VarBind>,
    },
}

/// A subtree, or several that differ in one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) subtree: Oid,
    pub(crate) priority: u8,
    /// Which number of the name is a range, counted from 1, and its end.
    pub(crate) range: Option<(u8, u32)>,
}

/// From where an instance is sought, and to where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchRange {
    pub(crate) start: Oid,
    /// Whether the start itself may be the answer.
    pub(crate) is_included: bool,
    /// The first name that is no answer; `None` is the end of all.
    pub(crate) end: Option<Oid>,
}

/// Which index is wanted (section 6.2.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedIndex {
    /// Just this.
    Exact,
    /// One that is free now.
    Any,
    /// One that was never taken.
    New,
}

/// c.reason (section 6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseReason {
    Other,
    ParseError,
    ProtocolError,
    Timeouts,
    Shutdown,
    ByManager,
}

/// res.error (section 6.2.16): an error-status of SNMP below 256, or one of AgentX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResponseError(pub(crate) u16);

impl ResponseError {
    pub(crate) const NO_ERROR: Self = Self(0);
    pub(crate) const OPEN_FAILED: Self = Self(256);
    pub(crate) const NOT_OPEN: Self = Self(257);
    pub(crate) const INDEX_WRONG_TYPE: Self = Self(258);
    pub(crate) const INDEX_ALREADY_ALLOCATED: Self = Self(259);
    pub(crate) const INDEX_NONE_AVAILABLE: Self = Self(260);
    pub(crate) const INDEX_NOT_ALLOCATED: Self = Self(261);
    pub(crate) const UNSUPPORTED_CONTEXT: Self = Self(262);
    pub(crate) const DUPLICATE_REGISTRATION: Self = Self(263);
    pub(crate) const UNKNOWN_REGISTRATION: Self = Self(264);
    pub(crate) const UNKNOWN_AGENT_CAPS: Self = Self(265);
    pub(crate) const PARSE_ERROR: Self = Self(266);
    pub(crate) const REQUEST_DENIED: Self = Self(267);
    pub(crate) const PROCESSING_ERROR: Self = Self(268);
}

impl CloseReason {
    const ALL: [(u8, Self); 6] = [
        (1, Self::Other),
        (2, Self::ParseError),
        (3, Self::ProtocolError),
        (4, Self::Timeouts),
        (5, Self::Shutdown),
        (6, Self::ByManager),
    ];

    fn of(number: u8) -> Self {
        let known = Self::ALL.iter().find(|(known, _)| *known == number);
        known.map_or(Self::Other, |(_, reason)| *reason)
    }

    fn number(self) -> u8 {
        let known = Self::ALL.iter().find(|(_, reason)| *reason == self);
        known.map_or(1, |(number, _)| *number)
    }
}

/// h.type (section 6.1).
mod pdu_type {
    pub(super) const OPEN: u8 = 1;
    pub(super) const CLOSE: u8 = 2;
    pub(super) const REGISTER: u8 = 3;
    pub(super) const UNREGISTER: u8 = 4;
    pub(super) const GET: u8 = 5;
    pub(super) const GET_NEXT: u8 = 6;
    pub(super) const GET_BULK: u8 = 7;
    pub(super) const TEST_SET: u8 = 8;
    pub(super) const COMMIT_SET: u8 = 9;
    pub(super) const UNDO_SET: u8 = 10;
    pub(super) const CLEANUP_SET: u8 = 11;
    pub(super) const NOTIFY: u8 = 12;
    pub(super) const PING: u8 = 13;
    pub(super) const INDEX_ALLOCATE: u8 = 14;
    pub(super) const INDEX_DEALLOCATE: u8 = 15;
    pub(super) const ADD_AGENT_CAPS: u8 = 16;
    pub(super) const REMOVE_AGENT_CAPS: u8 = 17;
    pub(super) const RESPONSE: u8 = 18;
}

/// How long the PDU is that `octets` begin with; `None` while its header is not there.
///
/// # Errors
/// When no PDU begins so: nothing behind it can be told apart.
pub(crate) fn frame_length(octets: &[u8]) -> Result<Option<usize>, DecodeError> {
    let Some((header, _)) = octets.split_first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let [version, _, flags, ..] = *header;
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    let [.., a, b, c, d] = *header;
    let length = match order(flags) {
        ByteOrder::Big => u32::from_be_bytes([a, b, c, d]),
        ByteOrder::Little => u32::from_le_bytes([a, b, c, d]),
    };
    let payload = usize::try_from(length).ok();
    let is_good = length % 4 == 0 && length <= LARGEST_PAYLOAD;
    let payload = payload.filter(|_| is_good);
    Ok(Some(HEADER + payload.ok_or(DecodeError::Length(length))?))
}

const fn order(flags: u8) -> ByteOrder {
    if flags & NETWORK_BYTE_ORDER != 0 {
        ByteOrder::Big
    } else {
        ByteOrder::Little
    }
}

/// The numbers of a header, which are known even if the rest is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) order: ByteOrder,
    pub(crate) session: u32,
    pub(crate) transaction: u32,
    pub(crate) number: u32,
    is_response: bool,
    kind: u8,
    flags: u8,
}

impl Header {
    /// Whether it answers a PDU of this side.
    pub(crate) const fn is_response(&self) -> bool {
        self.is_response
    }

    fn decode(fields: &mut Fields<'_>) -> Result<Self, DecodeError> {
        let [version, kind, flags, _] = fields.take()?;
        if version != VERSION {
            return Err(DecodeError::Version(version));
        }
        let order = order(flags);
        *fields = fields.in_order(order);
        let (session, transaction, number) = (fields.u32()?, fields.u32()?, fields.u32()?);
        // The length, by which the PDU was cut out.
        fields.u32()?;
        Ok(Self {
            order,
            session,
            transaction,
            number,
            is_response: kind == pdu_type::RESPONSE,
            kind,
            flags,
        })
    }
}

impl Packet {
    /// Reads a whole PDU.
    ///
    /// # Errors
    /// With the header, as far as that is understood.
    pub(crate) fn decode(octets: &[u8]) -> Result<Self, (Option<Header>, DecodeError)> {
        let mut fields = Fields::new(octets, ByteOrder::Little);
        let header = Header::decode(&mut fields).map_err(|error| (None, error))?;
        Self::decode_payload(&header, &mut fields).map_err(|error| (Some(header), error))
    }

    fn decode_payload(header: &Header, fields: &mut Fields<'_>) -> Result<Self, DecodeError> {
        let has_context = header.flags & NON_DEFAULT_CONTEXT != 0;
        let context = has_context.then(|| fields.octet_string()).transpose()?;
        let pdu = Pdu::decode(header, fields)?;
        if !fields.is_empty() {
            return Err(DecodeError::TrailingOctets);
        }
        Ok(Self {
            order: header.order,
            session: header.session,
            transaction: header.transaction,
            number: header.number,
            context: context.map(<[u8]>::to_vec),
            pdu,
        })
    }

    /// The octets.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut output = Output::new(self.order);
        let mut flags = self.pdu.flags();
        if self.order == ByteOrder::Big {
            flags |= NETWORK_BYTE_ORDER;
        }
        if self.context.is_some() {
            flags |= NON_DEFAULT_CONTEXT;
        }
        output.put(&[VERSION, self.pdu.kind(), flags, 0]);
        output.u32(self.session);
        output.u32(self.transaction);
        output.u32(self.number);
        output.u32(0);
        if let Some(context) = &self.context {
            output.octet_string(context);
        }
        self.pdu.encode(&mut output);
        let length = u32::try_from(output.octets.len() - HEADER).unwrap_or(u32::MAX);
        let length = output.octets_of(length);
        if let Some(field) = output.octets.get_mut(HEADER - 4..HEADER) {
            field.copy_from_slice(&length);
        }
        output.octets
    }
}

impl Pdu {
    const fn kind(&self) -> u8 {
        match self {
            Self::Open { .. } => pdu_type::OPEN,
            Self::Close(_) => pdu_type::CLOSE,
            Self::Register { .. } => pdu_type::REGISTER,
            Self::Unregister(_) => pdu_type::UNREGISTER,
            Self::Get(_) => pdu_type::GET,
            Self::GetNext(_) => pdu_type::GET_NEXT,
            Self::GetBulk { .. } => pdu_type::GET_BULK,
            Self::TestSet(_) => pdu_type::TEST_SET,
            Self::CommitSet => pdu_type::COMMIT_SET,
            Self::UndoSet => pdu_type::UNDO_SET,
            Self::CleanupSet => pdu_type::CLEANUP_SET,
            Self::Notify(_) => pdu_type::NOTIFY,
            Self::Ping => pdu_type::PING,
            Self::IndexAllocate { .. } => pdu_type::INDEX_ALLOCATE,
            Self::IndexDeallocate(_) => pdu_type::INDEX_DEALLOCATE,
            Self::AddAgentCaps { .. } => pdu_type::ADD_AGENT_CAPS,
            Self::RemoveAgentCaps(_) => pdu_type::REMOVE_AGENT_CAPS,
            Self::Response { .. } => pdu_type::RESPONSE,
        }
    }

    const fn flags(&self) -> u8 {
        match self {
            Self::Register {
                is_instance: true, ..
            } => INSTANCE_REGISTRATION,
            Self::IndexAllocate { wanted, .. } => match wanted {
                WantedIndex::Exact => 0,
                WantedIndex::Any => ANY_INDEX,
                WantedIndex::New => NEW_INDEX,
            },
            _ => 0,
        }
    }

    fn decode(header: &Header, fields: &mut Fields<'_>) -> Result<Self, DecodeError> {
        Ok(match header.kind {
            pdu_type::OPEN => {
                let [timeout, ..] = fields.take::<4>()?;
                Self::Open {
                    timeout,
                    id: fields.name()?.0,
                    description: fields.octet_string()?.to_vec(),
                }
            }
            pdu_type::CLOSE => {
                let [reason, ..] = fields.take::<4>()?;
                Self::Close(CloseReason::of(reason))
            }
            pdu_type::REGISTER => {
                let (timeout, region) = Region::decode(fields)?;
                Self::Register {
                    timeout,
                    region,
                    is_instance: header.flags & INSTANCE_REGISTRATION != 0,
                }
            }
            pdu_type::UNREGISTER => Self::Unregister(Region::decode(fields)?.1),
            pdu_type::GET => Self::Get(ranges(fields)?),
            pdu_type::GET_NEXT => Self::GetNext(ranges(fields)?),
            pdu_type::GET_BULK => Self::GetBulk {
                non_repeaters: fields.u16()?,
                max_repetitions: fields.u16()?,
                ranges: ranges(fields)?,
            },
            pdu_type::TEST_SET => Self::TestSet(fields.var_binds()?),
            pdu_type::COMMIT_SET => Self::CommitSet,
            pdu_type::UNDO_SET => Self::UndoSet,
            pdu_type::CLEANUP_SET => Self::CleanupSet,
            pdu_type::NOTIFY => Self::Notify(fields.var_binds()?),
            pdu_type::PING => Self::Ping,
            pdu_type::INDEX_ALLOCATE => Self::IndexAllocate {
                wanted: match header.flags & (NEW_INDEX | ANY_INDEX) {
                    0 => WantedIndex::Exact,
                    ANY_INDEX => WantedIndex::Any,
                    _ => WantedIndex::New,
                },
                indexes: fields.var_binds()?,
            },
            pdu_type::INDEX_DEALLOCATE => Self::IndexDeallocate(fields.var_binds()?),
            pdu_type::ADD_AGENT_CAPS => Self::AddAgentCaps {
                id: fields.object_identifier()?,
                description: fields.octet_string()?.to_vec(),
            },
            pdu_type::REMOVE_AGENT_CAPS => Self::RemoveAgentCaps(fields.object_identifier()?),
            pdu_type::RESPONSE => Self::Response {
                up_time: fields.u32()?,
                error: ResponseError(fields.u16()?),
                index: fields.u16()?,
                var_binds: fields.var_binds()?,
            },
            unknown => return Err(DecodeError::PduType(unknown)),
        })
    }

    fn encode(&self, output: &mut Output) {
        match self {
            Self::Open {
                timeout,
                id,
                description,
            } => {
                output.put(&[*timeout, 0, 0, 0]);
                output.name(id.as_ref().map_or(&[], Oid::arcs), false);
                output.octet_string(description);
            }
            Self::Close(reason) => output.put(&[reason.number(), 0, 0, 0]),
            Self::Register {
                timeout, region, ..
            } => region.encode(*timeout, output),
            Self::Unregister(region) => region.encode(0, output),
            Self::Get(ranges) | Self::GetNext(ranges) => encode_ranges(ranges, output),
            Self::GetBulk {
                non_repeaters,
                max_repetitions,
                ranges,
            } => {
                output.u16(*non_repeaters);
                output.u16(*max_repetitions);
                encode_ranges(ranges, output);
            }
            Self::TestSet(var_binds)
            | Self::Notify(var_binds)
            | Self::IndexAllocate {
                indexes: var_binds, ..
            }
            | Self::IndexDeallocate(var_binds) => output.var_binds(var_binds),
            Self::CommitSet | Self::UndoSet | Self::CleanupSet | Self::Ping => {}
            Self::AddAgentCaps { id, description } => {
                output.name(id.arcs(), false);
                output.octet_string(description);
            }
            Self::RemoveAgentCaps(id) => output.name(id.arcs(), false),
            Self::Response {
                up_time,
                error,
                index,
                var_binds,
            } => {
                output.u32(*up_time);
                output.u16(error.0);
                output.u16(*index);
                output.var_binds(var_binds);
            }
        }
    }
}

impl Region {
    /// With the octet before it, which is a time-out where there is one.
    fn decode(fields: &mut Fields<'_>) -> Result<(u8, Self), DecodeError> {
        let [timeout, priority, range_subid, _] = fields.take()?;
        let subtree = fields.object_identifier()?;
        let range = match range_subid {
            0 => None,
            at => Some((at, fields.u32()?)),
        };
        let region = Self {
            subtree,
            priority,
            range,
        };
        Ok((timeout, region))
    }

    fn encode(&self, timeout: u8, output: &mut Output) {
        let range_subid = self.range.map_or(0, |(at, _)| at);
        output.put(&[timeout, self.priority, range_subid, 0]);
        output.name(self.subtree.arcs(), false);
        if let Some((_, end)) = self.range {
            output.u32(end);
        }
    }
}

fn ranges(fields: &mut Fields<'_>) -> Result<Vec<SearchRange>, DecodeError> {
    let mut ranges = Vec::new();
    while !fields.is_empty() {
        let (start, is_included) = fields.name()?;
        ranges.push(SearchRange {
            start: match start {
                Some(start) => start,
                None => Oid::new(&[0, 0])?,
            },
            is_included,
            end: fields.name()?.0,
        });
    }
    Ok(ranges)
}

fn encode_ranges(ranges: &[SearchRange], output: &mut Output) {
    for range in ranges {
        output.name(range.start.arcs(), range.is_included);
        output.name(range.end.as_ref().map_or(&[], Oid::arcs), false);
    }
}

#[cfg(test)]
mod tests;
