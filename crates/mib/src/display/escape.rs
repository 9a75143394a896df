//! Text of peers on one line.

use std::borrow::Cow;

/// Text that a peer chose, on one line: line breaks become `\n` and `\r`, vertical tabs and form feeds `\v` and `\f`, and
/// other characters that steer a terminal, or turn its text round, become dots.
///
/// ```
/// use varbind_mib::escape_controls;
/// assert_eq!(escape_controls("eth0\nsysName.0 = x\u{1b}[2J"), "eth0\\nsysName.0 = x.[2J");
/// ```
#[must_use]
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(|character| is_break(character) || is_unsafe(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\x0b' => escaped.push_str("\\v"),
            '\x0c' => escaped.push_str("\\f"),
            other if is_unsafe(other) => escaped.push('.'),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

const fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\x0b' | '\x0c' | '\r')
}

/// Whether a character is neither text nor white space: a control character (C0, C1), a separator of lines or paragraphs, or one
/// that changes the direction of text.
pub(crate) fn is_unsafe(character: char) -> bool {
    let is_control = character.is_control() && character != '\t' && !is_break(character);
    is_control
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_or_begins_a_line_is_escaped() {
        for (text, expected) in [
            ("Gr\u{fc}n\t\u{260e}", "Gr\u{fc}n\t\u{260e}"),
            ("a\r\nb", "a\\r\\nb"),
            ("a\x0bb\x0cc", "a\\vb\\fc"),
            ("\0\x07\x08\x1b[31m\x7f", "....[31m."),
            ("\u{85}\u{9b}2J", "..2J"),
            ("\u{2028}\u{202e}\u{2066}", "..."),
        ] {
            assert_eq!(escape_controls(text), expected);
        }
    }

    #[test]
    fn nothing_that_is_escaped_is_left() {
        for character in '\0'..='\u{2100}' {
            let text = character.to_string();
            let escaped = escape_controls(&text);
            assert!(!escaped.contains(|c: char| is_break(c) || is_unsafe(c)));
        }
    }
}
