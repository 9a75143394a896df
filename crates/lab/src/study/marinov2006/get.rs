use super::super::names::{SYS_DESCR, get};
use super::super::{Cell, Experiment, Form, Measure, Published, Scope, Task, Unit};
use super::{SSH, TCP, UDP, USM_TCP, USM_UDP, WAYS};

/// Sessions in each repetition.
const SESSIONS: u32 = 10;

/// The place of what is measured here, beside the machines of the paper.
pub(super) const HERE: &str = "this machine";

/// The same with an agent that has so many hundredths of a core.
const SLOW: &str = "a quarter of it";
pub(super) const SHARE: u32 = 25;

/// The place of what has no machine.
pub(super) const A_GET: &str = "a get";

/// Table 2, its columns of time.
pub(super) fn table_2_time() -> Experiment {
    let theirs = [
        (UDP, [1.03, 0.70]),
        (TCP, [1.13, 1.00]),
        (USM_UDP, [1.97, 2.28]),
        (USM_TCP, [2.03, 3.03]),
        (SSH, [16.17, 91.62]),
    ];
    let machines = ["meat (fast)", "turtle (slow)"];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &machines, values));
    let cells = WAYS.into_iter().flat_map(|way| {
        let task = way.task(get(SYS_DESCR)).of(SESSIONS, 1);
        let slowed = task.clone().slowed(SHARE);
        [(HERE, task), (SLOW, slowed)]
            .map(|(at, task)| Cell::new(way.name, at, task, Measure::SessionTime))
    });
    Experiment {
        id: "table-2-time",
        title: "Time of a get of sysDescr",
        source: "Table 2, time",
        setup: "A session from its opening to its close with one get of sysDescr.0. The keys of USM were \
                made before; they do not say whether theirs were. Manager and agent are on one core, \
                without a network between; theirs were two machines. In the place of their slow one, the agent has a quarter of a core, by \
                a control group: it works for a millisecond and waits for three. Beside the paper's v2c over SSH stand the transports that \
                became standards: SSH, TLS and DTLS with the transport security model."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

fn on_the_wire(measure: Measure) -> Vec<Cell> {
    let cell = |way: super::Way| {
        let task = Task::Packets(way.task(get(SYS_DESCR)));
        Cell::new(way.name, A_GET, task, measure).repeated(6)
    };
    WAYS.map(cell).to_vec()
}

/// Table 2, its column of data.
pub(super) fn table_2_octets(_scope: Scope) -> Experiment {
    let theirs = [
        (UDP, 232.0),
        (TCP, 824.0),
        (USM_UDP, 668.0),
        (USM_TCP, 1312.0),
        (SSH, 4388.0),
    ];
    Experiment {
        id: "table-2-octets",
        title: "Octets of a get of sysDescr",
        source: "Table 2, data",
        setup: "Ethernet frames of a whole session with one get of sysDescr.0: what a packet socket counts on loopback, and 14 \
                octets for each frame. sysDescr had about 60 characters there. Acknowledgements that loopback saves count \
                nowhere."
            .into(),
        unit: Unit::Octets,
        form: Form::Bars,
        theirs: theirs
            .map(|(series, value)| Published::new(series, A_GET, value))
            .to_vec(),
        cells: on_the_wire(Measure::FrameOctets),
        left_out: Vec::new(),
    }
}

/// Table 2, its column of packets.
pub(super) fn table_2_packets(_scope: Scope) -> Experiment {
    let theirs = [
        (UDP, 2.0),
        (TCP, 10.0),
        (USM_UDP, 4.0),
        (USM_TCP, 12.0),
        (SSH, 32.0),
    ];
    Experiment {
        id: "table-2-packets",
        title: "Packets of a get of sysDescr",
        source: "Table 2, packets",
        setup: "IP packets of the same sessions, both directions, from the first of the connection to the last of its close."
            .into(),
        unit: Unit::Packets,
        form: Form::Bars,
        theirs: theirs
            .map(|(series, value)| Published::new(series, A_GET, value))
            .to_vec(),
        cells: on_the_wire(Measure::WirePackets),
        left_out: Vec::new(),
    }
}
