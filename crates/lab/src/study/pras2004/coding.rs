use super::super::{
    Axis, Cell, CodingTask, Experiment, Form, Measure, MessageCoding, Published, Scope,
    SessionTask, Setting, SubjectName, Unit, WebCompression,
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

fn theirs_of_coding() -> impl Iterator<Item = Published> {
    let of_text = [
        ("BER", [(1_u32, 0.06), (216, 0.8)]),
        ("XML", [(1, 0.44), (216, 2.5)]),
    ];
    of_text.into_iter().flat_map(|(series, values)| {
        let published = move |(at, value)| Published::new(series, at, value);
        values.into_iter().map(published)
    })
}

fn lines() -> Form {
    Form::Lines {
        x: Axis::logarithmic("objects"),
        y: Axis::logarithmic("CPU time in ms"),
    }
}

/// Figure 13: coding alone.
pub(super) fn coding(_scope: Scope) -> Experiment {
    Experiment {
        id: "coding",
        title: "CPU time for coding a request and its response, by objects",
        source: "Figure 13",
        setup: "The routines of our agent by themselves, as theirs were timed: reading the request and writing the response, with \
                the objects of an agent in a network of 12 interfaces; many times over, by the clock of the thread's CPU time. \
                Theirs are what the text tells of the plot; with compression, 3 to 5 times as much as XML alone."
            .into(),
        unit: Unit::Milliseconds,
        form: lines(),
        theirs: theirs_of_coding().collect(),
        cells: coding_cells().collect(),
        left_out: Vec::new(),
    }
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
    let of_text = [
        ("data retrieval, least", 1_u32, 1.2),
        ("data retrieval, most", 1, 2.0),
        ("data retrieval", 5, 6.0),
        ("data retrieval", 54, 65.0),
        ("data retrieval", 270, 500.0),
    ];
    let theirs = of_text.map(|(series, at, value)| Published::new(series, at, value));
    Experiment {
        id: "retrieval",
        title: "CPU time for coding and for data retrieval, by objects",
        source: "Figure 14",
        setup: "Data retrieval is what a GetBulk over TCP costs an agent that reads the interfaces anew for each request, less what \
                it costs one that keeps them for an hour (Net-SNMP: nsCacheTimeout of ifTable 0 and 3600). What it costs the latter is \
                all but retrieval: receiving, coding, access control, finding values, sending. Coding is that of the other experiment. \
                12 interfaces. Theirs are Net-SNMP 5.0.9, which asked its system for each object; one took 1.2 to 2.0 ms."
            .into(),
        unit: Unit::Milliseconds,
        form: lines(),
        theirs: theirs_of_coding().chain(theirs).collect(),
        cells: retrieval
            .into_iter()
            .chain(rest)
            .chain(coding_cells())
            .collect(),
        left_out: Vec::new(),
    }
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
    Experiment {
        id: "requests-per-core",
        title: "Requests for ifTable in each second of the agent's CPU time",
        source: "this project",
        setup: "The whole of ifTable with 2 interfaces, request after request by one connection that stays open; requests by all \
                CPU time of the agent's process, the system's part included, as one core would answer them. Counters are read anew \
                every 100 ms."
            .into(),
        unit: Unit::PerSecond,
        form: Form::Bars,
        theirs: Vec::new(),
        cells: web.into_iter().chain([snmp]).collect(),
        left_out: Vec::new(),
    }
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
