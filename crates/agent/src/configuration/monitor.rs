//! Objects that are watched.

use std::collections::BTreeSet;
use std::time::Duration;

use varbind_codec::smi::Oid;

use super::document;
use super::error::Problem;
use super::program::time;
use crate::monitors::{Monitor, Test};

/// The length of mteTriggerName (RFC 2981).
const LONGEST_NAME: usize = 32;
const INTERVAL: Duration = Duration::from_secs(60);
/// A name, the error flag of a table, and the columns that tell more.
type DefaultMonitor = (&'static str, &'static [u32], [&'static [u32]; 2]);

/// What defaultMonitors of snmpd watches, as far as it is served.
const DEFAULT_MONITORS: [DefaultMonitor; 5] = [
    (
        "process table",
        &[1, 3, 6, 1, 4, 1, 2021, 2, 1, 100],
        [
            &[1, 3, 6, 1, 4, 1, 2021, 2, 1, 2],
            &[1, 3, 6, 1, 4, 1, 2021, 2, 1, 101],
        ],
    ),
    (
        "memory",
        &[1, 3, 6, 1, 4, 1, 2021, 4, 100],
        [
            &[1, 3, 6, 1, 4, 1, 2021, 4, 2],
            &[1, 3, 6, 1, 4, 1, 2021, 4, 101],
        ],
    ),
    (
        "extTable",
        &[1, 3, 6, 1, 4, 1, 2021, 8, 1, 100],
        [
            &[1, 3, 6, 1, 4, 1, 2021, 8, 1, 2],
            &[1, 3, 6, 1, 4, 1, 2021, 8, 1, 101],
        ],
    ),
    (
        "dskTable",
        &[1, 3, 6, 1, 4, 1, 2021, 9, 1, 100],
        [
            &[1, 3, 6, 1, 4, 1, 2021, 9, 1, 2],
            &[1, 3, 6, 1, 4, 1, 2021, 9, 1, 101],
        ],
    ),
    (
        "laTable",
        &[1, 3, 6, 1, 4, 1, 2021, 10, 1, 100],
        [
            &[1, 3, 6, 1, 4, 1, 2021, 10, 1, 2],
            &[1, 3, 6, 1, 4, 1, 2021, 10, 1, 101],
        ],
    ),
];

/// The monitors of a configuration, those of snmpd before them if they are wanted.
pub(super) fn monitors(
    configured: Vec<document::Monitor>,
    has_defaults: bool,
) -> Result<Vec<Monitor>, Problem> {
    let defaults = if has_defaults {
        default_monitors()?
    } else {
        Vec::new()
    };
    let mut names: BTreeSet<String> = defaults.iter().map(|one| one.name.clone()).collect();
    let mut monitors = defaults;
    for monitor in configured {
        let span = monitor.name.span();
        let name = monitor.name.into_inner();
        if !(1..=LONGEST_NAME).contains(&name.len()) {
            let message = format!("{name:?}: expected a name of 1 to {LONGEST_NAME} octets");
            return Err(Problem::at(span, message));
        }
        if !names.insert(name.clone()) {
            let message = format!("{name}: another [[monitor]] has this name");
            return Err(Problem::at(span, message));
        }
        monitors.push(Monitor {
            name,
            object: monitor.oid.0,
            test: monitor.test,
            is_delta: monitor.delta,
            interval: time(monitor.interval, INTERVAL)?,
            told: monitor.objects.into_iter().map(|oid| oid.0).collect(),
        });
    }
    Ok(monitors)
}

fn default_monitors() -> Result<Vec<Monitor>, Problem> {
    let oid = |arcs: &[u32]| Oid::new(arcs).map_err(|error| Problem::anywhere(error.to_string()));
    DEFAULT_MONITORS
        .into_iter()
        .map(|(name, object, told)| {
            Ok(Monitor {
                name: name.to_owned(),
                object: oid(object)?,
                test: Test::NOT_ZERO,
                is_delta: false,
                interval: INTERVAL,
                told: told.into_iter().map(oid).collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::configuration::AgentConfiguration;

    fn parse(text: &str) -> Result<Vec<Monitor>, String> {
        let configuration = AgentConfiguration::parse_in(text, Path::new("/etc/varbind"));
        let configuration = configuration.map_err(|error| error.to_string())?;
        Ok(configuration.monitors)
    }

    const ERRORS: &str =
        "[[monitor]]\nname = \"errors\"\noid = \"1.3.6.1.2.1.2.2.1.14\"\ntest = \"> 100\"\n";

    #[test]
    fn objects_are_watched_if_that_is_configured() {
        assert_eq!(parse("").unwrap(), []);
        let found = parse(&format!(
            "{ERRORS}delta = true\nobjects = [\"1.3.6.1.2.1.2.2.1.2\"]\n"
        ));
        let found = found.unwrap();
        assert_eq!((found[0].is_delta, found[0].interval), (true, INTERVAL));
        assert_eq!(found[0].told.len(), 1);
        let found = parse(&format!(
            "{ERRORS}[notifications]\ndefault-monitors = true\n"
        ))
        .unwrap();
        assert_eq!(found.len(), DEFAULT_MONITORS.len() + 1);
        assert_eq!(found[3].object.to_string(), "1.3.6.1.4.1.2021.9.1.100");
    }

    #[test]
    fn mistakes_are_reported_with_what_to_write() {
        for (more, expected) in [
            (ERRORS, "another [[monitor]]"),
            ("interval = \"0s\"\n", "above 0"),
            (
                "[[monitor]]\nname = \"\"\noid = \"1.3\"\ntest = \"> 1\"\n",
                "1 to 32 octets",
            ),
            (
                "[[monitor]]\nname = \"x\"\noid = \"1.3\"\ntest = \"1\"\n",
                "as \"> 100\"",
            ),
            (
                "[[monitor]]\nname = \"x\"\noid = \"1.3\"\n",
                "missing key test: add test = ..",
            ),
        ] {
            let told = parse(&format!("{ERRORS}{more}")).unwrap_err();
            assert!(told.contains(expected), "{more}: {told}");
        }
    }
}
