//! Targets of notifications and what is watched: trapsink and its kin, trapsess, monitor.

use super::Outcome;
use super::access::numbers;
use super::directives::Directive;
use super::document::{Draft, origin, quoted};
use super::session_options::SessionOptions;
use super::translate::address;

/// What a target is sent.
struct Target<'a> {
    host: &'a str,
    port: u16,
    version: &'static str,
    kind: &'static str,
    /// Further lines of the table.
    credentials: String,
}

impl Target<'_> {
    fn write(&self, draft: &mut Draft, directive: &Directive) -> Outcome {
        let address = match address(self.host, "127.0.0.1", self.port) {
            Ok(address) => address,
            Err(message) => return Outcome::Noted(message),
        };
        draft.tables.push(format!(
            "{}[[notification-target]]\naddress = {}\nversion = \"{}\"\nkind = \"{}\"\n{}",
            origin(directive),
            quoted(&address),
            self.version,
            self.kind,
            self.credentials
        ));
        Outcome::Carried
    }
}

/// The community of a target, that of trapcommunity where none is named.
fn community(draft: &Draft, named: Option<&str>) -> String {
    let usual = draft.trap_community.as_deref().unwrap_or("public");
    format!("community = {}\n", quoted(named.unwrap_or(usual)))
}

/// trapsink, trap2sink and informsink: HOST [COMMUNITY [PORT]].
pub(super) fn sink(
    draft: &mut Draft,
    directive: &Directive,
    version: &'static str,
    kind: &'static str,
) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str);
    let Some(host) = words.next() else {
        return noted("no target is named");
    };
    let credentials = community(draft, words.next());
    let port = words.next().and_then(|port| port.parse().ok());
    let target = Target {
        host,
        port: port.unwrap_or(162),
        version,
        kind,
        credentials,
    };
    target.write(draft, directive)
}

const SESSION: &str = "write the target as [[notification-target]]";

/// trapsess: [OPTIONS OF SNMPTRAP] HOST.
pub(super) fn session(draft: &mut Draft, directive: &Directive) -> Outcome {
    let options = match SessionOptions::parse(&directive.words, &["-Ci"], SESSION) {
        Ok(options) => options,
        Err(message) => return Outcome::Noted(message),
    };
    let host = match options.words[..] {
        [host] => host,
        [] => return noted("no target is named"),
        _ => return noted("expected one host"),
    };
    let (version, credentials) = match options.version.unwrap_or("3") {
        "1" if options.is_inform => return noted("SNMPv1 has no informs"),
        "1" => ("v1", community(draft, options.community)),
        "2c" | "2" => ("v2c", community(draft, options.community)),
        "3" => match options.user(draft, options.is_inform) {
            Ok(user) => ("v3", format!("user = {}\n", quoted(user))),
            Err(message) => return Outcome::Noted(message),
        },
        other => return noted(format!("{other} is not a version")),
    };
    let target = Target {
        host,
        port: 162,
        version,
        kind: if options.is_inform { "inform" } else { "trap" },
        credentials,
    };
    target.write(draft, directive)
}

/// How often snmpd looks at what it watches.
const INTERVAL: u32 = 600;
const TESTS: &str = "write watched objects as [[monitor]], with a test such as \"> 100\"";

/// monitor: [OPTIONS] NAME OID OPERATOR VALUE, or NAME OID MIN MAX.
pub(super) fn monitor(draft: &mut Draft, directive: &Directive) -> Outcome {
    let mut words = directive.words.iter().map(String::as_str).peekable();
    let (mut is_delta, mut interval) = (false, INTERVAL);
    let mut objects = Vec::new();
    while let Some(option) = words.next_if(|word| word.starts_with('-')) {
        match option {
            "-D" => is_delta = true,
            // One instance is told by its name; what fires at the start; in whose name the agent asks itself.
            "-I" | "-S" | "-s" => {}
            "-u" => drop(words.next()),
            "-r" => match words.next().and_then(seconds) {
                Some(seconds) => interval = seconds,
                None => return noted("expected a time behind -r"),
            },
            "-o" | "-i" => match numbers(words.next().unwrap_or_default()) {
                Ok(object) => objects.push(quoted(&object)),
                Err(message) => return Outcome::Noted(message),
            },
            _ => return noted(format!("{option} is not carried over: {TESTS}")),
        }
    }
    let rest: Vec<_> = words.collect();
    let (name, object, tests) = match rest[..] {
        [
            name,
            object,
            sign @ ("==" | "!=" | "<" | "<=" | ">" | ">="),
            number,
        ] => (name, object, vec![(sign, number)]),
        [name, object, least, most] => (name, object, vec![("<", least), (">", most)]),
        _ => return noted(TESTS),
    };
    let object = match numbers(object) {
        Ok(object) => object,
        Err(message) => return Outcome::Noted(message),
    };
    if tests
        .iter()
        .any(|(_, number)| number.parse::<i64>().is_err())
    {
        return noted(TESTS);
    }
    let has_many = tests.len() > 1;
    for (sign, number) in tests {
        // Names are told apart: one for what is too low, one for what is too high.
        let name = if has_many {
            format!("{name} {sign} {number}")
        } else {
            name.to_owned()
        };
        if !(1..=32).contains(&name.len()) {
            return noted("expected a name of at most 32 octets");
        }
        draft.tables.push(format!(
            "{}[[monitor]]\nname = {}\noid = {}\ntest = \"{sign} {number}\"\ndelta = {is_delta}\ninterval = \"{interval}s\"\n\
             objects = [{}]\n",
            origin(directive),
            quoted(&name),
            quoted(&object),
            objects.join(", ")
        ));
    }
    Outcome::Carried
}

/// A number with or without a unit, in seconds.
fn seconds(text: &str) -> Option<u32> {
    const UNITS: [(char, u32); 5] = [
        ('s', 1),
        ('m', 60),
        ('h', 3600),
        ('d', 86_400),
        ('w', 604_800),
    ];
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u32 = digits.parse().ok()?;
    let seconds = number.checked_mul(unit.map_or(1, |(_, factor)| *factor))?;
    (seconds > 0).then_some(seconds)
}

fn noted(message: impl Into<String>) -> Outcome {
    Outcome::Noted(message.into())
}
