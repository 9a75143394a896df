//! Numbers, names, texts and variable bindings as AgentX writes them (RFC 2741 section 5): in either byte order, aligned to
//! four octets.

use alloc::vec::Vec;
use core::fmt;

use crate::smi::{Oid, ParseOidError, Value, VarBind};

/// What `n.prefix` stands for, with one number behind it.
const INTERNET: [u32; 4] = [1, 3, 6, 1];
/// zeroDotZero, which a null name means.
const ZERO_DOT_ZERO: [u32; 2] = [0, 0];

/// v.type (RFC 2741 section 5.4).
mod value_type {
    pub(super) const INTEGER: u16 = 2;
    pub(super) const OCTET_STRING: u16 = 4;
    pub(super) const NULL: u16 = 5;
    pub(super) const OBJECT_IDENTIFIER: u16 = 6;
    pub(super) const IP_ADDRESS: u16 = 64;
    pub(super) const COUNTER32: u16 = 65;
    pub(super) const GAUGE32: u16 = 66;
    pub(super) const TIME_TICKS: u16 = 67;
    pub(super) const OPAQUE: u16 = 68;
    pub(super) const COUNTER64: u16 = 70;
    pub(super) const NO_SUCH_OBJECT: u16 = 128;
    pub(super) const NO_SUCH_INSTANCE: u16 = 129;
    pub(super) const END_OF_MIB_VIEW: u16 = 130;
}

/// In which order the octets of a number come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// `NETWORK_BYTE_ORDER` of h.flags.
    Big,
    /// The other.
    Little,
}

/// Why a PDU is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentxDecodeError {
    /// The version is not known.
    Version(u8),
    /// There is no PDU of this type.
    PduType(u8),
    /// The PDU ends inside a field.
    Truncated,
    /// Octets follow the last field.
    TrailingOctets,
    /// A length is not a multiple of 4, or exceeds the largest PDU.
    Length(u32),
    /// A name is not valid.
    Name(ParseOidError),
    /// There is no value of this type.
    ValueType(u16),
    /// An address does not have four octets, but these.
    Address(usize),
}

impl fmt::Display for AgentxDecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "version {version} is not known"),
            Self::PduType(kind) => write!(f, "there is no PDU of type {kind}"),
            Self::Truncated => write!(f, "the PDU ends inside a field"),
            Self::TrailingOctets => write!(f, "octets follow the last field"),
            Self::Length(length) => write!(
                f,
                "a length of {length} is not a multiple of 4, or exceeds the largest PDU"
            ),
            Self::Name(error) => write!(f, "a name: {error}"),
            Self::ValueType(kind) => write!(f, "there is no type of value {kind}"),
            Self::Address(length) => write!(f, "an address of {length} octets"),
        }
    }
}

impl core::error::Error for AgentxDecodeError {}

impl From<ParseOidError> for AgentxDecodeError {
    fn from(error: ParseOidError) -> Self {
        Self::Name(error)
    }
}

