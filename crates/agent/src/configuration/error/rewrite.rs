//! How to write a value as one of the type that is expected.

type Rewrite = fn(&str) -> Option<String>;

/// How what the reader of TOML expects begins, the same in plain words where these are others, and how to write it.
const EXPECTED: [(&str, Option<&str>, Rewrite); 13] = [
    ("a sequence", Some("a list"), list),
    ("a boolean", Some("true or false"), boolean),
    ("a number with a unit", None, duration),
    ("a number", None, number),
    ("usize", Some("a number from 0"), number),
    ("a nonzero usize", Some("a number from 1"), number),
    ("u16", Some("a number from 0 to 65535"), number),
    ("a nonzero u16", Some("a number from 1 to 65535"), number),
    ("u32", Some("a number from 0 to 4294967295"), number),
    ("i32", Some("a number"), number),
    ("a string", None, quotation),
    ("path string", Some("a string with a path"), quotation),
    ("struct ", Some("a table"), |_| None),
];

/// Units that others have: how many of ours these are.
const UNITS: [(&str, u64, &str); 7] = [
    ("", 1, "s"),
    ("sec", 1, "s"),
    ("seconds", 1, "s"),
    ("m", 1, "min"),
    ("minutes", 1, "min"),
    ("d", 24, "h"),
    ("days", 24, "h"),
];

const BOOLEANS: [(&str, [&str; 4]); 2] = [
    ("true", ["true", "yes", "on", "1"]),
    ("false", ["false", "no", "off", "0"]),
];

/// What is expected in plain words, and the value written that way, if it can be.
pub(super) fn rewrite<'e>(expected: &'e str, value: Option<&str>) -> (&'e str, Option<String>) {
    let known = EXPECTED
        .iter()
        .find(|(beginning, ..)| expected.starts_with(*beginning));
    known.map_or((expected, None), |(_, plain, rewrite)| {
        (plain.unwrap_or(expected), value.and_then(rewrite))
    })
}

fn list(value: &str) -> Option<String> {
    Some(format!("[{value}]"))
}

fn boolean(value: &str) -> Option<String> {
    let word = unquoted(value).to_ascii_lowercase();
    let meant = BOOLEANS
        .iter()
        .find(|(_, words)| words.contains(&word.as_str()));
    Some(
        meant
            .map_or("true or false", |(meant, _)| *meant)
            .to_owned(),
    )
}

fn duration(value: &str) -> Option<String> {
    let text = unquoted(value);
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let written = text.get(digits.len()..)?;
    let number: u64 = digits.trim_end().parse().ok()?;
    let (_, factor, unit) = UNITS.iter().find(|(other, ..)| *other == written)?;
    Some(format!("\"{}{unit}\"", number.checked_mul(*factor)?))
}

fn number(value: &str) -> Option<String> {
    let digits = unquoted(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|octet| octet.is_ascii_digit());
    (is_number && digits != value).then(|| digits.to_owned())
}

/// Any text may be a secret: it is not repeated.
fn quotation(_: &str) -> Option<String> {
    Some("\"..\"".to_owned())
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\''])
}
