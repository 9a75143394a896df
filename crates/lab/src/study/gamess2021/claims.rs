use super::super::{At, Claim, Evidence, Outcome, SubjectName, Unit, Verdict};
use super::interfaces::{FEW, MANY};
use super::requests::{GET, GET_NEXT, NUMBERS, SET, SET_IN_MEMORY};
use super::sessions::{LONG, MD5, MD5_AES, MD5_DES, SHA1, SHA1_DES};
use super::{DTLS, SSH, TLS, USM, V1, V2C};
use crate::measurement::Estimate;

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "v1-and-v2c-alike",
        text: "SNMPv1 and SNMPv2c take the same time",
        source: "Table II, section VII",
        judge: v1_and_v2c_alike,
    },
    Claim {
        id: "get-and-getnext-alike",
        text: "Between GetRequest and GetNextRequest there is no difference to be noticed",
        source: "section VI.A",
        judge: get_and_getnext_alike,
    },
    Claim {
        id: "security-costs",
        text: "USM and DTLS take longer than SNMPv1 and SNMPv2c: 1.1 to 1.4 times",
        source: "Table II",
        judge: security_costs,
    },
    Claim {
        id: "usm-ahead-of-dtls",
        text: "USM and DTLS are close, USM slightly ahead, in sessions of one exchange",
        source: "Table II, section VII",
        judge: usm_ahead_of_dtls,
    },
    Claim {
        id: "usm-ahead-in-long-sessions",
        text: "USM is ahead of DTLS in sessions of 50 to 400 exchanges too",
        source: "Figure 10, section VI.E",
        judge: usm_ahead_in_long_sessions,
    },
    Claim {
        id: "set-is-slow",
        text: "A Set takes 40 to 75 times as long as a Get",
        source: "Table II",
        judge: set_is_slow,
    },
    Claim {
        id: "storage-makes-set-slow",
        text: "That is because of the storage that the agent writes to",
        source: "section VII",
        judge: storage_makes_set_slow,
    },
    Claim {
        id: "linear-in-identifiers",
        text: "Response time is linear in the number of object identifiers",
        source: "section VI.B",
        judge: linear_in_identifiers,
    },
    Claim {
        id: "tcp-slightly-slower",
        text: "TCP takes slightly longer than UDP",
        source: "section VI.C",
        judge: tcp_slightly_slower,
    },
    Claim {
        id: "levels-are-ordered",
        text: "noAuthNoPriv takes the shortest time, authPriv the longest",
        source: "section VI.C",
        judge: levels_are_ordered,
    },
    Claim {
        id: "md5-faster",
        text: "MD5 is faster than SHA-1",
        source: "section VI.D",
        judge: md5_faster,
    },
    Claim {
        id: "des-faster",
        text: "DES is faster than AES",
        source: "section VI.D",
        judge: des_faster,
    },
    Claim {
        id: "versions-part",
        text: "For few interfaces walks take about the same time in SNMPv1, with USM and over DTLS; with more, they part",
        source: "section VI.F",
        judge: versions_part,
    },
    Claim {
        id: "tls-varies",
        text: "Over TLS response times vary too much from test to test to be told",
        source: "sections VI.E, VII",
        judge: tls_varies,
    },
    Claim {
        id: "ip-version-matters-not",
        text: "What IPv6 changes is left to future work (tested: it takes as long as IPv4)",
        source: "section VII",
        judge: ip_version_matters_not,
    },
    Claim {
        id: "boards",
        text: "The Raspberry Pi 3B and 3B+ are alike, and much faster than the Zero W",
        source: "section VII",
        judge: boards,
    },
];

const OURS: SubjectName = SubjectName::Varbind;

/// The ratio of two cells of an experiment, with its name.
fn ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    over: (&str, impl Into<At>),
    under: (&str, impl Into<At>),
) -> (String, Option<Estimate>) {
    let over = (over.0, over.1.into());
    let under = (under.0, under.1.into());
    let what = format!("{} ({}) by {} ({})", over.0, over.1, under.0, under.1);
    (what, evidence.ratio(experiment, over, under, OURS))
}

