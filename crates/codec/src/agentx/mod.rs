//! PDUs of the Agent Extensibility protocol (AgentX, RFC 2741 section 6), as octets and as types.
//!
//! A stream is cut into PDUs by [`frame_length`]; [`Packet::decode`] and [`Packet::encode`] read and write one.

mod octets;
mod pdu;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

pub use octets::{AgentxDecodeError, ByteOrder};
use octets::{Fields, Output};
use pdu::pdu_type;
pub use pdu::{AgentxPdu, CloseReason, Region, ResponseError, SearchRange, WantedIndex};

/// The octets of the header, which has the length of the payload.
pub const HEADER: usize = 20;
/// The largest payload that is taken: more than the largest message of SNMP, so that each response fits.
const LARGEST_PAYLOAD: u32 = 1 << 18;
const VERSION: u8 = 1;

// h.flags (section 6.1); the others belong to kinds of PDUs
const NON_DEFAULT_CONTEXT: u8 = 0x08;
const NETWORK_BYTE_ORDER: u8 = 0x10;

/// A PDU with what its header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// The order of the octets of its numbers.
    pub order: ByteOrder,
    /// h.sessionID.
    pub session: u32,
    /// h.transactionID.
    pub transaction: u32,
    /// h.packetID.
    pub number: u32,
    /// The context's name; `None` is the default context. Kinds of PDUs that have no context are written without.
    pub context: Option<Vec<u8>>,
    /// The rest.
    pub pdu: AgentxPdu,
}

/// How long the PDU is that `octets` begin with; `None` while its header is not there.
///
/// # Errors
/// When this is not the beginning of a PDU: the following octets cannot be separated.
pub fn frame_length(octets: &[u8]) -> Result<Option<usize>, AgentxDecodeError> {
    let Some((header, _)) = octets.split_first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let [version, _, flags, ..] = *header;
    if version != VERSION {
        return Err(AgentxDecodeError::Version(version));
    }
    let [.., a, b, c, d] = *header;
    let length = match order(flags) {
        ByteOrder::Big => u32::from_be_bytes([a, b, c, d]),
        ByteOrder::Little => u32::from_le_bytes([a, b, c, d]),
    };
    let payload = usize::try_from(length).ok();
    let is_good = length % 4 == 0 && length <= LARGEST_PAYLOAD;
    let payload = payload.filter(|_| is_good);
    Ok(Some(
        HEADER + payload.ok_or(AgentxDecodeError::Length(length))?,
    ))
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
pub struct Header {
    /// The order of the octets of its numbers.
    pub order: ByteOrder,
    /// h.sessionID.
    pub session: u32,
    /// h.transactionID.
    pub transaction: u32,
    /// h.packetID.
    pub number: u32,
    is_response: bool,
    kind: u8,
    flags: u8,
}

impl Header {
    /// Whether it answers a PDU of this side.
    pub const fn is_response(&self) -> bool {
        self.is_response
    }

    fn decode(fields: &mut Fields<'_>) -> Result<Self, AgentxDecodeError> {
        let [version, kind, flags, _] = fields.take()?;
        if version != VERSION {
            return Err(AgentxDecodeError::Version(version));
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
    /// With the header, if it is understood.
    pub fn decode(octets: &[u8]) -> Result<Self, (Option<Header>, AgentxDecodeError)> {
        let mut fields = Fields::new(octets, ByteOrder::Little);
        let header = Header::decode(&mut fields).map_err(|error| (None, error))?;
        Self::decode_payload(&header, &mut fields).map_err(|error| (Some(header), error))
    }

    fn decode_payload(header: &Header, fields: &mut Fields<'_>) -> Result<Self, AgentxDecodeError> {
        let has_context = header.flags & NON_DEFAULT_CONTEXT != 0;
        let context = has_context.then(|| fields.octet_string()).transpose()?;
        let pdu = AgentxPdu::decode(header, fields)?;
        if !fields.is_empty() {
            return Err(AgentxDecodeError::TrailingOctets);
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
    pub fn encode(&self) -> Vec<u8> {
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
