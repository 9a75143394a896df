//! Finds objects of MIB modules by their names in `generator.yml`.

use std::collections::HashMap;

use varbind::Oid;
use varbind_mib::{Kind, Mib, Object};

use super::error::GenerationProblem;
use super::generation::label_name;

/// All objects by name.
pub(super) struct Names<'m> {
    pub(super) mib: &'m Mib,
    /// In order of OBJECT IDENTIFIER.
    all: Vec<Object<'m>>,
    by_name: HashMap<&'m str, Vec<Object<'m>>>,
}

impl<'m> Names<'m> {
    pub(super) fn new(mib: &'m Mib) -> Self {
        let all: Vec<_> = mib.subtree(&[]).collect();
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        for object in &all {
            by_name.entry(object.name()).or_default().push(*object);
        }
        Self { mib, all, by_name }
    }

    /// The objects at and below an OBJECT IDENTIFIER.
    pub(super) fn subtree<'n>(&'n self, root: &'n [u32]) -> impl Iterator<Item = Object<'m>> + 'n {
        let first = self.all.partition_point(|object| object.oid() < root);
        let objects = self.all.iter().skip(first).copied();
        objects.take_while(|object| object.oid().starts_with(root))
    }

    /// The object of a name, a name with its module, or an OBJECT IDENTIFIER.
    pub(super) fn object(&self, text: &str) -> Option<Object<'m>> {
        if let Some((module, name)) = text.split_once("::") {
            return self.mib.named_in(module, name);
        }
        // As in snmp_exporter, the last object of a name wins.
        if let Some(object) = self.by_name.get(text).and_then(|all| all.last()) {
            return Some(*object);
        }
        let oid: Oid = text.parse().ok()?;
        self.mib.object_at(oid.arcs())
    }

    /// Whether an object has this name once characters that Prometheus refuses are replaced.
    pub(super) fn has_label(&self, name: &str) -> bool {
        self.by_name.keys().any(|known| label_name(known) == name)
    }

    /// The OBJECT IDENTIFIER of an object or instance.
    pub(super) fn oid(&self, text: &str) -> Result<Oid, GenerationProblem> {
        if let Some(object) = self.object(text)
            && let Ok(oid) = Oid::new(object.oid())
        {
            return Ok(oid);
        }
        let resolved = self.mib.resolve(text);
        resolved.map_err(|source| GenerationProblem::UnknownName {
            source: Box::new(source),
        })
    }

    /// The object of a lookup: of several with its name the one beside a column.
    pub(super) fn lookup(&self, text: &str, column: &Object<'_>) -> Option<Object<'m>> {
        let parent = column.oid().split_last().map_or(&[][..], |(_, row)| row);
        let beside = self.by_name.get(text).into_iter().flatten();
        let mut beside = beside.filter(|object| object.oid().starts_with(parent));
        beside.next().copied().or_else(|| self.object(text))
    }

    /// The column of an index: of several with its name the one in the module of the row.
    pub(super) fn index(&self, name: &str, row: &Object<'_>) -> Option<Object<'m>> {
        let own = self.mib.named_in(row.module(), name);
        own.or_else(|| self.object(name))
            .filter(|object| object.syntax().is_some())
    }

    /// The row that a column is in.
    pub(super) fn row(&self, object: &Object<'m>) -> Option<Object<'m>> {
        let (_, row) = object.oid().split_last()?;
        let row = self.mib.object_at(row)?;
        (row.kind() == Kind::Row).then_some(row)
    }
}
