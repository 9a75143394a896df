//! Facts to a catalog.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::definition::{ModuleFacts, ObjectFacts, SourceFacts, SyntaxFacts};
use super::strings::Strings;
use crate::catalog::format::{
    BYTE_ORDER, HEADER_WORDS, MAGIC, NONE, SECTIONS, Section, VERSION, checksum, narrow,
};
use crate::catalog::{ACCESSES, BASE_TYPES, KINDS, MACROS, STATUSES, UNKNOWN};
use crate::clauses::Kind;

/// The catalog does not fit its 32-bit offsets.
#[derive(Debug)]
pub(super) struct TooLarge;

/// Writes a catalog.
pub(super) fn write(
    mut modules: Vec<ModuleFacts>,
    sources: &[SourceFacts],
) -> Result<Vec<u32>, TooLarge> {
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    let mut writer = Writer::default();
    writer.objects(&modules)?;
    writer.conventions(&modules)?;
    for module in &modules {
        writer.module(module)?;
    }
    for source in sources {
        let [modified, modified_high] = narrow(source.modified);
        let [size, size_high] = narrow(source.size);
        let path = writer.texts.keep(&source.path.to_string_lossy())?;
        writer
            .sources
            .extend([path, modified, modified_high, size, size_high]);
    }
    writer.finish()
}

#[derive(Default)]
struct Writer {
    objects: Vec<u32>,
    by_name: Vec<u32>,
    arcs: Vec<u32>,
    conventions: Vec<u32>,
    syntaxes: Vec<u32>,
    lists: Vec<u32>,
    modules: Vec<u32>,
    sources: Vec<u32>,
    names: Strings,
    texts: Strings,
    known_syntaxes: HashMap<SyntaxFacts, u32>,
}

/// An object with the position of its module, and what it is preferred by among equals.
struct Placed<'f> {
    object: &'f ObjectFacts,
    module: u32,
    rank: (bool, bool, Reverse<&'f str>, u32),
}

fn short(number: usize) -> Result<u32, TooLarge> {
    u32::try_from(number)
        .ok()
        .filter(|number| *number != NONE)
        .ok_or(TooLarge)
}

/// The place of `value`, as the number that it is written as.
fn place<T: PartialEq>(all: &[T], value: &T) -> u8 {
    let place = all.iter().position(|known| known == value);
    place
        .and_then(|place| u8::try_from(place).ok())
        .unwrap_or(UNKNOWN)
}

impl Writer {
    fn objects(&mut self, modules: &[ModuleFacts]) -> Result<(), TooLarge> {
        let mut placed = Vec::new();
        for (module, facts) in modules.iter().enumerate() {
            let module = short(module)?;
            placed.extend(facts.objects.iter().map(|object| Placed {
                object,
                module,
                rank: (
                    facts.is_smi_v1,
                    object.kind == Kind::Node,
                    Reverse(facts.last_updated.as_str()),
                    module,
                ),
            }));
        }
        placed.sort_by(|a, b| (&a.object.arcs, a.rank).cmp(&(&b.object.arcs, b.rank)));
        // What is above the object at hand, nearest last.
        let mut above: Vec<u32> = Vec::new();
        for (position, object) in placed.iter().enumerate() {
            let arcs = &object.object.arcs;
            let is_above = |at: &u32| {
                let other = usize::try_from(*at).ok().and_then(|at| placed.get(at));
                other.is_some_and(|other| {
                    other.object.arcs.len() < arcs.len() && arcs.starts_with(&other.object.arcs)
                })
            };
            while above.pop_if(|at| !is_above(at)).is_some() {}
            let parent = above.last().copied().unwrap_or(NONE);
            above.push(short(position)?);
            self.object(object, parent)?;
        }
        let mut order: Vec<u32> = (0..short(placed.len())?).collect();
        let key = |at: &u32| {
            let object = usize::try_from(*at).ok().and_then(|at| placed.get(at));
            object.map(|placed| (placed.object.name.as_str(), placed.rank))
        };
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        self.by_name = order;
        Ok(())
    }

    fn object(&mut self, placed: &Placed<'_>, parent: u32) -> Result<(), TooLarge> {
        let object = placed.object;
        let facts = u32::from_le_bytes([
            place(&KINDS, &object.kind),
            object
                .access
                .map_or(UNKNOWN, |access| place(&ACCESSES, &access)),
            object
                .status
                .map_or(UNKNOWN, |status| place(&STATUSES, &status)),
            place(&MACROS, &object.macro_name),
        ]);
        let mut list = Vec::new();
        for part in &object.index {
            let name = self.names.keep(&part.name)?;
            list.extend([name, self.syntax(&part.syntax)?, part.is_implied.into()]);
        }
        for name in &object.notification_objects {
            list.push(self.names.keep(name)?);
        }
        let syntax = match &object.syntax {
            Some(syntax) => self.syntax(syntax)?,
            None => NONE,
        };
        let record = [
            self.names.keep(&object.name)?,
            short(self.arcs.len())?,
            short(object.arcs.len())?,
            placed.module,
            facts,
            syntax,
            short(self.lists.len())?,
            short(list.len())?,
            self.names.keep(&object.augments)?,
            self.names.keep(&object.units)?,
            self.texts.keep(&object.description)?,
            self.texts.keep(&object.reference)?,
            self.texts.keep(&object.default_value)?,
            parent,
        ];
        self.objects.extend(record);
        self.arcs.extend(&object.arcs);
        self.lists.extend(list);
        Ok(())
    }

