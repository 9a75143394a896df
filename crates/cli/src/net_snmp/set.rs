//! snmpset.

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind_mib::{BaseType, Mib, ParseValueError, RangeCheck, parse_value};

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{Session, print_error_status};
use super::tool::Call;
use super::words::{BAD_TYPE, BAD_VALUE, OUT_OF_RANGE, UNKNOWN_OBJECT};
use super::{ERROR_STATUS, Ended, FAILED, Stop};

const LETTERS: &str = "=iu3taosxdbIUFDcCn";
/// What snmpset takes; notifications take all that are known.
const SET_LETTERS: &str = "=iu3taosxdbIUFDn";
const MAX_ASSIGNMENTS: usize = 128;

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut is_quiet = false;
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        for letter in letters.chars() {
            match letter {
                'q' => is_quiet = true,
                letter => return Err(unknown_own_letter(letter, console)),
            }
        }
        Ok(())
    })?;
    if line.operands.is_empty() {
        return Err(Stop::Usage("Missing object name\n".to_owned()));
    }
    if line.operands.len() > 3 * MAX_ASSIGNMENTS {
        return Err(Stop::Usage(format!(
            "Too many assignments specified. Only {MAX_ASSIGNMENTS} allowed in one request.\n"
        )));
    }
    if let Some(wrong) = wrong_words(&line.operands) {
        console.error(&wrong);
        return Ok(FAILED);
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let mut objects = Vec::new();
    let (triplets, _) = line.operands.as_chunks::<3>();
    for triplet in triplets {
        objects.push(read(&line, triplet, &mut names, console));
    }
    let Some(objects) = objects.into_iter().collect::<Option<Vec<VarBind>>>() else {
        return Ok(FAILED);
    };
    let response = match session.request(Command::Set(&objects)) {
        Ok(response) => response,
        Err(lost) => return Ok(session.print_lost(&lost, &mut names, console)),
    };
    if response.error_status != ErrorStatus::NoError {
        print_error_status(".", (&line.mib, &line.output), &response, console);
        return Ok(ERROR_STATUS);
    }
    for object in response.var_binds.iter().filter(|_| !is_quiet) {
        console.print_var_bind(&line.mib, &line.output, object)?;
    }
    Ok(0)
}

/// What is wrong with the words, before any name is read.
fn wrong_words(words: &[String]) -> Option<String> {
    words.chunks(3).find_map(|triplet| match triplet {
        [name] => Some(format!("{name}: Needs type and value\n")),
        [name, kind, ..] => {
            let letter = kind.chars().next().unwrap_or_default();
            if !SET_LETTERS.contains(letter) {
                return Some(format!("{name}: Bad object type: {letter}\n"));
            }
            (triplet.len() == 2).then(|| format!("{name}: Needs value\n"))
        }
        _ => None,
    })
}

/// Reads name, type and value, or returns the error.
pub(super) fn read(
    line: &CommandLine,
    [name, kind, text]: &[String; 3],
    names: &mut Names<'_>,
    console: &mut Console,
) -> Option<VarBind> {
    let oid = names.read_or_log(name, console)?;
    let check = match line.input.no_range_check {
        true => RangeCheck::Skip,
        false => RangeCheck::Enforce,
    };
    match value(&line.mib, &oid, kind, text, check, names) {
        Ok(value) => Some(VarBind::new(oid, value)),
        Err(words) => {
            names.log_error(name, words, console);
            None
        }
    }
}

