use std::fmt::Write;

use varbind_mib::{MachineVarBind, RawValue};

/// Appends a string in quotes.
pub(crate) fn append_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, octet) in text.bytes().enumerate() {
        if octet >= 0x20 && octet != b'"' && octet != b'\\' {
            continue;
        }
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        match octet {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(octet));
            }
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => append_formatted(out, format_args!("\\u{control:04x}")),
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

/// Writing into a string does not fail.
fn append_formatted(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}

/// Octets as the text that they are, if they are text.
pub(super) fn as_text(octets: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(octets).ok()?;
    let prints = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    text.chars().all(prints).then_some(text)
}

pub(super) fn append_hexadecimal(octets: &[u8], out: &mut String) {
    for octet in octets {
        append_formatted(out, format_args!("{octet:02x}"));
    }
}

/// Appends a value: a number, a string, or null; octets that are no text in hexadecimal.
pub(crate) fn append_raw_value(value: &RawValue, out: &mut String) {
    match value {
        RawValue::Signed(number) => append_formatted(out, format_args!("{number}")),
        RawValue::Unsigned(number) => append_formatted(out, format_args!("{number}")),
        RawValue::Float(number) if number.is_finite() => {
            append_formatted(out, format_args!("{number}"));
        }
        // JSON has no infinity.
        RawValue::Float(_) | RawValue::None => out.push_str("null"),
        RawValue::Text(text) => append_string(text, out),
        RawValue::Octets(octets) => match as_text(octets) {
            Some(text) => append_string(text, out),
            None => {
                out.push('"');
                append_hexadecimal(octets, out);
                out.push('"');
            }
        },
    }
}

/// Appends a variable binding as an object.
pub(crate) fn append_var_bind(var_bind: &MachineVarBind, out: &mut String) {
    for (key, text) in [
        ("{\"name\":", var_bind.name.as_str()),
        (",\"oid\":", &var_bind.oid),
        (",\"type\":", var_bind.value_type),
    ] {
        out.push_str(key);
        append_string(text, out);
    }
    out.push_str(",\"value\":");
    append_raw_value(&var_bind.value, out);
    if let RawValue::Octets(octets) = &var_bind.value {
        out.push_str(",\"encoding\":");
        let is_text = as_text(octets).is_some();
        append_string(if is_text { "text" } else { "hex" }, out);
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
    use super::*;

    #[test]
    fn strings_are_read_back_by_a_json_parser() {
        for text in [
            "",
            "plain",
            "a\"b\\c",
            "line\nfeed\r\t",
            "\u{1}\u{1f}",
            "grün ☎",
        ] {
            let mut out = String::new();
            append_string(text, &mut out);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn octets_that_are_no_text_are_hexadecimal() {
        let shown = |octets: &[u8]| {
            let mut out = String::new();
            append_raw_value(&RawValue::Octets(octets.to_vec()), &mut out);
            out
        };
        assert_eq!(shown(b"eth0"), "\"eth0\"");
        assert_eq!(shown(&[2, 0, 0xff]), "\"0200ff\"");
        assert_eq!(shown(&[0xc3, 0x28]), "\"c328\"");
    }
}
