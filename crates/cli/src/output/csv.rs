use varbind_mib::{MachineVarBind, RawValue};

use super::json::append_hexadecimal;

/// Appends a field, in quotes where it needs them (RFC 4180 section 2).
pub(crate) fn append_field(text: &str, out: &mut String) {
    if !text.contains([',', '"', '\n', '\r']) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for (at, part) in text.split('"').enumerate() {
        if at > 0 {
            out.push_str("\"\"");
        }
        out.push_str(part);
    }
    out.push('"');
}

/// Appends text of an agent: control characters that a terminal would obey become U+FFFD.
pub(crate) fn append_characters(text: &str, out: &mut String) {
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    append_field(&text.replace(is_obeyed, "\u{fffd}"), out);
}

/// Appends octets in hexadecimal behind `0x`.
pub(crate) fn append_octets(octets: &[u8], out: &mut String) {
    out.push_str("0x");
    append_hexadecimal(octets, out);
}

pub(crate) const HEADER: &str = "name,oid,type,value,display,units\n";

/// Appends a variable binding as a line.
pub(crate) fn append_var_bind(var_bind: &MachineVarBind, out: &mut String) {
    append_field(&var_bind.name, out);
    for text in [&var_bind.oid, var_bind.value_type] {
        out.push(',');
        out.push_str(text);
    }
    out.push(',');
    match &var_bind.value {
        RawValue::None => {}
        RawValue::Signed(number) => out.push_str(&number.to_string()),
        RawValue::Unsigned(number) => out.push_str(&number.to_string()),
        RawValue::Float(number) => out.push_str(&number.to_string()),
        RawValue::Text(text) => out.push_str(text),
        RawValue::Characters(text) => append_characters(text, out),
        RawValue::Octets(octets) => append_octets(octets, out),
    }
    out.push(',');
    append_field(&var_bind.shown, out);
    out.push(',');
    append_field(var_bind.units.as_deref().unwrap_or_default(), out);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_an_agent_has_nothing_that_a_terminal_obeys() {
        let mut out = String::new();
        append_characters("a\u{1b}[2J\u{9b}b\tc", &mut out);
        assert_eq!(out, "a\u{fffd}[2J\u{fffd}b\tc");
    }

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        for (text, field) in [
            ("plain text", "plain text"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            let mut out = String::new();
            append_field(text, &mut out);
            assert_eq!(out, field);
        }
    }
}
