use std::borrow::Cow;
use std::fmt::Write;
use std::net::Ipv4Addr;

use varbind_codec::smi::{OidScratch, OpaqueNumber, ValueRef};

use super::escape::escape_controls;
use super::name::format_name;
use super::options::{OutputOptions, StringStyle};
use crate::hint;
use crate::mib::Mib;
use crate::object::Object;
use crate::syntax::{BaseType, Syntax};

pub(super) const NO_SUCH_OBJECT: &str = "No Such Object available on this agent at this OID";
pub(super) const NO_SUCH_INSTANCE: &str = "No Such Instance currently exists at this OID";
pub(super) const END_OF_MIB_VIEW: &str =
    "No more variables left in this MIB View (It is past the end of the MIB tree)";

/// The octets of one line of hexadecimal.
const HEXADECIMAL_LINE: usize = 16;

/// Appends the value of the object or instance `name` to `out`.
pub fn format_value(
    mib: &Mib,
    options: &OutputOptions,
    name: &[u32],
    value: ValueRef<'_>,
    out: &mut String,
) {
    let object = mib.object(name).map(|resolved| resolved.object);
    append_value(mib, options, object, value, out);
}

/// What refines a value: nothing, if the value is not of the type of its object.
struct Refinement<'m> {
    syntax: Syntax<'m>,
    units: &'m str,
}

pub(super) fn append_value(
    mib: &Mib,
    options: &OutputOptions,
    object: Option<Object<'_>>,
    value: ValueRef<'_>,
    out: &mut String,
) {
    let unrefined = |value| Refinement {
        syntax: Syntax::new(base_of(value)),
        units: "",
    };
    let refinement = match object.and_then(|object| Some((object, object.syntax()?))) {
        Some((object, syntax)) if fits(syntax.base(), value) => Refinement {
            syntax,
            units: if options.without_units {
                ""
            } else {
                object.units().unwrap_or("")
            },
        },
        Some((_, syntax)) if !value.is_exception() => {
            if !options.quick_with_equals {
                let _ = write!(out, "Wrong Type (should be {}): ", label(syntax.base()));
            }
            unrefined(value)
        }
        _ => unrefined(value),
    };
    append_refined(mib, options, &refinement, value, out);
}

fn append_refined(
    mib: &Mib,
    options: &OutputOptions,
    refinement: &Refinement<'_>,
    value: ValueRef<'_>,
    out: &mut String,
) {
    let Refinement { syntax, units } = refinement;
    let typed = |label: &str, out: &mut String| {
        if !options.quick {
            out.push_str(label);
        }
    };
    // Writing to a String cannot fail.
    let _ = match value {
        ValueRef::Integer(number) => {
            typed("INTEGER: ", out);
            append_integer(options, syntax, number, out);
            Ok(())
        }
        ValueRef::Counter32(number) => {
            typed("Counter32: ", out);
            write!(out, "{number}")
        }
        ValueRef::Gauge32(number) => {
            typed("Gauge32: ", out);
            let hinted = syntax
                .display_hint()
                .and_then(|hint| hint::format_integer(hint, i64::from(number), out));
            hinted.map_or_else(|| write!(out, "{number}"), Ok)
        }
        ValueRef::Counter64(number) => {
            typed("Counter64: ", out);
            write!(out, "{number}")
        }
        ValueRef::TimeTicks(ticks) if options.numeric_time_ticks => {
            let _ = write!(out, "{ticks}");
            return;
        }
        ValueRef::TimeTicks(ticks) => {
            if !options.quick {
                let _ = write!(out, "Timeticks: ({ticks}) ");
            }
            append_time(options, ticks, out);
            Ok(())
        }
        ValueRef::OctetString(octets) if syntax.base() == BaseType::Bits => {
            return append_bits(options, syntax, octets, out);
        }
        ValueRef::OctetString(_) => {
            return append_octets(options, syntax.display_hint(), units, value, out);
        }
        ValueRef::ObjectIdentifier(oid) => {
            typed("OID: ", out);
            format_name(mib, options, oid.decode_into(&mut OidScratch::new()), out);
            Ok(())
        }
        ValueRef::IpAddress(address) => {
            typed("IpAddress: ", out);
            let _ = write!(out, "{}", Ipv4Addr::from(address));
            return;
        }
        ValueRef::Opaque(octets) => {
            append_opaque(options, octets, out);
            Ok(())
        }
        ValueRef::Null => return out.push_str("NULL"),
        ValueRef::NoSuchObject => return out.push_str(NO_SUCH_OBJECT),
        ValueRef::NoSuchInstance => return out.push_str(NO_SUCH_INSTANCE),
        ValueRef::EndOfMibView => return out.push_str(END_OF_MIB_VIEW),
    };
    append_units(units, out);
}

