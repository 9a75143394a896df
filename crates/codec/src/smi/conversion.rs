//! Values from what programs have, and back.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use super::{Oid, Value, VarBind};

/// A value is of another type than was asked for, or out of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueError {
    /// The type, with its range, that was asked for.
    pub wanted: &'static str,
    /// The value that there is.
    pub found: Value,
}

impl ValueError {
    fn new(wanted: &'static str, found: &Value) -> Self {
        let found = found.clone();
        Self { wanted, found }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, found } = self;
        if found.as_value_ref().is_exception() {
            return write!(f, "there is no value: {found}");
        }
        write!(f, "expected {wanted}, and the value is {found:?}")
    }
}

impl core::error::Error for ValueError {}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::OctetString(text.as_bytes().to_vec())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::OctetString(text.into_bytes())
    }
}

impl From<&[u8]> for Value {
    fn from(octets: &[u8]) -> Self {
        Self::OctetString(octets.to_vec())
    }
}

impl From<Vec<u8>> for Value {
    fn from(octets: Vec<u8>) -> Self {
        Self::OctetString(octets)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Integer(number)
    }
}

impl From<Ipv4Addr> for Value {
    fn from(address: Ipv4Addr) -> Self {
        Self::IpAddress(address.octets())
    }
}

impl From<Oid> for Value {
    fn from(oid: Oid) -> Self {
        Self::from(&oid)
    }
}

impl Value {
    /// The text of an OCTET STRING in UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        core::str::from_utf8(self.as_bytes()?).ok()
    }

    /// The octets of an OCTET STRING or Opaque.
    #[must_use]
    pub const fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::OctetString(octets) | Self::Opaque(octets) => Some(octets.as_slice()),
            _ => None,
        }
    }

    /// The number of any numeric type.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Integer(number) => Some(number.into()),
            Self::Counter32(number) | Self::Gauge32(number) | Self::TimeTicks(number) => {
                Some(number.into())
            }
            Self::Counter64(number) => number.try_into().ok(),
            _ => None,
        }
    }

    /// The number of any numeric type that is not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::Counter64(number) => Some(number),
            _ => self.as_i64()?.try_into().ok(),
        }
    }
}

/// From a value and from the value of a variable binding, owned or borrowed.
macro_rules! convert {
    ($($type:ty, $wanted:literal, $value:ident => $convert:expr;)*) => {$(
        impl TryFrom<&Value> for $type {
            type Error = ValueError;

            fn try_from($value: &Value) -> Result<Self, ValueError> {
                let converted: Option<Self> = $convert;
                converted.ok_or_else(|| ValueError::new($wanted, $value))
            }
        }

        impl TryFrom<Value> for $type {
            type Error = ValueError;

            fn try_from(value: Value) -> Result<Self, ValueError> {
                Self::try_from(&value)
            }
        }

        impl TryFrom<&VarBind> for $type {
            type Error = ValueError;

            fn try_from(var_bind: &VarBind) -> Result<Self, ValueError> {
                Self::try_from(&var_bind.value)
            }
        }

        impl TryFrom<VarBind> for $type {
            type Error = ValueError;

            fn try_from(var_bind: VarBind) -> Result<Self, ValueError> {
                Self::try_from(&var_bind.value)
            }
        }
    )*};
}

/// A part of a value, or of the value of a variable binding, without a copy.
macro_rules! borrow {
    ($($type:ty, $wanted:literal, $borrow:path;)*) => {$(
        impl<'a> TryFrom<&'a Value> for &'a $type {
            type Error = ValueError;

            fn try_from(value: &'a Value) -> Result<Self, ValueError> {
                $borrow(value).ok_or_else(|| ValueError::new($wanted, value))
            }
        }

        impl<'a> TryFrom<&'a VarBind> for &'a $type {
            type Error = ValueError;

            fn try_from(var_bind: &'a VarBind) -> Result<Self, ValueError> {
                Self::try_from(&var_bind.value)
            }
        }
    )*};
}

borrow! {
    str, "text", Value::as_str;
    [u8], "an OCTET STRING", Value::as_bytes;
}

