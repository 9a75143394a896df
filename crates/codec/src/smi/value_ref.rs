use core::fmt;
use core::net::Ipv4Addr;

use super::{OidRef, Value, encoded_oid::element_length};
use crate::ber::{DecodeError, DecodeErrorKind, EncodeError, Reader, Tag, Writer};
use crate::ber::{length_octets, signed_length, unsigned_length};

/// The value of a variable binding, borrowed from a message or from its owner (RFC 2578 section 7.1, RFC 3416
/// section 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueRef<'a> {
    /// INTEGER, also Integer32.
    Integer(i32),
    /// OCTET STRING.
    OctetString(&'a [u8]),
    /// NULL: unSpecified, in requests.
    Null,
    /// OBJECT IDENTIFIER.
    ObjectIdentifier(OidRef<'a>),
    /// IpAddress: an IPv4 address in network order.
    IpAddress([u8; 4]),
    /// Counter32.
    Counter32(u32),
    /// Gauge32, also Unsigned32.
    Gauge32(u32),
    /// TimeTicks, in hundredths of a second.
    TimeTicks(u32),
    /// Opaque: see [`OpaqueNumber`](super::OpaqueNumber) for what it mostly holds.
    Opaque(&'a [u8]),
    /// Counter64.
    Counter64(u64),
    /// noSuchObject: no object of that name.
    NoSuchObject,
    /// noSuchInstance: the object has no such instance.
    NoSuchInstance,
    /// endOfMibView: nothing follows.
    EndOfMibView,
}

impl<'a> ValueRef<'a> {
    /// Reads any value.
    ///
    /// # Errors
    /// As the reader, `UnknownValueTag`, or the errors of the type's content.
    #[inline]
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let start = *reader;
        let (tag, content) = reader.element()?;
        Ok(match tag {
            Tag::INTEGER => Self::Integer(
                i32::try_from(content.signed()?)
                    .map_err(|_| content.error(DecodeErrorKind::IntegerOutOfRange))?,
            ),
            Tag::OCTET_STRING => Self::OctetString(content.rest()),
            Tag::NULL => empty(&content, Self::Null)?,
            Tag::OBJECT_IDENTIFIER => Self::ObjectIdentifier(OidRef::from_content(&content)?),
            Tag::IP_ADDRESS => Self::IpAddress(ip_address(&content)?),
            Tag::COUNTER32 => Self::Counter32(content.unsigned32()?),
            Tag::GAUGE32 | Tag::UINTEGER32 => Self::Gauge32(content.unsigned32()?),
            Tag::TIME_TICKS => Self::TimeTicks(content.unsigned32()?),
            Tag::OPAQUE => Self::Opaque(content.rest()),
            Tag::COUNTER64 => Self::Counter64(content.unsigned64()?),
            Tag::NO_SUCH_OBJECT => empty(&content, Self::NoSuchObject)?,
            Tag::NO_SUCH_INSTANCE => empty(&content, Self::NoSuchInstance)?,
            Tag::END_OF_MIB_VIEW => empty(&content, Self::EndOfMibView)?,
            unknown => return Err(start.error(DecodeErrorKind::UnknownValueTag(unknown))),
        })
    }

    /// The tag of the value on the wire.
    #[must_use]
    #[inline]
    pub const fn tag(&self) -> Tag {
        match self {
            Self::Integer(_) => Tag::INTEGER,
            Self::OctetString(_) => Tag::OCTET_STRING,
            Self::Null => Tag::NULL,
            Self::ObjectIdentifier(_) => Tag::OBJECT_IDENTIFIER,
            Self::IpAddress(_) => Tag::IP_ADDRESS,
            Self::Counter32(_) => Tag::COUNTER32,
            Self::Gauge32(_) => Tag::GAUGE32,
            Self::TimeTicks(_) => Tag::TIME_TICKS,
            Self::Opaque(_) => Tag::OPAQUE,
            Self::Counter64(_) => Tag::COUNTER64,
            Self::NoSuchObject => Tag::NO_SUCH_OBJECT,
            Self::NoSuchInstance => Tag::NO_SUCH_INSTANCE,
            Self::EndOfMibView => Tag::END_OF_MIB_VIEW,
        }
    }

    /// Whether this is noSuchObject, noSuchInstance or endOfMibView.
    #[must_use]
    pub const fn is_exception(&self) -> bool {
        matches!(
            self,
            Self::NoSuchObject | Self::NoSuchInstance | Self::EndOfMibView
        )
    }

    /// An owned copy.
    #[must_use]
    pub fn to_owned(&self) -> Value {
        Value::from(*self)
    }

    /// The number of octets that the whole element takes.
    #[must_use]
    #[inline]
    pub fn encoded_length(&self) -> usize {
        match self {
            Self::Integer(value) => 2 + signed_length(i64::from(*value)),
            Self::OctetString(octets) | Self::Opaque(octets) => {
                1 + length_octets(octets.len()) + octets.len()
            }
            Self::ObjectIdentifier(oid) => element_length(oid.content().len()),
            Self::IpAddress(_) => 6,
            Self::Counter32(value) | Self::Gauge32(value) | Self::TimeTicks(value) => {
                2 + unsigned_length(u64::from(*value))
            }
            Self::Counter64(value) => 2 + unsigned_length(*value),
            Self::Null | Self::NoSuchObject | Self::NoSuchInstance | Self::EndOfMibView => 2,
        }
    }
}

/// IpAddress has exactly 4 octets.
pub(crate) fn ip_address(content: &Reader<'_>) -> Result<[u8; 4], DecodeError> {
    content
        .rest()
        .try_into()
        .map_err(|_| content.error(DecodeErrorKind::WrongContentLength))
}

#[inline]
fn empty<'a>(content: &Reader<'_>, value: ValueRef<'a>) -> Result<ValueRef<'a>, DecodeError> {
    if content.is_empty() {
        Ok(value)
    } else {
        Err(content.error(DecodeErrorKind::WrongContentLength))
    }
}

impl Writer<'_> {
    /// Appends a value in its minimal form.
    ///
    /// # Errors
    /// `BufferFull`.
    #[inline]
    pub fn append_value(&mut self, value: ValueRef<'_>) -> Result<(), EncodeError> {
        let tag = value.tag();
        match value {
            ValueRef::Integer(number) => self.append_signed(tag, i64::from(number)),
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
                self.append_element(tag, octets)
            }
            ValueRef::ObjectIdentifier(oid) => self.append_element(tag, oid.content()),
            ValueRef::IpAddress(octets) => self.append_element(tag, &octets),
            ValueRef::Counter32(number)
            | ValueRef::Gauge32(number)
            | ValueRef::TimeTicks(number) => self.append_unsigned(tag, u64::from(number)),
            ValueRef::Counter64(number) => self.append_unsigned(tag, number),
            ValueRef::Null
            | ValueRef::NoSuchObject
            | ValueRef::NoSuchInstance
            | ValueRef::EndOfMibView => self.append_element(tag, &[]),
        }
    }
}

