//! Whether something grows linearly, by its slopes in the two halves of a range.

use super::{Claimed, Evidence, Finding, Unit};

/// Judges the slope in the upper half of a range, which is claimed to be within a range of multiples of that in the lower half: its
/// distance from either end. A ratio of slopes means nothing in rounds in which the lower one is zero or less by chance, and to leave
/// such rounds out would be to choose rounds by their outcome. `None` if something was not measured.
pub(super) fn linearity(
    evidence: &Evidence<'_>,
    (experiment, series): (&str, &str),
    places: [u32; 3],
    unit: Unit,
    claimed: &[Claimed],
) -> Option<Vec<Finding>> {
    let claimed = claimed.first()?;
    let [first, middle, last] = places;
    let slopes = |calculate: &dyn Fn(f64, f64) -> f64| {
        let cells = places.map(|at| evidence.cell(experiment, series, at));
        evidence.of_all(cells, |values| match values {
            [at_first, at_middle, at_last] => {
                let lower = (at_middle - at_first) / f64::from(middle - first);
                let upper = (at_last - at_middle) / f64::from(last - middle);
                Some(calculate(lower, upper))
            }
            _ => None,
        })
    };
    let (of_lower, of_upper) = (
        format!("slope from {first} to {middle}"),
        format!("slope from {middle} to {last}"),
    );
    let least = claimed.least.map(|factor| (factor, Claimed::least(0.0)));
    let most = claimed.most.map(|factor| (factor, Claimed::most(0.0)));
    let mut findings = Vec::new();
    for (factor, sign) in [least, most].into_iter().flatten() {
        let figure = slopes(&|lower, upper| upper - factor * lower)?;
        let what = format!("{series}: {of_upper} less {factor} x {of_lower}");
        findings.push(Finding::new(what, unit, figure).claimed(sign));
    }
    let lower = slopes(&|lower, _| lower)?;
    findings.push(Finding::new(format!("{series}: {of_lower}"), unit, lower));
    Some(findings)
}

#[cfg(test)]
mod tests {
    use super::super::{At, Observation, Record, Scope, SubjectName, find};
    use super::*;

    #[test]
    fn rounds_in_which_the_lower_slope_is_negative_count() {
        let experiments = find("gamess2021").unwrap().experiments(Scope::Quick);
        let places: [u32; 3] = [1, 16, 32];
        let mut records = Vec::new();
        for at in places {
            let mut cells = experiments
                .iter()
                .filter(|one| one.id == "object-identifiers")
                .flat_map(|one| &one.cells);
            let cell = cells
                .find(|cell| cell.series == "v2c" && cell.at == At::from(at))
                .unwrap();
            for round in 0..7 {
                let is_slow = round == 0 && at == 1;
                let value = if is_slow { 1000 } else { 100 + at };
                let mut observation = Observation::default();
                observation.note(cell.measure, f64::from(value));
                records.push(Record {
                    task: cell.task.clone(),
                    subject: SubjectName::Varbind,
                    round,
                    at: 0.0,
                    observation,
                });
            }
        }
        let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
        let series = ("object-identifiers", "v2c");
        let claimed = [Claimed::between(0.75, 1.25)];
        let findings = linearity(&evidence, series, places, Unit::Microseconds, &claimed).unwrap();
        assert!(findings.iter().all(|one| one.repetitions == 7));
        let values: Vec<f64> = findings.iter().map(|one| one.value.value).collect();
        assert_eq!(values, [0.25, -0.25, 1.0]);
        assert!(linearity(&evidence, series, [1, 16, 33], Unit::Count, &claimed).is_none());
    }
}