/// The fields of a PDU that are not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    octets: &'a [u8],
    order: ByteOrder,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(octets: &'a [u8], order: ByteOrder) -> Self {
        Self { octets, order }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }

    /// The same fields with numbers in this order.
    pub(super) const fn in_order(self, order: ByteOrder) -> Self {
        Self { order, ..self }
    }

    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], AgentxDecodeError> {
        let (field, rest) = self
            .octets
            .split_first_chunk()
            .ok_or(AgentxDecodeError::Truncated)?;
        self.octets = rest;
        Ok(*field)
    }

    pub(super) fn u16(&mut self) -> Result<u16, AgentxDecodeError> {
        let field = self.take()?;
        Ok(match self.order {
            ByteOrder::Big => u16::from_be_bytes(field),
            ByteOrder::Little => u16::from_le_bytes(field),
        })
    }

    pub(super) fn u32(&mut self) -> Result<u32, AgentxDecodeError> {
        let field = self.take()?;
        Ok(match self.order {
            ByteOrder::Big => u32::from_be_bytes(field),
            ByteOrder::Little => u32::from_le_bytes(field),
        })
    }

    fn u64(&mut self) -> Result<u64, AgentxDecodeError> {
        let field = self.take()?;
        Ok(match self.order {
            ByteOrder::Big => u64::from_be_bytes(field),
            ByteOrder::Little => u64::from_le_bytes(field),
        })
    }

    /// Octet String (section 5.3).
    pub(super) fn octet_string(&mut self) -> Result<&'a [u8], AgentxDecodeError> {
        let written = self.u32()?;
        let length = usize::try_from(written).map_err(|_| AgentxDecodeError::Length(written))?;
        let padded = length
            .checked_next_multiple_of(4)
            .ok_or(AgentxDecodeError::Length(written))?;
        let (field, rest) = self
            .octets
            .split_at_checked(padded)
            .ok_or(AgentxDecodeError::Truncated)?;
        self.octets = rest;
        field.get(..length).ok_or(AgentxDecodeError::Truncated)
    }

    /// Object Identifier (section 5.1), `None` for the null one, and whether it is marked as included.
    pub(super) fn name(&mut self) -> Result<(Option<Oid>, bool), AgentxDecodeError> {
        let [count, prefix, is_included, _] = self.take()?;
        let mut arcs = Vec::with_capacity(INTERNET.len() + 1 + usize::from(count));
        if prefix != 0 {
            arcs.extend(INTERNET);
            arcs.push(prefix.into());
        }
        for _ in 0..count {
            arcs.push(self.u32()?);
        }
        let name = (!arcs.is_empty()).then(|| Oid::new(&arcs)).transpose()?;
        Ok((name, is_included != 0))
    }

    /// A name for which there is no null.
    pub(super) fn object_identifier(&mut self) -> Result<Oid, AgentxDecodeError> {
        match self.name()?.0 {
            Some(name) => Ok(name),
            None => Ok(Oid::new(&ZERO_DOT_ZERO)?),
        }
    }

    /// `VarBindList` (section 5.4), which goes to the end.
    pub(super) fn var_binds(&mut self) -> Result<Vec<VarBind>, AgentxDecodeError> {
        let mut var_binds = Vec::new();
        while !self.is_empty() {
            var_binds.push(self.var_bind()?);
        }
        Ok(var_binds)
    }

    fn var_bind(&mut self) -> Result<VarBind, AgentxDecodeError> {
        let kind = self.u16()?;
        self.take::<2>()?;
        let name = self.object_identifier()?;
        let value = match kind {
            value_type::INTEGER => Value::Integer(self.u32()?.cast_signed()),
            value_type::OCTET_STRING => Value::OctetString(self.octet_string()?.to_vec()),
            value_type::NULL => Value::Null,
            value_type::OBJECT_IDENTIFIER => Value::from(&self.object_identifier()?),
            value_type::IP_ADDRESS => {
                let octets = self.octet_string()?;
                let address = octets.try_into();
                Value::IpAddress(address.map_err(|_| AgentxDecodeError::Address(octets.len()))?)
            }
            value_type::COUNTER32 => Value::Counter32(self.u32()?),
            value_type::GAUGE32 => Value::Gauge32(self.u32()?),
            value_type::TIME_TICKS => Value::TimeTicks(self.u32()?),
            value_type::OPAQUE => Value::Opaque(self.octet_string()?.to_vec()),
            value_type::COUNTER64 => Value::Counter64(self.u64()?),
            value_type::NO_SUCH_OBJECT => Value::NoSuchObject,
            value_type::NO_SUCH_INSTANCE => Value::NoSuchInstance,
            value_type::END_OF_MIB_VIEW => Value::EndOfMibView,
            unknown => return Err(AgentxDecodeError::ValueType(unknown)),
        };
        Ok(VarBind::new(name, value))
    }
}

/// A PDU that is being written.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) octets: Vec<u8>,
    order: ByteOrder,
}

impl Output {
    pub(super) fn new(order: ByteOrder) -> Self {
        Self {
            octets: Vec::with_capacity(128),
            order,
        }
    }

    pub(super) fn put(&mut self, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
    }

    pub(super) fn u16(&mut self, number: u16) {
        self.put(&match self.order {
            ByteOrder::Big => number.to_be_bytes(),
            ByteOrder::Little => number.to_le_bytes(),
        });
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.put(&self.octets_of(number));
    }

    pub(super) const fn octets_of(&self, number: u32) -> [u8; 4] {
        match self.order {
            ByteOrder::Big => number.to_be_bytes(),
            ByteOrder::Little => number.to_le_bytes(),
        }
    }

    fn u64(&mut self, number: u64) {
        self.put(&match self.order {
            ByteOrder::Big => number.to_be_bytes(),
            ByteOrder::Little => number.to_le_bytes(),
        });
    }

    pub(super) fn octet_string(&mut self, octets: &[u8]) {
        self.u32(u32::try_from(octets.len()).unwrap_or(u32::MAX));
        self.put(octets);
        self.octets.resize(self.octets.len().next_multiple_of(4), 0);
    }

