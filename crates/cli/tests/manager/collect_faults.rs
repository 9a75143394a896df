//! A running `varbind collect` while one of its devices has each fault that the simulator knows, one after the other.
//!
//! No time is measured: the others are polled again after the fault has shown, and within a poll of a device that does not respond.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;
use varbind_collector::output::milliseconds;
use varbind_simulator::{Player, Simulation, SimulationSettings};
use varbind_testkit::peers::{Running, free_port};

use crate::collect::PATIENCE;
use crate::program::varbind;

/// The device that has the faults.
const FAULTY: &str = "127.77.1.1";
/// Addresses and number of those that have none.
const OTHERS: (&str, usize) = ("127.77.2.1-127.77.2.6", 6);
const RECORDING: &str = "\
1.3.6.1.2.1.1.3.0|67|1000000
1.3.6.1.2.1.2.2.1.1.1|2|1
1.3.6.1.2.1.2.2.1.1.2|2|2
1.3.6.1.2.1.2.2.1.1.3|2|3
1.3.6.1.2.1.2.2.1.2.1|4|eth1
1.3.6.1.2.1.2.2.1.2.2|4|eth2
1.3.6.1.2.1.2.2.1.2.3|4|eth3
1.3.6.1.2.1.2.2.1.10.1|65|100
1.3.6.1.2.1.2.2.1.10.2|65|200
1.3.6.1.2.1.2.2.1.10.3|65|300
";

const MODULES: &str = "
auths:
  public_v2: {}
modules:
  traffic:
    walk: [1.3.6.1.2.1.2.2.1.2, 1.3.6.1.2.1.2.2.1.10]
    get: [1.3.6.1.2.1.1.3.0]
    metrics:
    - {name: sysUpTime, oid: 1.3.6.1.2.1.1.3, type: gauge}
    - name: ifInOctets
      oid: 1.3.6.1.2.1.2.2.1.10
      type: counter
      indexes: [{labelname: ifIndex, type: gauge}]
      lookups:
      - {labels: [ifIndex], labelname: ifDescr, oid: 1.3.6.1.2.1.2.2.1.2, type: DisplayString}
";

/// What a poll of the faulty device comes to.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// It fails for one of these reasons.
    Failure(&'static [&'static str]),
    /// It succeeds with all rows, and a condition holds sooner or later.
    Success(fn(&Poll) -> bool),
}

use Expected::{Failure, Success};

/// Each fault, and what it leads to.
const FAULTS: [(&str, Expected); 13] = [
    ("latency = '150ms'", Success(|poll| poll.duration >= 0.15)),
    (
        "latency = '100ms'\njitter = '90ms'",
        Success(|poll| poll.duration >= 0.02),
    ),
    ("latency = '30s'", Failure(&["timeout"])),
    ("loss = 0.3", Success(|_| true)),
    ("loss = 1.0", Failure(&["timeout"])),
    ("mute = true", Failure(&["timeout"])),
    ("wrong-request-id = 1.0", Failure(&["timeout"])),
    ("wrong-order = true", Failure(&["protocol"])),
    ("endless-loop = true", Success(|_| true)),
    ("general-error = 1.0", Failure(&["error-status"])),
    ("too-big = 1.0", Failure(&["error-status"])),
    (
        "restart-every = '1s'",
        Success(|poll| poll.up_time < 1000.0),
    ),
    (
        "renumber-every = '1s'",
        Success(|poll| poll.index_of_eth1 != "1"),
    ),
];

/// A poll as the collector wrote it.
#[derive(Debug)]
struct Poll {
    target: String,
    slot: u64,
    time: u64,
    duration: f64,
    outcome: String,
    error: String,
    up_time: f64,
    index_of_eth1: String,
    /// ifDescr and ifInOctets of each row.
    rows: BTreeMap<String, f64>,
}

impl Poll {
    fn new(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let rows = value["rows"].as_array().cloned().unwrap_or_default();
        let up_time = rows
            .iter()
            .find_map(|row| row["values"]["sysUpTime"].as_f64());
        let labels = |row: &Value, name: &str| row["labels"][name].as_str().map(str::to_owned);
        let named = rows.iter().filter_map(|row| {
            let octets = row["values"]["ifInOctets"].as_f64()?;
            Some((labels(row, "ifDescr").unwrap_or_default(), octets))
        });
        let eth1 = rows.iter().find(|row| row["labels"]["ifDescr"] == "eth1");
        Self {
            target: text("target"),
            slot: value["slot"].as_u64().unwrap(),
            time: value["time"].as_u64().unwrap(),
            duration: value["duration"].as_f64().unwrap(),
            outcome: text("outcome"),
            error: text("error"),
            up_time: up_time.unwrap_or(f64::NAN),
            index_of_eth1: eth1
                .and_then(|row| labels(row, "ifIndex"))
                .unwrap_or_default(),
            rows: named.collect(),
        }
    }

    fn is_faulty_device(&self) -> bool {
        self.target.starts_with(FAULTY)
    }

    /// When it began and ended, in milliseconds.
    fn period(&self) -> (f64, f64) {
        let end = self.time as f64;
        (end - self.duration * 1000.0, end)
    }

    /// Whether it began after another one did, and ended before that.
    fn is_within(&self, other: &Self) -> bool {
        let ((begin, end), (first, last)) = (self.period(), other.period());
        first < begin && end < last
    }

