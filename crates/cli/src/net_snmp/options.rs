//! The letters behind -O, -I, -L and -P, and the usage.

use varbind_mib::{NameStyle, OutputOptions, StringStyle};

use super::getopt::GetOpt;
use super::names::InputOptions;
use super::tool::Tool;

/// The version of Net-SNMP whose words these are, which scripts ask for.
pub(super) const VERSION: &str = "NET-SNMP version: 5.9.3";

const OPTIONS: &str = "
OPTIONS, as of Net-SNMP's tools:
  -h, -V             this help, the version
  -v 1|2c|3          version of SNMP (default 3)
  -c COMMUNITY       community of SNMPv1 and v2c
  -u NAME -l LEVEL -n CONTEXT -e ENGINE-ID -E ENGINE-ID -Z BOOTS,TIME   user of SNMPv3
  -a PROTOCOL -A PASSPHRASE -x PROTOCOL -X PASSPHRASE -3[kKmM] KEY      its secrets
  -r RETRIES -t SECONDS   for each request
  -m MODULES -M DIRECTORIES   names that are known
  -O LETTERS         output    0abeEfnqQsStTuUvxX, p PRECISION
  -I LETTERS         input     bhrRu, s SUFFIX, S PREFIX
  -L LETTER          messages  e, o, n, f FILE
  -C LETTERS         options of the tool
  --TOKEN=VALUE      a line of snmp.conf
This is varbind: varbind help lists its own commands.
";

/// How a tool is called.
pub(super) fn usage(tool: Tool) -> String {
    let (name, operands) = (tool.name(), tool.operands());
    format!("USAGE: {name} [OPTIONS] {operands}\n{OPTIONS}")
}

/// Takes the letters behind -O; each turns its option round. The first that is not known is returned.
pub(super) fn apply_output(
    letters: &str,
    words: &mut GetOpt<'_>,
    output: &mut OutputOptions,
) -> Option<char> {
    for (at, letter) in letters.char_indices() {
        let place = match letter {
            '0' => &mut output.two_digit_hexadecimal,
            'b' => &mut output.numeric_indexes,
            'e' => &mut output.numeric_enumerations,
            'E' => &mut output.escape_quotes,
            'q' => &mut output.quick,
            't' => &mut output.numeric_time_ticks,
            'T' => &mut output.hexadecimal_with_text,
            'U' => &mut output.without_units,
            'v' => &mut output.values_only,
            'X' => &mut output.extended_indexes,
            'Q' => {
                output.quick_with_equals = true;
                &mut output.quick
            }
            _ => {
                match letter {
                    'a' => output.strings = StringStyle::Ascii,
                    'x' => output.strings = StringStyle::Hexadecimal,
                    'f' => output.names = NameStyle::Full,
                    'n' => output.names = NameStyle::Numeric,
                    's' => output.names = NameStyle::Suffix,
                    'S' => output.names = NameStyle::Module,
                    'u' => output.names = NameStyle::Ucd,
                    'p' => {
                        // The precision of floating point numbers, of which there are hardly any.
                        if at + 1 == letters.len() {
                            let _ = words.take_word();
                        }
                        return None;
                    }
                    _ => return Some(letter),
                }
                continue;
            }
        };
        *place = !*place;
    }
    None
}

/// Takes the letters behind -I. The first that is not known is returned.
pub(super) fn apply_input(
    letters: &str,
    words: &mut GetOpt<'_>,
    input: &mut InputOptions,
) -> Option<char> {
    for (at, letter) in letters.char_indices() {
        match letter {
            'b' => input.best_match = !input.best_match,
            'R' => input.random = !input.random,
            'r' => input.no_range_check = !input.no_range_check,
            'u' => input.ucd = !input.ucd,
            // Values by a display hint are read as they come without it.
            'h' => {}
            's' | 'S' => {
                let text = match letters.get(at + 1..) {
                    Some(text) if !text.is_empty() => text.to_owned(),
                    _ => words.take_word().unwrap_or_default(),
                };
                match letter {
                    's' => input.suffix = text,
                    _ => input.prefix = text,
                }
                return None;
            }
            _ => return Some(letter),
        }
    }
    None
}

/// The first letter behind -P that is not known; the others concern the parser of modules there.
pub(super) fn unknown_parser_letter(letters: &str) -> Option<char> {
    letters.chars().find(|letter| !"ucewWdR0".contains(*letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(letters: &[&str]) -> (OutputOptions, Option<char>) {
        let mut options = OutputOptions::default();
        let mut words = GetOpt::new(&[], "", false);
        let unknown = letters
            .iter()
            .find_map(|letters| apply_output(letters, &mut words, &mut options));
        (options, unknown)
    }

    #[test]
    fn letters_turn_options_round() {
        let (options, _) = output(&["nqv", "v"]);
        assert_eq!(options.names, NameStyle::Numeric);
        assert!(options.quick && !options.values_only);
        assert_eq!(output(&["nZ"]).1, Some('Z'));
        assert_eq!(output(&["p2"]).1, None);
    }

    #[test]
    fn affixes_take_the_rest_or_the_next_word() {
        let next = ["0".to_owned()];
        for (letters, suffix) in [("s.0", ".0"), ("s", "0")] {
            let mut input = InputOptions::default();
            let mut words = GetOpt::new(&next, "", false);
            assert_eq!(apply_input(letters, &mut words, &mut input), None);
            assert_eq!(input.suffix, suffix);
        }
    }
}
