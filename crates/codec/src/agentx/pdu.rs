//! The kinds of PDUs (RFC 2741 section 6.2).

use alloc::vec::Vec;

use super::Header;
use super::octets::{AgentxDecodeError, Fields, Output};
use crate::smi::{Oid, VarBind};

// h.flags (section 6.1)
const INSTANCE_REGISTRATION: u8 = 0x01;
const NEW_INDEX: u8 = 0x02;
const ANY_INDEX: u8 = 0x04;

/// A PDU without its header.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentxPdu {
    /// agentx-Open-PDU.
    Open {
        /// In seconds; 0 leaves it to the master.
        timeout: u8,
        /// o.id; `None` is the null name.
        id: Option<Oid>,
        /// o.descr.
        description: Vec<u8>,
    },
    /// agentx-Close-PDU.
    Close(CloseReason),
    /// agentx-Register-PDU.
    Register {
        /// In seconds; 0 leaves it to the session.
        timeout: u8,
        /// Which subtrees.
        region: Region,
        /// The name is that of an instance as a whole.
        is_instance: bool,
    },
    /// agentx-Unregister-PDU.
    Unregister(Region),
    /// agentx-Get-PDU.
    Get(Vec<SearchRange>),
    /// agentx-GetNext-PDU.
    GetNext(Vec<SearchRange>),
    /// agentx-GetBulk-PDU.
    GetBulk {
        /// g.non_repeaters.
        non_repeaters: u16,
        /// g.max_repetitions.
        max_repetitions: u16,
        /// Where is searched.
        ranges: Vec<SearchRange>,
    },
    /// agentx-TestSet-PDU.
    TestSet(Vec<VarBind>),
    /// agentx-CommitSet-PDU.
    CommitSet,
    /// agentx-UndoSet-PDU.
    UndoSet,
    /// agentx-CleanupSet-PDU, which has no response.
    CleanupSet,
    /// agentx-Notify-PDU.
    Notify(Vec<VarBind>),
    /// agentx-Ping-PDU.
    Ping,
    /// agentx-IndexAllocate-PDU.
    IndexAllocate {
        /// By the flags of the header.
        wanted: WantedIndex,
        /// Index objects with their values.
        indexes: Vec<VarBind>,
    },
    /// agentx-IndexDeallocate-PDU.
    IndexDeallocate(Vec<VarBind>),
    /// agentx-AddAgentCaps-PDU.
    AddAgentCaps {
        /// sysORID.
        id: Oid,
        /// sysORDescr.
        description: Vec<u8>,
    },
    /// agentx-RemoveAgentCaps-PDU.
    RemoveAgentCaps(Oid),
    /// agentx-Response-PDU.
    Response {
        /// sysUpTime, in hundredths of a second.
        up_time: u32,
        /// Whether the request was carried out.
        error: ResponseError,
        /// Which variable binding the error is about, counted from 1.
        index: u16,
        /// What was asked for.
        var_binds: Vec<VarBind>,
    },
}

/// A subtree, or several that differ in one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// r.subtree, or u.subtree.
    pub subtree: Oid,
    /// Of two for one subtree the lower number counts.
    pub priority: u8,
    /// Which number of the name is a range, counted from 1, and its end.
    pub range: Option<(u8, u32)>,
}

/// From where an instance is sought, and to where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRange {
    /// The name before the answer, or the answer itself.
    pub start: Oid,
    /// Whether the start itself may be the answer.
    pub is_included: bool,
    /// The first name that is not an answer; `None` is the end of all.
    pub end: Option<Oid>,
}

/// Which index is wanted (section 6.2.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedIndex {
    /// Just this.
    Exact,
    /// One that is free now.
    Any,
    /// One that was never taken.
    New,
}

/// c.reason (section 6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// reasonOther.
    Other,
    /// reasonParseError.
    ParseError,
    /// reasonProtocolError.
    ProtocolError,
    /// reasonTimeouts.
    Timeouts,
    /// reasonShutdown.
    Shutdown,
    /// reasonByManager.
    ByManager,
}

