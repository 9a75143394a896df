use core::fmt;

use alloc::vec::Vec;

use super::Oid;
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer, length_octets};

/// The most sub-identifiers that a name may have (RFC 2578 section 7.1.3).
pub const MAX_SUB_IDENTIFIERS: usize = 128;

/// An OBJECT IDENTIFIER in its encoded form, borrowed from a message.
///
/// Invariant: the content was checked when it was read, so that [`arcs`](Self::arcs) yields 2 to 128 sub-identifiers.
/// Equality is of the octets: two encodings of one name, of which one is not minimal, differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OidRef<'a> {
    content: &'a [u8],
}

impl<'a> OidRef<'a> {
    /// 0.0 (zeroDotZero, RFC 2578), the null value of names.
    pub const ZERO_DOT_ZERO: OidRef<'static> = OidRef { content: &[0] };

    /// Checks and takes the rest of `reader` as the content of an OBJECT IDENTIFIER.
    ///
    /// Empty content, which some devices send, is read as 0.0.
    ///
    /// # Errors
    /// `TooManySubIdentifiers`, `SubIdentifierTooLarge` or `TruncatedSubIdentifier`.
    #[inline]
    pub fn from_content(reader: &Reader<'a>) -> Result<Self, DecodeError> {
        let content = reader.rest();
        let fail = |kind, at: usize| DecodeError {
            kind,
            offset: reader.offset() + at,
        };
        let mut count = 1;
        let mut value = 0_u64;
        for (at, &octet) in content.iter().enumerate() {
            value = value << 7 | u64::from(octet & 0x7f);
            // The first sub-identifier encodes two arcs: 2.(2^32-1) gives 2^32+79.
            if value > u64::from(u32::MAX) + if count == 1 { 80 } else { 0 } {
                return Err(fail(DecodeErrorKind::SubIdentifierTooLarge, at));
            }
            if octet < 0x80 {
                count += 1;
                value = 0;
                if count > MAX_SUB_IDENTIFIERS {
                    return Err(fail(DecodeErrorKind::TooManySubIdentifiers, at));
                }
            }
        }
        match content.last() {
            None => Ok(OidRef::ZERO_DOT_ZERO),
            Some(&last) if last < 0x80 => Ok(Self { content }),
            Some(_) => Err(fail(
                DecodeErrorKind::TruncatedSubIdentifier,
                content.len() - 1,
            )),
        }
    }

    /// The encoded content, without tag and length.
    #[must_use]
    pub const fn content(self) -> &'a [u8] {
        self.content
    }

    /// The sub-identifiers.
    #[must_use]
    #[inline]
    pub const fn arcs(self) -> Arcs<'a> {
        Arcs {
            octets: self.content,
            second: None,
            first: true,
        }
    }

    /// Writes the sub-identifiers into `scratch` and returns them as a slice.
    #[inline]
    pub fn decode_into(self, scratch: &mut OidScratch) -> &[u32] {
        scratch.length = 0;
        for arc in self.arcs() {
            scratch.push(arc);
        }
        scratch.arcs()
    }

    /// An owned copy.
    #[must_use]
    pub fn to_oid(self) -> Oid {
        // A sub-identifier takes an octet at least, and the first one stands for two arcs.
        let room = (self.content.len() + 1).min(MAX_SUB_IDENTIFIERS);
        let mut name = Vec::with_capacity(room);
        let mut arcs = self.arcs();
        name.extend(arcs.by_ref().take(2));
        let rest = || u32::try_from(arcs.sub_identifier()?).ok();
        name.extend(core::iter::from_fn(rest));
        Oid::from_checked(name)
    }
}

impl fmt::Display for OidRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, arc) in self.arcs().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            write!(f, "{arc}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for OidRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Iterator over the sub-identifiers of an encoded name.
#[derive(Clone, Debug)]
pub struct Arcs<'a> {
    octets: &'a [u8],
    second: Option<u32>,
    first: bool,
}

impl Arcs<'_> {
    #[inline]
    fn sub_identifier(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        while let Some((&octet, rest)) = self.octets.split_first() {
            self.octets = rest;
            value = value << 7 | u64::from(octet & 0x7f);
            if octet < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

impl Iterator for Arcs<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if let Some(second) = self.second.take() {
            return Some(second);
        }
        let value = self.sub_identifier()?;
        if !self.first {
            return u32::try_from(value).ok();
        }
        // X.690 section 8.19.4: the first two arcs share a sub-identifier.
        self.first = false;
        let root = (value / 40).min(2);
        self.second = u32::try_from(value - 40 * root).ok();
        u32::try_from(root).ok()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // The last octet of a sub-identifier has no continuation bit.
        let encoded = self.octets.iter().filter(|octet| **octet < 0x80).count();
        let second = usize::from(self.first && encoded > 0) + usize::from(self.second.is_some());
        (encoded + second, Some(encoded + second))
    }
}

/// Room for the sub-identifiers of one name, to be reused, so that decoding a name allocates nothing.
#[derive(Clone)]
pub struct OidScratch {
    arcs: [u32; MAX_SUB_IDENTIFIERS],
    length: usize,
}

