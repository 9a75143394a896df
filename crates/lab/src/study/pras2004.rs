//! Pras, Drevers, van de Meent and Quartel (2004), SNMP beside web services: their formulas. All else is in the file of the study.

use super::{Claimed, Evidence, Finding, Unit, Verdict};

/// Octets of values: more than 90 % had from 1 to 6 (section IV.B, Figure 5).
const SMALL: f64 = 1.0;
const LARGE: f64 = 6.0;

/// Octets of a GetRequest and its response at the level of messages, with headers of 25 octets, the community `public`, and n objects
/// of ifTable, whose names have a length of 11 (equation 13).
fn get(objects: f64, value: f64) -> f64 {
    54.0 + objects * (32.0 + value)
}

/// The same of a GetBulkRequest (equation 14).
fn bulk(objects: f64, value: f64) -> f64 {
    70.0 + objects * (16.0 + value)
}

/// Octets for a number of objects with values of so many octets.
type Formula = fn(f64, f64) -> f64;

const KINDS: [(&str, Formula); 2] = [("Get", get), ("GetBulk", bulk)];

pub(super) fn formulas(evidence: &Evidence<'_>, _: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for (series, formula) in KINDS {
        for objects in [22_u32, 66, 264] {
            let bound = |value| formula(f64::from(objects), value);
            let what = format!("{series}, {objects} objects");
            let Some(octets) = evidence.figure("formulas", series, objects) else {
                return Verdict::not_testable(format!("{what} was not measured"));
            };
            let finding = Finding::new(what, Unit::Ratio, octets.scaled(1.0 / bound(SMALL)));
            findings.push(finding.claimed(Claimed::between(1.0, bound(LARGE) / bound(SMALL))));
        }
    }
    Verdict::of(
        findings,
        "octets of request and response by the lower bound, values of 1 octet; up to the upper bound, values of 6",
    )
}

#[cfg(test)]
mod tests {
    use super::super::{At, Scope, Task, WebQuestion, find};
    use super::*;

    /// Equations 8 and 9 make both of them: the request of a GetBulk has one name, and no value.
    #[test]
    fn the_formulas_are_those_of_messages() {
        const NAME: f64 = 11.0;
        let message = |objects: f64, value: f64| 27.0 + objects * (5.0 + NAME + value);
        for objects in [1.0, 22.0, 270.0] {
            for value in [SMALL, 3.0, LARGE] {
                let response = message(objects, value);
                assert_eq!(get(objects, value), message(objects, 0.0) + response);
                assert_eq!(bulk(objects, value), message(1.0, 0.0) + response);
            }
        }
    }

    #[test]
    fn published_octets_are_those_of_the_formulas() {
        let experiments = find("pras2004").unwrap().experiments(Scope::Full);
        let theirs = &experiments[0].theirs;
        for (kind, formula) in KINDS {
            for (value, size) in [(SMALL, "1 octet"), (LARGE, "6 octets")] {
                let series = format!("{kind}, values of {size}");
                let of_series = theirs.iter().filter(|one| one.series == series);
                let mut count = 0;
                for one in of_series {
                    let At::Number(objects) = one.at else {
                        panic!("{series}")
                    };
                    assert_eq!(one.value, formula(objects, value), "{series}, {objects}");
                    count += 1;
                }
                assert_eq!(count, 4, "{series}");
            }
        }
    }

    #[test]
    fn as_many_objects_are_coded_as_it_says() {
        let experiments = find("pras2004").unwrap().experiments(Scope::Full);
        for cell in experiments.iter().flat_map(|one| &one.cells) {
            if let Task::Coding(task) = &cell.task {
                let count = task.columns.len() as u32 * task.rows;
                assert_eq!(cell.at, At::from(count));
            }
        }
    }

    #[test]
    fn column_has_one_object_per_interface() {
        let experiments = find("pras2004").unwrap().experiments(Scope::Full);
        let cells = experiments.iter().flat_map(|one| &one.cells);
        let columns = cells.filter_map(|cell| match &cell.task {
            Task::Web(task) => match &task.question {
                WebQuestion::SoapColumn { name } => Some((cell, task, name)),
                _ => None,
            },
            _ => None,
        });
        let mut count = 0;
        for (cell, task, name) in columns {
            assert_eq!(cell.at, At::from(task.setting.interfaces()));
            assert_eq!(name, "ifDescr");
            count += 1;
        }
        assert_eq!(count, 6);
    }
}