/// For people: numbers plain, octets as text where all of it can be shown and otherwise in hexadecimal. What depends on
/// MIB modules, as names of enumerations, is not here.
impl fmt::Display for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Integer(number) => number.fmt(f),
            Self::OctetString(octets) => match core::str::from_utf8(octets) {
                Ok(text) if !text.chars().any(char::is_control) => f.write_str(text),
                _ => hexadecimal(octets, f),
            },
            Self::Null => f.write_str("null"),
            Self::ObjectIdentifier(oid) => oid.fmt(f),
            Self::IpAddress(octets) => Ipv4Addr::from(octets).fmt(f),
            Self::Counter32(number) | Self::Gauge32(number) => number.fmt(f),
            Self::TimeTicks(ticks) => time(ticks, f),
            Self::Opaque(octets) => hexadecimal(octets, f),
            Self::Counter64(number) => number.fmt(f),
            Self::NoSuchObject => f.write_str("no such object"),
            Self::NoSuchInstance => f.write_str("no such instance"),
            Self::EndOfMibView => f.write_str("end of the MIB view"),
        }
    }
}

/// As it is constructed, with octets and names as people read them: `OctetString("router1")`, `OctetString(0x00ff)`,
/// `ObjectIdentifier(1.3.6.1)`.
impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut show =
            |name: &str, content: &dyn fmt::Debug| f.debug_tuple(name).field(content).finish();
        match self {
            Self::Integer(number) => show("Integer", number),
            Self::OctetString(octets) => show("OctetString", &Octets(octets)),
            Self::Null => f.write_str("Null"),
            Self::ObjectIdentifier(oid) => show("ObjectIdentifier", oid),
            Self::IpAddress(octets) => show("IpAddress", &Ipv4Addr::from(*octets)),
            Self::Counter32(number) => show("Counter32", number),
            Self::Gauge32(number) => show("Gauge32", number),
            Self::TimeTicks(number) => show("TimeTicks", number),
            Self::Opaque(octets) => show("Opaque", &Octets(octets)),
            Self::Counter64(number) => show("Counter64", number),
            Self::NoSuchObject => f.write_str("NoSuchObject"),
            Self::NoSuchInstance => f.write_str("NoSuchInstance"),
            Self::EndOfMibView => f.write_str("EndOfMibView"),
        }
    }
}

