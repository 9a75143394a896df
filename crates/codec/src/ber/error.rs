use core::fmt;

/// Why octets could not be decoded, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Offset in octets from the beginning of the message.
    pub offset: usize,
}

/// What is wrong with the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside an element.
    Truncated,
    /// Octets follow the end of an element that should have been the last.
    TrailingOctets,
    /// Another tag was expected here.
    UnexpectedTag {
        /// The tag that the standard requires here.
        expected: Tag,
        /// The tag that was found.
        found: Tag,
    },
    /// No value of the SMI has this tag (RFC 2578 section 7.1).
    UnknownValueTag(Tag),
    /// No PDU has this tag (RFC 3416 section 3, RFC 1157 section 4.1).
    UnknownPduTag(Tag),
    /// A tag of more than one octet; SNMP has none.
    MultiOctetTag,
    /// The indefinite form of length, which RFC 3417 section 8 forbids.
    IndefiniteLength,
    /// A length that does not fit 32 bits.
    LengthTooLarge,
    /// An INTEGER without content.
    EmptyInteger,
    /// An INTEGER outside the range of its type.
    IntegerOutOfRange,
    /// An OBJECT IDENTIFIER with more than 128 sub-identifiers (RFC 2578 section 7.1.3).
    TooManySubIdentifiers,
    /// A sub-identifier above 2^32-1 (RFC 2578 section 7.1.3).
    SubIdentifierTooLarge,
    /// The last sub-identifier is not complete.
    TruncatedSubIdentifier,
    /// The content has the wrong length for its type, as an IpAddress that is not 4 octets long.
    WrongContentLength,
    /// The version field holds a version that this decoder does not know.
    UnknownVersion(i32),
    /// msgFlags ask for privacy without authentication (RFC 3412 section 7.2 (5)).
    PrivacyWithoutAuthentication,
    /// A compressed name that refers to what is not in the name before it.
    #[cfg(feature = "experiments")]
    CompressedName,
    /// A compressed list that would be larger than the largest message.
    #[cfg(feature = "experiments")]
    ExpansionTooLarge,
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => write!(f, "the message ends inside an element"),
            Self::TrailingOctets => write!(f, "octets follow the end of the element"),
            Self::UnexpectedTag { expected, found } => {
                write!(f, "tag {expected} expected, {found} found")
            }
            Self::UnknownValueTag(tag) => write!(f, "tag {tag} is not a value of the SMI"),
            Self::UnknownPduTag(tag) => write!(f, "tag {tag} is not a PDU"),
            Self::MultiOctetTag => write!(f, "a tag of several octets"),
            Self::IndefiniteLength => write!(f, "a length of indefinite form"),
            Self::LengthTooLarge => write!(f, "a length beyond 32 bits"),
            Self::EmptyInteger => write!(f, "an INTEGER without content"),
            Self::IntegerOutOfRange => write!(f, "an INTEGER outside the range of its type"),
            Self::TooManySubIdentifiers => write!(f, "more than 128 sub-identifiers"),
            Self::SubIdentifierTooLarge => write!(f, "a sub-identifier beyond 32 bits"),
            Self::TruncatedSubIdentifier => write!(f, "an incomplete sub-identifier"),
            Self::WrongContentLength => write!(f, "the wrong content length for the type"),
            Self::UnknownVersion(version) => write!(f, "unknown message version {version}"),
            Self::PrivacyWithoutAuthentication => write!(f, "privacy without authentication"),
            #[cfg(feature = "experiments")]
            Self::CompressedName => {
                write!(f, "a compressed name refers to a name that does not exist")
            }
            #[cfg(feature = "experiments")]
            Self::ExpansionTooLarge => {
                write!(f, "the expanded content would exceed the largest message")
            }
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at octet {}", self.kind, self.offset)
    }
}

impl core::error::Error for DecodeError {}

/// Why a message could not be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer, or the part of it reserved for headers, is full.
    BufferFull,
    /// The name or value is not a valid OBJECT IDENTIFIER: none or more than 128 sub-identifiers, or first ones
    /// out of range.
    InvalidObjectIdentifier,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BufferFull => write!(f, "the message does not fit the buffer"),
            Self::InvalidObjectIdentifier => write!(f, "not a valid object identifier"),
        }
    }
}

impl core::error::Error for EncodeError {}

use super::Tag;
