//! What definitions of objects say in one word (RFC 2578 section 7).

use std::fmt;

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

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAccessible => "not-accessible",
            Self::AccessibleForNotify => "accessible-for-notify",
            Self::ReadOnly => "read-only",
            Self::ReadWrite => "read-write",
            Self::ReadCreate => "read-create",
        })
    }
}

/// The STATUS of a definition (RFC 2578 section 7.4, RFC 1212 section 4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `current`
    Current,
    /// `deprecated`
    Deprecated,
    /// `obsolete`
    Obsolete,
    /// `mandatory`, of SMIv1.
    Mandatory,
    /// `optional`, of SMIv1.
    Optional,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "current",
            Self::Deprecated => "deprecated",
            Self::Obsolete => "obsolete",
            Self::Mandatory => "mandatory",
            Self::Optional => "optional",
        })
    }
}