/// Reads a value; what is wrong with it stands behind the words.
pub(super) fn value(
    mib: &Mib,
    name: &Oid,
    kind: &str,
    text: &str,
    check: RangeCheck,
    names: &mut Names<'_>,
) -> Result<Value, &'static str> {
    let letter = kind.chars().next().unwrap_or_default();
    if !LETTERS.contains(letter) {
        names.set_detail(letter);
        return Err(BAD_TYPE);
    }
    if letter == 'n' {
        return Ok(Value::Null);
    }
    if letter == 'o' && check == RangeCheck::Skip {
        let oid = names.read(text).ok_or(UNKNOWN_OBJECT)?;
        return Ok(Value::from(&oid));
    }
    let error = match parse_value(mib, name.arcs(), letter, text, check) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match error {
        ParseValueError::WrongType { base, .. } => {
            let (base, given) = (type_name(base), letter_name(letter));
            names.set_detail(format!("Type of attribute is {base}, not {given}"));
            Err(BAD_TYPE)
        }
        // A number that the enumeration does not have is left to the agent.
        ParseValueError::UnknownEnumeration { .. } if text.trim().parse::<i32>().is_ok() => {
            parse_value(mib, name.arcs(), letter, text, RangeCheck::Skip).map_err(|_| BAD_VALUE)
        }
        ParseValueError::OutOfRange { .. } if matches!(letter, 's' | 'x' | 'd') => {
            names.set_detail("Bad string length");
            Err(OUT_OF_RANGE)
        }
        ParseValueError::OutOfRange { .. } | ParseValueError::UnknownEnumeration { .. } => {
            names.set_detail(text);
            Err(OUT_OF_RANGE)
        }
        // The letter i has a check of its own for what is not a number.
        ParseValueError::Malformed { .. } if letter == 'i' && !text.is_empty() => {
            names.set_detail(text);
            Err(OUT_OF_RANGE)
        }
        ParseValueError::UnknownObject { .. } => match names.read(text) {
            Some(oid) => Ok(Value::from(&oid)),
            None => Err(UNKNOWN_OBJECT),
        },
        ParseValueError::TypeNotKnown { .. } => {
            names.set_detail("=");
            Err(BAD_TYPE)
        }
        _ => {
            names.set_detail(text);
            Err(BAD_VALUE)
        }
    }
}

/// A type as errors name it.
const fn type_name(base: BaseType) -> &'static str {
    match base {
        BaseType::Integer32 => "INTEGER",
        BaseType::Unsigned32 => "Unsigned32",
        BaseType::Gauge32 => "Gauge32",
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

/// The type that a letter stands for.
const fn letter_name(letter: char) -> &'static str {
    match letter {
        'i' => "INTEGER",
        'u' => "Unsigned32",
        '3' => "UInteger32",
        'c' => "Counter32",
        'C' => "Counter64",
        't' => "Timeticks",
        'a' => "IpAddress",
        'o' => "OBJECT IDENTIFIER",
        'b' => "BITS",
        _ => "OCTET STRING",
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::InputOptions;
    use super::*;

    fn said(name: &str, kind: &str, text: &str) -> String {
        let mib = Mib::builtin();
        let mut names = Names::new(&mib, &InputOptions::default());
        let oid = mib.resolve(name).unwrap();
        match value(&mib, &oid, kind, text, RangeCheck::Enforce, &mut names) {
            Ok(_) => "sent".to_owned(),
            Err(words) => format!("{words} ({})", names.take_detail().unwrap_or_default()),
        }
    }

    #[test]
    fn wrong_values_are_reported_in_the_words_of_the_library() {
        for (name, kind, text, words) in [
            (
                "sysName.0",
                "i",
                "5",
                "Bad variable type (Type of attribute is OCTET STRING, not INTEGER)",
            ),
            ("ifAdminStatus.1", "i", "77", "sent"),
            ("ifAdminStatus.1", "i", "foo", "Value out of range (foo)"),
            ("sysName.0", "x", "4g", "Bad value notation (4g)"),
            ("sysUpTime.0", "t", "x", "Bad value notation (x)"),
            (
                "sysObjectID.0",
                "o",
                "sysFoo",
                "Unknown Object Identifier (Sub-id not found: (top) -> sysFoo)",
            ),
        ] {
            assert_eq!(said(name, kind, text), words, "{name} {kind} {text}");
        }
    }

    #[test]
    fn words_are_checked_before_names() {
        let wrong = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            wrong_words(&words)
        };
        assert_eq!(wrong("a"), Some("a: Needs type and value\n".to_owned()));
        assert_eq!(wrong("a s"), Some("a: Needs value\n".to_owned()));
        assert_eq!(wrong("a q x"), Some("a: Bad object type: q\n".to_owned()));
        assert_eq!(wrong("a s x b i 5"), None);
    }
}
