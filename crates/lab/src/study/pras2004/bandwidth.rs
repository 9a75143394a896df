use super::super::{
    Axis, Cell, Experiment, Form, LeftOut, Measure, Published, Scope, SessionTask, Task, Unit,
};
use super::formula::{self, LARGE, SMALL};
use super::methods::{CROSSING, MANY, METHODS, bulk, bulk_udp, get, is_too_many, objects, soap};
use crate::study::WebCompression;

fn lines() -> Form {
    Form::Lines {
        x: Axis::logarithmic("objects"),
        y: Axis::logarithmic("octets"),
    }
}

/// The formulas beside what messages really take.
pub(super) fn formulas(scope: Scope) -> Experiment {
    let mut theirs = Vec::new();
    let mut cells = Vec::new();
    for objects in objects(scope)
        .into_iter()
        .filter(|objects| !is_too_many("SNMP Get", *objects))
    {
        let count = f64::from(objects);
        for (value, size) in [(SMALL, "1 octet"), (LARGE, "6 octets")] {
            let series = |kind: &str| format!("{kind}, values of {size}");
            theirs.extend([
                Published::new(&series("Get"), objects, formula::get(count, value)),
                Published::new(&series("GetBulk"), objects, formula::bulk(count, value)),
            ]);
        }
        for (series, task) in [("Get", get(objects)), ("GetBulk", bulk(objects))] {
            let cell = Cell::new(series, objects, task, Measure::Octets);
            cells.push(cell.repeated(6));
        }
    }
    Experiment {
        id: "formulas",
        title: "Octets of messages by the paper's formulas, and as they are",
        source: "Figures 6 and 7, equations (13) and (14)",
        setup: "L_GET = 54 + n (32 + S) and L_BULK = 70 + 16 n + n S, for n objects of ifTable with values of S octets; request and \
                response in SNMPv2c. Theirs are the formulas with values of 1 and of 6 octets: more than 90 % of the values of \
                their agents were between (Figure 5). Ours are the messages."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs,
        cells,
        left_out: vec![LeftOut::new(
            "lengths of names and sizes of values (Figures 4 and 5)",
            "they are of all objects of 23 agents of that time; here ifTable alone is asked for",
        )],
    }
}

pub(super) fn cells(scope: Scope, measure: Measure) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (series, task) in METHODS {
        for objects in objects(scope) {
            if !is_too_many(series, objects) {
                let cell = Cell::new(series, objects, task(objects), measure);
                cells.push(cell.repeated(6));
            }
        }
    }
    cells
}

/// Octets at the level of messages and bodies.
pub(super) fn messages(scope: Scope) -> Experiment {
    // A request of about 500 octets, a response of 450 and 1000 for each row of 18 objects.
    let soap = |rows: u32| Published::new("SOAP", 18 * rows, 950.0 + 1000.0 * f64::from(rows));
    Experiment {
        id: "messages",
        title: "Octets of request and response, by objects",
        source: "Figures 11 and 12",
        setup: "Messages of SNMP (GetBulk in one message over TCP, and over UDP in as many as fit into packets), and bodies of HTTP \
                without their headers. An object, a row, and tables of 3 and 12 rows of ifTable, of 22 objects each. Theirs are \
                drawn from what the text tells of SOAP without compression: about 500 octets for the request, 450 for the \
                response, and 1000 for each of its rows, of 18 objects."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs: [1, 3, 12].map(soap).to_vec(),
        cells: cells(scope, Measure::Octets),
        left_out: Vec::new(),
    }
}

/// The largest number of objects that the text tells of.
const LARGEST: u32 = 250;

/// What the text tells of the plots: how many times more octets one method takes than another.
pub(super) fn factors(scope: Scope) -> Experiment {
    let theirs = vec![
        Published::new("SOAP by SNMP Get", LARGEST, 2.0),
        Published::new("SOAP by SNMP GetBulk", LARGEST, 4.0),
        Published::new("SOAP by SOAP, zlib", 1_u32, 2.0),
        Published::new("SOAP by SOAP, zlib", 50_u32, 4.0),
        Published::new("SOAP by SOAP, zlib", LARGEST, 8.0),
        Published::new("SNMP, OPC by SNMP GetBulk", LARGEST, 0.75),
    ];
    let method = |name: &str, objects: u32| {
        let mut methods = METHODS.into_iter();
        methods.find_map(|(series, task)| (series == name).then(|| task(objects)))
    };
    let pairs = [
        ("SOAP", "SNMP Get"),
        ("SOAP", "SNMP GetBulk"),
        ("SOAP", "SOAP, zlib"),
        ("SNMP, OPC", "SNMP GetBulk"),
    ];
    let mut cells = Vec::new();
    for (over, under) in pairs {
        for objects in objects(scope) {
            if let Some((task, other)) = method(over, objects).zip(method(under, objects))
                && !is_too_many(under, objects)
            {
                let series = format!("{over} by {under}");
                let cell = Cell::new(&series, objects, task, Measure::Octets);
                let cell = cell.over(other, Measure::Octets);
                cells.push(cell.repeated(6));
            }
        }
    }
    Experiment {
        id: "factors",
        title: "How many times more octets one method takes than another, by objects",
        source: "section IV.F and IV.G",
        setup: "Ratios of octets of messages and bodies. Theirs are what the text tells; what it tells of \"a large number of \
                objects\" stands at 250."
            .into(),
        unit: Unit::Ratio,
        form: Form::Lines {
            x: Axis::logarithmic("objects"),
            y: Axis::logarithmic("ratio"),
        },
        theirs,
        cells,
        left_out: Vec::new(),
    }
}

