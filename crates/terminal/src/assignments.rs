//! Assignments of Set requests on the command line.

use varbind::codec::smi::VarBind;
use varbind_mib::{Mib, ParseValueError, RangeCheck, parse_value};

use crate::failure::Failure;
use crate::object_names;

/// The letters of types, for people.
pub const TYPES: &str = "\
Types:
  i INTEGER            u Gauge32, Unsigned32   c Counter32      C Counter64
  t TimeTicks          a IpAddress             o OBJECT IDENTIFIER
  s string             x hexadecimal string    d decimal string b BITS
  n NULL               F float                 D double         I, U 64-bit numbers in Opaque
  = the type that the object of that name has";

/// Reads triplets of name, type and value.
///
/// # Errors
/// If one of them is invalid: the problem of the first one.
pub fn read(mib: &Mib, words: &[String], check: RangeCheck) -> Result<Vec<VarBind>, Failure> {
    let (triplets, rest) = words.as_chunks::<3>();
    match rest {
        [] => triplets
            .iter()
            .map(|triplet| read_one(mib, triplet, check))
            .collect(),
        [name] => Err(Failure::Usage(format!(
            "{name}: the type and the value are missing; write name, type and value of each object"
        ))),
        [name, ..] => Err(Failure::Usage(format!(
            "{name}: the value is missing; write name, type and value of each object"
        ))),
    }
}

fn read_one(
    mib: &Mib,
    [name, letter, text]: &[String; 3],
    check: RangeCheck,
) -> Result<VarBind, Failure> {
    let oid = object_names::name(mib, name)?;
    let mut letters = letter.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return Err(Failure::Usage(format!(
            "{name}: the type {letter:?} is not a single letter; varbind set --help lists them"
        )));
    };
    let value = parse_value(mib, oid.arcs(), letter, text, check)
        .map_err(|error| Failure::Usage(format!("{name}: {error}{}", advice(&error))))?;
    Ok(VarBind::new(oid, value))
}

/// Advice about a value that the definition of its object refuses.
fn advice(error: &ParseValueError) -> &'static str {
    match error {
        ParseValueError::WrongType { .. }
        | ParseValueError::OutOfRange { .. }
        | ParseValueError::UnknownEnumeration { .. } => {
            " (--no-range-check or -Ir sends it without this check)"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use varbind::codec::smi::Value;

    use super::*;

    fn read_line(line: &str) -> Result<Vec<VarBind>, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        read(&Mib::builtin(), &words, RangeCheck::Enforce).map_err(|failure| failure.to_string())
    }

    #[test]
    fn triplets_are_read() {
        let objects = read_line("sysName.0 s router ifAdminStatus.2 = down 1.3.6.1.4.1.1.0 i -5");
        let values: Vec<_> = objects
            .unwrap()
            .into_iter()
            .map(|object| object.value)
            .collect();
        assert_eq!(
            values,
            [
                Value::OctetString(b"router".to_vec()),
                Value::Integer(2),
                Value::Integer(-5)
            ]
        );
    }

    #[test]
    fn errors_name_the_object() {
        for (line, start) in [
            ("sysName.0", "sysName.0: the type and the value are missing"),
            ("sysName.0 s", "sysName.0: the value is missing"),
            (
                "sysName.0 str x",
                "sysName.0: the type \"str\" is not a single letter",
            ),
            ("ifAdminStatus.2 i x", "ifAdminStatus.2: "),
            (
                "snmpEnableAuthenTraps.0 i 7",
                "snmpEnableAuthenTraps.0: \"7\" is not a value of snmpEnableAuthenTraps",
            ),
            (
                "sysLocation.0 i 5",
                "sysLocation.0: sysLocation is OCTET STRING",
            ),
        ] {
            let error = read_line(line).unwrap_err();
            assert!(error.starts_with(start), "{error}");
        }
    }
}
