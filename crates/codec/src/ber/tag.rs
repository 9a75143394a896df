//! Identifier octets that SNMP uses.

use core::fmt;

/// One identifier octet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(pub u8);

impl Tag {
    /// INTEGER, also Integer32.
    pub const INTEGER: Self = Self(0x02);
    /// OCTET STRING.
    pub const OCTET_STRING: Self = Self(0x04);
    /// NULL.
    pub const NULL: Self = Self(0x05);
    /// OBJECT IDENTIFIER.
    pub const OBJECT_IDENTIFIER: Self = Self(0x06);
    /// SEQUENCE and SEQUENCE OF.
    pub const SEQUENCE: Self = Self(0x30);
    /// IpAddress (RFC 2578).
    pub const IP_ADDRESS: Self = Self(0x40);
    /// Counter32 (RFC 2578).
    pub const COUNTER32: Self = Self(0x41);
    /// Gauge32, also Unsigned32 (RFC 2578).
    pub const GAUGE32: Self = Self(0x42);
    /// TimeTicks (RFC 2578).
    pub const TIME_TICKS: Self = Self(0x43);
    /// Opaque (RFC 2578).
    pub const OPAQUE: Self = Self(0x44);
    /// Counter64 (RFC 2578).
    pub const COUNTER64: Self = Self(0x46);
    /// UInteger32, withdrawn with SNMPv2p; some devices still send it.
    pub const UINTEGER32: Self = Self(0x47);
    /// noSuchObject (RFC 3416 section 3).
    pub const NO_SUCH_OBJECT: Self = Self(0x80);
    /// noSuchInstance (RFC 3416 section 3).
    pub const NO_SUCH_INSTANCE: Self = Self(0x81);
    /// endOfMibView (RFC 3416 section 3).
    pub const END_OF_MIB_VIEW: Self = Self(0x82);
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:02x}", self.0)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag(0x{:02x})", self.0)
    }
}
