use std::path::Path;

use super::Catalog;
use super::entry::STATUSES;
use super::format::{Section, module, textual_convention};
use crate::clauses::Status;
use crate::syntax::Syntax;

/// A module of a catalog.
#[derive(Clone, Copy)]
pub struct Module<'m> {
    catalog: &'m Catalog,
    record: &'m [u32; module::WORDS],
}

impl<'m> Module<'m> {
    pub(super) fn new(catalog: &'m Catalog, position: u32) -> Self {
        Self {
            catalog,
            record: catalog.record(Section::Modules, position),
        }
    }

    /// Its name, like `IF-MIB`.
    #[must_use]
    pub fn name(&self) -> &'m str {
        self.catalog.name(self.record[module::NAME])
    }

    /// Whether it is written in SMIv1 (RFC 1155, 1212 and 1215).
    #[must_use]
    pub const fn is_smi_v1(&self) -> bool {
        self.record[module::IS_SMI_V1] == 1
    }

    /// The file that it was read from.
    #[must_use]
    pub fn file(&self) -> &'m Path {
        Path::new(self.catalog.text(self.record[module::FILE]))
    }

    /// LAST-UPDATED as `YYYYMMDDhhmmZ`; empty if it does not say.
    #[must_use]
    pub fn last_updated(&self) -> &'m str {
        self.catalog.name(self.record[module::LAST_UPDATED])
    }

    /// ORGANIZATION; empty if it does not say.
    #[must_use]
    pub fn organization(&self) -> &'m str {
        self.catalog.text(self.record[module::ORGANIZATION])
    }

    /// CONTACT-INFO; empty if it does not say.
    #[must_use]
    pub fn contact_info(&self) -> &'m str {
        self.catalog.text(self.record[module::CONTACT_INFO])
    }

    /// DESCRIPTION; empty if it does not say.
    #[must_use]
    pub fn description(&self) -> &'m str {
        self.catalog.text(self.record[module::DESCRIPTION])
    }

    /// How many objects it defines.
    #[must_use]
    pub const fn object_count(&self) -> u32 {
        self.record[module::OBJECTS]
    }
}

impl std::fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A TEXTUAL-CONVENTION, or a type of SMIv1.
#[derive(Clone, Copy)]
pub struct TextualConvention<'m> {
    catalog: &'m Catalog,
    record: &'m [u32; textual_convention::WORDS],
}

impl<'m> TextualConvention<'m> {
    pub(super) fn new(catalog: &'m Catalog, position: u32) -> Self {
        Self {
            catalog,
            record: catalog.record(Section::TextualConventions, position),
        }
    }

    /// Its name, like `DisplayString`.
    #[must_use]
    pub fn name(&self) -> &'m str {
        self.catalog.name(self.record[textual_convention::NAME])
    }

    /// The name of its module.
    #[must_use]
    pub fn module(&self) -> &'m str {
        Module::new(self.catalog, self.record[textual_convention::MODULE]).name()
    }

    /// Its type.
    #[must_use]
    pub fn syntax(&self) -> Option<Syntax<'m>> {
        self.catalog.syntax(self.record[textual_convention::SYNTAX])
    }

    /// Its STATUS; the types of SMIv1 have none.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        let status = usize::try_from(self.record[textual_convention::STATUS]).ok()?;
        STATUSES.get(status).copied()
    }

    /// DESCRIPTION; empty if it has none.
    #[must_use]
    pub fn description(&self) -> &'m str {
        self.catalog
            .text(self.record[textual_convention::DESCRIPTION])
    }

    /// REFERENCE; empty if it has none.
    #[must_use]
    pub fn reference(&self) -> &'m str {
        self.catalog
            .text(self.record[textual_convention::REFERENCE])
    }
}

impl std::fmt::Debug for TextualConvention<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.module(), self.name())
    }
}