fn append_units(units: &str, out: &mut String) {
    if !units.is_empty() {
        out.push(' ');
        out.push_str(units);
    }
}

fn append_integer(options: &OutputOptions, syntax: &Syntax<'_>, number: i32, out: &mut String) {
    let number = i64::from(number);
    let name = syntax
        .name_of(number)
        .filter(|_| !options.numeric_enumerations);
    // Writing to a String cannot fail.
    let _ = match name {
        Some(name) if options.quick => out.write_str(name),
        Some(name) => write!(out, "{name}({number})"),
        None => syntax
            .display_hint()
            .and_then(|hint| hint::format_integer(hint, number, out))
            .map_or_else(|| write!(out, "{number}"), Ok),
    };
}

/// Hundredths of a second as days, hours, minutes and seconds.
pub(super) fn append_time(options: &OutputOptions, ticks: u32, out: &mut String) {
    if options.numeric_time_ticks {
        let _ = write!(out, "{ticks}");
        return;
    }
    let (seconds, hundredths) = (ticks / 100, ticks % 100);
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    // Writing to a String cannot fail.
    let _ = match days {
        _ if options.quick => write!(out, "{days}:"),
        0 => Ok(()),
        1 => write!(out, "1 day, "),
        _ => write!(out, "{days} days, "),
    };
    let _ = write!(out, "{hours}:{minutes:02}:{seconds:02}.{hundredths:02}");
}

pub(super) fn append_octets(
    options: &OutputOptions,
    hint: Option<&str>,
    units: &str,
    value: ValueRef<'_>,
    out: &mut String,
) {
    let ValueRef::OctetString(octets) = value else {
        return;
    };
    let start = out.len();
    let typed = |label: &str, out: &mut String| {
        if !options.quick {
            out.push_str(label);
        }
    };
    if let Some(hint) = hint {
        typed("STRING: ", out);
        let two_digits = options.two_digit_hexadecimal;
        let text = out.len();
        if hint::format_octets(hint, octets, two_digits, out).is_ok() {
            escape_from(options, text, out);
            return append_units(units, out);
        }
        out.truncate(start);
        let _ = write!(out, "(Bad hint ignored: {hint}) ");
        return append_octets(options, None, "", value, out);
    }
    if octets.is_empty() {
        return out.push_str("\"\"");
    }
    let hexadecimal = match options.strings {
        StringStyle::Guess => !octets.iter().all(|&octet| hint::is_printing(octet)),
        StringStyle::Ascii => false,
        StringStyle::Hexadecimal => true,
    };
    if hexadecimal {
        typed("Hex-STRING: ", out);
        let quote = if options.quick { "\"" } else { "" };
        out.push_str(quote);
        append_hexadecimal(options, octets, out);
        out.push_str(quote);
    } else {
        typed("STRING: ", out);
        out.push('"');
        let text = out.len();
        hint::push_ascii(octets, out);
        escape_from(options, text, out);
        out.push('"');
    }
    append_units(units, out);
}

/// Escapes what is behind `start`, unless line breaks are wanted.
fn escape_from(options: &OutputOptions, start: usize, out: &mut String) {
    if options.line_breaks && !options.one_line {
        return;
    }
    let escaped = match escape_controls(out.get(start..).unwrap_or_default()) {
        Cow::Borrowed(_) => return,
        Cow::Owned(escaped) => escaped,
    };
    out.truncate(start);
    out.push_str(&escaped);
}

fn append_hexadecimal(options: &OutputOptions, octets: &[u8], out: &mut String) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or('?');
    let length = if options.one_line {
        octets.len().max(1)
    } else {
        HEXADECIMAL_LINE
    };
    for (at, line) in octets.chunks(length).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for &octet in line {
            out.extend([digit(octet >> 4), digit(octet & 15), ' ']);
        }
        if options.hexadecimal_with_text {
            out.push_str("  [");
            out.extend(line.iter().map(|&octet| {
                if hint::is_printing(octet) && (octet >= b' ' || options.line_breaks) {
                    char::from(octet)
                } else {
                    '.'
                }
            }));
            out.push(']');
        }
    }
}

/// The numbers of the bits that are set; bit 0 is the highest of the first octet (RFC 3417 section 8).
pub(super) fn bits_set(octets: &[u8]) -> impl Iterator<Item = i64> + '_ {
    octets.iter().zip(0_i64..).flat_map(|(&octet, at)| {
        (0..8)
            .filter(move |bit| octet & (0x80 >> bit) != 0)
            .map(move |bit| at * 8 + bit)
    })
}

