//! Programs that extend the agent.

use std::collections::BTreeSet;

use super::document::Extend;
use super::error::Problem;
use super::program::{ConfiguredProgram, INTERVAL, Runs, time};
use crate::extensions::{Extension, ExtensionKind};

/// Names are indexes: of 128 sub-identifiers, 14 are taken by a column and the number of a line.
const LONGEST_NAME: usize = 64;
const OUTPUT_LIMIT: usize = 65_536;

pub(super) fn extensions(configured: Vec<Extend>, runs: Runs) -> Result<Vec<Extension>, Problem> {
    let mut names = BTreeSet::new();
    configured
        .into_iter()
        .map(|extend| {
            let name = name(&extend)?;
            // An `oid` gives a program a table of its own: its name may stand in another one, too.
            let root = extend.oid.as_ref().map(|oid| oid.get_ref().0.clone());
            if !names.insert((root, name.clone())) {
                let message = format!("{name}: another [[extend]] has this name");
                return Err(Problem::at(extend.name.span(), message));
            }
            extension(name, extend, runs)
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

fn extension(name: String, extend: Extend, runs: Runs) -> Result<Extension, Problem> {
    let program = ConfiguredProgram {
        command: extend.command,
        user: extend.user,
        timeout: extend.timeout,
        output_limit: extend.output_limit.map_or(OUTPUT_LIMIT, |limit| limit.0),
        memory_limit: extend.memory_limit.map(|limit| limit.0),
    };
    Ok(Extension {
        name,
        kind: ExtensionKind::Program {
            program: program.into_program(runs)?,
            interval: time(extend.interval, INTERVAL)?,
        },
        root: extend.oid.map(|oid| oid.into_inner().0),
        is_exec: extend.exec,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::process::geteuid;

    use super::*;
    use crate::configuration::AgentConfiguration;

    fn parse(text: &str) -> Result<Vec<Extension>, String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind"));
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
    fn two_programs_at_different_places_may_have_one_name() {
        let at = |arc| format!("{UPTIME}oid = \"1.3.6.1.4.1.99999.{arc}\"\n");
        let found = parse(&format!("{UPTIME}{}{}", at(1), at(2))).unwrap();
        assert!(found.iter().all(|extension| extension.name == "up"));
        let told = parse(&format!("{}{}", at(1), at(1))).unwrap_err();
        assert!(told.contains("another [[extend]]"), "{told}");
    }

    #[test]
    fn mistakes_are_reported_with_what_to_write() {
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
                "write command = [\"/bin/true\"]",
            ),
            ("interval = \"0s\"\n", "above 0"),
            ("timeout = \"x\"\n", "number with a unit"),
            ("output-limit = 0\n", "1 to 1048576"),
            (
                "user = \"no such user\"\n",
                "user \"no such user\" to run programs does not exist",
            ),
            (UPTIME, "another [[extend]]"),
            ("commands = 1\n", "did you mean command?"),
        ] {
            let told = parse(&format!("{UPTIME}{more}")).unwrap_err();
            assert!(told.contains(expected), "{more}: {told}");
        }
    }
}
