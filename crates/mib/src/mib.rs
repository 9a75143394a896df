use varbind_codec::smi::Oid;

use crate::builtin;
use crate::object::{Kind, Object};
use crate::resolve::{self, ResolveError};
use crate::source::Source;
use crate::suggest::Suggestions;
use crate::table::Table;

/// The known objects, from one or more sources.
#[derive(Clone)]
pub struct Mib {
    sources: Vec<&'static Source>,
}

/// The longest known beginning of a name, and what follows it.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'m, 'n> {
    /// The object.
    pub object: Object<'m>,
    /// The sub-identifiers behind the object: its instance, or what is unknown.
    pub instance: &'n [u32],
}

impl Mib {
    /// The objects that are built in. This costs next to nothing.
    ///
    /// ```
    /// use varbind_mib::Mib;
    /// let mib = Mib::builtin();
    /// let name = mib.resolve("IF-MIB::ifDescr.2")?;
    /// assert_eq!(name.to_string(), "1.3.6.1.2.1.2.2.1.2.2");
    /// let resolved = mib.object(name.arcs()).ok_or("unknown")?;
    /// assert_eq!((resolved.object.name(), resolved.instance), ("ifDescr", &[2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn builtin() -> Self {
        Self {
            sources: vec![&builtin::SOURCE],
        }
    }

    /// The object with the longest OBJECT IDENTIFIER that `name` begins with.
    #[must_use]
    pub fn object<'n>(&self, name: &'n [u32]) -> Option<Resolved<'_, 'n>> {
        let mut longest: Option<Object<'_>> = None;
        for source in &self.sources {
            if let Some((module, row)) = source.longest_prefix(name)
                && longest.is_none_or(|known| row.arcs.len() > known.oid().len())
            {
                longest = Some(Object::new(module, row));
            }
        }
        let object = longest?;
        Some(Resolved {
            object,
            instance: name.get(object.oid().len()..).unwrap_or(&[]),
        })
    }

    /// The object with exactly this OBJECT IDENTIFIER.
    #[must_use]
    pub fn object_at(&self, oid: &[u32]) -> Option<Object<'_>> {
        self.object(oid)
            .filter(|resolved| resolved.instance.is_empty())
            .map(|resolved| resolved.object)
    }

    /// The object of a name like `ifDescr`, of the first module that has one.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Object<'_>> {
        self.sources.iter().find_map(|source| {
            let (module, row) = source.named(name).next()?;
            Some(Object::new(module, row))
        })
    }

    /// The object of a name like `ifDescr` in a module like `IF-MIB`.
    #[must_use]
    pub fn named_in(&self, module: &str, name: &str) -> Option<Object<'_>> {
        self.sources.iter().find_map(|source| {
            let (module, row) = source.named(name).find(|(known, _)| *known == module)?;
            Some(Object::new(module, row))
        })
    }

    /// The objects at and below an OBJECT IDENTIFIER, in order within each source.
    pub fn subtree<'a>(&'a self, root: &'a [u32]) -> impl Iterator<Item = Object<'a>> + 'a {
        self.sources.iter().flat_map(move |source| {
            source
                .subtree(root)
                .map(|(module, row)| Object::new(module, row))
        })
    }

    /// The names of the modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.sources
            .iter()
            .flat_map(|source| source.modules)
            .map(|module| module.name)
            .filter(|name| !name.is_empty())
    }

    /// Reads the name of an object or an instance, as Net-SNMP's tools do.
    ///
    /// These are understood: `sysDescr.0`, `IF-MIB::ifDescr.2`, `.1.3.6.1.2.1.1.5.0`, `1.3.6.1`, `iso.3.6.1`,
    /// `mib-2.1.1.0`, `system.sysName.0`, enumerated indexes by name (`ipAddressIfIndex.ipv4."127.0.0.1"`), strings as
    /// indexes in quotes (`vacmSecurityModel.3."admin"`; `\` before a character takes it as it is). Behind a name whose
    /// index is not known, `"text"` stands for its length and its octets, `'text'` for the octets alone.
    ///
    /// # Errors
    /// See [`ResolveError`].
    pub fn resolve(&self, text: &str) -> Result<Oid, ResolveError> {
        resolve::resolve(self, text)
    }

    /// The table of a name like `ifTable` or `IF-MIB::ifTable`, of its row (`ifEntry`), or of an OBJECT IDENTIFIER.
    ///
    /// # Errors
    /// When the name is unknown, or names no table.
    pub fn table(&self, text: &str) -> Result<Table<'_>, ResolveError> {
        let oid = self.resolve(text)?;
        self.table_at(oid.arcs())
            .ok_or_else(|| ResolveError::NotATable {
                name: text.to_owned(),
            })
    }

    /// The table at an OBJECT IDENTIFIER, which may also be that of its row.
    #[must_use]
    pub fn table_at(&self, oid: &[u32]) -> Option<Table<'_>> {
        let object = self.object_at(oid)?;
        let table_oid = match object.kind() {
            Kind::Table => object.oid(),
            Kind::Row => object.oid().split_last()?.1,
            _ => return None,
        };
        Table::new(self, self.object_at(table_oid)?)
    }

    /// Known names that are near to one that is not known, nearest first.
    pub(crate) fn near(&self, name: &str) -> Vec<String> {
        let mut near = Suggestions::new(name);
        for source in &self.sources {
            for &position in source.by_name {
                near.consider(source.name(position));
            }
        }
        near.into_names()
    }
}

impl std::fmt::Debug for Mib {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.modules()).finish()
    }
}
