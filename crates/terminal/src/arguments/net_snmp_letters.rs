//! The letters behind `-C` and `-3` of Net-SNMP's tools, spelled out as long options.

use std::ffi::OsString;

/// The argument of a letter.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// None: another letter follows, or the word ends.
    Nothing,
    /// Digits, right behind the letter or in the next word.
    Number,
    /// The rest of the word, or the next word.
    Text,
}

/// A letter, the long option that it stands for, and what follows it.
#[derive(Clone, Copy, Debug)]
pub struct Letter(pub char, pub &'static str, pub Value);

/// The letters behind `-3`, if the word is one of Net-SNMP's options for keys.
fn key_letters(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("-3")?;
    rest.starts_with(['k', 'K', 'm', 'M']).then_some(rest)
}

/// Replaces `-Cn1r10` by `--non-repeaters=1 --max-repetitions=10` as the letters of the command say, and `-3k 0x..` by
/// `--auth-key=0x..` as those of keys do. What is not known is left for the parser to refuse.
#[must_use]
pub fn spell_out(words: Vec<OsString>, letters: &[Letter], keys: &[Letter]) -> Vec<OsString> {
    if letters.is_empty() && keys.is_empty() {
        return words;
    }
    let mut spelled = Vec::with_capacity(words.len() + 4);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            spelled.push(word);
            break;
        }
        if !keys.is_empty()
            && let Some(rest) = word.to_str().and_then(key_letters)
        {
            spell_word(keys, rest, &mut words, &mut spelled);
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