fn v1_and_v2c_alike(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [GET, GET_NEXT].map(|at| ratio(evidence, "table-2", (V2C, at), (V1, at))),
        &(0.93..=1.07),
        "sessions of one exchange; what remains of a difference is how an error or the end of a view is told, and neither occurs",
    )
}

fn get_and_getnext_alike(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [V1, V2C, USM, DTLS]
            .map(|model| ratio(evidence, "table-2", (model, GET_NEXT), (model, GET))),
        &(0.93..=1.07),
        "sessions of one exchange",
    )
}

fn security_costs(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [USM, DTLS, TLS, SSH].map(|model| ratio(evidence, "table-2", (model, GET), (V2C, GET))),
        &(1.1..=1.4),
        "sessions of one get, opening and closing within: without a wireless network between, which hides it, discovery and \
         handshakes are most of the time",
    )
}

fn usm_ahead_of_dtls(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [GET, GET_NEXT].map(|at| ratio(evidence, "table-2", (DTLS, at), (USM, at))),
        &(1.03..=1.2),
        "sessions of one exchange: a DTLS handshake in each. With sessions that are kept, the next claim tells more",
    )
}

fn usm_ahead_in_long_sessions(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [50, 200, LONG]
            .map(|length| ratio(evidence, "security-models", (DTLS, length), (USM, length))),
        &(1.03..=2.0),
        "whole sessions over DTLS by those with USM",
    )
}

fn set_is_slow(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        [V1, V2C, USM, DTLS].map(|model| ratio(evidence, "table-2", (model, SET), (model, GET))),
        &(39.0..=75.0),
        "sessions of one exchange, with the agent's state on the disk of this machine, which is no microSD card",
    )
}

/// The part of the time which a Set takes more than a Get that goes away when the agent's state is in memory.
fn part_of_storage(evidence: &Evidence<'_>, subject: SubjectName) -> Option<Estimate> {
    let cell = |at| evidence.cell("set-storage", V2C, at);
    let cells: Option<Vec<_>> = [SET, SET_IN_MEMORY, GET].into_iter().map(cell).collect();
    let cells: Vec<_> = cells?.into_iter().map(|cell| (cell, subject)).collect();
    evidence.of_rounds(&cells, |values| match values {
        [set, in_memory, get] if set > get => Some((set - in_memory) / (set - get)),
        _ => None,
    })
}

fn storage_makes_set_slow(evidence: &Evidence<'_>) -> Verdict {
    let Some(share) = part_of_storage(evidence, OURS) else {
        return Verdict::not_testable("Sets with storage on disk and in memory were not measured");
    };
    let outcome = match share {
        _ if share.low >= 0.5 => Outcome::Holds,
        _ if share.high < 0.5 => Outcome::Changed,
        _ => Outcome::Undecided,
    };
    let verdict = Verdict::new(
        outcome,
        "of the time that a Set of SNMPv2c takes more than a Get, the part that goes away when the agent's state is in memory. Both \
         agents wait for the disk and not for its speed: ours once for each Set, snmpd once for each line of its file",
    )
    .with("part of storage", Unit::Percent, share.scaled(100.0));
    match part_of_storage(evidence, SubjectName::NetSnmp) {
        Some(share) => verdict.with("the same of snmpd", Unit::Percent, share.scaled(100.0)),
        None => verdict,
    }
}

fn linear_in_identifiers(evidence: &Evidence<'_>) -> Verdict {
    let [few, .., half, all] = NUMBERS;
    let linearity = |model: &str| {
        let cell = |at: u32| evidence.cell("object-identifiers", model, at);
        let cells: Option<Vec<_>> = [few, half, all].into_iter().map(cell).collect();
        let cells = cells.unwrap_or_default().into_iter();
        let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
        let ratio = evidence.of_rounds(&cells, |values| match values {
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
        "what each further object identifier costs, in both halves of the range",
    )
}

fn tcp_slightly_slower(evidence: &Evidence<'_>) -> Verdict {
    Verdict::of_ratios(
        ["nn", "an", "ap"].map(|level| {
            let (tcp, udp) = (format!("{level}, TCP"), format!("{level}, UDP"));
            ratio(evidence, "security-levels", (&tcp, LONG), (&udp, LONG))
        }),
        &(1.01..=1.25),
        "sessions of 400 exchanges with USM",
    )
}

fn levels_are_ordered(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [("an, UDP", "nn, UDP"), ("ap, UDP", "an, UDP")];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "security-levels", (over, LONG), (under, LONG))),
        &(1.01..=3.0),
        "sessions of 400 exchanges with USM, SHA-1 and AES",
    )
}