/// Octets as a quoted text if they are one, otherwise in hexadecimal.
struct Octets<'a>(&'a [u8]);

impl fmt::Debug for Octets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_shown =
            |character: char| !character.is_control() || matches!(character, '\t' | '\n' | '\r');
        match core::str::from_utf8(self.0) {
            Ok(text) if text.chars().all(is_shown) => fmt::Debug::fmt(text, f),
            _ => hexadecimal(self.0, f),
        }
    }
}

fn hexadecimal(octets: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("0x")?;
    octets.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
}

/// Hundredths of a second as days, hours, minutes and seconds.
fn time(ticks: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (seconds, hundredths) = (ticks / 100, ticks % 100);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let (days, hours) = (hours / 24, hours % 24);
    if days > 0 {
        write!(f, "{days} d ")?;
    }
    write!(f, "{hours}:{minutes:02}:{seconds:02}.{hundredths:02}")
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::ToString;

    use super::*;

    #[test]
    fn values_are_shown_to_people() {
        for (value, text) in [
            (ValueRef::Integer(-1), "-1"),
            (ValueRef::OctetString("Zürich".as_bytes()), "Zürich"),
            (ValueRef::OctetString(b""), ""),
            (ValueRef::OctetString(b"a\x1b[2J"), "0x611b5b324a"),
            (ValueRef::OctetString(&[0, 0xff]), "0x00ff"),
            (ValueRef::Null, "null"),
            (ValueRef::IpAddress([192, 0, 2, 1]), "192.0.2.1"),
            (ValueRef::Counter32(u32::MAX), "4294967295"),
            (ValueRef::Gauge32(0), "0"),
            (ValueRef::TimeTicks(0), "0:00:00.00"),
            (ValueRef::TimeTicks(u32::MAX), "497 d 2:27:52.95"),
            (ValueRef::Opaque(b"a"), "0x61"),
            (ValueRef::Counter64(u64::MAX), "18446744073709551615"),
            (ValueRef::NoSuchObject, "no such object"),
            (ValueRef::NoSuchInstance, "no such instance"),
            (ValueRef::EndOfMibView, "end of the MIB view"),
        ] {
            assert_eq!(value.to_string(), text);
            assert_eq!(value.to_owned().to_string(), text);
        }
    }

    #[test]
    fn debug_output_names_the_type_and_shows_octets_as_text() {
        let name = crate::oid!("1.3.6.1");
        let encoded = Value::from(&name);
        for (value, text) in [
            (ValueRef::Integer(-1), "Integer(-1)"),
            (
                ValueRef::OctetString(b"router1"),
                "OctetString(\"router1\")",
            ),
            (ValueRef::OctetString(b"a\r\n"), "OctetString(\"a\\r\\n\")"),
            (ValueRef::OctetString(b""), "OctetString(\"\")"),
            (ValueRef::OctetString(&[0, 0xff]), "OctetString(0x00ff)"),
            (ValueRef::OctetString(b"a\x1b"), "OctetString(0x611b)"),
            (ValueRef::Null, "Null"),
            (encoded.as_value_ref(), "ObjectIdentifier(1.3.6.1)"),
            (ValueRef::IpAddress([192, 0, 2, 1]), "IpAddress(192.0.2.1)"),
            (ValueRef::TimeTicks(4711), "TimeTicks(4711)"),
            (ValueRef::Opaque(&[0x9f]), "Opaque(0x9f)"),
            (ValueRef::EndOfMibView, "EndOfMibView"),
        ] {
            assert_eq!(format!("{value:?}"), text);
            assert_eq!(format!("{:?}", value.to_owned()), text);
        }
    }
}
