//! Targets of notifications and what is watched: trapsink and its kin, trapsess, monitor.

use super::Outcome;
use super::access::{self, numbers};
use super::directives::Directive;
use super::document::{Draft, origin, quoted};
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

/// Options of snmptrap(1), each with its argument.
#[derive(Default)]
struct SessionOptions<'a> {
    version: Option<&'a str>,
    community: Option<&'a str>,
    is_inform: bool,
    user: Option<&'a str>,
    authentication: (Option<&'a str>, Option<&'a str>),
    privacy: (Option<&'a str>, Option<&'a str>),
    host: Option<&'a str>,
}

impl<'a> SessionOptions<'a> {
    fn parse(words: &'a [String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let Some((letter, rest)) = option(word) else {
                if options.host.replace(word).is_some() {
                    return Err("expected one host".to_owned());
                }
                continue;
            };
            let argument = match rest {
                "" => words.next().unwrap_or_default(),
                rest => rest,
            };
            let place = match letter {
                'v' => &mut options.version,
                'c' => &mut options.community,
                'u' => &mut options.user,
                'a' => &mut options.authentication.0,
                'A' => &mut options.authentication.1,
                'x' => &mut options.privacy.0,
                'X' => &mut options.privacy.1,
                'C' if argument == "i" => {
                    options.is_inform = true;
                    continue;
                }
                // The level follows from the keys; informs find the engine of their target; the rest adapts itself.
                'l' | 'e' | 'r' | 't' => continue,
                _ => return Err(format!("-{letter} is not carried over: {SESSION}")),
            };
            *place = Some(argument);
        }
        Ok(options)
    }
}

const SESSION: &str = "write the target as [[notification-target]]";

/// The letter of an option, and what stands behind it in the same word.
fn option(word: &str) -> Option<(char, &str)> {
    let mut characters = word.strip_prefix('-')?.chars();
    Some((characters.next()?, characters.as_str()))
}

/// trapsess: [OPTIONS OF SNMPTRAP] HOST.
pub(super) fn session(draft: &mut Draft, directive: &Directive) -> Outcome {
    let options = match SessionOptions::parse(&directive.words) {
        Ok(options) => options,
        Err(message) => return Outcome::Noted(message),
    };
    let Some(host) = options.host else {
        return noted("no target is named");
    };
    let (version, credentials) = match options.version.unwrap_or("3") {
        "1" if options.is_inform => return noted("SNMPv1 has no informs"),
        "1" => ("v1", community(draft, options.community)),
        "2c" | "2" => ("v2c", community(draft, options.community)),
        "3" => match user(draft, &options) {
            Ok(credentials) => ("v3", credentials),
            Err(message) => return Outcome::Noted(message),
        },
        other => return noted(format!("{other} is no version")),
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

/// The user of a target, who is made with the keys of the line, but may do nothing here.
fn user(draft: &mut Draft, options: &SessionOptions<'_>) -> Result<String, String> {
    let name = options.user.ok_or("-u is missing, the user")?;
    let keys = access::keys(options.authentication, options.privacy)?;
    let user = draft.user(name);
    if !user.is_created {
        user.is_created = true;
        (user.authentication, user.privacy) = keys;
    }
    let key = user.authentication.as_ref();
    if options.is_inform && key.is_some_and(|key| key.is_localized) {
        return Err(format!(
            "the key that snmpd keeps for {name} is good for this agent alone, and informs need the target's: write the user \
             with a password"
        ));
    }
    Ok(format!("user = {}\n", quoted(name)))
}

/// How often snmpd looks at what it watches.
const INTERVAL: u32 = 600;
const TESTS: &str = "write what is watched as [[monitor]], with a test as \"> 100\"";

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
