//! Values as text, as they are given to `set`.

mod error;
mod octets;

pub use error::ParseValueError;

use std::net::Ipv4Addr;

use varbind_codec::smi::{OpaqueNumber, Value};

use crate::display::dotted;
use crate::mib::Mib;
use crate::object::Object;
use crate::syntax::{BaseType, Syntax};

/// Whether values are checked against the type, the enumeration and the ranges of their object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeCheck {
    /// What is outside is an error.
    #[default]
    Enforce,
    /// Anything is taken that can be encoded, to see what an agent makes of it.
    Skip,
}

/// Reads a value for the object or instance `name`, of the type that Net-SNMP's tools give this letter.
///
/// `i` INTEGER, `u` and `3` unsigned (Gauge32), `c` Counter32, `C` Counter64, `t` TimeTicks, `a` IpAddress, `o` OBJECT
/// IDENTIFIER, `s` string (by its display hint, if the object has one and the text fits it), `x` hexadecimal string with
/// or without spaces, colons, dots or dashes, `d` string of decimal octets, `b` BITS by numbers or names, `n` NULL, `I`,
/// `U`, `F`, `D` numbers in Opaque, `=` the type of the object.
///
/// # Errors
/// When the text is not of the type, or not allowed for the object; see [`ParseValueError`].
///
/// ```
/// use varbind_codec::smi::Value;
/// use varbind_mib::{Mib, RangeCheck, parse_value};
/// let mib = Mib::builtin();
/// let name = mib.resolve("ifAdminStatus.2")?;
/// let value = parse_value(&mib, name.arcs(), '=', "down", RangeCheck::Enforce)?;
/// assert_eq!(value, Value::Integer(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_value(
    mib: &Mib,
    name: &[u32],
    letter: char,
    text: &str,
    check: RangeCheck,
) -> Result<Value, ParseValueError> {
    let object = mib.object(name).map(|resolved| resolved.object);
    let letter = match letter {
        '=' => {
            letter_of(object).ok_or_else(|| ParseValueError::TypeNotKnown { name: dotted(name) })?
        }
        letter => letter,
    };
    let target = Target {
        object,
        check,
        text,
    };
    target.check_type(letter)?;
    match letter {
        'i' => target.integer().map(Value::Integer),
        'u' | '3' => target.unsigned32().map(Value::Gauge32),
        'c' => target
            .number("a number from 0 to 4294967295")
            .map(Value::Counter32),
        'C' => target
            .number("a number from 0 to 18446744073709551615")
            .map(Value::Counter64),
        't' => target
            .number("a number of hundredths of a second from 0 to 4294967295")
            .map(Value::TimeTicks),
        'a' => target
            .number::<Ipv4Addr>("an IPv4 address like 192.0.2.1")
            .map(|address| Value::IpAddress(address.octets())),
        'o' => match mib.resolve(text) {
            Ok(oid) => Ok(Value::from(&oid)),
            Err(reason) => Err(ParseValueError::UnknownObject { reason }),
        },
        's' => target.string().map(Value::OctetString),
        'x' => target.hexadecimal().map(Value::OctetString),
        'd' => target.decimal().map(Value::OctetString),
        'b' => target.bits().map(Value::OctetString),
        'n' if text.is_empty() => Ok(Value::Null),
        'n' => Err(target.malformed("empty, as NULL must be")),
        'I' => target
            .number("a number from -9223372036854775808 to 9223372036854775807")
            .and_then(|number| target.opaque(OpaqueNumber::Signed64(number))),
        'U' => target
            .number("a number from 0 to 18446744073709551615")
            .and_then(|number| target.opaque(OpaqueNumber::Unsigned64(number))),
        'F' => target
            .number("a floating point number")
            .and_then(|number| target.opaque(OpaqueNumber::Float(number))),
        'D' => target
            .number("a floating point number")
            .and_then(|number| target.opaque(OpaqueNumber::Double(number))),
        letter => Err(ParseValueError::UnknownType { letter }),
    }
}

const fn letter_of_base(base: BaseType) -> Option<char> {
    Some(match base {
        BaseType::Integer32 => 'i',
        BaseType::Unsigned32 | BaseType::Gauge32 => 'u',
        BaseType::Counter32 => 'c',
        BaseType::Counter64 => 'C',
        BaseType::TimeTicks => 't',
        BaseType::OctetString => 's',
        BaseType::Bits => 'b',
        BaseType::ObjectIdentifier => 'o',
        BaseType::IpAddress => 'a',
        BaseType::Opaque => return None,
    })
}

/// The types of objects that a letter is right for; `None` for NULL, which snmpset sends unchecked, and unknown letters.
const fn bases_of_letter(letter: char) -> Option<&'static [BaseType]> {
    Some(match letter {
        'i' => &[BaseType::Integer32],
        'u' | '3' => &[BaseType::Unsigned32, BaseType::Gauge32],
        'c' => &[BaseType::Counter32],
        'C' => &[BaseType::Counter64],
        't' => &[BaseType::TimeTicks],
        'a' => &[BaseType::IpAddress],
        'o' => &[BaseType::ObjectIdentifier],
        's' | 'x' | 'd' => &[BaseType::OctetString, BaseType::Bits],
        'b' => &[BaseType::Bits],
        'I' | 'U' | 'F' | 'D' => &[BaseType::Opaque],
        _ => return None,
    })
}

