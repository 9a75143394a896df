use std::ops::RangeInclusive;

use super::super::{At, Evidence, Outcome, Unit, Verdict};
use super::interfaces::{FEW, MANY};
use super::requests::{GET, GET_NEXT, NUMBERS, SET, SET_IN_MEMORY};
use super::sessions::{LONG, MD5, MD5_AES, MD5_DES, SHA1, SHA1_DES};
use super::small_boards::{BOARD_3B, BOARD_ZERO};
use super::{DTLS, SSH, TLS, USM, V1, V2C};
use crate::measurement::Estimate;

/// What takes longer takes at least 1 % longer.
const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;

/// The ratio of two cells of an experiment, with its name.
fn ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    over: (&str, impl Into<At>),
    under: (&str, impl Into<At>),
) -> (String, Option<Estimate>) {
    let over = (over.0, over.1.into());
    let under = (under.0, under.1.into());
    let what = if over.1 == under.1 {
        format!("{} by {}, {}", over.0, under.0, over.1)
    } else {
        format!("{} ({}) by {} ({})", over.0, over.1, under.0, under.1)
    };
    (what, evidence.ratio(experiment, over, under))
}

pub(in crate::study) fn v1_and_v2c_alike(evidence: &Evidence<'_>) -> Verdict {
    let requests = [GET, GET_NEXT].map(|at| ratio(evidence, "table-2", (V2C, at), (V1, at)));
    let [.., many] = NUMBERS;
    let identifiers = ratio(evidence, "object-identifiers", (V2C, many), (V1, many));
    Verdict::of_ratios(
        requests.into_iter().chain([identifiers]),
        &(0.93..=1.07),
        "sessions of one exchange, with one object identifier and with 32",
    )
}

pub(in crate::study) fn get_and_getnext_alike(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [V1, V2C, USM, DTLS]
            .map(|model| ratio(evidence, "table-2", (model, GET_NEXT), (model, GET))),
        &(0.93..=1.07),
        "sessions of one exchange",
    )
}

pub(in crate::study) fn security_costs(evidence: &Evidence<'_>) -> Verdict {
    let requests = [GET, GET_NEXT];
    let ratios = requests
        .into_iter()
        .flat_map(|at| [USM, DTLS].map(|model| ratio(evidence, "table-2", (model, at), (V2C, at))));
    let verdict = Verdict::of_ratios(
        ratios,
        &(1.1..=1.4),
        "sessions of one exchange by those in SNMPv2c, with opening and closing, discovery and handshakes in each, and no network \
         between; TLS and SSH, which have no figures there, do not count",
    );
    [TLS, SSH].into_iter().fold(verdict, |verdict, model| {
        let (what, ratio) = ratio(evidence, "table-2", (model, GET), (V2C, GET));
        match ratio {
            Some(ratio) => verdict.with(what, Unit::Ratio, ratio),
            None => verdict,
        }
    })
}

pub(in crate::study) fn security_costs_when_open(evidence: &Evidence<'_>) -> Verdict {
    use super::sessions::IPV4;
    Verdict::of_ratios(
        [USM, DTLS].map(|model| ratio(evidence, "ip-versions", (model, IPV4), (V2C, IPV4))),
        &(1.1..=1.4),
        "the time of an exchange in sessions of 400, by that in SNMPv2c: opening is shared among them",
    )
}

pub(in crate::study) fn usm_ahead_of_dtls(evidence: &Evidence<'_>) -> Verdict {
    let [.., many] = NUMBERS;
    let requests = [GET, GET_NEXT].map(|at| ratio(evidence, "table-2", (DTLS, at), (USM, at)));
    let identifiers = ratio(evidence, "object-identifiers", (DTLS, many), (USM, many));
    Verdict::of_ratios(
        requests.into_iter().chain([identifiers]),
        &(1.03..=1.2),
        "sessions of one exchange over DTLS, a handshake in each, by those with USM, a discovery in each; with one object identifier \
         and with 32",
    )
}

pub(in crate::study) fn usm_ahead_in_long_sessions(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [50, 200, LONG]
            .map(|length| ratio(evidence, "security-models", (DTLS, length), (USM, length))),
        &MORE,
        "whole sessions over DTLS by those with USM",
    )
}

pub(in crate::study) fn set_is_slow(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [V1, V2C, USM, DTLS].map(|model| ratio(evidence, "table-2", (model, SET), (model, GET))),
        &(39.0..=72.0),
        "sessions of one Set by those of one Get, with the agent's state on the disk of this machine, which is no microSD card",
    )
}

/// The part of the time which a Set takes more than a Get that goes away when the agent's state is in memory.
fn part_of_storage(evidence: &Evidence<'_>) -> Option<Estimate> {
    let cell = |at| evidence.cell("set-storage", V2C, at);
    let cells: Option<Vec<_>> = [SET, SET_IN_MEMORY, GET].into_iter().map(cell).collect();
    evidence.of_rounds(&cells?, |values| match values {
        [set, in_memory, get] if set > get => Some((set - in_memory) / (set - get)),
        _ => None,
    })
}