impl OidScratch {
    /// Room without a name.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            arcs: [0; MAX_SUB_IDENTIFIERS],
            length: 0,
        }
    }

    /// The sub-identifiers of the name.
    #[must_use]
    #[inline]
    pub fn arcs(&self) -> &[u32] {
        self.arcs.get(..self.length).unwrap_or(&[])
    }

    /// The same, to be changed in place.
    #[cfg(feature = "experiments")]
    #[inline]
    pub(crate) fn arcs_mut(&mut self) -> &mut [u32] {
        self.arcs.get_mut(..self.length).unwrap_or(&mut [])
    }

    /// Sets the number of sub-identifiers, at most 128. New ones are 0.
    #[cfg(feature = "experiments")]
    pub(crate) fn resize(&mut self, length: usize) {
        let length = length.min(MAX_SUB_IDENTIFIERS);
        self.arcs
            .get_mut(self.length..length)
            .unwrap_or(&mut [])
            .fill(0);
        self.length = length;
    }

    /// Takes `arcs` as the name; what is beyond 128 sub-identifiers is cut off.
    #[inline]
    pub fn set(&mut self, arcs: &[u32]) {
        self.length = 0;
        self.extend(arcs);
    }

    /// Lengthens the name; what is beyond 128 sub-identifiers is cut off.
    #[inline]
    pub fn extend(&mut self, arcs: &[u32]) {
        let room = self.arcs.get_mut(self.length..).unwrap_or(&mut []);
        let count = arcs.len().min(room.len());
        if let (Some(room), Some(arcs)) = (room.get_mut(..count), arcs.get(..count)) {
            room.copy_from_slice(arcs);
            self.length += count;
        }
    }

    /// Adds one sub-identifier, if there is room.
    #[inline]
    pub fn push(&mut self, arc: u32) {
        if let Some(place) = self.arcs.get_mut(self.length) {
            *place = arc;
            self.length += 1;
        }
    }
}

impl Default for OidScratch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OidScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.arcs()).finish()
    }
}

/// The number of octets that a sub-identifier takes.
#[inline]
pub(crate) const fn sub_identifier_length(value: u64) -> usize {
    // Most are small.
    if value < 0x80 {
        return 1;
    }
    let bits = 64 - value.leading_zeros() as usize;
    bits.div_ceil(7)
}

/// The first sub-identifier, which stands for two arcs, and the arcs behind them. A root alone is written as `root.0`.
#[inline]
fn packed(arcs: &[u32]) -> Result<(u64, &[u32]), EncodeError> {
    match arcs {
        [root @ 0..=2] => Ok((u64::from(*root) * 40, &[])),
        [root @ 0..=1, second @ 0..=39, rest @ ..] | [root @ 2, second, rest @ ..]
            if rest.len() <= MAX_SUB_IDENTIFIERS - 2 =>
        {
            Ok((u64::from(*root) * 40 + u64::from(*second), rest))
        }
        _ => Err(EncodeError::InvalidObjectIdentifier),
    }
}

/// The number of content octets that a name takes.
#[inline]
pub(crate) fn encoded_arcs_length(arcs: &[u32]) -> Result<usize, EncodeError> {
    let (first, rest) = packed(arcs)?;
    Ok(rest
        .iter()
        .fold(sub_identifier_length(first), |length, &arc| {
            length + sub_identifier_length(u64::from(arc))
        }))
}

/// Writes a sub-identifier into room of its length.
#[inline]
pub(crate) fn write_sub_identifier(room: &mut [u8], value: u64) {
    let mut value = value;
    for (at, place) in room.iter_mut().rev().enumerate() {
        let continuation = if at == 0 { 0 } else { 0x80 };
        *place = (value & 0x7f).to_le_bytes()[0] | continuation;
        value >>= 7;
    }
}

impl Writer<'_> {
    /// Appends an OBJECT IDENTIFIER.
    ///
    /// # Errors
    /// `BufferFull`, or `InvalidObjectIdentifier` if the name has none or more than 128 sub-identifiers or its first two are
    /// out of range.
    #[inline]
    pub fn append_oid(&mut self, arcs: &[u32]) -> Result<(), EncodeError> {
        let length = encoded_arcs_length(arcs)?;
        self.append_header(Tag::OBJECT_IDENTIFIER, length)?;
        self.append_arcs(arcs, length)
    }

    /// Appends the content of an OBJECT IDENTIFIER whose length is known.
    #[inline]
    pub(crate) fn append_arcs(&mut self, arcs: &[u32], length: usize) -> Result<(), EncodeError> {
        let (first, arcs) = packed(arcs)?;
        let mut room = self.room(length)?;
        room = write_next(room, first)?;
        for &arc in arcs {
            room = write_next(room, u64::from(arc))?;
        }
        Ok(())
    }

    /// Prepends an OBJECT IDENTIFIER (only the enterprise of a Trap-PDU needs it).
    pub(crate) fn prepend_oid(&mut self, arcs: &[u32]) -> Result<(), EncodeError> {
        let length = encoded_arcs_length(arcs)?;
        let (first, rest) = packed(arcs)?;
        let mut octets = [0; 10];
        for value in rest.iter().rev().map(|&arc| u64::from(arc)).chain([first]) {
            let room = octets
                .get_mut(..sub_identifier_length(value))
                .ok_or(EncodeError::InvalidObjectIdentifier)?;
            write_sub_identifier(room, value);
            self.prepend(room)?;
        }
        self.prepend_header(Tag::OBJECT_IDENTIFIER, length)
    }
}

#[inline]
fn write_next(room: &mut [u8], value: u64) -> Result<&mut [u8], EncodeError> {
    if value < 0x80 {
        let (place, rest) = room.split_first_mut().ok_or(EncodeError::BufferFull)?;
        *place = value.to_le_bytes()[0];
        return Ok(rest);
    }
    let (place, rest) = room
        .split_at_mut_checked(sub_identifier_length(value))
        .ok_or(EncodeError::BufferFull)?;
    write_sub_identifier(place, value);
    Ok(rest)
}

/// The size of a whole OBJECT IDENTIFIER element with content of this length.
#[inline]
pub(crate) const fn element_length(content: usize) -> usize {
    1 + length_octets(content) + content
}