    fn is_as(&self, expected: Expected) -> bool {
        match expected {
            Failure(reasons) => reasons.contains(&self.outcome.as_str()) && !self.error.is_empty(),
            Success(holds) => self.outcome == "success" && self.rows.len() == 3 && holds(self),
        }
    }
}

/// A collector, and devices before it.
struct Stage {
    folder: TempDir,
    port: u16,
    player: Player,
    polls: Receiver<String>,
    _child: Running,
}

/// A fleet's file in which all devices have one interval.
const FLEET: &str = "
snmp-yml = ['snmp.yml']
interval = '1s'
deadline = '1s'
[limits]
longest-back-off = '1s'
[[targets]]
hosts = [OTHERS, FAULTY]
modules = ['traffic']
auth = 'public_v2'
";

/// One that polls the faulty device for longer, and has one place for polls that are not slow.
const PATIENT_FLEET: &str = "
snmp-yml = ['snmp.yml']
interval = '500ms'
[limits]
concurrency = 1
patience = '100ms'
longest-back-off = '4s'
[[targets]]
hosts = [OTHERS]
modules = ['traffic']
auth = 'public_v2'
[[targets]]
hosts = [FAULTY]
modules = ['traffic']
auth = 'public_v2'
interval = '4s'
deadline = '4s'
";

impl Stage {
    /// Polls devices as a fleet's file says, in which `OTHERS` and `FAULTY` stand for their addresses.
    fn start(fleet: &str, faults: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("switch.snmprec", RECORDING);
        write("snmp.yml", MODULES);
        let player = Player::start(simulation(&folder, port, faults)).unwrap();
        let (first, count) = OTHERS;
        let first = first.split_once('-').unwrap().0.rsplit_once('.').unwrap().0;
        let others: Vec<_> = (1..=count)
            .map(|number| format!("'{first}.{number}:{port}'"))
            .collect();
        let fleet = fleet
            .replace("OTHERS", &others.join(", "))
            .replace("FAULTY", &format!("'{FAULTY}:{port}'"));
        write("fleet.toml", &fleet);
        let file = folder.path().join("fleet.toml");
        let mut command = varbind(&["collect", "--json", file.to_str().unwrap()]);
        command.env("XDG_CONFIG_HOME", folder.path());
        command
            .env("HOME", folder.path())
            .env_remove("VARBIND_HOSTS");
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Running(command.spawn().unwrap());
        let stdout = child.0.stdout.take().unwrap();
        let (sender, polls) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            folder,
            port,
            player,
            polls,
            _child: child,
        }
    }

    /// The next poll of any device.
    #[track_caller]
    fn next(&self, deadline: Instant, what: &dyn Fn() -> String) -> Poll {
        let patience = deadline.saturating_duration_since(Instant::now());
        let line = self.polls.recv_timeout(patience);
        Poll::new(&line.unwrap_or_else(|error| panic!("{error}: {}", what())))
    }

    /// Has the faulty device do something from now on, and waits until a poll shows it. After that, each of the others has to be polled twice.
    fn observe(&self, faults: &str, expected: Expected) {
        let next = simulation(&self.folder, self.port, faults);
        self.player.replace(next).unwrap();
        let changed = milliseconds(SystemTime::now());
        let deadline = Instant::now() + PATIENCE;
        let mut last = None;
        let mut is_seen = false;
        let mut successes: BTreeMap<String, usize> = BTreeMap::new();
        while successes.values().filter(|count| **count >= 2).count() < OTHERS.1 {
            let what = || format!("{faults:?}: {last:?}, others {successes:?}");
            let poll = self.next(deadline, &what);
            if poll.is_faulty_device() {
                // One that began before says nothing.
                is_seen |= poll.slot >= changed && poll.is_as(expected);
                last = Some(poll);
            } else if is_seen && poll.is_as(Success(|_| true)) {
                *successes.entry(poll.target).or_default() += 1;
            }
        }
    }
}

fn simulation(folder: &TempDir, port: u16, faults: &str) -> Simulation {
    let (others, _) = OTHERS;
    let text = format!(
        "listen = ['udp:0.0.0.0:{port}']\n\
         [[groups]]\nname = 'others'\naddresses = '{others}'\nport = {port}\n\
         [[groups]]\nname = 'faulty'\nlive = true\naddresses = '{FAULTY}'\nport = {port}\n[groups.faults]\n{faults}\n"
    );
    fs::write(folder.path().join("simulation.toml"), text).unwrap();
    let settings = SimulationSettings::of_folder(folder.path()).unwrap();
    Simulation::load(&settings).unwrap().0
}

#[test]
fn each_fault_of_a_device_has_its_reason_and_stops_no_other() {
    let stage = Stage::start(FLEET, "");
    for (faults, expected) in FAULTS {
        stage.observe(faults, expected);
    }
    stage.observe("", Success(|_| true));
}

#[test]
fn others_are_polled_within_a_poll_of_a_silent_device() {
    let stage = Stage::start(PATIENT_FLEET, "mute = true");
    let deadline = Instant::now() + PATIENCE;
    let mut others: Vec<Poll> = Vec::new();
    loop {
        let poll = stage.next(deadline, &|| format!("{others:?}"));
        if !poll.is_faulty_device() {
            others.push(poll);
            continue;
        }
        assert!(poll.is_as(Failure(&["timeout"])), "{poll:?}");
        let within = others.iter().filter(|other| other.is_within(&poll));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        within.for_each(|other| *counts.entry(&other.target).or_default() += 1);
        if counts.values().filter(|count| **count >= 2).count() == OTHERS.1 {
            return;
        }
    }
}