/// What crosses at the level of IP.
pub(super) const CROSSERS: [&str; 2] = ["SOAP, zlib", "SNMP GetBulk, UDP"];

/// Octets at the level of IP, a session with its opening and close.
pub(super) fn packets(scope: Scope) -> Experiment {
    let mut all = Vec::new();
    for (series, task) in METHODS {
        let crosses = CROSSERS.contains(&series).then_some(CROSSING);
        for objects in objects(scope).into_iter().chain(crosses) {
            let task = match task(objects) {
                Task::Sessions(task) => Task::Packets(task),
                other => other,
            };
            let is_session = !matches!(&task, Task::Compressed(_));
            if is_session && objects <= MANY {
                let cell = Cell::new(series, objects, task, Measure::WireOctets);
                all.push(cell.repeated(6));
            }
        }
    }
    Experiment {
        id: "packets",
        title: "Octets of IP packets of a whole session, by objects",
        source: "section IV.H",
        setup: "From the opening of the connection to its close, one request; over UDP as many as it takes, as no answer is larger \
                than a packet: tables of 6 and 12 rows take \
                several, of which the last reaches beyond the table, where theirs was one message in fragments. They tell no values, but what IP \
                adds to messages, which is the experiment that follows, and that SOAP with compression takes less than SNMP from \
                125 to 150 objects on: these two are measured with 6 rows, too."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs: Vec::new(),
        cells: all,
        left_out: vec![LeftOut::new(
            "compressed SNMP",
            "the laboratory counts its messages alone",
        )],
    }
}

/// What packets add to messages and bodies.
pub(super) fn added_by_ip(scope: Scope) -> Experiment {
    const SOAP: &str = "SOAP, within a connection";
    const ZLIB: &str = "SOAP, zlib, within a connection";
    const CONNECTION: &str = "opening and closing TCP";
    let theirs = vec![
        Published::new("SNMP over UDP", 1_u32, 56.0),
        Published::new(CONNECTION, 1_u32, 380.0),
        Published::new(SOAP, 1_u32, 273.0),
        Published::new(SOAP, LARGEST, 485.0),
        Published::new(ZLIB, 1_u32, 613.0),
        Published::new(ZLIB, LARGEST, 715.0),
    ];
    let mut cells = Vec::new();
    for objects in objects(scope) {
        let snmp = |series: &str, task: SessionTask| {
            let cell = Cell::new(
                series,
                objects,
                Task::Packets(task.clone()),
                Measure::WireOctets,
            );
            cell.less(task, Measure::Octets)
        };
        if objects < MANY {
            cells.push(snmp("SNMP over UDP", bulk_udp(objects)));
        }
        if objects <= MANY {
            let zlib = soap(objects).compressed(WebCompression::Deflate);
            let web = [
                ("SOAP, whole session", soap(objects)),
                ("SOAP, zlib, whole session", zlib),
            ];
            cells.push(snmp("SNMP over TCP, whole session", bulk(objects)));
            cells.extend(web.map(|(series, task)| {
                let cell = Cell::new(series, objects, task.clone(), Measure::WireOctets);
                cell.less(task, Measure::Octets)
            }));
        }
    }
    let cells = cells.into_iter();
    Experiment {
        id: "added-by-ip",
        title: "Octets that IP packets add to messages and bodies, by objects",
        source: "section IV.H",
        setup: "Octets of the IP packets of a session with one request, less those of its messages or bodies: headers of IP, UDP, TCP \
                and HTTP, and acknowledgements. Ours are of whole sessions, with opening and closing; theirs tell these apart (380 \
                octets), so that SOAP for one object has 380 and 273 in all."
            .into(),
        unit: Unit::Octets,
        form: lines(),
        theirs,
        cells: cells.map(|cell| cell.repeated(6)).collect(),
        left_out: Vec::new(),
    }
}
