//! The objects that the agent serves as data nodes of YANG modules, as RFC 6643 translates MIB modules.

use varbind_mib::{Access, Index, IndexPart, Kind, Mib, Object, Syntax};

/// Its objects live as long as the program.
static MIB: Mib = Mib::builtin();

/// The modules that the agent has objects of.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) modules: Vec<Module>,
}

/// A module, which has one container of its own name at the top.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    /// The date of its latest revision, as `2000-06-14`.
    pub(crate) revision: String,
    pub(crate) containers: Vec<Container>,
}

/// A container in that of the module: the scalars of one node of the MIB, or a table.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) name: &'static str,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Scalars(Vec<Leaf>),
    Table(List),
}

/// The list of a table's rows, with the columns of the tables that augment it.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) name: &'static str,
    pub(crate) index: Index<'static>,
    pub(crate) keys: Vec<IndexPart<'static>>,
    /// Without those of the index.
    pub(crate) columns: Vec<Leaf>,
    pub(crate) entry: &'static [u32],
    /// Columns that are keys too; one of them alone makes a row.
    pub(crate) key_columns: Vec<Leaf>,
}

/// A scalar or a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    pub(crate) oid: &'static [u32],
    pub(crate) syntax: Syntax<'static>,
    /// Whether the agent lets it be set: then it is configuration.
    pub(crate) is_writable: bool,
    pub(crate) units: Option<&'static str>,
}

/// Whether the agent lets instances of an object be set.
type IsSettable<'f> = &'f dyn Fn(&[u32]) -> bool;

impl Leaf {
    fn new(object: Object<'static>, is_settable: IsSettable<'_>) -> Option<Self> {
        Some(Self {
            module: object.module(),
            name: object.name(),
            oid: object.oid(),
            syntax: object.syntax()?,
            is_writable: object.access()?.is_writable() && is_settable(object.oid()),
            units: object.units(),
        })
    }
}

pub(crate) fn namespace(module: &str) -> String {
    // RFC 6643 3
    format!("urn:ietf:params:xml:ns:yang:smiv2:{module}")
}

/// The date of a LAST-UPDATED.
fn revision(last_updated: &str) -> String {
    match (
        last_updated.get(..4),
        last_updated.get(4..6),
        last_updated.get(6..8),
    ) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}

impl Schema {
    /// The schema of the objects registered under these names.
    pub(crate) fn new(roots: &[Vec<u32>], is_settable: IsSettable<'_>) -> Self {
        let is_served = |oid: &[u32]| {
            roots
                .iter()
                .any(|root| root.starts_with(oid) || oid.starts_with(root))
        };
        let mut schema = Self {
            modules: Vec::new(),
        };
        let mut augmenting = Vec::new();
        for object in MIB.subtree(&[1]).filter(|object| is_served(object.oid())) {
            match object.kind() {
                Kind::Scalar => schema.add_scalar(object, is_settable),
                Kind::Table => {
                    if let Some(table) = MIB.table_at(object.oid()) {
                        match table.row().augments() {
                            Some(base) => augmenting.push((base, table)),
                            None => schema.add_table(&table, is_settable),
                        }
                    }
                }
                _ => {}
            }
        }
        for (base, table) in augmenting {
            match schema.list_mut(base) {
                Some(list) => list.columns.extend(columns(&table, is_settable)),
                None => schema.add_table(&table, is_settable),
            }
        }
        schema
    }

    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// The list of rows of a name like `ifEntry`.
    pub(crate) fn list(&self, name: &str) -> Option<&List> {
        self.modules
            .iter()
            .flat_map(|module| &module.containers)
            .find_map(|container| match &container.content {
                Content::Table(list) if list.name == name => Some(list),
                _ => None,
            })
    }

