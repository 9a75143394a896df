use super::super::super::{Evidence, Verdict};
use super::super::bandwidth::CROSSERS;
use super::super::formula::{self, LARGE, SMALL};
use super::super::methods::{CROSSING, MANY};
use super::{LESS, MORE, judge, part};

pub(in crate::study) fn snmp_wins_for_one(evidence: &Evidence<'_>) -> Verdict {
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

pub(in crate::study) fn soap_by_snmp(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP", "SNMP Get", MANY, 1.5..=2.5),
        part("messages", "SOAP", "SNMP GetBulk", MANY, 3.0..=5.0),
    ];
    judge(evidence, &parts, "a table of 12 rows, bodies by messages")
}

pub(in crate::study) fn zlib_gains(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP", "SOAP, zlib", 1, 1.5..=2.5),
        part("messages", "SOAP", "SOAP, zlib", 66, 3.0..=5.5),
        part("messages", "SOAP", "SOAP, zlib", MANY, 6.0..=10.0),
    ];
    judge(
        evidence,
        &parts,
        "bodies of requests and responses; a range of a fourth around theirs, and for 66 objects room for what they gain on 50",
    )
}

pub(in crate::study) fn opc(evidence: &Evidence<'_>) -> Verdict {
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

pub(in crate::study) fn compressed_snmp(evidence: &Evidence<'_>) -> Verdict {
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

pub(in crate::study) fn crossing(evidence: &Evidence<'_>) -> Verdict {
    let parts = [
        part("messages", "SOAP, zlib", "SNMP GetBulk", 22, MORE),
        part("messages", "SOAP, zlib", "SNMP GetBulk", 66, 0.8..=1.25),
        part("messages", "SOAP, zlib", "SNMP GetBulk", MANY, LESS),
    ];
    judge(
        evidence,
        &parts,
        "bodies that are compressed by messages that are not, below, close to and above 70 objects",
    )
}

pub(in crate::study) fn crossing_ip(evidence: &Evidence<'_>) -> Verdict {
    let [over, under] = CROSSERS;
    let claimed = [(66, MORE), (CROSSING, 0.8..=1.25), (MANY, LESS)];
    judge(
        evidence,
        &claimed.map(|(objects, claimed)| part("packets", over, under, objects, claimed)),
        "IP packets of whole sessions, SOAP with opening and close, SNMP over UDP with as many messages as a walk takes, below, \
         at and above 125 to 150 objects",
    )
}

pub(in crate::study) fn formulas(evidence: &Evidence<'_>) -> Verdict {
    let kinds = [
        ("Get", formula::get as fn(f64, f64) -> f64),
        ("GetBulk", formula::bulk),
    ];
    let ratios = kinds.into_iter().flat_map(|(series, formula)| {
        [22_u32, 66, MANY].map(|objects| {
            let bound = |value| formula(f64::from(objects), value);
            let octets = evidence.estimate("formulas", series, objects);
            let ratio = octets.map(|octets| octets.scaled(1.0 / bound(SMALL)));
            let claimed = 1.0..=bound(LARGE) / bound(SMALL);
            (format!("{series}, {objects} objects"), ratio, claimed)
        })
    });
    Verdict::of_claimed_ratios(
        ratios,
        "octets of request and response by the lower bound, values of 1 octet; up to the upper bound, values of 6",
    )
}
