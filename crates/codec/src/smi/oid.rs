use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::{fmt, str::FromStr};

use super::MAX_SUB_IDENTIFIERS;

/// An OBJECT IDENTIFIER of 1 to 128 sub-identifiers, owned.
///
/// Order is lexicographic, as GETNEXT walks (RFC 3416 section 4.2.2). Borrowed, a name is a slice `&[u32]`. BER cannot carry a
/// single sub-identifier: a root like `1` (iso), from which a walk starts, is sent as `1.0`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Cow<'static, [u32]>);

impl Oid {
    /// Checks and takes sub-identifiers.
    ///
    /// # Errors
    /// When there are none or more than 128, or the first two are out of range (X.690 section 8.19.4).
    ///
    /// ```
    /// use varbind_codec::smi::Oid;
    /// assert_eq!(Oid::new(&[1, 3, 6, 1])?.to_string(), "1.3.6.1");
    /// assert!(Oid::new(&[1, 40]).is_err());
    /// # Ok::<(), varbind_codec::smi::ParseOidError>(())
    /// ```
    pub fn new(arcs: &[u32]) -> Result<Self, ParseOidError> {
        match arcs {
            [] => Err(ParseOidError::TooShort),
            [0..=1, 40..=u32::MAX, ..] | [3..=u32::MAX, ..] => Err(ParseOidError::RootOutOfRange),
            _ if arcs.len() > MAX_SUB_IDENTIFIERS => Err(ParseOidError::TooLong),
            _ => Ok(Self(Cow::Owned(arcs.to_vec()))),
        }
    }

    /// The caller has checked the sub-identifiers.
    pub(crate) const fn from_checked(arcs: Vec<u32>) -> Self {
        Self(Cow::Owned(arcs))
    }

    /// What `oid!` has checked.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(arcs: &'static [u32]) -> Self {
        Self(Cow::Borrowed(arcs))
    }

    /// The sub-identifiers.
    #[must_use]
    #[inline]
    pub fn arcs(&self) -> &[u32] {
        &self.0
    }

    /// This name with `arcs` behind it.
    ///
    /// # Errors
    /// `TooLong` beyond 128 sub-identifiers; `RootOutOfRange` below a root alone, as [`Oid::new`].
    pub fn child(&self, arcs: &[u32]) -> Result<Self, ParseOidError> {
        if self.0.len() + arcs.len() > MAX_SUB_IDENTIFIERS {
            return Err(ParseOidError::TooLong);
        }
        let child = [self.arcs(), arcs].concat();
        match self.arcs() {
            [_] => Self::new(&child),
            _ => Ok(Self::from_checked(child)),
        }
    }

    /// Whether `name` is this name or lies below it.
    #[must_use]
    #[inline]
    pub fn is_prefix_of(&self, name: &[u32]) -> bool {
        name.starts_with(&self.0)
    }
}

impl Clone for Oid {
    #[inline]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    // The derived one allocates, where this reuses the allocation: a walk copies the name of each object.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl AsRef<[u32]> for Oid {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}

impl core::borrow::Borrow<[u32]> for Oid {
    fn borrow(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, arc) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            write!(f, "{arc}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Oid {
    type Err = ParseOidError;

    /// Reads dotted numbers, with or without a dot in front.
    fn from_str(text: &str) -> Result<Self, ParseOidError> {
        let text = text.strip_prefix('.').unwrap_or(text);
        let mut arcs = Vec::new();
        for part in text.split('.') {
            if arcs.len() == MAX_SUB_IDENTIFIERS {
                return Err(ParseOidError::TooLong);
            }
            if !part.bytes().all(|octet| octet.is_ascii_digit()) {
                return Err(ParseOidError::NotANumber);
            }
            arcs.push(part.parse().map_err(|_| ParseOidError::NotANumber)?);
        }
        Self::new(&arcs)
    }
}

/// Why a name is not an OBJECT IDENTIFIER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseOidError {
    /// No sub-identifier.
    TooShort,
    /// More than 128 sub-identifiers (RFC 2578 section 7.1.3).
    TooLong,
    /// A part is not a decimal number of 32 bits.
    NotANumber,
    /// The first sub-identifier is above 2, or the second above 39 below 0 or 1.
    RootOutOfRange,
}

impl fmt::Display for ParseOidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooShort => "an object identifier has at least one number",
            Self::TooLong => "an object identifier has at most 128 numbers",
            Self::NotANumber => {
                "an object identifier consists of numbers up to 4294967295, separated by dots"
            }
            Self::RootOutOfRange => {
                "an object identifier begins with 0, 1 or 2, and 0 and 1 are followed by 0 to 39"
            }
        })
    }
}

impl core::error::Error for ParseOidError {}
