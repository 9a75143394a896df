use std::ops::RangeInclusive;

use super::super::{Cell, Claim, Evidence, Outcome, SubjectName, Unit, Verdict};
use super::methods::MANY;

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "snmp-wins-for-one",
        text: "For a single object SNMP takes less bandwidth than web services, compressed or not",
        source: "section III",
        judge: snmp_wins_for_one,
    },
    Claim {
        id: "soap-by-get",
        text: "For many objects plain SOAP takes twice the octets of SNMP by Get, and four times those by GetBulk",
        source: "section III",
        judge: soap_by_snmp,
    },
    Claim {
        id: "zlib-gains",
        text: "Compression makes SOAP smaller by 2 for one object, and by 8 for 250",
        source: "section III",
        judge: zlib_gains,
    },
    Claim {
        id: "opc",
        text: "Compressed object identifiers (OPC) bring SNMP to about 75 % of its octets",
        source: "section III",
        judge: opc,
    },
    Claim {
        id: "compressed-snmp",
        text: "Ours: at no number of objects does a compressed web service take fewer octets than compressed SNMP",
        source: "this project",
        judge: compressed_snmp,
    },
    Claim {
        id: "crossing",
        text: "Compressed web services take less bandwidth than SNMP from 70 objects on",
        source: "section III",
        judge: crossing,
    },
    Claim {
        id: "crossing-ip",
        text: "At the level of IP they do from 125 to 150 objects on",
        source: "section III",
        judge: crossing_ip,
    },
    Claim {
        id: "formulas",
        text: "Octets of messages follow the formulas L_GET and L_BULK",
        source: "section III",
        judge: formulas,
    },
    Claim {
        id: "xml-coding",
        text: "Coding in XML costs 3 to 7 times as much as in BER",
        source: "section IV",
        judge: xml_coding,
    },
    Claim {
        id: "compression-cost",
        text: "Compression costs 3 to 5 times as much as coding itself",
        source: "section IV",
        judge: compression_cost,
    },
    Claim {
        id: "round-trip-one",
        text: "For one object SNMP answers sooner than web services",
        source: "Table II",
        judge: round_trip_one,
    },
    Claim {
        id: "round-trip-many",
        text: "For many objects web services may answer sooner than SNMP: BER or XML does not decide",
        source: "Table II, section VI",
        judge: round_trip_many,
    },
];

const OURS: SubjectName = SubjectName::Varbind;
const NOT_MEASURED: &str = "what it compares was not measured";

/// A part of a verdict: the ratio of two series of an experiment at a number of objects, and what is claimed of it.
struct Part {
    experiment: &'static str,
    over: &'static str,
    under: &'static str,
    objects: u32,
    claimed: RangeInclusive<f64>,
}

fn part(
    experiment: &'static str,
    over: &'static str,
    under: &'static str,
    objects: u32,
    claimed: RangeInclusive<f64>,
) -> Part {
    Part {
        experiment,
        over,
        under,
        objects,
        claimed,
    }
}

/// All parts have to hold.
fn judge(evidence: &Evidence<'_>, parts: &[Part], because: &str) -> Verdict {
    let ratio = |part: &Part| {
        let (over, under) = ((part.over, part.objects), (part.under, part.objects));
        let ratio = evidence.ratio(part.experiment, over, under, OURS);
        let what = format!("{} by {}, {} objects", part.over, part.under, part.objects);
        (what, ratio, part.claimed.clone())
    };
    Verdict::of_claimed_ratios(parts.iter().map(ratio), because)
}

const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;
const LESS: RangeInclusive<f64> = 0.0..=0.99;

fn snmp_wins_for_one(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP", "SNMP GetBulk", 1, MORE),
        part("messages", "SOAP, zlib", "SNMP GetBulk", 1, MORE),
        part("packets", "RESTCONF", "SNMP GetBulk", 1, MORE),
    ];
    judge(
        evidence,
        &parts,
        "bodies by messages; RESTCONF, which has all of a request in headers, by whole sessions over TCP",
    )
}

fn soap_by_snmp(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP", "SNMP Get", MANY, 1.5..=2.5),
        part("messages", "SOAP", "SNMP GetBulk", MANY, 3.0..=5.0),
    ];
    judge(evidence, &parts, "a table of 12 rows, bodies by messages")
}

fn zlib_gains(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP", "SOAP, zlib", 1, 1.5..=2.5),
        part("messages", "SOAP", "SOAP, zlib", MANY, 6.0..=10.0),
    ];
    judge(evidence, &parts, "bodies of requests and responses")
}

