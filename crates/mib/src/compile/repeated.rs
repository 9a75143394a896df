//! Definitions of a name that a module has defined before. Other tools take the first definition.

use std::collections::HashSet;
use std::ops::Range;

/// A definition that is not the first of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repeated {
    pub(super) name: String,
    /// Where it stands in the file, from its name to the brace behind its value.
    pub(super) range: Range<usize>,
}

/// The macros by which a name gets an OBJECT IDENTIFIER.
const MACROS: [&[u8]; 8] = [
    b"MODULE-IDENTITY",
    b"OBJECT-IDENTITY",
    b"OBJECT-TYPE",
    b"NOTIFICATION-TYPE",
    b"OBJECT-GROUP",
    b"NOTIFICATION-GROUP",
    b"MODULE-COMPLIANCE",
    b"AGENT-CAPABILITIES",
];

/// Finds definitions of names that were defined before in the same module.
pub(super) fn repeated_definitions(content: &[u8]) -> Vec<Repeated> {
    let tokens: Vec<Token<'_>> = Tokens { content, at: 0 }.collect();
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |token| token.text);
    let mut known = HashSet::new();
    let mut repeated = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if text(at) == b"DEFINITIONS" {
            known.clear();
        }
        let is_name = text(at).first().is_some_and(u8::is_ascii_lowercase);
        let value = match (text(at + 1), text(at + 2), text(at + 3)) {
            (b"OBJECT", b"IDENTIFIER", b"::=") => Some(at + 3),
            (word, ..) if MACROS.contains(&word) => {
                (at + 2..tokens.len()).find(|&at| text(at) == b"::=")
            }
            _ => None,
        };
        let end = value
            .filter(|&value| is_name && text(value + 1) == b"{")
            .and_then(|value| (value..tokens.len()).find(|&at| text(at) == b"}"));
        let (Some(end), Some(first)) = (end, tokens.get(at)) else {
            at += 1;
            continue;
        };
        if !known.insert(first.text) {
            repeated.push(Repeated {
                name: String::from_utf8_lossy(first.text).into_owned(),
                range: first.start
                    ..tokens
                        .get(end)
                        .map_or(content.len(), |brace| brace.start + 1),
            });
        }
        at = end;
    }
    repeated
}

/// The file without these definitions, with everything else in its place.
pub(super) fn without(mut content: Vec<u8>, repeated: &[Repeated]) -> Vec<u8> {
    for definition in repeated {
        let octets = content.get_mut(definition.range.clone());
        for octet in octets.into_iter().flatten() {
            if !octet.is_ascii_whitespace() {
                *octet = b' ';
            }
        }
    }
    content
}

struct Token<'c> {
    text: &'c [u8],
    start: usize,
}

/// The words and signs of a module, without comments and strings.
struct Tokens<'c> {
    content: &'c [u8],
    at: usize,
}

impl<'c> Tokens<'c> {
    fn rest(&self) -> &'c [u8] {
        self.content.get(self.at..).unwrap_or_default()
    }

    /// Passes over white space, comments and strings.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let length = match rest {
                [b'-', b'-', ..] => comment_length(rest),
                [b'"', text @ ..] => 2 + position(text, b'"'),
                [octet, ..] if octet.is_ascii_whitespace() => 1,
                _ => return,
            };
            self.at += length;
        }
    }
}

/// The place of an octet, or the length without it.
fn position(text: &[u8], wanted: u8) -> usize {
    let found = text.iter().position(|&octet| octet == wanted);
    found.unwrap_or(text.len())
}

/// A comment ends with its line or at the next two hyphens (X.680 section 12.6), unless there are more than two.
fn comment_length(text: &[u8]) -> usize {
    let line = position(text, b'\n');
    let inside = text.get(2..line).unwrap_or_default();
    let closing = inside.windows(2).position(|pair| pair == b"--");
    match closing {
        Some(at) if !inside.contains(&b'"') && at > 0 => at + 4,
        _ => line,
    }
}

impl<'c> Iterator for Tokens<'c> {
    type Item = Token<'c>;

    fn next(&mut self) -> Option<Token<'c>> {
        self.skip();
        let rest = self.rest();
        let is_part = |octet: &&u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_');
        let length = match rest {
            [] => return None,
            [b':', b':', b'=', ..] => 3,
            rest => rest.iter().take_while(is_part).count().max(1),
        };
        let token = Token {
            text: rest.get(..length)?,
            start: self.at,
        };
        self.at += length;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let repeated = repeated_definitions(text.as_bytes()).into_iter();
        repeated.map(|definition| definition.name).collect()
    }

    #[test]
    fn the_second_definition_of_a_name_is_found() {
        let text = "A DEFINITIONS ::= BEGIN
            a OBJECT IDENTIFIER ::= { iso 3 }
            -- a OBJECT IDENTIFIER ::= { iso 4 }
            b OBJECT-TYPE SYNTAX OBJECT IDENTIFIER DESCRIPTION \"a OBJECT IDENTIFIER ::= { x }\" ::= { a 1 }
            Entry ::= SEQUENCE { a OBJECT IDENTIFIER, b INTEGER }
            a OBJECT IDENTIFIER ::= { iso 5 }
            END
            B DEFINITIONS ::= BEGIN a OBJECT IDENTIFIER ::= { iso 6 } END";
        assert_eq!(names(text), ["a"]);
        let repeated = repeated_definitions(text.as_bytes());
        let left = without(text.as_bytes().to_vec(), &repeated);
        let left = String::from_utf8(left).expect("text");
        assert_eq!(left.len(), text.len());
        assert_eq!(left.lines().count(), text.lines().count());
        assert!(left.contains("iso 3") && !left.contains("iso 5") && left.contains("iso 6"));
        assert!(names(&left).is_empty());
    }

    #[test]
    fn unfinished_text_has_no_definition() {
        for text in [
            "",
            "a OBJECT-TYPE",
            "a OBJECT IDENTIFIER ::= {",
            "\"",
            "--",
            "a a a ::=",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
