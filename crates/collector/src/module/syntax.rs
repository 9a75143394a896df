//! How indexes and octets become texts.

/// What an index or a text consists of.
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
    /// The type of an index; if it is none, the names of those that are.
    pub(super) fn of_index(kind: &str) -> Result<Self, String> {
        let found = INDEXES.iter().find(|(name, _)| *name == kind);
        found.map(|(_, syntax)| *syntax).ok_or_else(|| {
            let names: Vec<_> = INDEXES.iter().map(|(name, _)| *name).collect();
            names.join(", ")
        })
    }

    /// The type of an object that is looked up. What is not an index is octets.
    pub(super) fn of_lookup(kind: &str) -> Self {
        Self::of_index(kind).unwrap_or(Self::OctetString)
    }

    /// What a syntax is whose object before it has this value; `None` if the value says nothing.
    pub(crate) const fn of_discriminator(self, value: i64) -> Option<Self> {
        match (self, value) {
            (Self::InetAddress | Self::InetAddressMissingSize, 1) => Some(Self::InetAddressIpv4),
            (Self::InetAddress | Self::InetAddressMissingSize, 2) => Some(Self::InetAddressIpv6),
            (Self::LldpPortId, 1 | 2 | 5 | 7) => Some(Self::DisplayString),
            (Self::LldpPortId, 3) => Some(Self::PhysAddress48),
            _ => None,
        }
    }

    /// Whether an object before it says what it is.
    pub(crate) const fn has_discriminator(self) -> bool {
        matches!(
            self,
            Self::InetAddress | Self::InetAddressMissingSize | Self::LldpPortId
        )
    }
}