    fn conventions(&mut self, modules: &[ModuleFacts]) -> Result<(), TooLarge> {
        let mut placed = Vec::new();
        for (module, facts) in modules.iter().enumerate() {
            let rank = (facts.is_smi_v1, short(module)?);
            placed.extend(
                facts
                    .conventions
                    .iter()
                    .map(|convention| (convention, rank)),
            );
        }
        placed.sort_by(|a, b| (&a.0.name, a.1).cmp(&(&b.0.name, b.1)));
        for (convention, (_, module)) in placed {
            let status = convention
                .status
                .map_or(UNKNOWN, |status| place(&STATUSES, &status));
            let record = [
                self.names.keep(&convention.name)?,
                module,
                status.into(),
                self.syntax(&convention.syntax)?,
                self.texts.keep(&convention.description)?,
                self.texts.keep(&convention.reference)?,
            ];
            self.conventions.extend(record);
        }
        Ok(())
    }

    fn syntax(&mut self, syntax: &SyntaxFacts) -> Result<u32, TooLarge> {
        if let Some(&position) = self.known_syntaxes.get(syntax) {
            return Ok(position);
        }
        let position = short(self.known_syntaxes.len())?;
        let ranges = short(self.lists.len())?;
        for &(lowest, highest) in &syntax.ranges {
            self.lists.extend(narrow(lowest.cast_unsigned()));
            self.lists.extend(narrow(highest.cast_unsigned()));
        }
        let named_numbers = short(self.lists.len())?;
        for (name, number) in &syntax.named_numbers {
            let name = self.names.keep(name)?;
            self.lists.extend([name, number.cast_unsigned()]);
        }
        let record = [
            place(&BASE_TYPES, &syntax.base).into(),
            self.names.keep(&syntax.convention)?,
            self.names.keep(&syntax.hint)?,
            ranges,
            named_numbers - ranges,
            named_numbers,
            short(self.lists.len())? - named_numbers,
        ];
        self.syntaxes.extend(record);
        self.known_syntaxes.insert(syntax.clone(), position);
        Ok(position)
    }

    fn module(&mut self, module: &ModuleFacts) -> Result<(), TooLarge> {
        let record = [
            self.names.keep(&module.name)?,
            module.is_smi_v1.into(),
            self.texts.keep(&module.file.to_string_lossy())?,
            self.names.keep(&module.last_updated)?,
            self.texts.keep(&module.organization)?,
            self.texts.keep(&module.contact_info)?,
            self.texts.keep(&module.description)?,
            short(module.objects.len())?,
        ];
        self.modules.extend(record);
        Ok(())
    }

    fn finish(self) -> Result<Vec<u32>, TooLarge> {
        let sections: [(Section, Vec<u32>); SECTIONS] = [
            (Section::Objects, self.objects),
            (Section::ByName, self.by_name),
            (Section::Arcs, self.arcs),
            (Section::TextualConventions, self.conventions),
            (Section::Syntaxes, self.syntaxes),
            (Section::Lists, self.lists),
            (Section::Modules, self.modules),
            (Section::Sources, self.sources),
            (Section::Names, self.names.into_words()),
            (Section::Texts, self.texts.into_words()),
        ];
        let mut table = vec![0; 2 * SECTIONS];
        let mut content = Vec::new();
        for (section, words) in sections {
            let start = short(HEADER_WORDS + content.len())?;
            let at = 2 * section as usize;
            if let Some(entry) = table.get_mut(at..at + 2) {
                entry.copy_from_slice(&[start, short(words.len())?]);
            }
            content.extend(words);
        }
        let [a, b, c, d, e, f, g, h] = MAGIC;
        let [sum, sum_high] = narrow(checksum(&content));
        let mut all = vec![
            u32::from_ne_bytes([a, b, c, d]),
            u32::from_ne_bytes([e, f, g, h]),
            VERSION,
            BYTE_ORDER,
            short(HEADER_WORDS + content.len())?,
            sum,
            sum_high,
            0,
        ];
        all.extend(table);
        all.extend(content);
        Ok(all)
    }
}
