//! The rows as a catalog, packed by the compiler.
//!
//! Each `&'static str` and each slice in a table is an address, which the dynamic linker must correct whenever a program
//! starts: thousands of them slow down every short command. A catalog has offsets instead, and nothing of it is touched
//! before a look-up.
#![allow(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a panic is an error of the build"
)]

use super::order::{Position, row};
use super::row::{Module, Row};
use crate::catalog::UNKNOWN;
use crate::catalog::format::{NONE, SECTIONS, Section, module, narrow, object, syntax};
use crate::syntax::{BaseType, Syntax};

/// More words than a section has.
const MOST_WORDS: usize = 1 << 16;

/// More syntaxes than there are.
const MOST_SYNTAXES: usize = 512;

/// More columns than an index has.
const MOST_PARTS: usize = 16;

/// A section that grows.
struct Words {
    words: [u32; MOST_WORDS],
    length: usize,
}

impl Words {
    const EMPTY: Self = Self {
        words: [0; MOST_WORDS],
        length: 0,
    };

    const fn push(&mut self, word: u32) {
        self.words[self.length] = word;
        self.length += 1;
    }

    const fn extend(&mut self, words: &[u32]) {
        let length = words.len();
        let mut at = 0;
        while at < length {
            self.push(words[at]);
            at += 1;
        }
    }
}

/// The sections that are not empty.
pub(super) struct Pack {
    objects: Words,
    by_name: Words,
    arcs: Words,
    syntaxes: Words,
    lists: Words,
    modules: Words,
    names: Words,
    known_syntaxes: [Syntax<'static>; MOST_SYNTAXES],
}

impl Pack {
    pub(super) const fn new<const N: usize>(
        modules: &[Module],
        by_oid: &[Position; N],
        by_name: &[u32; N],
        parents: &[u32; N],
    ) -> Self {
        let mut pack = Self {
            objects: Words::EMPTY,
            by_name: Words::EMPTY,
            arcs: Words::EMPTY,
            syntaxes: Words::EMPTY,
            lists: Words::EMPTY,
            modules: Words::EMPTY,
            names: Words::EMPTY,
            known_syntaxes: [Syntax::new(BaseType::Integer32); MOST_SYNTAXES],
        };
        // Offset 0 is the empty string.
        pack.names.push(0);
        let mut at = 0;
        while at < modules.len() {
            pack.module(&modules[at]);
            at += 1;
        }
        at = 0;
        while at < N {
            let position = by_oid[at];
            pack.object(row(modules, position), position.module as u32, parents[at]);
            at += 1;
        }
        pack.by_name.extend(by_name);
        pack
    }

    const fn module(&mut self, module: &Module) {
        let mut record = [0; module::WORDS];
        record[module::NAME] = self.name(module.name);
        record[module::LAST_UPDATED] = self.name(module.last_updated);
        record[module::OBJECTS] = module.rows.len() as u32;
        self.modules.extend(&record);
    }

    const fn object(&mut self, row: &Row, module: u32, parent: u32) {
        let access = match row.access {
            Some(access) => access as u8,
            None => UNKNOWN,
        };
        let mut record = [0; object::WORDS];
        record[object::NAME] = self.name(row.name);
        record[object::ARCS] = self.arcs.length as u32;
        record[object::ARC_COUNT] = row.arcs.len() as u32;
        record[object::MODULE] = module;
        record[object::FACTS] = u32::from_le_bytes([row.kind as u8, access, UNKNOWN, UNKNOWN]);
        record[object::SYNTAX] = match row.syntax {
            Some(syntax) => self.syntax(syntax),
            None => NONE,
        };
        // Syntaxes have lists too, which must not be within that of the index.
        let mut syntaxes = [0; MOST_PARTS];
        let mut at = 0;
        while at < row.index.len() {
            syntaxes[at] = self.syntax(&row.index[at].syntax());
            at += 1;
        }
        record[object::LIST] = self.lists.length as u32;
        at = 0;
        while at < row.index.len() {
            let part = row.index[at];
            let name = self.name(part.name());
            self.lists
                .extend(&[name, syntaxes[at], part.is_implied() as u32]);
            at += 1;
        }
        at = 0;
        while at < row.notification_objects.len() {
            let name = self.name(row.notification_objects[at]);
            self.lists.push(name);
            at += 1;
        }
        record[object::LIST_LENGTH] = self.lists.length as u32 - record[object::LIST];
        record[object::AUGMENTS] = self.name(row.augments);
        record[object::UNITS] = self.name(row.units);
        record[object::PARENT] = parent;
        self.arcs.extend(row.arcs);
        self.objects.extend(&record);
    }

