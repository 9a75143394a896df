//! The letters behind `-C` and `-3` of Net-SNMP's tools that our commands have.

use std::ffi::OsString;

use varbind_terminal::arguments::net_snmp_letters::{self, Letter, Value};

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

const NETSTAT: &[Letter] = &[
    Letter('a', "--all", Value::Nothing),
    Letter('i', "--interfaces", Value::Nothing),
    Letter('r', "--routes", Value::Nothing),
    Letter('s', "--statistics", Value::Nothing),
];

/// The keys of Net-SNMP's `-3`, for all commands that speak to an agent.
const KEYS: &[Letter] = &[
    Letter('k', "--auth-key", Value::Text),
    Letter('K', "--priv-key", Value::Text),
    Letter('m', "--auth-master-key", Value::Text),
    Letter('M', "--priv-master-key", Value::Text),
];

fn letters_of(command: &str) -> &'static [Letter] {
    match command {
        "get" | "getnext" => GET,
        "getbulk" => GET_BULK,
        "walk" | "bulkwalk" => WALK,
        "table" => TABLE,
        "netstat" => NETSTAT,
        _ => &[],
    }
}

/// Replaces `-3k 0x..` by `--auth-key=0x..`, and `-Cn1r10` by `--non-repeaters=1 --max-repetitions=10`.
pub(super) fn spell_out(words: Vec<OsString>) -> Vec<OsString> {
    let command = words.get(1).and_then(|word| word.to_str());
    let letters = letters_of(command.unwrap_or_default());
    let has_keys = !matches!(
        command,
        None | Some("agent" | "completions" | "man" | "mib" | "pki" | "translate")
    );
    net_snmp_letters::spell_out(words, letters, if has_keys { KEYS } else { &[] })
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
