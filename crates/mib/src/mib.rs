use std::iter::Peekable;
use std::sync::Arc;

use varbind_codec::smi::Oid;

use crate::builtin::CATALOG;
use crate::catalog::{Catalog, Entry, TextualConvention};
use crate::clauses::Kind;
use crate::object::Object;
use crate::resolve::{self, ResolveError};
use crate::suggest::Suggestions;
use crate::table::Table;

/// The known objects: those that are built in, and those of a catalog.
///
/// Where both know a module, its objects are taken from the catalog if its LAST-UPDATED there is not older than what is
/// built in; what only one of them knows stays known. Where modules of different names define the same OBJECT
/// IDENTIFIER, the built-in one is preferred, then one in SMIv2, then an object with a value, then the newer module.
#[derive(Clone)]
pub struct Mib {
    catalog: Option<Arc<Catalog>>,
    /// Whether nothing but the roots of the tree is known.
    only_roots: bool,
}

/// The longest known beginning of a name, and what follows it.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'m, 'n> {
    /// The object.
    pub object: Object<'m>,
    /// The sub-identifiers behind the object: its instance, or what is unknown.
    pub instance: &'n [u32],
}

/// Whether what a catalog tells of a module that is built in is not older.
fn replaces(entry: Entry<'_>, known: Entry<'_>) -> bool {
    let last_updated = entry.module().last_updated();
    !last_updated.is_empty()
        && last_updated >= known.module().last_updated()
        && entry.module_name() == known.module_name()
}

