use crate::index::Index;
use crate::source::{Facts, Row};

/// What an object is in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A point of the tree without a value: an OBJECT IDENTIFIER, a module, a group.
    Node,
    /// An object with one instance, `.0`.
    Scalar,
    /// A conceptual table (RFC 2578 section 7.1.12).
    Table,
    /// The conceptual row of a table.
    Row,
    /// A column of a table.
    Column,
    /// A NOTIFICATION-TYPE.
    Notification,
}

/// The MAX-ACCESS of an object (RFC 2578 section 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `not-accessible`: mostly the columns of an index.
    NotAccessible,
    /// `accessible-for-notify`: only seen in notifications.
    AccessibleForNotify,
    /// `read-only`.
    ReadOnly,
    /// `read-write`.
    ReadWrite,
    /// `read-create`: rows can be made.
    ReadCreate,
}

impl Access {
    /// Whether a Set may be allowed.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        matches!(self, Self::ReadWrite | Self::ReadCreate)
    }
}

/// The type that a SYNTAX comes down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// INTEGER and Integer32.
    Integer32,
    /// Unsigned32, on the wire a Gauge32.
    Unsigned32,
    /// Gauge32.
    Gauge32,
    /// Counter32.
    Counter32,
    /// Counter64.
    Counter64,
    /// TimeTicks.
    TimeTicks,
    /// OCTET STRING.
    OctetString,
    /// BITS, on the wire an OCTET STRING.
    Bits,
    /// OBJECT IDENTIFIER.
    ObjectIdentifier,
    /// IpAddress.
    IpAddress,
    /// Opaque.
    Opaque,
}

/// The SYNTAX of an object: its base type and what refines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax<'m> {
    base: BaseType,
    convention: &'m str,
    hint: &'m str,
    range: &'m [(i64, i64)],
    names: &'m [(&'m str, i32)],
}

impl<'m> Syntax<'m> {
    /// A type without refinement.
    #[must_use]
    pub const fn new(base: BaseType) -> Self {
        Self {
            base,
            convention: "",
            hint: "",
            range: &[],
            names: &[],
        }
    }

    /// With a textual convention, like `DisplayString`.
    #[must_use]
    pub const fn convention(mut self, name: &'m str) -> Self {
        self.convention = name;
        self
    }

    /// With a DISPLAY-HINT (RFC 2579 section 3.1).
    #[must_use]
    pub const fn hint(mut self, hint: &'m str) -> Self {
        self.hint = hint;
        self
    }

    /// With ranges, lowest and highest, of the number or of the count of octets.
    #[must_use]
    pub const fn range(mut self, range: &'m [(i64, i64)]) -> Self {
        self.range = range;
        self
    }

    /// With names of numbers, or of bits if the base type is BITS.
    #[must_use]
    pub const fn names(mut self, names: &'m [(&'m str, i32)]) -> Self {
        self.names = names;
        self
    }

    /// The type that the value has on the wire.
    #[must_use]
    pub const fn base(&self) -> BaseType {
        self.base
    }

    /// The name of the textual convention, if it has one.
    #[must_use]
    pub fn textual_convention(&self) -> Option<&'m str> {
        (!self.convention.is_empty()).then_some(self.convention)
    }

    /// The DISPLAY-HINT, if it has one.
    #[must_use]
    pub fn display_hint(&self) -> Option<&'m str> {
        (!self.hint.is_empty()).then_some(self.hint)
    }

    /// The ranges, lowest and highest, of the number or of the count of octets; empty if not restricted.
    #[must_use]
    pub const fn ranges(&self) -> &'m [(i64, i64)] {
        self.range
    }

    /// The named numbers or bits; empty if there are none.
    #[must_use]
    pub const fn named_numbers(&self) -> &'m [(&'m str, i32)] {
        self.names
    }

    /// The name of a number or a bit.
    #[must_use]
    pub fn name_of(&self, number: i64) -> Option<&'m str> {
        self.names
            .iter()
            .find(|(_, value)| i64::from(*value) == number)
            .map(|(name, _)| *name)
    }

    /// The number or bit of a name.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<i32> {
        self.names
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    /// Whether a number, or a count of octets, is in the ranges.
    #[must_use]
    pub fn allows(&self, number: i64) -> bool {
        self.range.is_empty()
            || self
                .range
                .iter()
                .any(|&(lowest, highest)| (lowest..=highest).contains(&number))
    }

    /// The count of octets, if it is fixed.
    #[must_use]
    pub const fn fixed_length(&self) -> Option<i64> {
        match self.range {
            [(lowest, highest)] if *lowest == *highest => Some(*lowest),
            _ => None,
        }
    }
}

/// An object of a module, borrowed from its [`Mib`](crate::Mib).
#[derive(Clone, Copy)]
pub struct Object<'m> {
    module: &'m str,
    row: &'m Row,
}

impl<'m> Object<'m> {
    pub(crate) const fn new(module: &'m str, row: &'m Row) -> Self {
        Self { module, row }
    }

    /// The descriptor, like `ifDescr`.
    #[must_use]
    pub const fn name(&self) -> &'m str {
        self.row.name
    }

    /// The name of the module, like `IF-MIB`; empty for the roots `ccitt`, `iso` and `joint-iso-ccitt`.
    #[must_use]
    pub const fn module(&self) -> &'m str {
        self.module
    }

    /// The OBJECT IDENTIFIER.
    #[must_use]
    pub const fn oid(&self) -> &'m [u32] {
        self.row.arcs
    }

    /// What the object is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self.row.facts {
            Facts::Node => Kind::Node,
            Facts::Scalar { .. } => Kind::Scalar,
            Facts::Table => Kind::Table,
            Facts::Row { .. } => Kind::Row,
            Facts::Column { .. } => Kind::Column,
            Facts::Notification { .. } => Kind::Notification,
        }
    }

    /// The type of the value, of a scalar or a column.
    #[must_use]
    pub const fn syntax(&self) -> Option<&'m Syntax<'m>> {
        match self.row.facts {
            Facts::Scalar { syntax, .. } | Facts::Column { syntax, .. } => Some(syntax),
            _ => None,
        }
    }

    /// The access, of a scalar or a column.
    #[must_use]
    pub const fn access(&self) -> Option<Access> {
        match self.row.facts {
            Facts::Scalar { access, .. } | Facts::Column { access, .. } => Some(access),
            _ => None,
        }
    }

    /// The UNITS, like `octets`.
    #[must_use]
    pub const fn units(&self) -> Option<&'m str> {
        match self.row.facts {
            Facts::Scalar { units, .. } | Facts::Column { units, .. } if !units.is_empty() => {
                Some(units)
            }
            _ => None,
        }
    }

    /// The index, of a conceptual row. Of a row that AUGMENTS another it is the index of that one.
    #[must_use]
    pub const fn index(&self) -> Option<Index<'m>> {
        match self.row.facts {
            Facts::Row { index, .. } => Some(Index::new(index)),
            _ => None,
        }
    }

    /// The name of the row that this one AUGMENTS.
    #[must_use]
    pub const fn augments(&self) -> Option<&'m str> {
        match self.row.facts {
            Facts::Row { augments, .. } if !augments.is_empty() => Some(augments),
            _ => None,
        }
    }

    /// The names of the OBJECTS of a notification.
    #[must_use]
    pub const fn notification_objects(&self) -> &'m [&'m str] {
        match self.row.facts {
            Facts::Notification { objects } => objects,
            _ => &[],
        }
    }
}

impl std::fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.module, self.row.name)
    }
}