fn append_bits(options: &OutputOptions, syntax: &Syntax<'_>, octets: &[u8], out: &mut String) {
    out.push_str(if options.quick { "\"" } else { "BITS: " });
    append_hexadecimal(options, octets, out);
    if options.quick {
        out.push('"');
        return;
    }
    for bit in bits_set(octets) {
        let name = syntax
            .name_of(bit)
            .filter(|_| !options.numeric_enumerations);
        // Writing to a String cannot fail.
        let _ = match name {
            Some(name) => write!(out, "{name}({bit}) "),
            None => write!(out, "{bit} "),
        };
    }
}

fn append_opaque(options: &OutputOptions, octets: &[u8], out: &mut String) {
    let typed = |label: &str, out: &mut String| {
        if !options.quick {
            out.push_str(label);
        }
    };
    // Writing to a String cannot fail.
    let _ = match OpaqueNumber::decode(octets) {
        Some(OpaqueNumber::Float(number)) => {
            typed("Opaque: Float: ", out);
            append_float(f64::from(number), out);
            Ok(())
        }
        Some(OpaqueNumber::Double(number)) => {
            typed("Opaque: Float: ", out);
            append_float(number, out);
            Ok(())
        }
        Some(OpaqueNumber::Signed64(number)) => {
            typed("Opaque: Int64: ", out);
            write!(out, "{number}")
        }
        Some(OpaqueNumber::Unsigned64(number)) => {
            typed("Opaque: UInt64: ", out);
            write!(out, "{number}")
        }
        None => {
            typed("OPAQUE: ", out);
            append_hexadecimal(options, octets, out);
            Ok(())
        }
    };
}

/// Six decimal places, as C's `%f`.
pub(super) fn append_float(number: f64, out: &mut String) {
    let _ = match (number.is_nan(), number.is_sign_negative()) {
        (true, true) => write!(out, "-nan"),
        (true, false) => write!(out, "nan"),
        _ => write!(out, "{number:.6}"),
    };
}

const fn base_of(value: ValueRef<'_>) -> BaseType {
    match value {
        ValueRef::Counter32(_) => BaseType::Counter32,
        ValueRef::Counter64(_) => BaseType::Counter64,
        ValueRef::Gauge32(_) => BaseType::Gauge32,
        ValueRef::TimeTicks(_) => BaseType::TimeTicks,
        ValueRef::ObjectIdentifier(_) => BaseType::ObjectIdentifier,
        ValueRef::IpAddress(_) => BaseType::IpAddress,
        ValueRef::Opaque(_) => BaseType::Opaque,
        ValueRef::OctetString(_) => BaseType::OctetString,
        _ => BaseType::Integer32,
    }
}

/// Whether a value can be one of an object of this type.
fn fits(base: BaseType, value: ValueRef<'_>) -> bool {
    match (base, value) {
        (BaseType::Unsigned32, ValueRef::Gauge32(_))
        | (BaseType::Bits, ValueRef::OctetString(_)) => true,
        (BaseType::Counter64, ValueRef::Opaque(octets)) => matches!(
            OpaqueNumber::decode(octets),
            Some(OpaqueNumber::Signed64(_) | OpaqueNumber::Unsigned64(_))
        ),
        (_, ValueRef::Null) => false,
        _ => base == base_of(value) && !value.is_exception(),
    }
}

const fn label(base: BaseType) -> &'static str {
    match base {
        BaseType::Integer32 => "INTEGER",
        BaseType::Unsigned32 | BaseType::Gauge32 => "Gauge32 or Unsigned32",
        BaseType::Counter32 => "Counter32",
        BaseType::Counter64 => "Counter64",
        BaseType::TimeTicks => "Timeticks",
        BaseType::OctetString => "OCTET STRING",
        BaseType::Bits => "BITS",
        BaseType::ObjectIdentifier => "OBJECT IDENTIFIER",
        BaseType::IpAddress => "IpAddress",
        BaseType::Opaque => "Opaque",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_shown_by_name() {
        let syntax = Syntax::new(BaseType::Bits).names(&[("lowPaper", 0), ("jammed", 5)]);
        let shown = |letters| {
            let options = OutputOptions::parse(letters).expect("known letters");
            let mut out = String::new();
            append_bits(&options, &syntax, &[0x84, 0x01], &mut out);
            out
        };
        assert_eq!(shown(""), "BITS: 84 01 lowPaper(0) jammed(5) 15 ");
        assert_eq!(shown("e"), "BITS: 84 01 0 5 15 ");
        assert_eq!(shown("q"), "\"84 01 \"");
    }

    #[test]
    fn numbers_that_are_none_are_shown_as_in_c() {
        let shown = |number| {
            let mut out = String::new();
            append_float(number, &mut out);
            out
        };
        assert_eq!(shown(f64::NAN), "nan");
        assert_eq!(shown(-f64::INFINITY), "-inf");
        assert_eq!(shown(1.5), "1.500000");
    }
}