fn letter_of(object: Option<Object<'_>>) -> Option<char> {
    letter_of_base(object?.syntax()?.base())
}

/// A text, and the object that it shall be a value of.
struct Target<'m, 't> {
    object: Option<Object<'m>>,
    check: RangeCheck,
    text: &'t str,
}

impl<'m> Target<'m, '_> {
    fn malformed(&self, expected: &'static str) -> ParseValueError {
        ParseValueError::Malformed {
            input: self.text.to_owned(),
            expected,
        }
    }

    /// Refuses a letter that is not right for the object.
    fn check_type(&self, letter: char) -> Result<(), ParseValueError> {
        let known = self
            .object
            .and_then(|object| Some((object, object.syntax()?)));
        let (Some((object, syntax)), Some(bases)) = (known, bases_of_letter(letter)) else {
            return Ok(());
        };
        let base = syntax.base();
        if self.check == RangeCheck::Skip || bases.contains(&base) {
            return Ok(());
        }
        Err(ParseValueError::WrongType {
            letter,
            object: object.name().to_owned(),
            base,
            right: letter_of_base(base),
        })
    }

    fn number<T: std::str::FromStr>(&self, expected: &'static str) -> Result<T, ParseValueError> {
        self.text
            .trim()
            .parse()
            .map_err(|_| self.malformed(expected))
    }

    /// The syntax of the object, if a value of one of these types is given.
    fn syntax(&self, bases: &[BaseType]) -> Option<(Object<'m>, Syntax<'m>)> {
        let object = self.object?;
        let syntax = object.syntax()?;
        bases.contains(&syntax.base()).then_some((object, syntax))
    }

    fn check_range(
        &self,
        object: Object<'_>,
        syntax: Syntax<'_>,
        number: i64,
    ) -> Result<(), ParseValueError> {
        if self.check == RangeCheck::Skip || syntax.allows(number) {
            return Ok(());
        }
        Err(ParseValueError::OutOfRange {
            input: self.text.to_owned(),
            object: object.name().to_owned(),
            number,
            ranges: syntax.ranges().to_vec(),
        })
    }

    /// Refuses a number that an enumeration does not have.
    fn check_enumeration(
        &self,
        object: Object<'_>,
        syntax: Syntax<'_>,
        number: i64,
    ) -> Result<(), ParseValueError> {
        let is_open = syntax.named_numbers().is_empty();
        if self.check == RangeCheck::Skip || is_open || syntax.name_of(number).is_some() {
            return Ok(());
        }
        Err(self.unknown_enumeration(object, syntax, self.text.trim()))
    }

    fn unknown_enumeration(
        &self,
        object: Object<'_>,
        syntax: Syntax<'_>,
        input: &str,
    ) -> ParseValueError {
        ParseValueError::UnknownEnumeration {
            input: input.to_owned(),
            object: object.name().to_owned(),
            known: syntax
                .named_numbers()
                .iter()
                .map(|(name, number)| format!("{name}({number})"))
                .collect(),
        }
    }

    fn integer(&self) -> Result<i32, ParseValueError> {
        let refined = self.syntax(&[BaseType::Integer32]);
        let text = self.text.trim();
        if let Some((_, syntax)) = refined
            && let Some(number) = syntax.number_of(text)
        {
            return Ok(number);
        }
        let number: i32 = match (refined, text.parse()) {
            (_, Ok(number)) => number,
            (Some((object, syntax)), Err(_))
                if !syntax.named_numbers().is_empty()
                    && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') =>
            {
                return Err(self.unknown_enumeration(object, syntax, text));
            }
            (_, Err(_)) => {
                return Err(self.malformed("a number from -2147483648 to 2147483647"));
            }
        };
        if let Some((object, syntax)) = refined {
            self.check_range(object, syntax, i64::from(number))?;
            self.check_enumeration(object, syntax, i64::from(number))?;
        }
        Ok(number)
    }

    fn unsigned32(&self) -> Result<u32, ParseValueError> {
        let number = self.number("a number from 0 to 4294967295")?;
        if let Some((object, syntax)) = self.syntax(&[BaseType::Unsigned32, BaseType::Gauge32]) {
            self.check_range(object, syntax, i64::from(number))?;
        }
        Ok(number)
    }

    fn opaque(&self, number: OpaqueNumber) -> Result<Value, ParseValueError> {
        let mut buffer = [0; 16];
        match number.encode(&mut buffer) {
            Ok(content) => Ok(Value::Opaque(content.to_vec())),
            Err(_) => Err(self.malformed("a number that Opaque can hold")),
        }
    }
}
