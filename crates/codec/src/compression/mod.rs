//! Compression of the names in a list of variable bindings, experimental: object identifier compression (OPC) and delta
//! compression (ODC).
//!
//! Neighbours in a list have mostly the same beginning, so each name but the first can be told by what it has in common
//! with the one before it. Both were proposed for SNMP in 2001 and never became standards; names are encoded as their
//! drafts have it. A list that is compressed is in a PDU with a tag of its own
//! ([`compression`](crate::pdu::CommonPdu::compression)), which nobody takes for another.
//!
//! ```
//! use varbind_codec::ber::Writer;
//! use varbind_codec::compression::NameCompression;
//! use varbind_codec::smi::ValueRef;
//!
//! let mut buffer = [0; 256];
//! let mut writer = Writer::new(&mut buffer, 0)?;
//! for column in [10, 11, 12] {
//!     writer.append_var_bind(&[1, 3, 6, 1, 2, 1, 2, 2, 1, column, 7], ValueRef::Counter32(0))?;
//! }
//! let list = writer.written();
//! let mut compressed = Vec::new();
//! NameCompression::Delta.compress(list, usize::MAX, &mut compressed)?;
//! assert_eq!((list.len(), compressed.len()), (51, 35));
//! let mut expanded = Vec::new();
//! NameCompression::Delta.expand(&compressed, 1472, &mut expanded)?;
//! assert_eq!(expanded, list);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod delta;
mod list;
mod message;
mod name;
mod prefix;
mod substitution;
mod successor;

use core::fmt;
use core::str::FromStr;

pub use list::Compressed;
pub use message::{compress_message, expand_message};

/// How the names of a list are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameCompression {
    /// Object identifier compression: where a name begins to differ from the one before it, and the rest
    /// (draft-ietf-eos-oidcompression-00).
    Prefix,
    /// Object identifier delta compression: which sub-identifiers of the name before it are replaced by which; what is
    /// between and behind them is shared, too (draft-irtf-nmrg-snmp-compression-01).
    Delta,
    /// At most one substitution; a name is empty if only its last sub-identifier differs, and is greater by one. No draft has
    /// this: it makes the columns of tables alike for a dictionary.
    Successor,
}

impl NameCompression {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Prefix, Self::Delta, Self::Successor];

    /// The name that the studies gave it, where they did.
    #[must_use]
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::Prefix => "opc",
            Self::Delta => "odc",
            Self::Successor => "successor",
        }
    }
}

impl fmt::Display for NameCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.abbreviation())
    }
}

impl FromStr for NameCompression {
    type Err = UnknownCompression;

    fn from_str(text: &str) -> Result<Self, UnknownCompression> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.abbreviation() == text)
            .ok_or(UnknownCompression)
    }
}

/// No compression of names is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCompression;

impl fmt::Display for UnknownCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no compression of that name: there are opc, odc and successor"
        )
    }
}

impl core::error::Error for UnknownCompression {}