fn opc(evidence: &Evidence<'_>) -> Verdict {
    let parts = [part(
        "messages",
        "SNMP, OPC",
        "SNMP GetBulk",
        MANY,
        0.65..=0.85,
    )];
    judge(
        evidence,
        &parts,
        "a table of 12 rows; the names are those of ifTable, in the encoding of docs/compression.md",
    )
}

fn compressed_snmp(evidence: &Evidence<'_>) -> Verdict {
    let mut parts = Vec::new();
    for objects in [1, 22, 66, MANY] {
        for web in ["SOAP, zlib", "RESTCONF, zlib"] {
            // A request of RESTCONF for one object is all in headers, and is compared with them.
            if !(objects == 1 && web == "RESTCONF, zlib") {
                parts.push(part("messages", "SNMP, dictionary", web, objects, LESS));
            }
        }
    }
    judge(
        evidence,
        &parts,
        "messages with a dictionary for each session by compressed bodies without the headers of HTTP",
    )
}

fn crossing(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP, zlib", "SNMP GetBulk", 22, MORE),
        part("messages", "SOAP, zlib", "SNMP GetBulk", MANY, LESS),
    ];
    judge(
        evidence,
        &parts,
        "bodies that are compressed by messages that are not, below and above the crossing",
    )
}

fn crossing_ip(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("packets", "SOAP, zlib", "SNMP GetBulk, UDP", 66, MORE),
        part("packets", "SOAP, zlib", "SNMP GetBulk", MANY, LESS),
    ];
    judge(
        evidence,
        &parts,
        "whole sessions, opening and close included, below and above the crossing",
    )
}

/// What is measured by what the formula says.
fn formulas(evidence: &Evidence<'_>) -> Verdict {
    let kinds = [
        ("Get", super::formula::get as fn(f64, f64, f64) -> f64),
        ("GetBulk", super::formula::bulk),
    ];
    let ratios = kinds.into_iter().flat_map(|(series, formula)| {
        [22_u32, MANY].map(|objects| {
            let expected = formula(f64::from(objects), 11.0, 3.0);
            let octets = evidence.estimate("formulas", series, objects, OURS);
            let ratio = octets.map(|octets| octets.scaled(1.0 / expected));
            (format!("{series}, {objects} objects"), ratio)
        })
    });
    Verdict::of_ratios(
        ratios,
        &(0.85..=1.15),
        "the messages of today's ifTable by what the formulas say",
    )
}

/// What each object adds to the agent's CPU time, of one method by another.
fn for_each_object(
    evidence: &Evidence<'_>,
    over: &str,
    under: &str,
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let cell = |series: &str, objects: u32| evidence.cell("agent-cpu", series, objects);
    let cells: Option<Vec<&Cell>> = [
        cell(over, MANY),
        cell(over, 22),
        cell(under, MANY),
        cell(under, 22),
    ]
    .into_iter()
    .collect();
    let cells = cells.unwrap_or_default().into_iter();
    let cells: Vec<_> = cells.map(|cell| (cell, OURS)).collect();
    let ratio = evidence.of_rounds(&cells, |values| match values {
        [over_many, over_few, under_many, under_few] if under_many > under_few => {
            Some((over_many - over_few) / (under_many - under_few))
        }
        _ => None,
    });
    let Some(ratio) = ratio else {
        return Verdict::not_testable(NOT_MEASURED);
    };
    let what = format!("{over} by {under}, each object");
    Verdict::new(Outcome::of_ratio(ratio, claimed), because).with(what, Unit::Ratio, ratio)
}

fn xml_coding(evidence: &Evidence<'_>) -> Verdict {
    for_each_object(
        evidence,
        "SOAP",
        "SNMP GetBulk",
        &(3.0..=7.0),
        "what each further object adds to the agent's CPU time: between 22 and 264 objects, from the same cache",
    )
}

fn compression_cost(evidence: &Evidence<'_>) -> Verdict {
    for_each_object(
        evidence,
        "SOAP, zlib",
        "SOAP",
        &(3.0..=5.0),
        "what each further object adds to the agent's CPU time, with compression by without",
    )
}

fn round_trip_one(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("table-2", "SOAP", "SNMP GetBulk", 1, MORE),
        part("table-2", "RESTCONF", "SNMP GetBulk", 1, MORE),
    ];
    judge(evidence, &parts, "on open sessions")
}

fn round_trip_many(evidence: &Evidence<'_>) -> Verdict {
    let parts = [part("table-2", "SOAP", "SNMP GetBulk", MANY, LESS)];
    judge(
        evidence,
        &parts,
        "a table of 12 rows on open sessions, both by the same agent; between agents of SNMP the paper saw differences of 1000",
    )
}
