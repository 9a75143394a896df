use std::fmt::Write;

use varbind_mib::{MachineVarBind, RawValue};

/// Appends a string in quotes, with all control characters escaped: also those that a terminal would obey.
pub(crate) fn append_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        if !character.is_control() && !matches!(character, '"' | '\\') {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + character.len_utf8();
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control => append_formatted(out, format_args!("\\u{:04x}", u32::from(control))),
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

/// Writing into a string does not fail.
fn append_formatted(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}

pub(super) fn append_hexadecimal(octets: &[u8], out: &mut String) {
    for octet in octets {
        append_formatted(out, format_args!("{octet:02x}"));
    }
}

/// Appends a value: a number, a string, or null; octets in hexadecimal.
pub(crate) fn append_raw_value(value: &RawValue, out: &mut String) {
    match value {
        RawValue::Signed(number) => append_formatted(out, format_args!("{number}")),
        RawValue::Unsigned(number) => append_formatted(out, format_args!("{number}")),
        RawValue::Float(number) if number.is_finite() => {
            append_formatted(out, format_args!("{number}"));
        }
        // JSON has no infinity.
        RawValue::Float(_) | RawValue::None => out.push_str("null"),
        RawValue::Characters(text) | RawValue::Text(text) => append_string(text, out),
        RawValue::Octets(octets) => {
            out.push('"');
            append_hexadecimal(octets, out);
            out.push('"');
        }
    }
}

/// Appends a variable binding as an object.
pub(crate) fn append_var_bind(var_bind: &MachineVarBind, out: &mut String) {
    out.push('{');
    append_var_bind_fields(var_bind, out);
}

/// Appends the fields of a variable binding and the end of the object that has begun.
pub(crate) fn append_var_bind_fields(var_bind: &MachineVarBind, out: &mut String) {
    for (key, text) in [
        ("\"name\":", var_bind.name.as_str()),
        (",\"oid\":", &var_bind.oid),
        (",\"type\":", var_bind.value_type),
    ] {
        out.push_str(key);
        append_string(text, out);
    }
    out.push_str(",\"value\":");
    append_raw_value(&var_bind.value, out);
    let encoding = match &var_bind.value {
        RawValue::Octets(_) => Some("hex"),
        RawValue::Characters(_) => Some("text"),
        _ => None,
    };
    if let Some(encoding) = encoding {
        out.push_str(",\"encoding\":");
        append_string(encoding, out);
    }
    out.push_str(",\"display\":");
    append_string(&var_bind.shown, out);
    if let Some(units) = &var_bind.units {
        out.push_str(",\"units\":");
        append_string(units, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use varbind::codec::smi::ValueRef;
    use varbind_mib::Mib;

    use super::*;

    #[test]
    fn strings_are_read_back_by_a_json_parser() {
        for text in [
            "",
            "plain",
            "a\"b\\c",
            "line\nfeed\r\t",
            "\u{1}\u{1f}\u{7f}\u{9b}",
            "grün ☎",
        ] {
            let mut out = String::new();
            append_string(text, &mut out);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
            assert!(!out.chars().any(char::is_control), "{out:?}");
        }
    }

    #[test]
    fn the_object_and_not_the_value_decides_between_text_and_hexadecimal() {
        let mib = Mib::builtin();
        let shown = |name: &str, octets: &[u8]| {
            let name = mib.resolve(name).unwrap();
            let value = ValueRef::OctetString(octets);
            let mut out = String::new();
            append_var_bind(&MachineVarBind::new(&mib, name.arcs(), value), &mut out);
            let json: serde_json::Value = serde_json::from_str(&out).unwrap();
            (json["value"].clone(), json["encoding"].clone())
        };
        let text = |text: &str| (text.into(), "text".into());
        let hexadecimal = |digits: &str| (digits.into(), "hex".into());
        assert_eq!(shown("ifDescr.1", b"eth0"), text("eth0"));
        assert_eq!(shown("ifDescr.1", &[b'a', 0xff]), text("a\u{fffd}"));
        assert_eq!(
            shown("ifPhysAddress.1", b"Z=c\"O@"),
            hexadecimal("5a3d63224f40")
        );
        assert_eq!(shown("ifPhysAddress.1", &[2, 0]), hexadecimal("0200"));
        // Nothing says that this is text.
        assert_eq!(shown("enterprises.9.1", b"text"), hexadecimal("74657874"));
    }
}