fn md5_faster(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(SHA1, MD5), (SHA1_DES, MD5_DES)];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "protocols", (over, LONG), (under, LONG))),
        &(1.01..=2.0),
        "sessions of 400 exchanges; processors with instructions for SHA make it the faster one",
    )
}

fn des_faster(evidence: &Evidence<'_>) -> Verdict {
    let pairs = [(MD5_AES, MD5_DES), ("SHA-1 + AES", SHA1_DES)];
    Verdict::of_ratios(
        pairs.map(|(over, under)| ratio(evidence, "protocols", (over, LONG), (under, LONG))),
        &(1.01..=2.0),
        "sessions of 400 exchanges; processors with instructions for AES make it the faster one, and few have any for DES",
    )
}

fn versions_part(evidence: &Evidence<'_>) -> Verdict {
    let difference = |model: &str| {
        let cell = |series: &str, at: u32| evidence.cell("interfaces", series, at);
        let cells: Option<Vec<_>> = [
            cell(model, MANY),
            cell(V1, MANY),
            cell(model, FEW),
            cell(V1, FEW),
        ]
        .into_iter()
        .collect();
        let cells = cells.unwrap_or_default().into_iter();
        let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
        let grown = evidence.of_rounds(&cells, |values| match values {
            [many, v1_many, few, v1_few] if few > v1_few => Some((many - v1_many) / (few - v1_few)),
            _ => None,
        });
        (format!("{model} less v1, 64 by 2 interfaces"), grown)
    };
    Verdict::of_ratios(
        [USM, DTLS].map(difference),
        &(1.1..=64.0),
        "how much longer a walk takes than in SNMPv1, with 64 interfaces by with 2",
    )
}

fn tls_varies(evidence: &Evidence<'_>) -> Verdict {
    let spread = |model: &str| {
        let cell = evidence.cell("security-models", model, LONG)?;
        let values = evidence.of_cell(cell, OURS);
        let mut values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
        values.sort_unstable_by(f64::total_cmp);
        let middle = *values.get(values.len() / 2)?;
        let quartile = |part: usize| values.get(values.len() * part / 4).copied();
        Some((quartile(3)? - quartile(1)?) / middle)
    };
    let (Some(tls), Some(usm)) = (spread(TLS), spread(USM)) else {
        return Verdict::not_testable("sessions over TLS were not measured");
    };
    let exactly = |value: f64| Estimate {
        value,
        low: value,
        high: value,
    };
    // A quarter of the median between quartiles is no result, unless the machine is to blame.
    let outcome = if tls > 0.25 && usm > 0.25 {
        Outcome::Undecided
    } else if tls > 0.25 {
        Outcome::Holds
    } else {
        Outcome::Reversed
    };
    Verdict::new(
        outcome,
        "the distance of the quartiles of sessions of 400 exchanges, by their median; it would hold above 25 %, if USM stays below",
    )
    .with("TLS", Unit::Percent, exactly(tls * 100.0))
    .with("USM", Unit::Percent, exactly(usm * 100.0))
}

fn ip_version_matters_not(evidence: &Evidence<'_>) -> Verdict {
    use super::sessions::{IPV4, IPV6};
    Verdict::of_ratios(
        [V2C, USM, DTLS, TLS, SSH]
            .map(|model| ratio(evidence, "ip-versions", (model, IPV6), (model, IPV4))),
        &(0.95..=1.05),
        "sessions of 400 exchanges over the loopback addresses of both versions",
    )
}

fn boards(_: &Evidence<'_>) -> Verdict {
    Verdict::not_testable(
        "it takes these boards; what can be told without them, instructions and memory of agents built for such processors, is \
         in the experiments on small boards",
    )
}
