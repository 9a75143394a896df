mod bandwidth;

use std::ops::RangeInclusive;

use super::super::{Claim, Evidence, Judge, SubjectName, Verdict};
use super::coding::TWO_INTERFACES;
use super::methods::MANY;

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "snmp-wins-for-one",
        text: "For a single object SNMP takes less bandwidth than web services, compressed or not",
        source: "section IV.F, section VII",
        judge: Judge::Arithmetic(bandwidth::snmp_wins_for_one),
    },
    Claim {
        id: "soap-by-get",
        text: "For many objects plain web services take twice the octets of SNMP by Get, and four times those by GetBulk",
        source: "section IV.F, Figure 11",
        judge: Judge::Arithmetic(bandwidth::soap_by_snmp),
    },
    Claim {
        id: "zlib-gains",
        text: "Compression makes SOAP smaller by a factor of 2 for one object, 4 for 50, and 8 for 250",
        source: "section IV.G",
        judge: Judge::Arithmetic(bandwidth::zlib_gains),
    },
    Claim {
        id: "opc",
        text: "Compressed object identifiers (OPC) bring SNMP to about 75 % of its octets",
        source: "section IV.G",
        judge: Judge::Arithmetic(bandwidth::opc),
    },
    Claim {
        id: "crossing",
        text: "Compressed web services take fewer octets than SNMP where more than 70 objects are retrieved",
        source: "section IV.G, Figure 12",
        judge: Judge::Arithmetic(bandwidth::crossing),
    },
    Claim {
        id: "crossing-ip",
        text: "At the level of IP they do so from somewhere between 125 and 150 objects on",
        source: "section IV.H",
        judge: Judge::Arithmetic(bandwidth::crossing_ip),
    },
    Claim {
        id: "formulas",
        text: "Octets of messages are within the bounds of the formulas for L_GET and L_BULK, with values of 1 to 6 octets",
        source: "section IV.C and IV.D, Figures 6 and 7",
        judge: Judge::Arithmetic(bandwidth::formulas),
    },
    Claim {
        id: "xml-coding",
        text: "Coding in XML costs 3 to 7 times as much as in BER",
        source: "section V",
        judge: Judge::Arithmetic(xml_coding),
    },
    Claim {
        id: "compression-cost",
        text: "Compression costs 3 to 5 times as much as coding itself",
        source: "section V",
        judge: Judge::Arithmetic(compression_cost),
    },
    Claim {
        id: "coding-by-retrieval",
        text: "Coding costs less CPU time than retrieving the data: BER always, XML with compression for a single object",
        source: "section V, conclusions",
        judge: Judge::Arithmetic(coding_by_retrieval),
    },
    Claim {
        id: "many-by-retrieval",
        text: "For hundreds of objects, the time to code and compress can be neglected beside that to retrieve them",
        source: "conclusions",
        judge: Judge::Arithmetic(many_by_retrieval),
    },
    Claim {
        id: "cached-retrieval",
        text: "Where the system is asked once for each request, coding in XML costs more than retrieval from 180 objects on",
        source: "section V",
        judge: Judge::Arithmetic(cached_retrieval),
    },
    Claim {
        id: "retrieval-grows",
        text: "Net-SNMP asks its system for each object, so that retrieval grows with the number of objects",
        source: "section V",
        judge: Judge::Arithmetic(retrieval_grows),
    },
    Claim {
        id: "memory",
        text: "The web services agent takes less memory than Net-SNMP: a third of its instructions, and less data",
        source: "section V.B, Table I",
        judge: Judge::Arithmetic(memory),
    },
    Claim {
        id: "round-trip-one",
        text: "For one object the fastest SNMP agents answer sooner than web services: 0.4 ms by 1.7 ms",
        source: "Table II",
        judge: Judge::Arithmetic(round_trip_one),
    },
    Claim {
        id: "round-trip-many",
        text: "For multiple objects web services answer sooner than several SNMP agents",
        source: "section VI, Table II",
        judge: Judge::Arithmetic(round_trip_many),
    },
    Claim {
        id: "round-trip-compressed",
        text: "With compression web services answer later for 1 and 22 objects, and sooner for 66 and 270",
        source: "section VI, Table II",
        judge: Judge::Arithmetic(round_trip_compressed),
    },
];

/// What we claim beside it.
pub(super) const OWN_CLAIMS: &[Claim] = &[
    Claim {
        id: "compressed-snmp",
        text: "At no number of objects does a compressed web service take fewer octets than compressed SNMP",
        source: "this project",
        judge: Judge::Arithmetic(bandwidth::compressed_snmp),
    },
    Claim {
        id: "requests-per-core",
        text: "A core answers more than 5000 requests a second for ifTable with 2 interfaces, by RESTCONF and by SOAP",
        source: "this project",
        judge: Judge::Arithmetic(requests_per_core),
    },
];

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

fn xml_coding(evidence: &Evidence<'_>) -> Verdict {
    let parts = [1, 216].map(|objects| part("coding", "XML", "BER", objects, 3.0..=7.0));
    judge(
        evidence,
        &parts,
        "reading a request and writing its response with the same objects, by the routines of our agent alone",
    )
}

fn compression_cost(evidence: &Evidence<'_>) -> Verdict {
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

fn coding_by_retrieval(evidence: &Evidence<'_>) -> Verdict {
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

fn many_by_retrieval(evidence: &Evidence<'_>) -> Verdict {
    by_retrieval(
        evidence,
        [("XML", 216, LESS), ("XML, zlib", 216, LESS)],
        "as for fewer objects; both agents read the interfaces once for each request",
    )
}

fn cached_retrieval(evidence: &Evidence<'_>) -> Verdict {
    by_retrieval(
        evidence,
        [("XML", 22, LESS), ("XML", 216, MORE)],
        "coding in XML by data retrieval, below and above 180 objects",
    )
}

fn retrieval_grows(evidence: &Evidence<'_>) -> Verdict {
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

fn requests_per_core(evidence: &Evidence<'_>) -> Verdict {
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

fn memory(_: &Evidence<'_>) -> Verdict {
    Verdict::not_testable(
        "it compares an agent for web services alone with one for SNMP alone; ours is both in one process",
    )
}

fn round_trip_one(evidence: &Evidence<'_>) -> Verdict {
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
fn round_trip_many(evidence: &Evidence<'_>) -> Verdict {
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

fn round_trip_compressed(evidence: &Evidence<'_>) -> Verdict {
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
