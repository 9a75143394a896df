//! A catalog: the names of many modules in one file, which is used where it lies instead of being read.

mod entry;
pub(crate) mod format;
mod mapping;
mod module;
mod search;
mod syntax;

use std::fs::File;
use std::io;
use std::path::Path;

pub use module::{Module, TextualConvention};

#[cfg(feature = "compile")]
pub(crate) use entry::{ACCESSES, KINDS, MACROS, STATUSES};
pub(crate) use entry::{Entry, IndexRecords, UNKNOWN};
#[cfg(feature = "compile")]
pub(crate) use syntax::BASE_TYPES;
pub(crate) use syntax::{NamedNumberRecords, RangeRecords};

use format::{BYTE_ORDER, HEADER_WORDS, MAGIC, SECTIONS, Section, VERSION};

/// Why a catalog cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file cannot be opened or mapped.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is not a catalog.
    #[error("it is not a catalog of MIB modules; make one with varbind mib compile")]
    NotACatalog,
    /// It was written by another version of this program, or on a machine with another order of octets.
    #[error(
        "it was made by another version of varbind or on another kind of machine; make it anew with varbind mib \
         compile"
    )]
    OtherVersion,
    /// It is shorter than it says, or its parts do not fit each other.
    #[error("it is damaged; rebuild it with varbind mib compile")]
    Damaged,
}

/// The names of many modules, as [`compile`](crate::compile) writes them.
///
/// A file is mapped into memory and nothing of it is read in advance: opening costs the same for one module as for
/// thousands, and memory only for the pages that look-ups touch. What is wrong in a damaged file is not found, or is
/// found wrongly, but does no harm; [`Catalog::verify`] tells.
pub struct Catalog {
    storage: Storage,
    sections: [(usize, usize); SECTIONS],
}

enum Storage {
    Mapped(memmap2::Mmap),
    Memory(Vec<u32>),
    Program(&'static [u32]),
}

impl Storage {
    fn words(&self) -> &[u32] {
        match self {
            // A mapping begins with a page, and its length was checked: the cast does not fail.
            Self::Mapped(map) => bytemuck::try_cast_slice(map).unwrap_or(&[]),
            Self::Memory(words) => words,
            Self::Program(words) => words,
        }
    }
}

impl Catalog {
    /// Maps a file.
    ///
    /// # Errors
    /// When it cannot be opened, is none, is of another version, or is truncated.
    pub fn open(path: &Path) -> Result<Self, CatalogError> {
        let map = mapping::map(&File::open(path)?)?;
        if !map.starts_with(&MAGIC) {
            return Err(CatalogError::NotACatalog);
        }
        if !map.len().is_multiple_of(4) {
            return Err(CatalogError::Damaged);
        }
        Self::new(Storage::Mapped(map))
    }

    /// Takes a catalog that is in memory, as [`compile`](crate::compile) makes it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_words(words: Vec<u32>) -> Result<Self, CatalogError> {
        Self::new(Storage::Memory(words))
    }

    /// A catalog that is a part of the program, without a header.
    pub(crate) const fn of_program(
        words: &'static [u32],
        sections: [(usize, usize); SECTIONS],
    ) -> Self {
        Self {
            storage: Storage::Program(words),
            sections,
        }
    }

    fn new(storage: Storage) -> Result<Self, CatalogError> {
        let words = storage.words();
        let header = words.get(..HEADER_WORDS).ok_or(CatalogError::NotACatalog)?;
        let (start, table) = header.split_at_checked(8).ok_or(CatalogError::Damaged)?;
        let &[first, second, version, byte_order, length, ..] = start else {
            return Err(CatalogError::Damaged);
        };
        if [first, second].map(u32::to_ne_bytes).concat() != MAGIC {
            return Err(CatalogError::NotACatalog);
        }
        if version != VERSION || byte_order != BYTE_ORDER {
            return Err(CatalogError::OtherVersion);
        }
        if usize::try_from(length) != Ok(words.len()) {
            return Err(CatalogError::Damaged);
        }
        let mut sections = [(0, 0); SECTIONS];
        for (section, entry) in sections.iter_mut().zip(table.chunks_exact(2)) {
            let &[offset, length] = entry else { continue };
            let offset = usize::try_from(offset).map_err(|_| CatalogError::Damaged)?;
            let length = usize::try_from(length).map_err(|_| CatalogError::Damaged)?;
            let end = offset.checked_add(length).ok_or(CatalogError::Damaged)?;
            if offset < HEADER_WORDS || end > words.len() {
                return Err(CatalogError::Damaged);
            }
            *section = (offset, end);
        }
        Ok(Self { storage, sections })
    }

    /// Reads all of it, and compares it with the checksum that was written with it.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn verify(&self) -> Result<(), CatalogError> {
        let words = self.storage.words();
        let content = words.get(HEADER_WORDS..).unwrap_or(&[]);
        let sum = |at: usize| words.get(at).copied().unwrap_or(0);
        if format::wide(sum(5), sum(6)) == format::checksum(content) {
            Ok(())
        } else {
            Err(CatalogError::Damaged)
        }
    }

    fn section(&self, section: Section) -> &[u32] {
        let range = self.sections.get(section as usize);
        range
            .and_then(|&(start, end)| self.storage.words().get(start..end))
            .unwrap_or(&[])
    }

    /// A record of a section; one of zeros stands for one that is not there.
    fn record<const WORDS: usize>(&self, section: Section, position: u32) -> &[u32; WORDS] {
        usize::try_from(position)
            .ok()
            .and_then(|position| position.checked_mul(WORDS))
            .and_then(|start| self.section(section).get(start..)?.first_chunk())
            .unwrap_or(&[0; WORDS])
    }

    fn count<const WORDS: usize>(&self, section: Section) -> u32 {
        u32::try_from(self.section(section).len() / WORDS).unwrap_or(u32::MAX)
    }

    /// A list within a section.
    fn list(&self, section: Section, offset: u32, length: u32) -> &[u32] {
        let range = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            self.section(section).get(start..end)
        };
        range().unwrap_or(&[])
    }

    fn octets(&self, section: Section, offset: u32) -> &[u8] {
        let text = || {
            let octets: &[u8] = bytemuck::cast_slice(self.section(section));
            let (length, rest) = octets
                .get(usize::try_from(offset).ok()?..)?
                .split_first_chunk()?;
            rest.get(..usize::try_from(u32::from_le_bytes(*length)).ok()?)
        };
        text().unwrap_or(&[])
    }

    fn name(&self, offset: u32) -> &str {
        std::str::from_utf8(self.octets(Section::Names, offset)).unwrap_or("")
    }

    fn text(&self, offset: u32) -> &str {
        std::str::from_utf8(self.octets(Section::Texts, offset)).unwrap_or("")
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog")
            .field("words", &self.storage.words().len())
            .finish_non_exhaustive()
    }
}
