pub(in crate::study) mod bandwidth;

use std::ops::RangeInclusive;

use super::super::{Evidence, SubjectName, Verdict};
use super::coding::TWO_INTERFACES;
use super::methods::MANY;

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
        let what = format!("{} by {}, {} objects", part.over, part.under, part.objects);
        let ratio = evidence.ratio(part.experiment, over, under);
        (what, ratio, part.claimed.clone())
    };
    Verdict::of_claimed_ratios(parts.iter().map(ratio), because)
}

const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;
const LESS: RangeInclusive<f64> = 0.0..=0.99;

pub(in crate::study) fn xml_coding(evidence: &Evidence<'_>) -> Verdict {
    let parts = [1, 216].map(|objects| part("coding", "XML", "BER", objects, 3.0..=7.0));
    judge(
        evidence,
        &parts,
        "reading a request and writing its response with the same objects, by the routines of our agent alone",
    )
}

pub(in crate::study) fn compression_cost(evidence: &Evidence<'_>) -> Verdict {
    let parts = [1, 216].map(|objects| part("coding", "XML, zlib", "XML", objects, 3.0..=5.0));
    judge(
        evidence,
        &parts,
        "coding with compression of both bodies by coding without, by the routines of our agent alone",
    )
}

/// What coding costs by what it costs the agent to retrieve as many objects. The routines of coding are those of our agent.
fn by_retrieval<const N: usize>(
    evidence: &Evidence<'_>,
    parts: [(&'static str, u32, RangeInclusive<f64>); N],
    because: &str,
) -> Verdict {
    let ratio = |series, objects: u32| {
        let coding = evidence.cell("coding", series, objects)?;
        let retrieval = evidence.cell("retrieval", "data retrieval", objects)?;
        let retrieval = (retrieval, evidence.subject());
        evidence.ratio_across((coding, SubjectName::Varbind), retrieval)
    };
    let ratios = parts.map(|(series, objects, claimed)| {
        let what = format!("{series} by data retrieval, {objects} objects");
        (what, ratio(series, objects), claimed)
    });
    Verdict::of_claimed_ratios(ratios, because)
}

pub(in crate::study) fn coding_by_retrieval(evidence: &Evidence<'_>) -> Verdict {
    by_retrieval(
        evidence,
        [
            ("BER", 1, LESS),
            ("BER", 216, LESS),
            ("XML", 1, LESS),
            ("XML, zlib", 1, LESS),
        ],
        "coding by our routines, by what reading the interfaces anew for each request adds to an agent's CPU time",
    )
}

pub(in crate::study) fn many_by_retrieval(evidence: &Evidence<'_>) -> Verdict {
    by_retrieval(
        evidence,
        [("XML", 216, LESS), ("XML, zlib", 216, LESS)],
        "as for fewer objects; both agents read the interfaces once for each request",
    )
}

pub(in crate::study) fn cached_retrieval(evidence: &Evidence<'_>) -> Verdict {
    by_retrieval(
        evidence,
        [("XML", 22, LESS), ("XML", 216, MORE)],
        "coding in XML by data retrieval, below and above 180 objects",
    )
}

pub(in crate::study) fn retrieval_grows(evidence: &Evidence<'_>) -> Verdict {
    let series = "data retrieval";
    let ratio = evidence.ratio("retrieval", (series, MANY), (series, 54_u32));
    Verdict::of_ratios(
        [(format!("{MANY} objects by 54"), ratio)],
        &(4.0..=10.0),
        "what data retrieval costs; theirs took 7.7 times as long for 270 objects as for 54",
    )
}

/// Requests in each second of CPU that are wanted of the web services.
const WANTED: f64 = 5000.0;

pub(in crate::study) fn requests_per_core(evidence: &Evidence<'_>) -> Verdict {
    let ratio = |series: &str| {
        let rate = evidence.estimate("requests-per-core", series, TWO_INTERFACES)?;
        Some(rate.scaled(1.0 / WANTED))
    };
    let series = ["RESTCONF, JSON", "RESTCONF, XML", "SOAP"];
    Verdict::of_ratios(
        series.map(|series| (format!("{series}, by 5000 in a second"), ratio(series))),
        &MORE,
        "requests by connections that stay open, by all CPU time of the agent",
    )
}

pub(in crate::study) fn memory(_: &Evidence<'_>) -> Verdict {
    Verdict::not_testable(
        "it compares an agent for web services alone with one for SNMP alone; ours is both in one process",
    )
}

pub(in crate::study) fn round_trip_one(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("table-2", "SOAP", "SNMP GetBulk", 1, MORE),
        part("table-2", "SOAP", "SNMP GetBulk, UDP", 1, MORE),
        part("table-2", "RESTCONF", "SNMP GetBulk", 1, MORE),
    ];
    judge(
        evidence,
        &parts,
        "requests on open sessions, all to our agent",
    )
}

/// The web services are those of our agent.
pub(in crate::study) fn round_trip_many(evidence: &Evidence<'_>) -> Verdict {
    let ratio = || {
        let soap = evidence.cell("table-2", "SOAP", MANY)?;
        let bulk = evidence.cell("table-2", "SNMP GetBulk", MANY)?;
        evidence.ratio_across((soap, SubjectName::Varbind), (bulk, evidence.subject()))
    };
    Verdict::of_ratios(
        [("SOAP by SNMP".to_owned(), ratio())],
        &LESS,
        "a table of 12 rows on open sessions, SOAP of varbind's agent by GetBulk over TCP of this one",
    )
}

pub(in crate::study) fn round_trip_compressed(evidence: &Evidence<'_>) -> Verdict {
    let claimed = [(1, MORE), (22, MORE), (66, LESS), (MANY, LESS)];
    let parts =
        claimed.map(|(objects, claimed)| part("table-2", "SOAP, zlib", "SOAP", objects, claimed));
    judge(
        evidence,
        &parts,
        "requests on open connections, with compression by without; there, what was not compressed took several segments, which waited \
         for delayed acknowledgements",
    )
}
