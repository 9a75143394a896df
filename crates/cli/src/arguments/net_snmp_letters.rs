//! The `-C` options of Net-SNMP's tools, spelled out as long options.

use std::ffi::OsString;

/// What follows a letter.
#[derive(Clone, Copy)]
enum Value {
    Nothing,
    /// Digits, right behind the letter or in the next word.
    Number,
    /// The rest of the word, or the next word.
    Text,
}

struct Letter(char, &'static str, Value);

const GET: &[Letter] = &[Letter('f', "--no-fix", Value::Nothing)];

const GET_BULK: &[Letter] = &[
    Letter('n', "--non-repeaters", Value::Number),
    Letter('r', "--max-repetitions", Value::Number),
];

const WALK: &[Letter] = &[
    Letter('B', "--get-next", Value::Nothing),
    Letter('c', "--tolerate-non-increasing", Value::Nothing),
    Letter('E', "--end", Value::Text),
    Letter('i', "--include-root", Value::Nothing),
    Letter('I', "--no-root-if-empty", Value::Nothing),
    Letter('n', "--non-repeaters", Value::Number),
    Letter('p', "--count", Value::Nothing),
    Letter('r', "--max-repetitions", Value::Number),
    Letter('t', "--time", Value::Nothing),
];

const TABLE: &[Letter] = &[
    Letter('b', "--brief", Value::Nothing),
    Letter('B', "--get-next", Value::Nothing),
    Letter('c', "--column-width", Value::Number),
    Letter('f', "--separator", Value::Text),
    Letter('h', "--header-only", Value::Nothing),
    Letter('H', "--no-header", Value::Nothing),
    Letter('i', "--index", Value::Nothing),
    Letter('l', "--left", Value::Nothing),
    Letter('r', "--max-repetitions", Value::Number),
    Letter('w', "--width", Value::Number),
];

/// The keys of Net-SNMP's `-3`, for all commands that speak to an agent.
const KEYS: &[Letter] = &[
    Letter('k', "--auth-key", Value::Text),
    Letter('K', "--priv-key", Value::Text),
    Letter('m', "--auth-master-key", Value::Text),
    Letter('M', "--priv-master-key", Value::Text),
];

/// The letters behind `-3`, if the word is one of Net-SNMP's options for keys.
fn key_letters(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("-3")?;
    rest.starts_with(['k', 'K', 'm', 'M']).then_some(rest)
}

fn letters_of(command: &str) -> &'static [Letter] {
    match command {
        "get" | "getnext" => GET,
        "getbulk" | "bench" => GET_BULK,
        "walk" | "bulkwalk" => WALK,
        "table" => TABLE,
        _ => &[],
    }
}

/// Replaces `-3k 0x..` by `--auth-key=0x..`, and `-Cn1r10` by `--non-repeaters=1 --max-repetitions=10`. What is not known is left for the parser to refuse.
pub(super) fn spell_out(words: Vec<OsString>) -> Vec<OsString> {
    let command = words.get(1).and_then(|word| word.to_str());
    let letters = letters_of(command.unwrap_or_default());
    let has_keys = !matches!(
        command,
        None | Some(
            "agent" | "bench" | "completions" | "echo" | "man" | "mib" | "pki" | "translate"
        )
    );
    if letters.is_empty() && !has_keys {
        return words;
    }
    let mut spelled = Vec::with_capacity(words.len() + 4);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            spelled.push(word);
            break;
        }
        if has_keys && let Some(rest) = word.to_str().and_then(key_letters) {
            spell_word(KEYS, rest, &mut words, &mut spelled);
            continue;
        }
        let Some(rest) = word
            .to_str()
            .and_then(|word| word.strip_prefix("-C"))
            .filter(|_| !letters.is_empty())
        else {
            spelled.push(word);
            continue;
        };
        let rest = if rest.is_empty() {
            words.next().and_then(|next| next.into_string().ok())
        } else {
            Some(rest.to_owned())
        };
        spell_word(
            letters,
            rest.as_deref().unwrap_or_default(),
            &mut words,
            &mut spelled,
        );
    }
    spelled.extend(words);
    spelled
}

fn spell_word(
    letters: &[Letter],
    word: &str,
    following: &mut impl Iterator<Item = OsString>,
    spelled: &mut Vec<OsString>,
) {
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        let Some(Letter(_, long, value)) = letters.iter().find(|known| known.0 == letter) else {
            spelled.push(format!("-C{letter}").into());
            continue;
        };
        let length = match value {
            Value::Nothing => {
                spelled.push((*long).into());
                continue;
            }
            Value::Number => rest.bytes().take_while(u8::is_ascii_digit).count(),
            Value::Text => rest.len(),
        };
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        let mut option = OsString::from(format!("{long}={text}"));
        if text.is_empty()
            && let Some(next) = following.next()
        {
            option.push(next);
        }
        spelled.push(option);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(line: &str) -> String {
        let words = spell_out(line.split(' ').map(OsString::from).collect());
        let words: Vec<_> = words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ")
    }

    #[test]
    fn letters_become_long_options() {
        for (short, long) in [
            (
                "varbind getbulk -Cn1 -Cr10 h o",
                "varbind getbulk --non-repeaters=1 --max-repetitions=10 h o",
            ),
            (
                "varbind getbulk -Cn1r10 h o",
                "varbind getbulk --non-repeaters=1 --max-repetitions=10 h o",
            ),
            (
                "varbind getbulk -C n1 h o",
                "varbind getbulk --non-repeaters=1 h o",
            ),
            (
                "varbind walk -CE 1.3.7 -Ciptn1 h",
                "varbind walk --end=1.3.7 --include-root --count --time --non-repeaters=1 h",
            ),
            (
                "varbind table -Cf , -Cibc20 h ifTable",
                "varbind table --separator=, --index --brief --column-width=20 h ifTable",
            ),
            (
                "varbind get -Cf h o -- -Cf",
                "varbind get --no-fix h o -- -Cf",
            ),
            (
                "varbind set -3k 0x01 -3K0x02 -3m 03 h o",
                "varbind set --auth-key=0x01 --priv-key=0x02 --auth-master-key=03 h o",
            ),
            ("varbind set h o i -3", "varbind set h o i -3"),
        ] {
            assert_eq!(spelled(short), long);
        }
    }

    #[test]
    fn what_is_unknown_stays() {
        assert_eq!(spelled("varbind walk -Cz h"), "varbind walk -Cz h");
        assert_eq!(spelled("varbind set -Cq h"), "varbind set -Cq h");
    }
}
