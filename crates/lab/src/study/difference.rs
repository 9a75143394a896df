use std::collections::BTreeSet;

use serde::Serialize;

use super::Manifest;
use crate::measurement::Environment;

/// Something that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What.
    pub what: &'static str,
    /// In the first run.
    pub first: String,
    /// In the second.
    pub second: String,
}

/// Files of studies that are not in the program.
fn of_files(first: &Manifest, second: &Manifest) -> Option<Difference> {
    let octets = |one: &Manifest| {
        let lengths = one.files.iter().map(String::len);
        format!("{} octets", lengths.sum::<usize>())
    };
    (first.files != second.files).then(|| Difference {
        what: "file of the study",
        first: octets(first),
        second: octets(second),
    })
}

/// What one run is asked and another is not.
pub(super) fn of_questions(first: &Manifest, second: &Manifest) -> Vec<Difference> {
    let subjects = |one: &Manifest| {
        let names: Vec<String> = one.subjects.iter().map(ToString::to_string).collect();
        names.join(" and ")
    };
    let described = |one: &Manifest| {
        [
            ("studies", one.studies.join(" and ")),
            ("scope", one.scope.to_string()),
            ("subjects", subjects(one)),
            ("seed", one.seed.to_string()),
            (
                "network",
                one.network
                    .as_ref()
                    .map_or_else(|| "loopback".to_owned(), ToString::to_string),
            ),
            (
                "share of a core",
                one.slow
                    .map_or_else(|| "all".to_owned(), |percent| format!("{percent} %")),
            ),
            (
                "time limit",
                one.within
                    .map_or_else(|| "none".to_owned(), |minutes| format!("{minutes} min")),
            ),
            (
                "precision",
                one.precision
                    .map_or_else(|| "any".to_owned(), |part| format!("{} %", part * 100.0)),
            ),
        ]
    };
    let mut differences = between(described(first), described(second));
    // A run goes on with the figures that it has, and with those that come later.
    if let (Some(known), Some(other)) = (&first.small_boards, &second.small_boards)
        && !other.has_all_of(known)
    {
        differences.push(Difference {
            what: "figures of small boards",
            first: known.file.display().to_string(),
            second: other.file.display().to_string(),
        });
    }
    differences.extend(of_files(first, second));
    let is_of_tasks = first.tasks != second.tasks;
    if differences.is_empty() && is_of_tasks {
        differences = between(
            [("repetitions", repetitions(first))],
            [("repetitions", repetitions(second))],
        );
    }
    if differences.is_empty() && is_of_tasks {
        let described =
            |one: &Manifest| format!("{} of varbind {}", one.tasks.len(), one.environment.varbind);
        differences.push(Difference {
            what: "tasks",
            first: described(first),
            second: described(second) + " with other parameters",
        });
    }
    differences
}

fn repetitions(manifest: &Manifest) -> String {
    let all: BTreeSet<u32> = manifest.tasks.iter().map(|one| one.repetitions).collect();
    match (all.first(), all.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(one), _) => one.to_string(),
        (None, _) => "0".to_owned(),
    }
}

/// What differs in where and with what two runs were made.
pub(super) fn of_environments(first: &Environment, second: &Environment) -> Vec<Difference> {
    const GIBIBYTE: f64 = (1_u64 << 30) as f64;
    let subjects = |environment: &Environment| {
        let subjects = environment.subjects.iter();
        let described: Vec<String> = subjects
            .map(|subject| format!("{} {}", subject.name, subject.version))
            .collect();
        described.join(", ")
    };
    let described = |environment: &Environment| {
        [
            ("processor", environment.processor.clone()),
            ("cores", environment.cores.to_string()),
            // Kernels keep a little more or less for themselves at each start.
            (
                "memory",
                format!("{:.1} GiB", environment.memory as f64 / GIBIBYTE),
            ),
            ("kernel", environment.kernel.clone()),
            ("varbind", environment.varbind.clone()),
            ("optimised", environment.optimised.to_string()),
            ("features", environment.features.join(", ")),
            ("compiler", environment.rustc.clone()),
            ("subjects", subjects(environment)),
        ]
    };
    let mut differences = between(described(first), described(second));
    // Former versions did not record it.
    let recorded = first.congestion_control.as_ref();
    if let Some((first, second)) = recorded.zip(second.congestion_control.as_ref())
        && first != second
    {
        differences.push(Difference {
            what: "congestion control",
            first: first.clone(),
            second: second.clone(),
        });
    }
    differences
}

fn between<const N: usize>(
    first: [(&'static str, String); N],
    second: [(&'static str, String); N],
) -> Vec<Difference> {
    let pairs = first.into_iter().zip(second);
    pairs
        .filter(|((_, first), (_, second))| first != second)
        .map(|((what, first), (_, second))| Difference {
            what,
            first,
            second,
        })
        .collect()
}
