use super::super::{
    Cell, CodingTask, Experiment, Measure, MessageCoding, Scope, SessionTask, Setting, SubjectName,
    WebCompression,
};
use super::methods::{self, FEW_INTERFACES, bulk};
use crate::subject::CounterCache;

/// Objects that are coded and retrieved: those of the paper's text among them.
const PLACES: [u32; 5] = [1, 22, 54, 216, methods::MANY];
/// Exchanges in a session whose agent's CPU time is counted.
const EXCHANGES: u32 = 60;

/// So many objects of ifTable: one, or as many columns as the table of the paper had (18), or all (22).
fn task(objects: u32, coding: MessageCoding) -> CodingTask {
    let all = || (1..=22).collect::<Vec<u32>>();
    let without_deprecated = || {
        let left_out = [9, 12, 15, 18];
        let columns = all().into_iter();
        columns
            .filter(|column| !left_out.contains(column))
            .collect()
    };
    let (columns, rows): (Vec<u32>, u32) = match objects {
        1 => (vec![10], 1),
        objects if objects % 22 == 0 => (all(), objects / 22),
        objects => (without_deprecated(), objects / 18),
    };
    CodingTask {
        setting: Setting::Interfaces(FEW_INTERFACES),
        coding,
        columns,
        rows,
    }
}

const CODINGS: [(&str, MessageCoding); 3] = [
    ("BER", MessageCoding::Ber),
    ("XML", MessageCoding::Xml),
    ("XML, zlib", MessageCoding::XmlZlib),
];

fn coding_cells() -> impl Iterator<Item = Cell> {
    CODINGS.into_iter().flat_map(|(series, coding)| {
        PLACES.into_iter().map(move |objects| {
            let cell = Cell::new(series, objects, task(objects, coding), Measure::Cpu);
            cell.only(SubjectName::Varbind)
        })
    })
}

/// Figure 13: coding alone.
pub(super) fn coding(_scope: Scope) -> Experiment {
    Experiment::new("coding", coding_cells())
}

/// The same request again and again, of an agent that keeps counters for so long.
fn session(objects: u32, cache: CounterCache) -> SessionTask {
    bulk(objects).of(1, EXCHANGES).with_cache(cache)
}

/// Figure 14: coding beside data retrieval.
pub(super) fn retrieval(_scope: Scope) -> Experiment {
    let retrieval = PLACES.map(|objects| {
        let anew = session(objects, CounterCache::Off);
        let kept = session(objects, CounterCache::Lasting);
        Cell::new("data retrieval", objects, anew, Measure::AgentCpu).less(kept, Measure::AgentCpu)
    });
    let rest = PLACES.map(|objects| {
        let kept = session(objects, CounterCache::Lasting);
        Cell::new("all but retrieval", objects, kept, Measure::AgentCpu)
    });
    Experiment::new(
        "retrieval",
        retrieval.into_iter().chain(rest).chain(coding_cells()),
    )
}

/// Interfaces in the table whose requests are counted for each second of CPU.
const TWO: u32 = 2;
/// Where they are on the axis.
pub(super) const TWO_INTERFACES: &str = "2 interfaces";

/// How many requests for a small ifTable a core answers.
pub(super) fn requests_per_core(scope: Scope) -> Experiment {
    let exchanges = scope.choose(200, 1000);
    let objects = TWO * 22;
    let json = methods::restconf_table(TWO, true);
    let web = [
        ("RESTCONF, JSON", json.clone()),
        (
            "RESTCONF, JSON, zlib",
            json.compressed(WebCompression::Deflate),
        ),
        ("RESTCONF, XML", methods::restconf_table(TWO, false)),
        ("SOAP", methods::soap(objects)),
        (
            "SOAP, zlib",
            methods::soap(objects).compressed(WebCompression::Deflate),
        ),
    ];
    let web = web.map(|(series, task)| {
        let task = task.of(1, exchanges);
        Cell::new(series, TWO_INTERFACES, task, Measure::RatePerCore).only(SubjectName::Varbind)
    });
    let snmp = bulk(objects).in_setting(Setting::Interfaces(TWO));
    let snmp = Cell::new(
        "SNMP GetBulk",
        TWO_INTERFACES,
        snmp.of(1, exchanges),
        Measure::RatePerCore,
    );
    Experiment::new("requests-per-core", web.into_iter().chain([snmp]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_objects_are_coded_as_it_says() {
        for objects in PLACES {
            let task = task(objects, MessageCoding::Ber);
            let count = u32::try_from(task.columns.len()).unwrap() * task.rows;
            assert_eq!(count, objects);
            assert!(task.rows <= FEW_INTERFACES);
        }
    }
}
