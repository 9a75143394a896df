//! What to write instead of what the reader of TOML did not understand.

use std::ops::Range;

use super::may_hold_secret;

/// What a build without the feature `experiments` says of what only a build with it has.
#[cfg(not(feature = "experiments"))]
pub const NO_EXPERIMENTS: &str =
    "this build has no experiments; cargo install varbind-cli --features experiments";
/// Keys that a build with the feature has.
#[cfg(not(feature = "experiments"))]
const EXPERIMENTS: [&str; 2] = ["compression", "dictionary-sessions"];

/// The message for the person who wrote the text. A value that has a wrong type is not in it: it may be a secret that was
/// written in a wrong place.
pub(super) fn message(message: &str, text: &str, span: Option<&Range<usize>>) -> String {
    if let Some(advice) = unknown_key(message) {
        return advice;
    }
    let Some(short) = without_value(message) else {
        return message.to_owned();
    };
    match span.and_then(|span| list(message, text, span)) {
        Some(advice) => format!("{short}: {advice}"),
        None => short,
    }
}

fn without_value(message: &str) -> Option<String> {
    let kind = ["invalid type", "invalid value"]
        .into_iter()
        .find(|kind| message.starts_with(kind))?;
    let expected = message.get(message.rfind(", expected ")?..)?;
    Some(kind.to_owned() + expected)
}

/// Names the key that was meant, or else all that there are.
fn unknown_key(message: &str) -> Option<String> {
    let mut names = message
        .strip_prefix("unknown field ")?
        .split('`')
        .skip(1)
        .step_by(2);
    let written = names.next()?;
    #[cfg(not(feature = "experiments"))]
    if EXPERIMENTS.contains(&written) {
        return Some(format!("key {written}: {NO_EXPERIMENTS}"));
    }
    let known: Vec<_> = names.collect();
    let limit = (written.len() / 3).clamp(1, 3);
    let distances = known.iter().map(|known| (distance(written, known), known));
    let nearest = distances.min().filter(|(distance, _)| *distance <= limit);
    Some(match (nearest, &known[..]) {
        (Some((_, nearest)), _) => format!("unknown key {written}; did you mean {nearest}?"),
        (None, []) => format!("unknown key {written}: this table has no keys"),
        (None, known) => format!(
            "unknown key {written}; the keys here are {}",
            known.join(", ")
        ),
    })
}

/// How to write a list where one value was written.
fn list(message: &str, text: &str, span: &Range<usize>) -> Option<String> {
    if !message.ends_with("expected a sequence") {
        return None;
    }
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..)?.lines().next()?;
    if let Some(name) = line.trim().strip_prefix('[') {
        let name = name.split(']').next()?.trim();
        return Some(format!("write [[{name}]], as there may be several"));
    }
    let (key, _) = line.split_once('=')?;
    if may_hold_secret(text, start) {
        return Some(format!("write {} = [..]", key.trim()));
    }
    Some(format!(
        "write {} = [{}]",
        key.trim(),
        text.get(span.clone())?
    ))
}

/// The edits (insert, delete, replace) that lead from one to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, octet) in from.bytes().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        let mut next = vec![left];
        for (other, &up) in to.bytes().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(octet != other))
                .min(up + 1)
                .min(left + 1);
            next.push(left);
            diagonal = up;
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (from, to, edits) in [
            ("listen", "listen", 0),
            ("liste", "listen", 1),
            ("locaton", "location", 1),
            ("kitten", "sitting", 3),
            ("", "abc", 3),
        ] {
            assert_eq!(distance(from, to), edits, "{from} {to}");
        }
    }
}