    /// All scalars.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = &Leaf> {
        self.modules
            .iter()
            .flat_map(|module| &module.containers)
            .flat_map(|container| match &container.content {
                Content::Scalars(leaves) => leaves.as_slice(),
                Content::Table(_) => &[],
            })
    }

    fn list_mut(&mut self, name: &str) -> Option<&mut List> {
        self.modules
            .iter_mut()
            .flat_map(|module| &mut module.containers)
            .find_map(|container| match &mut container.content {
                Content::Table(list) if list.name == name => Some(list),
                _ => None,
            })
    }

    fn module_mut(&mut self, name: &'static str) -> Option<&mut Module> {
        if !self.modules.iter().any(|module| module.name == name) {
            self.modules.push(Module {
                name,
                revision: revision(MIB.last_updated(name)),
                containers: Vec::new(),
            });
        }
        self.modules.iter_mut().find(|module| module.name == name)
    }

    fn add_scalar(&mut self, object: Object<'static>, is_settable: IsSettable<'_>) {
        let parent = object.oid().split_last().map(|(_, parent)| parent);
        let parent = parent.and_then(|parent| MIB.object_at(parent));
        let (Some(leaf), Some(parent)) = (Leaf::new(object, is_settable), parent) else {
            return;
        };
        let name = parent.name();
        let Some(module) = self.module_mut(leaf.module) else {
            return;
        };
        let scalars =
            module
                .containers
                .iter_mut()
                .find_map(|container| match &mut container.content {
                    Content::Scalars(leaves) if container.name == name => Some(leaves),
                    _ => None,
                });
        match scalars {
            Some(leaves) => leaves.push(leaf),
            None => module.containers.push(Container {
                name,
                content: Content::Scalars(vec![leaf]),
            }),
        }
    }

    fn add_table(&mut self, table: &varbind_mib::Table<'static>, is_settable: IsSettable<'_>) {
        let object = table.object();
        let keys: Vec<_> = table.index().parts().iter().collect();
        let is_key = |leaf: &Leaf| keys.iter().any(|key| key.name() == leaf.name);
        let (key_columns, columns) = columns(table, is_settable).partition(is_key);
        let list = List {
            name: table.row().name(),
            index: table.index(),
            keys,
            columns,
            key_columns,
            entry: table.row().oid(),
        };
        if let Some(module) = self.module_mut(object.module()) {
            module.containers.push(Container {
                name: object.name(),
                content: Content::Table(list),
            });
        }
    }
}

/// The columns that can be read.
fn columns(
    table: &varbind_mib::Table<'static>,
    is_settable: IsSettable<'_>,
) -> impl Iterator<Item = Leaf> {
    table
        .columns()
        .to_vec()
        .into_iter()
        .filter(|column| {
            !matches!(
                column.access(),
                Some(Access::NotAccessible | Access::AccessibleForNotify)
            )
        })
        .filter_map(move |column| Leaf::new(column, is_settable))
}

impl Module {
    /// Whether anything in it can be set.
    pub(crate) fn is_writable(&self) -> bool {
        self.containers.iter().any(Container::is_writable)
    }
}

impl Container {
    /// Whether anything in it can be set.
    pub(crate) fn is_writable(&self) -> bool {
        match &self.content {
            Content::Scalars(leaves) => leaves.iter().any(|leaf| leaf.is_writable),
            Content::Table(list) => list.is_writable(),
        }
    }
}

impl List {
    /// Whether a column can be set.
    pub(crate) fn is_writable(&self) -> bool {
        self.columns.iter().any(|leaf| leaf.is_writable)
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Leaf> {
        self.columns.iter().find(|leaf| leaf.name == name)
    }

    /// The column of the table itself in its order, of those that can be read.
    #[cfg(feature = "experiments")]
    pub(crate) fn own_columns(&self) -> impl Iterator<Item = &Leaf> {
        self.key_columns
            .iter()
            .chain(&self.columns)
            .filter(|leaf| leaf.oid.starts_with(self.entry))
    }

    pub(crate) fn is_key(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_and_tables_are_where_the_translation_puts_them() {
        let roots = [
            vec![1, 3, 6, 1, 2, 1, 1, 1],
            vec![1, 3, 6, 1, 2, 1, 2, 1],
            vec![1, 3, 6, 1, 2, 1, 2, 2],
            vec![1, 3, 6, 1, 2, 1, 31, 1, 1],
        ];
        let schema = Schema::new(&roots, &|_| false);
        let names: Vec<_> = schema
            .modules
            .iter()
            .flat_map(|module| {
                module
                    .containers
                    .iter()
                    .map(|held| (module.name, held.name))
            })
            .collect();
        let expected = [
            ("SNMPv2-MIB", "system"),
            ("IF-MIB", "interfaces"),
            ("IF-MIB", "ifTable"),
        ];
        assert_eq!(names, expected);
        let list = schema.list("ifEntry").unwrap();
        assert!(list.is_key("ifIndex"));
        assert!(list.column("ifIndex").is_none());
        assert!(list.column("ifHCInOctets").is_some());
        #[cfg(feature = "experiments")]
        assert_eq!(list.own_columns().count(), 22);
        assert_eq!(schema.module("IF-MIB").unwrap().revision, "2000-06-14");
    }
}