    /// The position of a syntax, which is kept once.
    const fn syntax(&mut self, syntax: &Syntax<'static>) -> u32 {
        let position = self.syntaxes.length / syntax::WORDS;
        let mut at = 0;
        while at < position {
            if is_same_syntax(&self.known_syntaxes[at], syntax) {
                return at as u32;
            }
            at += 1;
        }
        self.known_syntaxes[position] = *syntax;
        let mut record = [0; syntax::WORDS];
        record[syntax::BASE] = syntax.base as u32;
        record[syntax::CONVENTION] = self.name(syntax.convention);
        record[syntax::HINT] = self.name(syntax.hint);
        record[syntax::RANGES] = self.lists.length as u32;
        let ranges = syntax.ranges().as_slice();
        at = 0;
        while at < ranges.len() {
            let (lowest, highest) = ranges[at];
            self.lists.extend(&narrow(lowest.cast_unsigned()));
            self.lists.extend(&narrow(highest.cast_unsigned()));
            at += 1;
        }
        record[syntax::RANGES_LENGTH] = self.lists.length as u32 - record[syntax::RANGES];
        record[syntax::NAMED_NUMBERS] = self.lists.length as u32;
        let names = syntax.named_numbers().as_slice();
        at = 0;
        while at < names.len() {
            let (name, number) = names[at];
            let name = self.name(name);
            self.lists.extend(&[name, number.cast_unsigned()]);
            at += 1;
        }
        record[syntax::NAMED_NUMBERS_LENGTH] =
            self.lists.length as u32 - record[syntax::NAMED_NUMBERS];
        self.syntaxes.extend(&record);
        position as u32
    }

    /// The offset of a name.
    const fn name(&mut self, name: &str) -> u32 {
        let octets = name.as_bytes();
        let length = octets.len();
        if length == 0 {
            return 0;
        }
        let offset = 4 * self.names.length as u32;
        self.names.push((length as u32).to_le());
        let mut at = 0;
        while at < length {
            let mut word = [0; 4];
            let mut octet = 0;
            while octet < 4 && at < length {
                word[octet] = octets[at];
                octet += 1;
                at += 1;
            }
            self.names.push(u32::from_ne_bytes(word));
        }
        offset
    }

    const fn contents(&self) -> [(Section, &Words); 7] {
        [
            (Section::Objects, &self.objects),
            (Section::ByName, &self.by_name),
            (Section::Arcs, &self.arcs),
            (Section::Syntaxes, &self.syntaxes),
            (Section::Lists, &self.lists),
            (Section::Modules, &self.modules),
            (Section::Names, &self.names),
        ]
    }

    /// Where each section begins and ends.
    pub(super) const fn sections(&self) -> [(usize, usize); SECTIONS] {
        let mut sections = [(0, 0); SECTIONS];
        let mut start = 0;
        let contents = self.contents();
        let mut at = 0;
        while at < contents.len() {
            let (section, words) = contents[at];
            sections[section as usize] = (start, start + words.length);
            start += words.length;
            at += 1;
        }
        sections
    }

    /// How many words all sections have.
    pub(super) const fn length(&self) -> usize {
        let mut length = 0;
        let contents = self.contents();
        let mut at = 0;
        while at < contents.len() {
            length += contents[at].1.length;
            at += 1;
        }
        length
    }

    /// All sections, one behind the other.
    pub(super) const fn words<const LENGTH: usize>(&self) -> [u32; LENGTH] {
        let mut all = [0; LENGTH];
        let mut end = 0;
        let contents = self.contents();
        let mut at = 0;
        while at < contents.len() {
            let words = contents[at].1;
            let mut word = 0;
            while word < words.length {
                all[end] = words.words[word];
                end += 1;
                word += 1;
            }
            at += 1;
        }
        all
    }
}

const fn is_same_syntax(a: &Syntax<'_>, b: &Syntax<'_>) -> bool {
    if a.base as u8 != b.base as u8 {
        return false;
    }
    let (names, other_names) = (a.named_numbers().as_slice(), b.named_numbers().as_slice());
    let (ranges, other_ranges) = (a.ranges().as_slice(), b.ranges().as_slice());
    if names.len() != other_names.len()
        || ranges.len() != other_ranges.len()
        || !is_same_text(a.convention, b.convention)
        || !is_same_text(a.hint, b.hint)
    {
        return false;
    }
    let mut at = 0;
    while at < ranges.len() {
        let ((lowest, highest), (low, high)) = (ranges[at], other_ranges[at]);
        if lowest != low || highest != high {
            return false;
        }
        at += 1;
    }
    at = 0;
    while at < names.len() {
        let ((name, number), (other_name, other_number)) = (names[at], other_names[at]);
        if number != other_number || !is_same_text(name, other_name) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let length = a.len();
    if length != b.len() {
        return false;
    }
    let mut at = 0;
    while at < length {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
