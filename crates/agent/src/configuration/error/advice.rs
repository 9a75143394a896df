//! What to write instead of text that the reader of TOML rejects.

use serde::de::DeserializeOwned;

use super::rewrite::rewrite;
use super::written::Written;

/// What a build without the feature `experiments` says of what only a build with it has.
#[cfg(not(feature = "experiments"))]
pub const NO_EXPERIMENTS: &str =
    "this build has no experiments; cargo install varbind-cli --features experiments";
/// Keys that a build with the feature has.
#[cfg(not(feature = "experiments"))]
const EXPERIMENTS: [&str; 2] = ["compression", "dictionary-sessions"];

/// The message of an error in the text of a `D`, with what to write instead where that is known.
///
/// A value that has a wrong type is not in it: it may be a secret that was written in a wrong place.
#[must_use]
pub fn toml_message<D: DeserializeOwned>(error: &toml::de::Error, text: &str) -> String {
    let message = error.message();
    let written = error.span().and_then(|span| Written::at(text, &span));
    let written = written.as_ref();
    unknown_key(message)
        .or_else(|| missing_key(message))
        .or_else(|| unknown_value(message, written))
        .or_else(|| wrong_table::<D>(message, written?))
        .or_else(|| wrong_type::<D>(message, written))
        .unwrap_or_else(|| message.to_owned())
}

/// Names the key that was meant, or else all that there are.
fn unknown_key(message: &str) -> Option<String> {
    let (written, known) = names(message, "unknown field ")?;
    #[cfg(not(feature = "experiments"))]
    if EXPERIMENTS.contains(&written) {
        return Some(format!("key {written}: {NO_EXPERIMENTS}"));
    }
    Some(match (nearest(written, &known), &known[..]) {
        (Some(nearest), _) => format!("unknown key {written}; did you mean {nearest}?"),
        (None, []) => format!("unknown key {written}: this table has no keys"),
        (None, known) => format!(
            "unknown key {written}; the keys here are {}",
            known.join(", ")
        ),
    })
}

fn missing_key(message: &str) -> Option<String> {
    let key = message.strip_prefix("missing field `")?.strip_suffix('`')?;
    Some(format!("missing key {key}: add {key} = .. to this table"))
}

fn unknown_value(message: &str, written: Option<&Written<'_>>) -> Option<String> {
    let (value, known) = names(message, "unknown variant ")?;
    let known = distinct(&known);
    let values = list(&known);
    let key = written.and_then(|written| written.key);
    let key = key.map_or_else(String::new, |key| format!(" of {key}"));
    if let Some(nearest) = nearest(value, &known) {
        return Some(format!(
            "unknown value {value:?}{key}; did you mean {nearest:?}? The values are {values}"
        ));
    }
    let value = match written {
        Some(written) if written.may_be_secret => String::new(),
        _ => format!(" {value:?}"),
    };
    Some(format!("unknown value{value}{key}: write one of {values}"))
}

/// One table where there may be several, several where there may be one, or a value in place of a table.
fn wrong_table<D: DeserializeOwned>(message: &str, written: &Written<'_>) -> Option<String> {
    let (_, expected) = expectation(message)?;
    if let Some(name) = written.table() {
        let (header, why) = match written.line.starts_with("[[") {
            true => (format!("[{name}]"), "there is only one"),
            false => (format!("[[{name}]]"), "there may be several"),
        };
        keys::<D>(&header)?;
        return Some(format!("wrong header: write {header}, as {why}"));
    }
    if expected != "a sequence" && !expected.starts_with("struct ") {
        return None;
    }
    let key = written.key?;
    let path = written.path(key);
    let headers = [format!("[{path}]"), format!("[[{path}]]")];
    let (keys, header) = headers
        .into_iter()
        .find_map(|header| Some((keys::<D>(&header)?, header)))?;
    Some(format!(
        "{key} is a table: write {header} on a line of its own, with its keys below it: {}",
        keys.join(", ")
    ))
}

fn wrong_type<D: DeserializeOwned>(message: &str, written: Option<&Written<'_>>) -> Option<String> {
    // An enum, in the words of the reader.
    if message == "wanted string or table" {
        let values = values::<D>(written?)?;
        return Some(format!("invalid type: write one of {values}"));
    }
    let (kind, expected) = expectation(message)?;
    let value = written.filter(|written| written.table().is_none());
    let (expected, value) = rewrite(expected, value.map(Written::value));
    let advice = written
        .zip(value)
        .map(|(written, value)| match written.key {
            Some(key) => format!(": write {key} = {value}"),
            None => format!(": write {value}"),
        });
    Some(format!(
        "{kind}, expected {expected}{}",
        advice.unwrap_or_default()
    ))
}

/// What is wrong with a value, and what is expected instead of it.
fn expectation(message: &str) -> Option<(&str, &str)> {
    let kind = ["invalid type", "invalid value"]
        .into_iter()
        .find(|kind| message.starts_with(kind))?;
    let (_, expected) = message.rsplit_once(", expected ")?;
    Some((kind, expected))
}

/// The keys of a table, if a `D` may have this table.
fn keys<D: DeserializeOwned>(header: &str) -> Option<Vec<String>> {
    let error = toml::from_str::<D>(&format!("{header}\n\"\" = 0\n")).err()?;
    let (_, known) = names(error.message(), "unknown field ")?;
    Some(known.into_iter().map(str::to_owned).collect())
}

/// The values of a key, if only some texts are values of it.
fn values<D: DeserializeOwned>(written: &Written<'_>) -> Option<String> {
    let text = format!("{}\n{} = \"\"\n", written.header, written.key?);
    let error = toml::from_str::<D>(&text).err()?;
    let (_, known) = names(error.message(), "unknown variant ")?;
    Some(list(&distinct(&known)))
}

/// The unknown name and the known ones that a message has in backticks.
fn names<'m>(message: &'m str, kind: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let mut names = message.strip_prefix(kind)?.split('`').skip(1).step_by(2);
    Some((names.next()?, names.collect()))
}

fn list(values: &[&str]) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
    values.join(", ")
}

/// Each name in one spelling only: the last one.
fn distinct<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let others = |at: usize| names.iter().skip(at + 1);
    let all = names.iter().enumerate();
    all.filter(|(at, name)| !others(*at).any(|other| letters(other) == letters(name)))
        .map(|(_, name)| *name)
        .collect()
}

/// The known name that is nearest to a wrong one, if one is near.
fn nearest<'n>(written: &str, known: &[&'n str]) -> Option<&'n str> {
    let written = letters(written);
    let limit = (written.len() / 3).min(3);
    let distances = known
        .iter()
        .map(|known| (strsim::osa_distance(&written, &letters(known)), *known));
    let nearest = distances.min().filter(|(distance, _)| *distance <= limit);
    nearest.map(|(_, nearest)| nearest)
}

/// What two spellings of a name have in common.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
