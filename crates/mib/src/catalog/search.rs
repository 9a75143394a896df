//! Look-ups by binary search, where the catalog lies.

#[cfg(feature = "compile")]
use std::path::Path;

use super::format::{NONE, Section, module, object, textual_convention};
#[cfg(feature = "compile")]
use super::format::{source, wide};
use super::{Catalog, Entry, Module, TextualConvention};
use crate::object::Object;

/// The first of `count` positions for which `is_before` does not hold.
fn partition(count: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A directory or a file that a catalog was made of.
#[cfg(feature = "compile")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceRecord<'m> {
    pub(crate) path: &'m Path,
    pub(crate) modified: u64,
    pub(crate) size: u64,
}

impl Catalog {
    fn object_count(&self) -> u32 {
        self.count::<{ object::WORDS }>(Section::Objects)
    }

    fn entry(&self, position: u32) -> Entry<'_> {
        Entry::new(self, position)
    }

    /// The object with the longest OBJECT IDENTIFIER that `name` begins with, the preferred one of equals.
    pub(crate) fn longest_prefix(&self, name: &[u32]) -> Option<Entry<'_>> {
        let after = partition(self.object_count(), |at| self.entry(at).arcs() <= name);
        let mut position = after.checked_sub(1)?;
        loop {
            let entry = self.entry(position);
            let arcs = entry.arcs();
            if name.starts_with(arcs) && !arcs.is_empty() {
                let before = position.checked_sub(1).map(|at| self.entry(at).arcs());
                return Some(match before == Some(arcs) {
                    true => self.entry(self.first_at(arcs)),
                    false => entry,
                });
            }
            match entry.parent() {
                // Parents come before their children, also in a damaged catalog: this ends.
                parent if parent < position => position = parent,
                _ => return None,
            }
        }
    }

    fn first_at(&self, arcs: &[u32]) -> u32 {
        partition(self.object_count(), |at| self.entry(at).arcs() < arcs)
    }

    /// The objects at and below `root`, in order, the preferred one of equals first.
    pub(crate) fn subtree<'a>(&'a self, root: &'a [u32]) -> impl Iterator<Item = Entry<'a>> + 'a {
        (self.first_at(root)..self.object_count())
            .map(|at| self.entry(at))
            .take_while(move |entry| entry.arcs().starts_with(root))
    }

    /// The objects of a name, the preferred one first.
    pub(crate) fn named<'a, 'n>(
        &'a self,
        name: &'n str,
    ) -> impl Iterator<Item = Entry<'a>> + use<'a, 'n> {
        let order = self.section(Section::ByName);
        let count = u32::try_from(order.len()).unwrap_or(u32::MAX);
        let at = move |place: u32| {
            let place = usize::try_from(place).ok();
            let position = place.and_then(|place| order.get(place));
            self.entry(position.copied().unwrap_or(NONE))
        };
        let start = partition(count, |place| at(place).name_octets() < name.as_bytes());
        (start..count)
            .map(at)
            .take_while(move |entry| entry.name() == name)
    }

    /// All names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let order = self.section(Section::ByName).iter();
        order.map(|&position| self.entry(position).name())
    }

    /// The objects of a module, in order of OBJECT IDENTIFIER. This looks at all objects of the catalog.
    pub fn objects_of<'a>(&'a self, module: &'a str) -> impl Iterator<Item = Object<'a>> + 'a {
        (0..self.object_count())
            .map(|at| self.entry(at))
            .filter(move |entry| entry.module_name() == module)
            .map(Object::new)
    }

    /// The modules, in order of their names.
    pub fn modules(&self) -> impl Iterator<Item = Module<'_>> {
        let count = self.count::<{ module::WORDS }>(Section::Modules);
        (0..count).map(|at| Module::new(self, at))
    }

    /// The module of a name.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<Module<'_>> {
        let count = self.count::<{ module::WORDS }>(Section::Modules);
        let at = partition(count, |at| Module::new(self, at).name() < name);
        let module = Module::new(self, at);
        (at < count && module.name() == name).then_some(module)
    }

    /// The textual conventions of a name, in order of their modules.
    pub fn textual_conventions<'a, 'n>(
        &'a self,
        name: &'n str,
    ) -> impl Iterator<Item = TextualConvention<'a>> + use<'a, 'n> {
        let count = self.count::<{ textual_convention::WORDS }>(Section::TextualConventions);
        let at = |at| TextualConvention::new(self, at);
        let start = partition(count, |place| at(place).name() < name);
        (start..count)
            .map(at)
            .take_while(move |convention| convention.name() == name)
    }

    /// What the catalog was made of.
    #[cfg(feature = "compile")]
    pub(crate) fn sources(&self) -> impl ExactSizeIterator<Item = SourceRecord<'_>> {
        let count = self.section(Section::Sources).len() / source::WORDS;
        (0..count).map(|at| {
            let at = u32::try_from(at).unwrap_or(NONE);
            let record = self.record::<{ source::WORDS }>(Section::Sources, at);
            let number = |at: usize| {
                let word = |at: usize| record.get(at).copied().unwrap_or(0);
                wide(word(at), word(at + 1))
            };
            SourceRecord {
                path: Path::new(self.text(record[source::PATH])),
                modified: number(source::MODIFIED),
                size: number(source::SIZE),
            }
        })
    }
}
