//! Compression of messages, experimental: what an engine accepts, and how its peers learn that.
//!
//! A manager asks for [`ACCEPTED_INSTANCE`] in a message as usual. An agent that accepts compression answers with a set of
//! compressions; any other answers that it has no such object, and is spoken to as ever. Nothing is on unless it is
//! configured, on both sides.

use std::fmt;
use std::str::FromStr;

use varbind_codec::ber::DecodeError;
use varbind_codec::compression::NameCompression;
use varbind_codec::message::ScopedPdu;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{Oid, OidRef, Value};

use crate::instrumentation::{ManagedObject, Scalar};

/// What an engine accepts (compressionAccepted, in the experimental subtree of RFC 1155; no authority has assigned it).
pub const ACCEPTED: [u32; 7] = [1, 3, 6, 1, 3, 2004, 1];

/// The one instance of [`ACCEPTED`].
pub const ACCEPTED_INSTANCE: [u32; 8] = [1, 3, 6, 1, 3, 2004, 1, 0];

/// A way to compress messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Object identifier prefix compression (OPC), over any transport.
    Prefix,
    /// Object identifier delta compression (ODC), over any transport.
    Delta,
    /// A dictionary for each session, over streams: what was in earlier messages need not be sent again. Names are
    /// compressed by substitution and succession before.
    Dictionary,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Prefix, Self::Delta, Self::Dictionary];

    /// How the names are compressed.
    #[must_use]
    pub const fn names(self) -> NameCompression {
        match self {
            Self::Prefix => NameCompression::Prefix,
            Self::Delta => NameCompression::Delta,
            Self::Dictionary => NameCompression::Successor,
        }
    }

    /// Its name in options and configurations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prefix => NameCompression::Prefix.abbreviation(),
            Self::Delta => NameCompression::Delta.abbreviation(),
            Self::Dictionary => "dictionary",
        }
    }

    /// In the BITS of [`ACCEPTED`]: opc(0), odc(1), dictionary(2).
    const fn bit(self) -> u8 {
        match self {
            Self::Prefix => 0x80,
            Self::Delta => 0x40,
            Self::Dictionary => 0x20,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Compression {
    type Err = UnknownCompression;

    fn from_str(text: &str) -> Result<Self, UnknownCompression> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.as_str() == text)
            .ok_or_else(|| UnknownCompression(text.to_owned()))
    }
}

/// No compression has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCompression(String);

impl fmt::Display for UnknownCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        write!(
            f,
            "no compression is named {text:?}: there are opc, odc and dictionary"
        )
    }
}

impl std::error::Error for UnknownCompression {}

/// Ways to compress messages; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompressionSet {
    bits: u8,
}

impl CompressionSet {
    /// None.
    pub const NONE: Self = Self { bits: 0 };

    /// Whether there is none in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether it is in it.
    #[must_use]
    pub const fn contains(self, compression: Compression) -> bool {
        self.bits & compression.bit() != 0
    }

    /// Whether messages with names that are compressed so are accepted. With a dictionary comes delta compression, too,
    /// for those who find no stream to have one on.
    #[must_use]
    pub fn accepts_names(self, names: NameCompression) -> bool {
        let is_left = names == NameCompression::Delta && self.contains(Compression::Dictionary);
        is_left
            || Compression::ALL
                .into_iter()
                .any(|it| self.contains(it) && it.names() == names)
    }

    /// Refuses a PDU that is compressed in a way that is not accepted: it then is not a PDU, as without this feature.
    pub(crate) fn admit(self, pdu: &Pdu<'_>) -> Result<(), DecodeError> {
        match pdu {
            Pdu::Common(pdu) => pdu.admit(|names| self.accepts_names(names)),
            Pdu::TrapV1(_) => Ok(()),
        }
    }

    /// The same of a scopedPDU.
    pub(crate) fn admit_scoped(
        self,
        scoped_pdu: ScopedPdu<'_>,
    ) -> Result<ScopedPdu<'_>, DecodeError> {
        self.admit(&scoped_pdu.pdu)?;
        Ok(scoped_pdu)
    }

    /// The value of [`ACCEPTED`] for it.
    #[must_use]
    pub fn to_value(self) -> Value {
        Value::OctetString(vec![self.bits])
    }

    /// The set that a value of [`ACCEPTED`] announces, without unknown compressions.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let bits = match value {
            Value::OctetString(octets) => octets.first().copied().unwrap_or(0),
            _ => 0,
        };
        Self::from_iter(
            Compression::ALL
                .into_iter()
                .filter(|it| bits & it.bit() != 0),
        )
    }

    /// The managed object that announces the accepted compressions, with its name for registration.
    #[must_use]
    pub fn managed_object(self) -> (Oid, impl ManagedObject + use<>) {
        let value = self.to_value();
        let name = Oid::new(&ACCEPTED).unwrap_or_else(|_| OidRef::ZERO_DOT_ZERO.to_oid());
        let object = Scalar::new(&name, move |_| Some(value.clone()));
        (name, object)
    }
}

impl FromIterator<Compression> for CompressionSet {
    fn from_iter<I: IntoIterator<Item = Compression>>(all: I) -> Self {
        Self {
            bits: all.into_iter().fold(0, |bits, it| bits | it.bit()),
        }
    }
}

/// Refuses a compressed PDU that is not a response. Whether a response is accepted is found out later.
pub(crate) fn admit_response(scoped_pdu: ScopedPdu<'_>) -> Result<ScopedPdu<'_>, DecodeError> {
    if scoped_pdu.pdu.pdu_type() == PduType::Response {
        return Ok(scoped_pdu);
    }
    CompressionSet::NONE.admit_scoped(scoped_pdu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_goes_there_and_back() {
        for bits in 0..8_u8 {
            let all = Compression::ALL.into_iter().enumerate();
            let set: CompressionSet = all
                .filter(|(at, _)| bits & (1 << at) != 0)
                .map(|(_, it)| it)
                .collect();
            assert_eq!(CompressionSet::from_value(&set.to_value()), set);
            assert_eq!(set.is_empty(), bits == 0);
        }
        let unknown = Value::OctetString(vec![0x1f, 0xff]);
        assert_eq!(CompressionSet::from_value(&unknown), CompressionSet::NONE);
        assert_eq!(
            CompressionSet::from_value(&Value::NoSuchObject),
            CompressionSet::NONE
        );
    }

    #[test]
    fn a_dictionary_comes_with_names_by_delta() {
        let set = CompressionSet::from_iter([Compression::Dictionary]);
        assert!(set.accepts_names(NameCompression::Delta));
        assert!(set.accepts_names(NameCompression::Successor));
        assert!(!set.accepts_names(NameCompression::Prefix));
        assert!(!set.contains(Compression::Delta));
    }

    #[test]
    fn names_of_compressions_are_read_as_they_are_shown() {
        for compression in Compression::ALL {
            assert_eq!(compression.to_string().parse(), Ok(compression));
        }
        assert!("gzip".parse::<Compression>().is_err());
    }
}