pub(in crate::study) fn storage_makes_set_slow(evidence: &Evidence<'_>) -> Verdict {
    let Some(share) = part_of_storage(evidence) else {
        return Verdict::not_testable("Sets with storage on disk and in memory were not measured");
    };
    let outcome = match share {
        _ if share.low >= 0.5 => Outcome::Holds,
        _ if share.high < 0.5 => Outcome::Changed,
        _ => Outcome::Undecided,
    };
    Verdict::new(
        outcome,
        "of the time that a Set of SNMPv2c takes more than a Get, the part that goes away when the agent's state is in memory. Both \
         agents wait for the disk and not for its speed: varbind once for each Set, snmpd once for each line of its file",
    )
    .with_claimed(
        "part of storage",
        Unit::Percent,
        share.scaled(100.0),
        &(50.0..=f64::INFINITY),
    )
}

pub(in crate::study) fn linear_in_identifiers(evidence: &Evidence<'_>) -> Verdict {
    let [few, .., half, all] = NUMBERS;
    let linearity = |model: &str| {
        let cell = |at: u32| evidence.cell("object-identifiers", model, at);
        let cells: Option<Vec<_>> = [few, half, all].into_iter().map(cell).collect();
        let ratio = evidence.of_rounds(&cells.unwrap_or_default(), |values| match values {
            [at_few, at_half, at_all] if at_half > at_few => {
                let first = (at_half - at_few) / f64::from(half - few);
                let second = (at_all - at_half) / f64::from(all - half);
                Some(second / first)
            }
            _ => None,
        });
        (
            format!("{model}: slope from 16 to 32 by that from 1 to 16"),
            ratio,
        )
    };
    Verdict::of_ratios(
        [V1, V2C, USM].map(linearity),
        &(0.8..=1.25),
        "what each further object identifier costs in the upper half of the range by what it costs in the lower one; over DTLS, TLS and \
         SSH the handshake hides it",
    )
}

pub(in crate::study) fn tcp_slightly_slower(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        ["noAuthNoPriv", "authNoPriv", "authPriv"].map(|level| {
            let (tcp, udp) = (format!("{level}, TCP"), format!("{level}, UDP"));
            ratio(evidence, "security-levels", (&tcp, LONG), (&udp, LONG))
        }),
        &(1.01..=1.25),
        "sessions of 400 exchanges with USM over TCP by those over UDP, without a network between",
    )
}

pub(in crate::study) fn levels_are_ordered(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [
        ("authNoPriv, UDP", "noAuthNoPriv, UDP"),
        ("authPriv, UDP", "authNoPriv, UDP"),
        ("authNoPriv, TCP", "noAuthNoPriv, TCP"),
        ("authPriv, TCP", "authNoPriv, TCP"),
    ];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "security-levels", (over, LONG), (under, LONG))),
        &MORE,
        "sessions of 400 exchanges with USM, SHA-1 and AES: each level by the one below",
    )
}

pub(in crate::study) fn levels_outweigh_transports(evidence: &Evidence<'_>) -> Verdict {
    let (over, under) = (("authPriv, UDP", LONG), ("noAuthNoPriv, TCP", LONG));
    Verdict::of_ratios(
        [ratio(evidence, "security-levels", over, under)],
        &MORE,
        "sessions of 400 exchanges with USM, SHA-1 and AES, without a network between",
    )
}

pub(in crate::study) fn md5_faster(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SHA1, MD5), (SHA1_DES, MD5_DES)];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "protocols", (over, LONG), (under, LONG))),
        &MORE,
        "sessions of 400 exchanges with SHA-1 by those with MD5; there are processors with instructions for SHA-1, and none for MD5",
    )
}

pub(in crate::study) fn des_faster(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(MD5_AES, MD5_DES), ("SHA-1 + AES", SHA1_DES)];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "protocols", (over, LONG), (under, LONG))),
        &MORE,
        "sessions of 400 exchanges with AES by those with DES; most processors have instructions for AES, and few for DES",
    )
}

pub(in crate::study) fn versions_alike_for_few(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [USM, DTLS].map(|model| ratio(evidence, "interfaces", (model, FEW), (V1, FEW))),
        &(0.8..=1.25),
        "walks with 2 interfaces by those in SNMPv1, discovery and handshakes included",
    )
}

