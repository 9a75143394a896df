//! One object of a catalog.

use super::Catalog;
use super::format::{NONE, Section, object};
use super::module::Module;
use crate::clauses::{Access, Kind, Status};
use crate::index::{Index, IndexPart};
use crate::syntax::{BaseType, Syntax};

/// The numbers of the kinds are their places, in the order in which the type declares them, and so on.
pub(crate) const KINDS: [Kind; 6] = [
    Kind::Node,
    Kind::Scalar,
    Kind::Table,
    Kind::Row,
    Kind::Column,
    Kind::Notification,
];

pub(crate) const ACCESSES: [Access; 5] = [
    Access::NotAccessible,
    Access::AccessibleForNotify,
    Access::ReadOnly,
    Access::ReadWrite,
    Access::ReadCreate,
];

pub(crate) const STATUSES: [Status; 5] = [
    Status::Current,
    Status::Deprecated,
    Status::Obsolete,
    Status::Mandatory,
    Status::Optional,
];

pub(crate) const MACROS: [&str; 10] = [
    "OBJECT IDENTIFIER",
    "OBJECT-TYPE",
    "OBJECT-IDENTITY",
    "MODULE-IDENTITY",
    "NOTIFICATION-TYPE",
    "TRAP-TYPE",
    "OBJECT-GROUP",
    "NOTIFICATION-GROUP",
    "MODULE-COMPLIANCE",
    "AGENT-CAPABILITIES",
];

/// What an octet of the facts is when there is nothing to tell.
pub(crate) const UNKNOWN: u8 = u8::MAX;

/// An object of a catalog.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'m> {
    catalog: &'m Catalog,
    record: &'m [u32; object::WORDS],
}

impl<'m> Entry<'m> {
    pub(super) fn new(catalog: &'m Catalog, position: u32) -> Self {
        Self {
            catalog,
            record: catalog.record(Section::Objects, position),
        }
    }

    const fn fact(self, at: usize) -> u8 {
        let facts = self.record[object::FACTS].to_le_bytes();
        match facts {
            [kind, _, _, _] if at == 0 => kind,
            [_, access, _, _] if at == 1 => access,
            [_, _, status, _] if at == 2 => status,
            [_, _, _, name] => name,
        }
    }

    pub(crate) fn name(self) -> &'m str {
        self.catalog.name(self.record[object::NAME])
    }

    pub(super) fn name_octets(self) -> &'m [u8] {
        let name = self.record[object::NAME];
        self.catalog.octets(Section::Names, name)
    }

    pub(crate) fn arcs(self) -> &'m [u32] {
        let (start, count) = (self.record[object::ARCS], self.record[object::ARC_COUNT]);
        self.catalog.list(Section::Arcs, start, count)
    }

    pub(crate) fn module(self) -> Module<'m> {
        Module::new(self.catalog, self.record[object::MODULE])
    }

    pub(crate) fn module_name(self) -> &'m str {
        self.module().name()
    }

    pub(crate) fn kind(self) -> Kind {
        let kind = KINDS.get(usize::from(self.fact(0)));
        kind.copied().unwrap_or(Kind::Node)
    }

    pub(crate) fn access(self) -> Option<Access> {
        ACCESSES.get(usize::from(self.fact(1))).copied()
    }

    pub(crate) fn status(self) -> Option<Status> {
        STATUSES.get(usize::from(self.fact(2))).copied()
    }

    pub(crate) fn macro_name(self) -> Option<&'static str> {
        MACROS.get(usize::from(self.fact(3))).copied()
    }

    pub(crate) fn syntax(self) -> Option<Syntax<'m>> {
        match self.record[object::SYNTAX] {
            NONE => None,
            position => self.catalog.syntax(position),
        }
    }

    pub(crate) fn units(self) -> &'m str {
        self.catalog.name(self.record[object::UNITS])
    }

    pub(crate) fn augments(self) -> &'m str {
        self.catalog.name(self.record[object::AUGMENTS])
    }

    pub(crate) fn description(self) -> &'m str {
        self.catalog.text(self.record[object::DESCRIPTION])
    }

    pub(crate) fn reference(self) -> &'m str {
        self.catalog.text(self.record[object::REFERENCE])
    }

    pub(crate) fn default_value(self) -> &'m str {
        self.catalog.text(self.record[object::DEFAULT_VALUE])
    }

    fn list(self) -> &'m [u32] {
        let (start, length) = (self.record[object::LIST], self.record[object::LIST_LENGTH]);
        self.catalog.list(Section::Lists, start, length)
    }

    pub(crate) fn index(self) -> Option<Index<'m>> {
        let records = IndexRecords {
            catalog: self.catalog,
            words: self.list(),
        };
        (self.kind() == Kind::Row).then(|| Index::from_records(records))
    }

    pub(crate) fn notification_objects(self) -> Vec<&'m str> {
        if self.kind() != Kind::Notification {
            return Vec::new();
        }
        let names = self.list().iter();
        names.map(|&name| self.catalog.name(name)).collect()
    }

    pub(super) const fn parent(self) -> u32 {
        self.record[object::PARENT]
    }
}

/// An index as it lies in a catalog.
#[derive(Clone, Copy)]
pub(crate) struct IndexRecords<'m> {
    catalog: &'m Catalog,
    words: &'m [u32],
}

impl<'m> IndexRecords<'m> {
    pub(crate) const fn len(&self) -> usize {
        self.words.len() / 3
    }

    pub(crate) fn get(&self, at: usize) -> Option<IndexPart<'m>> {
        let &[name, syntax, implied] = self.words.get(at * 3..)?.first_chunk()?;
        let syntax = self
            .catalog
            .syntax(syntax)
            .unwrap_or(Syntax::new(BaseType::Integer32));
        Some(IndexPart::new(
            self.catalog.name(name),
            syntax,
            implied == 1,
        ))
    }
}