convert! {
    String, "text", value => value.as_str().map(String::from);
    Vec<u8>, "an OCTET STRING", value => value.as_bytes().map(<[u8]>::to_vec);
    u64, "a number of 64 bits that is not negative", value => value.as_u64();
    i64, "a number of 64 bits", value => value.as_i64();
    u32, "a number of 32 bits that is not negative", value => value.as_u64().and_then(|it| it.try_into().ok());
    i32, "a number of 32 bits", value => value.as_i64().and_then(|it| it.try_into().ok());
    Ipv4Addr, "an IpAddress", value => match value {
        Value::IpAddress(octets) => Some(Self::from(*octets)),
        _ => None,
    };
    IpAddr, "an IpAddress", value => match value {
        Value::IpAddress(octets) => Some(Self::from(*octets)),
        _ => None,
    };
    Duration, "TimeTicks", value => match value {
        Value::TimeTicks(ticks) => Some(Self::from_millis(u64::from(*ticks) * 10)),
        _ => None,
    };
    Oid, "an OBJECT IDENTIFIER", value => match value {
        Value::ObjectIdentifier(oid) => Some(oid.as_oid_ref().to_oid()),
        _ => None,
    };
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn values_are_converted_where_their_type_allows() {
        assert_eq!(
            String::try_from(Value::from("router1")),
            Ok("router1".into())
        );
        assert_eq!(u64::try_from(Value::Counter64(u64::MAX)), Ok(u64::MAX));
        assert_eq!(u64::try_from(Value::Counter32(7)), Ok(7));
        assert_eq!(i64::try_from(Value::Integer(-7)), Ok(-7));
        assert_eq!(u32::try_from(Value::Gauge32(u32::MAX)), Ok(u32::MAX));
        assert_eq!(i32::try_from(Value::Integer(i32::MIN)), Ok(i32::MIN));
        let loopback = Ipv4Addr::LOCALHOST;
        assert_eq!(Ipv4Addr::try_from(Value::from(loopback)), Ok(loopback));
        assert_eq!(IpAddr::try_from(Value::from(loopback)), Ok(loopback.into()));
        let longest = Value::TimeTicks(u32::MAX);
        assert_eq!(
            Duration::try_from(longest),
            Ok(Duration::from_millis(42_949_672_950))
        );
        let name = crate::oid!("1.3.6.1");
        assert_eq!(Oid::try_from(Value::from(name.clone())), Ok(name.clone()));
        let var_bind = VarBind::new(name, 3);
        assert_eq!(i32::try_from(var_bind), Ok(3));
    }

    #[test]
    fn borrowed_values_are_converted_without_a_copy() {
        let value = Value::from("router1");
        let text: Result<&str, _> = (&value).try_into();
        assert_eq!(text, Ok("router1"));
        let octets: Result<&[u8], _> = (&value).try_into();
        assert_eq!(octets, Ok(&b"router1"[..]));
        assert_eq!(String::try_from(&value), Ok("router1".into()));
        let var_bind = VarBind::new(crate::oid!("1.3.6.1"), 3);
        assert_eq!(u32::try_from(&var_bind), Ok(3));
        assert!(<&str>::try_from(&var_bind).is_err());
    }

    #[test]
    fn another_type_or_range_is_an_error_that_shows_the_value() {
        for (error, text) in [
            (
                u64::try_from(Value::Integer(-1)).unwrap_err(),
                "expected a number of 64 bits that is not negative, and the value is Integer(-1)",
            ),
            (
                i64::try_from(Value::Counter64(u64::MAX)).unwrap_err(),
                "expected a number of 64 bits, and the value is Counter64(18446744073709551615)",
            ),
            (
                u64::try_from(Value::from("router1")).unwrap_err(),
                "expected a number of 64 bits that is not negative, and the value is OctetString(\"router1\")",
            ),
            (
                i64::try_from(Value::NoSuchInstance).unwrap_err(),
                "there is no value: no such instance",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
        assert!(String::try_from(Value::OctetString([0xff].into())).is_err());
        assert!(u32::try_from(Value::Counter64(1 << 32)).is_err());
        assert!(Duration::try_from(Value::Gauge32(1)).is_err());
    }
}
