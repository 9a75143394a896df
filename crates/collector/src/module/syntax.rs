//! How to format indexes and octets as text.

/// The syntax of an index or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Number,
    PhysAddress48,
    OctetString,
    DisplayString,
    InetAddressIpv4,
    InetAddressIpv6,
    Enumeration,
    InetAddress,
    InetAddressMissingSize,
    LldpPortId,
}

/// The types of indexes.
const INDEXES: [(&str, Syntax); 13] = [
    ("Integer32", Syntax::Number),
    ("Integer", Syntax::Number),
    ("gauge", Syntax::Number),
    ("counter", Syntax::Number),
    ("PhysAddress48", Syntax::PhysAddress48),
    ("OctetString", Syntax::OctetString),
    ("DisplayString", Syntax::DisplayString),
    ("InetAddressIPv4", Syntax::InetAddressIpv4),
    ("InetAddressIPv6", Syntax::InetAddressIpv6),
    ("InetAddress", Syntax::InetAddress),
    ("InetAddressMissingSize", Syntax::InetAddressMissingSize),
    ("LldpPortId", Syntax::LldpPortId),
    ("EnumAsInfo", Syntax::Enumeration),
];

impl Syntax {
    /// The syntax of an index type, or the names of the known types.
    pub(super) fn of_index(kind: &str) -> Result<Self, String> {
        let found = INDEXES.iter().find(|(name, _)| *name == kind);
        found.map(|(_, syntax)| *syntax).ok_or_else(|| {
            let names: Vec<_> = INDEXES.iter().map(|(name, _)| *name).collect();
            names.join(", ")
        })
    }

    /// The syntax of a lookup type. Types other than those of indexes are octets.
    pub(super) fn of_lookup(kind: &str) -> Self {
        Self::of_index(kind).unwrap_or(Self::OctetString)
    }

    /// The syntax that the value of the discriminator selects, if any.
    pub(crate) const fn of_discriminator(self, value: i64) -> Option<Self> {
        match (self, value) {
            (Self::InetAddress | Self::InetAddressMissingSize, 1) => Some(Self::InetAddressIpv4),
            (Self::InetAddress | Self::InetAddressMissingSize, 2) => Some(Self::InetAddressIpv6),
            (Self::LldpPortId, 1 | 2 | 5 | 7) => Some(Self::DisplayString),
            (Self::LldpPortId, 3) => Some(Self::PhysAddress48),
            _ => None,
        }
    }

    /// Whether the object before it determines its syntax.
    pub(crate) const fn has_discriminator(self) -> bool {
        matches!(
            self,
            Self::InetAddress | Self::InetAddressMissingSize | Self::LldpPortId
        )
    }
}