    /// A name, or the null one where it is empty.
    pub(super) fn name(&mut self, arcs: &[u32], is_included: bool) {
        let short = arcs
            .strip_prefix(&INTERNET)
            .and_then(<[u32]>::split_first)
            .and_then(|(&first, rest)| Some((u8::try_from(first).ok()?, rest)))
            .filter(|(prefix, _)| *prefix != 0);
        let (prefix, rest) = short.unwrap_or((0, arcs));
        // A name has at most 128 numbers.
        let count = u8::try_from(rest.len()).unwrap_or(u8::MAX);
        self.put(&[count, prefix, is_included.into(), 0]);
        for &arc in rest.iter().take(count.into()) {
            self.u32(arc);
        }
    }

    pub(super) fn var_binds(&mut self, var_binds: &[VarBind]) {
        for VarBind { name, value } in var_binds {
            self.u16(type_of(value));
            self.u16(0);
            self.name(name.arcs(), false);
            match value {
                Value::Integer(number) => self.u32(number.cast_unsigned()),
                Value::OctetString(octets) | Value::Opaque(octets) => self.octet_string(octets),
                Value::ObjectIdentifier(oid) => {
                    let arcs: Vec<_> = oid.as_oid_ref().arcs().collect();
                    self.name(&arcs, false);
                }
                Value::IpAddress(address) => self.octet_string(address),
                Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
                    self.u32(*number);
                }
                Value::Counter64(number) => self.u64(*number),
                Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => {
                }
            }
        }
    }
}

const fn type_of(value: &Value) -> u16 {
    match value {
        Value::Integer(_) => value_type::INTEGER,
        Value::OctetString(_) => value_type::OCTET_STRING,
        Value::Null => value_type::NULL,
        Value::ObjectIdentifier(_) => value_type::OBJECT_IDENTIFIER,
        Value::IpAddress(_) => value_type::IP_ADDRESS,
        Value::Counter32(_) => value_type::COUNTER32,
        Value::Gauge32(_) => value_type::GAUGE32,
        Value::TimeTicks(_) => value_type::TIME_TICKS,
        Value::Opaque(_) => value_type::OPAQUE,
        Value::Counter64(_) => value_type::COUNTER64,
        Value::NoSuchObject => value_type::NO_SUCH_OBJECT,
        Value::NoSuchInstance => value_type::NO_SUCH_INSTANCE,
        Value::EndOfMibView => value_type::END_OF_MIB_VIEW,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn written(arcs: &[u32]) -> Vec<u8> {
        let mut output = Output::new(ByteOrder::Big);
        output.name(arcs, false);
        output.octets
    }

    /// The examples of RFC 2741 section 5.1, and names at the edges of the short form.
    #[test]
    fn names_below_internet_are_short() {
        for (arcs, expected) in [
            (&[][..], &[0, 0, 0, 0][..]),
            (
                &[1, 2, 3],
                &[3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3],
            ),
            (&[1, 3, 6, 1, 2], &[0, 2, 0, 0]),
            (
                &[1, 3, 6, 1, 2, 1, 1],
                &[2, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
            ),
        ] {
            assert_eq!(written(arcs), expected);
            let mut fields = Fields::new(expected, ByteOrder::Big);
            let name = fields.name().unwrap().0;
            assert_eq!(name.as_ref().map_or(&[][..], Oid::arcs), arcs);
            assert!(fields.is_empty());
        }
        for last in [0, 255, 256] {
            let octets = written(&[1, 3, 6, 1, last]);
            assert_eq!(octets.len() == 4, last == 255, "{last}");
            let mut fields = Fields::new(&octets, ByteOrder::Big);
            assert_eq!(
                fields.object_identifier().unwrap().arcs(),
                [1, 3, 6, 1, last]
            );
        }
    }

    #[test]
    fn texts_are_padded_to_four_octets() {
        for length in 0..9 {
            let text = vec![7; length];
            let mut output = Output::new(ByteOrder::Little);
            output.octet_string(&text);
            assert_eq!(output.octets.len() % 4, 0);
            let mut fields = Fields::new(&output.octets, ByteOrder::Little);
            assert_eq!(fields.octet_string().unwrap(), text);
            assert!(fields.is_empty());
        }
        let mut fields = Fields::new(&[255; 8], ByteOrder::Big);
        assert!(fields.octet_string().is_err());
    }
}