pub(in crate::study) fn versions_part(evidence: &Evidence<'_>) -> Verdict {
    let growth = |model: &str| {
        let places = [(model, MANY), (V1, MANY), (model, FEW), (V1, FEW)];
        let cells = places.map(|(series, at)| evidence.cell("interfaces", series, at));
        let cells: Option<Vec<_>> = cells.into_iter().collect();
        let grown = evidence.of_rounds(&cells.unwrap_or_default(), |values| match values {
            [many, v1_many, few, v1_few] if few > v1_few => Some((many - v1_many) / (few - v1_few)),
            _ => None,
        });
        (format!("{model} less v1, 64 by 2 interfaces"), grown)
    };
    Verdict::of_ratios(
        [USM, DTLS].map(growth),
        &MORE,
        "how much longer than in SNMPv1 a walk takes with 64 interfaces, by the same with 2",
    )
}

pub(in crate::study) fn processing_predominates(evidence: &Evidence<'_>) -> Verdict {
    let verdict = Verdict::not_testable(
        "it takes a network whose transmission outweighs processing where interfaces are few; here there is none between. The figures \
         are how many times as long as in SNMPv1 a walk takes",
    );
    let ratios = [USM, DTLS].into_iter().flat_map(|model| {
        [FEW, MANY].map(|at| ratio(evidence, "interfaces", (model, at), (V1, at)))
    });
    ratios.fold(verdict, |verdict, (what, ratio)| match ratio {
        Some(ratio) => verdict.with(format!("{what} interfaces"), Unit::Ratio, ratio),
        None => verdict,
    })
}

/// Quartiles so far apart, in hundredths of the median, are no result.
const NO_RESULT: f64 = 25.0;

pub(in crate::study) fn tls_varies(evidence: &Evidence<'_>) -> Verdict {
    let spread = |model: &str| {
        let spread = evidence.spread("security-models", model, LONG)?;
        Some(spread.scaled(100.0))
    };
    let (Some(tls), Some(usm)) = (spread(TLS), spread(USM)) else {
        return Verdict::not_testable("it takes four sessions and more over TLS and with USM");
    };
    let outcome = if tls.high < NO_RESULT {
        Outcome::Reversed
    } else if tls.low >= NO_RESULT && usm.high < NO_RESULT {
        Outcome::Holds
    } else {
        Outcome::Undecided
    };
    Verdict::new(
        outcome,
        "the distance of the quartiles of sessions of 400 exchanges, by their median",
    )
    .with_claimed("TLS", Unit::Percent, tls, &(NO_RESULT..=f64::INFINITY))
    .with_claimed("USM", Unit::Percent, usm, &(0.0..=NO_RESULT))
}

pub(in crate::study) fn ip_version_matters_not(evidence: &Evidence<'_>) -> Verdict {
    use super::sessions::{IPV4, IPV6};
    Verdict::of_ratios(
        [V2C, USM, DTLS, TLS, SSH]
            .map(|model| ratio(evidence, "ip-versions", (model, IPV6), (model, IPV4))),
        &(0.95..=1.05),
        "sessions of 400 exchanges over IPv6 by those over IPv4, over loopback addresses",
    )
}

/// Clock rates of the Zero W and the 3B, in GHz (their section V.A).
const CLOCK_ZERO: f64 = 1.0;
const CLOCK_3B: f64 = 1.2;

pub(in crate::study) fn boards(evidence: &Evidence<'_>) -> Verdict {
    let experiment = "small-boards-instructions";
    let instructions = evidence.ratio(experiment, (V2C, BOARD_ZERO), (V2C, BOARD_3B));
    let Some(instructions) = instructions else {
        return Verdict::not_testable(
            "instructions of an agent that was built for small boards were not counted: `scripts/small-board` does it",
        );
    };
    let cycles = instructions.scaled(CLOCK_3B / CLOCK_ZERO);
    Verdict::not_testable(
        "it takes these boards. The figures are what can be told without: instructions of our agent for a get in SNMPv2c, built for \
         armv7, by those of one built for aarch64, and the same by the clocks of the Zero W (1.0 GHz) and the 3B (1.2 GHz), which would be \
         the time of the processor alone if an instruction took as many cycles on both. Theirs ran a system of 32 bits on all three, \
         the Zero W's for an older processor, and have the wireless network within",
    )
    .with("instructions, armv7 by aarch64", Unit::Ratio, instructions)
    .with("the same by the clocks", Unit::Ratio, cycles)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Measure, Observation, Record, Scope, SubjectName, find};
    use super::*;

    #[test]
    fn figures_of_small_boards_are_shown_and_not_taken_for_the_boards() {
        let study = find("gamess2021").unwrap();
        let experiments = (study.experiments)(Scope::Quick);
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
        let verdict = boards(&Evidence::new(
            &experiments,
            &records,
            SubjectName::Varbind,
            1,
        ));
        assert_eq!(verdict.outcome, Outcome::NotTestable);
        let figures: Vec<f64> = verdict.findings.iter().map(|one| one.value.value).collect();
        assert_eq!(figures, [2.0, 2.4]);
    }
}