/// The preferred one of a built-in object and one of a catalog that have the same OBJECT IDENTIFIER.
fn preferred<'m>(known: Entry<'m>, entry: Entry<'m>) -> Object<'m> {
    Object::new(match replaces(entry, known) {
        true => entry,
        false => known,
    })
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
    pub const fn builtin() -> Self {
        Self {
            catalog: None,
            only_roots: false,
        }
    }

    /// The roots of the tree alone: `iso` and its neighbours. Everything below is shown as numbers.
    ///
    /// ```
    /// use varbind_mib::Mib;
    /// let mib = Mib::roots();
    /// assert!(mib.resolve("sysDescr.0").is_err());
    /// assert_eq!(mib.resolve("iso.3.6")?.to_string(), "1.3.6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn roots() -> Self {
        Self {
            catalog: None,
            only_roots: true,
        }
    }

    /// Whether a built-in object is to be known.
    fn is_known(&self, known: Entry<'_>) -> bool {
        !self.only_roots || known.arcs().len() == 1
    }

    /// What is built in, if more than the roots is to be known.
    fn builtin_catalog(&self) -> Option<&'static Catalog> {
        (!self.only_roots).then_some(&CATALOG)
    }

    /// The objects that are built in and those of a catalog.
    #[must_use]
    pub fn with_catalog(catalog: Catalog) -> Self {
        Self {
            catalog: Some(Arc::new(catalog)),
            only_roots: false,
        }
    }

    /// The catalog, if there is one.
    #[must_use]
    pub fn catalog(&self) -> Option<&Catalog> {
        self.catalog.as_deref()
    }

    /// The object with the longest OBJECT IDENTIFIER that `name` begins with.
    #[must_use]
    pub fn object<'n>(&self, name: &'n [u32]) -> Option<Resolved<'_, 'n>> {
        let place = match self.only_roots {
            true => name.get(..1).unwrap_or(name),
            false => name,
        };
        let known = CATALOG.longest_prefix(place);
        let entry = self.catalog().and_then(|all| all.longest_prefix(name));
        let object = match (known, entry) {
            (None, None) => return None,
            (Some(known), None) => Object::new(known),
            (None, Some(entry)) => Object::new(entry),
            (Some(known), Some(entry)) => match known.arcs().len().cmp(&entry.arcs().len()) {
                std::cmp::Ordering::Greater => Object::new(known),
                std::cmp::Ordering::Less => Object::new(entry),
                std::cmp::Ordering::Equal => self.preferred_at(known, entry),
            },
        };
        Some(Resolved {
            object,
            instance: name.get(object.oid().len()..).unwrap_or(&[]),
        })
    }

    /// As [`preferred`], also if the catalog prefers another module than the built-in one.
    fn preferred_at<'m>(&'m self, known: Entry<'m>, entry: Entry<'m>) -> Object<'m> {
        if entry.module_name() == known.module_name() {
            return preferred(known, entry);
        }
        match self.entry_in(known.module_name(), known.name()) {
            Some(entry) if entry.arcs() == known.arcs() => preferred(known, entry),
            _ => Object::new(known),
        }
    }

    fn entry_in(&self, module: &str, name: &str) -> Option<Entry<'_>> {
        let catalog = self.catalog()?;
        catalog
            .named(name)
            .find(|entry| entry.module_name() == module)
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
        let mut known = CATALOG.named(name);
        if let Some(known) = known.find(|known| self.is_known(*known)) {
            return self.named_in(known.module_name(), name);
        }
        self.catalog()?.named(name).next().map(Object::new)
    }

    /// The object of a name like `ifDescr` in a module like `IF-MIB`.
    #[must_use]
    pub fn named_in(&self, module: &str, name: &str) -> Option<Object<'_>> {
        let known = CATALOG
            .named(name)
            .find(|known| known.module_name() == module && self.is_known(*known));
        match (known, self.entry_in(module, name)) {
            (Some(known), Some(entry)) => Some(preferred(known, entry)),
            (Some(known), None) => Some(Object::new(known)),
            (None, entry) => entry.map(Object::new),
        }
    }

    /// The objects at and below an OBJECT IDENTIFIER in order, one for each OBJECT IDENTIFIER.
    pub fn subtree<'a>(&'a self, root: &'a [u32]) -> impl Iterator<Item = Object<'a>> + 'a {
        let entries = self.catalog().map(|all| all.subtree(root));
        let known = CATALOG.subtree(root);
        let known = known.filter(|known| self.is_known(*known));
        Merged {
            mib: self,
            known: known.peekable(),
            entries: entries.into_iter().flatten().peekable(),
        }
    }

    /// The names of the modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        let builtin = self.builtin_catalog();
        let known = builtin.map(Catalog::modules).into_iter().flatten();
        let known = known.map(|module| module.name());
        let others = self.catalog().map(Catalog::modules).into_iter().flatten();
        let others = others.map(|module| module.name());
        let is_other = move |name: &&str| builtin.is_none_or(|all| all.module(name).is_none());
        known
            .filter(|name| !name.is_empty())
            .chain(others.filter(is_other))
    }

    /// The LAST-UPDATED of a module, as `200006140000Z`; empty if it is not known.
    #[must_use]
    pub fn last_updated(&self, module: &str) -> &str {
        match self.catalog().and_then(|all| all.module(module)) {
            Some(known) if !known.last_updated().is_empty() => known.last_updated(),
            _ => CATALOG
                .module(module)
                .map_or("", |known| known.last_updated()),
        }
    }

    /// Whether a module is known.
    #[must_use]
    pub fn has_module(&self, name: &str) -> bool {
        let mut catalogs = self.builtin_catalog().into_iter().chain(self.catalog());
        catalogs.any(|all| all.module(name).is_some())
    }

    /// The textual convention of a name like `DisplayString`, of the first module that has one. Only a catalog has any.
    #[must_use]
    pub fn textual_convention(&self, name: &str) -> Option<TextualConvention<'_>> {
        self.catalog()?.textual_conventions(name).next()
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
        let catalogs = self.builtin_catalog().into_iter().chain(self.catalog());
        for name in catalogs.flat_map(Catalog::names) {
            near.consider(name);
        }
        near.into_names()
    }

    /// Known modules whose names are near to one that is not known, nearest first.
    #[must_use]
    pub fn near_modules(&self, name: &str) -> Vec<String> {
        let mut near = Suggestions::new(name);
        for module in self.modules() {
            near.consider(module);
        }
        near.into_names()
    }
}

impl Default for Mib {
    /// [`builtin`](Self::builtin).
    fn default() -> Self {
        Self::builtin()
    }
}

impl std::fmt::Debug for Mib {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.modules()).finish()
    }
}

/// What is built in and what a catalog has, in order of OBJECT IDENTIFIER, without the less preferred of equals.
struct Merged<'a, K: Iterator, E: Iterator> {
    mib: &'a Mib,
    known: Peekable<K>,
    entries: Peekable<E>,
}

impl<'a, K, E> Iterator for Merged<'a, K, E>
where
    K: Iterator<Item = Entry<'a>>,
    E: Iterator<Item = Entry<'a>>,
{
    type Item = Object<'a>;

    fn next(&mut self) -> Option<Object<'a>> {
        let Some(&entry) = self.entries.peek() else {
            return self.known.next().map(Object::new);
        };
        let arcs = entry.arcs();
        if let Some(known) = self.known.next_if(|known| known.arcs() < arcs) {
            return Some(Object::new(known));
        }
        let equal = self.known.next_if(|known| known.arcs() == arcs);
        while self.entries.next_if(|other| other.arcs() == arcs).is_some() {}
        Some(match equal {
            Some(known) => self.mib.preferred_at(known, entry),
            None => Object::new(entry),
        })
    }
}
