//! Programs that extend the agent.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use rustix::process::geteuid;
use varbind::transport::ssh::Account;

use super::document::Extend;
use super::error::Problem;
use super::value;
use crate::extensions::{Extension, ExtensionKind, Limits, Program, RunAs};

/// Names are indexes: of 128 sub-identifiers, 14 are taken by a column and the number of a line.
const LONGEST_NAME: usize = 64;
const INTERVAL: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(30);
const OUTPUT_LIMIT: usize = 65_536;
const MEMORY_LIMIT: u64 = 1 << 30;
/// Whose rights a program has that an agent of root starts, unless another user is named.
const UNPRIVILEGED: &str = "nobody";
const ROOT: u32 = 0;

pub(super) fn extensions(configured: Vec<Extend>) -> Result<Vec<Extension>, Problem> {
    let mut names = BTreeSet::new();
    configured
        .into_iter()
        .map(|extend| {
            let name = name(&extend)?;
            if !names.insert(name.clone()) {
                let message = format!("{name}: another [[extend]] has this name");
                return Err(Problem::at(extend.name.span(), message));
            }
            extension(name, extend)
        })
        .collect()
}

fn name(extend: &Extend) -> Result<String, Problem> {
    let name = extend.name.get_ref();
    if (1..=LONGEST_NAME).contains(&name.len()) {
        Ok(name.clone())
    } else {
        let message = format!("{name:?}: expected a name of 1 to {LONGEST_NAME} octets");
        Err(Problem::at(extend.name.span(), message))
    }
}

fn extension(name: String, extend: Extend) -> Result<Extension, Problem> {
    let time = |time: Option<toml::Spanned<value::Duration>>, default| match time {
        None => Ok(default),
        Some(time) if time.get_ref().0.is_zero() => {
            Err(Problem::at(time.span(), "expected a time above 0"))
        }
        Some(time) => Ok(time.get_ref().0),
    };
    let span = extend.command.span();
    let command = extend.command.into_inner();
    match command.first() {
        Some(program) if Path::new(program).is_absolute() => {}
        _ => {
            let message = "expected a program by its absolute path, then its arguments, as \
                [\"/usr/bin/uptime\", \"-p\"]; a shell is [\"/bin/sh\", \"-c\", \"...\"]";
            return Err(Problem::at(span, message));
        }
    }
    let program = Program {
        command,
        run_as: run_as(extend.user.as_ref())?,
        limits: Limits {
            time: time(extend.timeout, TIMEOUT)?,
            output: extend.output_limit.map_or(OUTPUT_LIMIT, |limit| limit.0),
            memory: extend
                .memory_limit
                .map_or(MEMORY_LIMIT, |limit| limit.0 as u64),
        },
    };
    Ok(Extension {
        name,
        kind: ExtensionKind::Program {
            program,
            interval: time(extend.interval, INTERVAL)?,
        },
    })
}

/// An agent of root gives its programs an unprivileged user; another agent can give them its own alone.
fn run_as(user: Option<&toml::Spanned<String>>) -> Result<Option<RunAs>, Problem> {
    let is_root = geteuid().as_raw() == ROOT;
    let (name, span) = match user {
        Some(user) => (user.get_ref().as_str(), Some(user.span())),
        None if is_root => (UNPRIVILEGED, None),
        None => return Ok(None),
    };
    let problem = |message: String| match span.clone() {
        Some(span) => Problem::at(span, message),
        None => Problem::anywhere(message),
    };
    let account = Account::named(name)
        .map_err(|error| problem(format!("user {name:?}: {error}")))?
        .ok_or_else(|| {
            problem(format!(
                "there is no user {name:?} to run the programs of [[extend]]: name one with user"
            ))
        })?;
    if !is_root && account.uid != geteuid().as_raw() {
        let message = format!("{name}: only an agent of root can run programs as another user");
        return Err(problem(message));
    }
    Ok(is_root.then_some(RunAs {
        uid: account.uid,
        gid: account.gid,
    }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::Configuration;

    fn parse(text: &str) -> Result<Vec<Extension>, String> {
        let configuration = Configuration::parse_in(text, Path::new("/etc/varbind"));
        let configuration = configuration.map_err(|error| error.to_string())?;
        Ok(configuration.extensions)
    }

    const UPTIME: &str = "[[extend]]\nname = \"up\"\ncommand = [\"/usr/bin/uptime\", \"-p\"]\n";

    #[test]
    fn an_extension_has_defaults() {
        let found = parse(UPTIME).unwrap();
        let ExtensionKind::Program { program, interval } = &found[0].kind else {
            panic!("{found:?}");
        };
        assert_eq!((&*found[0].name, *interval), ("up", INTERVAL));
        assert_eq!(program.command, ["/usr/bin/uptime", "-p"]);
        assert_eq!(program.run_as.is_some(), geteuid().is_root());
    }

    #[test]
    fn mistakes_are_told_with_what_to_write() {
        for (more, expected) in [
            (
                "[[extend]]\nname = \"\"\ncommand = [\"/bin/true\"]\n",
                "1 to 64 octets",
            ),
            (
                "[[extend]]\nname = \"x\"\ncommand = [\"uptime\"]\n",
                "absolute path",
            ),
            ("[[extend]]\nname = \"x\"\ncommand = []\n", "absolute path"),
            (
                "[[extend]]\nname = \"x\"\ncommand = \"/bin/true\"\n",
                "expected a sequence",
            ),
            ("interval = \"0s\"\n", "above 0"),
            ("timeout = \"x\"\n", "number with a unit"),
            ("output-limit = 0\n", "1 to 1048576"),
            ("user = \"no such user\"\n", "no user \"no such user\""),
            (UPTIME, "another [[extend]]"),
            ("commands = 1\n", "did you mean command?"),
        ] {
            let told = parse(&format!("{UPTIME}{more}")).unwrap_err();
            assert!(told.contains(expected), "{more}: {told}");
        }
    }
}
