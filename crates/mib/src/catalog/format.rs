//! How a catalog is laid out: 32-bit words in the order of the machine, so that names can be used where they lie.
//!
//! A header of [`HEADER_WORDS`] words is followed by the sections. Records are fixed numbers of words; `name` means an
//! offset in octets into the section of names, `text` one into that of texts, where the length in octets (a word, least
//! significant octet first) precedes the UTF-8. Offset 0 is the empty string. A list is an offset and a length in words.

#![cfg_attr(
    not(feature = "compile"),
    allow(dead_code, reason = "some parts only matter when catalogs are made")
)]

/// The first octets of every catalog.
pub(crate) const MAGIC: [u8; 8] = *b"vbnames\n";

/// Counts up whenever anything below changes.
pub(crate) const VERSION: u32 = 1;

/// Reads differently on a machine of the other order of octets.
pub(crate) const BYTE_ORDER: u32 = 0x0102_0304;

/// Magic (2 words), version, byte order, length of all in words, checksum (2), 1 unused, then offset and length in
/// words of each section.
pub(crate) const HEADER_WORDS: usize = 8 + 2 * SECTIONS;

pub(crate) const SECTIONS: usize = 10;

/// No record, no parent.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Section {
    /// [`object`] records in order of OBJECT IDENTIFIER, the preferred one of equals first.
    Objects,
    /// Positions of objects in order of name, the preferred one of equals first.
    ByName,
    /// The sub-identifiers of all objects.
    Arcs,
    /// [`textual_convention`] records in order of name.
    TextualConventions,
    /// [`syntax`] records.
    Syntaxes,
    /// Lists of all kinds.
    Lists,
    /// [`module`] records in order of name.
    Modules,
    /// [`source`] records: what the catalog was made of.
    Sources,
    /// What look-ups need.
    Names,
    /// What only people read.
    Texts,
}

/// An object.
pub(crate) mod object {
    /// name
    pub(crate) const NAME: usize = 0;
    /// Where its sub-identifiers begin, and how many there are.
    pub(crate) const ARCS: usize = 1;
    pub(crate) const ARC_COUNT: usize = 2;
    /// Position of its module.
    pub(crate) const MODULE: usize = 3;
    /// Octets, lowest first: kind, access, status, macro.
    pub(crate) const FACTS: usize = 4;
    /// Position of its syntax.
    pub(crate) const SYNTAX: usize = 5;
    /// Of a row: its index, each column as name, syntax, 1 if IMPLIED. Of a notification: names of its objects.
    pub(crate) const LIST: usize = 6;
    pub(crate) const LIST_LENGTH: usize = 7;
    /// name
    pub(crate) const AUGMENTS: usize = 8;
    /// name
    pub(crate) const UNITS: usize = 9;
    /// text
    pub(crate) const DESCRIPTION: usize = 10;
    /// text
    pub(crate) const REFERENCE: usize = 11;
    /// text
    pub(crate) const DEFAULT_VALUE: usize = 12;
    /// Position of the nearest object above that has a shorter OBJECT IDENTIFIER.
    pub(crate) const PARENT: usize = 13;
    pub(crate) const WORDS: usize = 14;
}

/// A textual convention.
pub(crate) mod textual_convention {
    /// name
    pub(crate) const NAME: usize = 0;
    /// Position of its module.
    pub(crate) const MODULE: usize = 1;
    pub(crate) const STATUS: usize = 2;
    /// Position of its syntax.
    pub(crate) const SYNTAX: usize = 3;
    /// text
    pub(crate) const DESCRIPTION: usize = 4;
    /// text
    pub(crate) const REFERENCE: usize = 5;
    pub(crate) const WORDS: usize = 6;
}

/// A syntax.
pub(crate) mod syntax {
    pub(crate) const BASE: usize = 0;
    /// name
    pub(crate) const CONVENTION: usize = 1;
    /// name
    pub(crate) const HINT: usize = 2;
    /// Lowest and highest of each range, each as two words, the low one first.
    pub(crate) const RANGES: usize = 3;
    pub(crate) const RANGES_LENGTH: usize = 4;
    /// The name and the number of each.
    pub(crate) const NAMED_NUMBERS: usize = 5;
    pub(crate) const NAMED_NUMBERS_LENGTH: usize = 6;
    pub(crate) const WORDS: usize = 7;
}

/// A module.
pub(crate) mod module {
    /// name
    pub(crate) const NAME: usize = 0;
    /// 1 if it is written in SMIv1.
    pub(crate) const IS_SMI_V1: usize = 1;
    /// text: the path of its file.
    pub(crate) const FILE: usize = 2;
    /// name: LAST-UPDATED with four digits of the year.
    pub(crate) const LAST_UPDATED: usize = 3;
    /// text
    pub(crate) const ORGANIZATION: usize = 4;
    /// text
    pub(crate) const CONTACT_INFO: usize = 5;
    /// text
    pub(crate) const DESCRIPTION: usize = 6;
    /// How many objects it has.
    pub(crate) const OBJECTS: usize = 7;
    pub(crate) const WORDS: usize = 8;
}

/// A directory or a file that was read.
pub(crate) mod source {
    /// text: its path.
    pub(crate) const PATH: usize = 0;
    /// When it was last changed, in nanoseconds since 1970, as two words.
    pub(crate) const MODIFIED: usize = 1;
    /// Its size in octets, as two words; of a directory 0.
    pub(crate) const SIZE: usize = 3;
    pub(crate) const WORDS: usize = 5;
}

/// A number of two words, the low one first.
pub(crate) const fn wide(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// The two words of a number.
pub(crate) const fn narrow(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Of all words behind the header.
pub(crate) fn checksum(words: &[u32]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &word| {
        (sum.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}