/// res.error (section 6.2.16): an error-status of SNMP below 256, or one of AgentX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseError(
    /// The number.
    pub u16,
);

impl ResponseError {
    /// noAgentXError.
    pub const NO_ERROR: Self = Self(0);
    /// openFailed.
    pub const OPEN_FAILED: Self = Self(256);
    /// notOpen.
    pub const NOT_OPEN: Self = Self(257);
    /// indexWrongType.
    pub const INDEX_WRONG_TYPE: Self = Self(258);
    /// indexAlreadyAllocated.
    pub const INDEX_ALREADY_ALLOCATED: Self = Self(259);
    /// indexNoneAvailable.
    pub const INDEX_NONE_AVAILABLE: Self = Self(260);
    /// indexNotAllocated.
    pub const INDEX_NOT_ALLOCATED: Self = Self(261);
    /// unsupportedContext.
    pub const UNSUPPORTED_CONTEXT: Self = Self(262);
    /// duplicateRegistration.
    pub const DUPLICATE_REGISTRATION: Self = Self(263);
    /// unknownRegistration.
    pub const UNKNOWN_REGISTRATION: Self = Self(264);
    /// unknownAgentCaps.
    pub const UNKNOWN_AGENT_CAPS: Self = Self(265);
    /// parseError.
    pub const PARSE_ERROR: Self = Self(266);
    /// requestDenied.
    pub const REQUEST_DENIED: Self = Self(267);
    /// processingError.
    pub const PROCESSING_ERROR: Self = Self(268);
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

    pub(super) fn of(number: u8) -> Self {
        let known = Self::ALL.iter().find(|(known, _)| *known == number);
        known.map_or(Self::Other, |(_, reason)| *reason)
    }

    fn number(self) -> u8 {
        let known = Self::ALL.iter().find(|(_, reason)| *reason == self);
        known.map_or(1, |(number, _)| *number)
    }
}

/// h.type (section 6.1).
pub(super) mod pdu_type {
    pub(crate) const OPEN: u8 = 1;
    pub(crate) const CLOSE: u8 = 2;
    pub(crate) const REGISTER: u8 = 3;
    pub(crate) const UNREGISTER: u8 = 4;
    pub(crate) const GET: u8 = 5;
    pub(crate) const GET_NEXT: u8 = 6;
    pub(crate) const GET_BULK: u8 = 7;
    pub(crate) const TEST_SET: u8 = 8;
    pub(crate) const COMMIT_SET: u8 = 9;
    pub(crate) const UNDO_SET: u8 = 10;
    pub(crate) const CLEANUP_SET: u8 = 11;
    pub(crate) const NOTIFY: u8 = 12;
    pub(crate) const PING: u8 = 13;
    pub(crate) const INDEX_ALLOCATE: u8 = 14;
    pub(crate) const INDEX_DEALLOCATE: u8 = 15;
    pub(crate) const ADD_AGENT_CAPS: u8 = 16;
    pub(crate) const REMOVE_AGENT_CAPS: u8 = 17;
    pub(crate) const RESPONSE: u8 = 18;
}

impl AgentxPdu {
    pub(super) const fn kind(&self) -> u8 {
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

    pub(super) const fn flags(&self) -> u8 {
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

    pub(super) fn decode(
        header: &Header,
        fields: &mut Fields<'_>,
    ) -> Result<Self, AgentxDecodeError> {
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
            unknown => return Err(AgentxDecodeError::PduType(unknown)),
        })
    }

    pub(super) fn encode(&self, output: &mut Output) {
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
    fn decode(fields: &mut Fields<'_>) -> Result<(u8, Self), AgentxDecodeError> {
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

fn ranges(fields: &mut Fields<'_>) -> Result<Vec<SearchRange>, AgentxDecodeError> {
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
