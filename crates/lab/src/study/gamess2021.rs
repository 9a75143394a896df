//! Gamess and Hernandez (2021), SNMP on small boards: the claims whose arithmetic is their own. All else is in the file of the study.

use super::{Claimed, Evidence, Figure, Finding, Unit, Verdict, slope};

/// Names of series.
const V1: &str = "v1";
const V2C: &str = "v2c";
const USM: &str = "v3/USM";
const DTLS: &str = "v3/DTLS";
const TLS: &str = "v3/TLS";
const OLD_TLS: &str = "v3/TLS 1.0";

/// Numbers of interfaces, the least and the greatest of the paper.
const FEW: u32 = 2;
const MANY: u32 = 64;
/// Exchanges of the longest sessions.
const LONG: u32 = 400;

/// The part of the time which a Set takes more than a Get that goes away when the agent's state is in memory.
fn part_of_storage(evidence: &Evidence<'_>) -> Option<Figure> {
    let cell = |at| evidence.cell("set-storage", V2C, at);
    let places = ["SetRequest", "SetRequest, storage in memory", "GetRequest"];
    evidence.of_all(places.map(cell), |values| match values {
        [set, in_memory, get] if set > get => Some((set - in_memory) / (set - get)),
        // Nothing that storage could explain. Without such rounds, storage would seem to explain more.
        [_, _, _] => Some(0.0),
        _ => None,
    })
}

pub(super) fn storage_makes_set_slow(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let Some(share) = part_of_storage(evidence) else {
        return Verdict::not_testable("Sets with storage on disk and in memory were not measured");
    };
    let what = "of what a Set takes longer, due to storage";
    let mut finding = Finding::new(what, Unit::Percent, share.scaled(100.0));
    finding.claimed = claimed.first().map(|claimed| claimed.scaled(100.0));
    Verdict::of(
        vec![finding],
        "sessions of one Set in SNMPv2c, with storage on disk and in memory, less those of a Get; 0 % in rounds in which a Set takes no \
         longer than a Get",
    )
}

pub(super) fn linear_in_identifiers(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for model in [V1, V2C, USM] {
        let series = ("object-identifiers", model);
        let of_model = slope::linearity(evidence, series, [1, 16, 32], Unit::Microseconds, claimed);
        let Some(of_model) = of_model else {
            return Verdict::not_testable(format!(
                "requests with 1 to 32 object identifiers were not measured with {model}"
            ));
        };
        findings.extend(of_model);
    }
    Verdict::of(
        findings,
        "what each further object identifier costs in the upper half of the range, less the least and the most that it may cost there, \
         which are multiples of its cost in the lower half. These are differences, so that rounds count in which the lower half costs \
         nothing; over DTLS, TLS and SSH the handshake hides it",
    )
}

/// How much longer a walk takes than in SNMPv1 with many interfaces than with few, in the unit of the experiment: a ratio of these
/// differences would be that of a small number.
pub(super) fn versions_part(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for model in [USM, DTLS] {
        let places = [(model, MANY), (V1, MANY), (model, FEW), (V1, FEW)];
        let cells = places.map(|(series, at)| evidence.cell("interfaces", series, at));
        let grown = evidence.of_all(cells, |values| match values {
            [many, v1_many, few, v1_few] => Some((many - v1_many) - (few - v1_few)),
            _ => None,
        });
        let Some(grown) = grown else {
            return Verdict::not_testable(format!(
                "walks in SNMPv1 and with {model} were not measured"
            ));
        };
        let what = format!("{model} less v1, 64 less 2 interfaces");
        let mut finding = Finding::new(what, Unit::Microseconds, grown);
        finding.claimed = claimed.first().copied();
        findings.push(finding);
    }
    Verdict::of(
        findings,
        "how much longer than in SNMPv1 a walk takes with 64 interfaces, less the same with 2",
    )
}

/// The ranges are for TLS, in the version that the agent has, and for USM.
pub(super) fn tls_varies(evidence: &Evidence<'_>, claimed: &[Claimed]) -> Verdict {
    let mut findings = Vec::new();
    for (models, claimed) in [&[TLS, OLD_TLS][..], &[USM]].into_iter().zip(claimed) {
        let spread = |model: &&'static str| {
            let spread = evidence.spread("security-models", model, LONG)?;
            Some((*model, spread))
        };
        let Some((model, spread)) = models.iter().find_map(spread) else {
            return Verdict::not_testable("it takes four sessions and more over TLS and with USM");
        };
        let finding = Finding::new(model, Unit::Percent, spread.scaled(100.0));
        findings.push(finding.claimed(claimed.scaled(100.0)));
    }
    Verdict::of(
        findings,
        "the distance of the quartiles of sessions of 400 exchanges, by their median",
    )
}

/// What the agent is built for on the 3B and 3B+, and what comes next to the Zero W.
const BOARD_3B: &str = "aarch64";
const BOARD_ZERO: &str = "armv7";
/// Clock rates of the Zero W and the 3B, in GHz (their section V.A).
const CLOCK_ZERO: f64 = 1.0;
const CLOCK_3B: f64 = 1.2;

pub(super) fn boards(evidence: &Evidence<'_>, _: &[Claimed]) -> Verdict {
    let experiment = "small-boards-instructions";
    let instructions = evidence.ratio(experiment, (V2C, BOARD_ZERO), (V2C, BOARD_3B));
    let Some(instructions) = instructions else {
        return Verdict::not_testable(
            "instructions of an agent that was built for small boards were not counted: `scripts/small-board` does it",
        );
    };
    let cycles = instructions.scaled(CLOCK_3B / CLOCK_ZERO);
    let mut verdict = Verdict::not_testable(
        "it takes these boards. The figures are what can be told without: instructions of our agent for a get in SNMPv2c, built for \
         armv7, by those of one built for aarch64, and the same by the clocks of the Zero W (1.0 GHz) and the 3B (1.2 GHz), which would be \
         the time of the processor alone if an instruction took as many cycles on both. Theirs ran a system of 32 bits on all three, \
         the Zero W's for an older processor, and have the wireless network within",
    );
    verdict.findings = vec![
        Finding::new("instructions, armv7 / aarch64", Unit::Ratio, instructions),
        Finding::new("the same by the clocks", Unit::Ratio, cycles),
    ];
    verdict
}

#[cfg(test)]
mod tests {
    use super::super::{At, Measure, Observation, Outcome, Record, Scope, SubjectName, find};
    use super::*;

    #[test]
    fn figures_of_small_boards_are_shown_and_not_taken_for_the_boards() {
        let study = find("gamess2021").unwrap();
        let experiments = study.experiments(Scope::Quick);
        let cells = experiments
            .iter()
            .filter(|one| one.id == "small-boards-instructions")
            .flat_map(|one| &one.cells);
        let records = cells.map(|cell| {
            let mut observation = Observation::default();
            let is_zero = cell.at == At::from(BOARD_ZERO);
            observation.note(
                Measure::Instructions,
                if is_zero { 20_000.0 } else { 10_000.0 },
            );
            Record {
                task: cell.task.clone(),
                subject: SubjectName::Varbind,
                round: 0,
                at: 0.0,
                observation,
            }
        });
        let records: Vec<_> = records.collect();
        let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
        let verdict = boards(&evidence, &[]);
        assert_eq!(verdict.outcome, Outcome::NotTestable);
        let figures: Vec<f64> = verdict.findings.iter().map(|one| one.value.value).collect();
        assert_eq!(figures, [2.0, 2.4]);
    }
}
