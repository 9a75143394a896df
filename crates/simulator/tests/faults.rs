//! Each fault is switched on and off while the simulation runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test panics where something is wrong"
)]

use std::fs;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use varbind::blocking::{Client, Target};
use varbind::{Value, oid};
use varbind_simulator::{Count, Player, Simulation, SimulationSettings};
use varbind_testkit::peers::eventually;

/// The longest that a test waits for something to happen.
const PATIENCE: Duration = Duration::from_secs(60);
/// sysUpTime of the recording.
const LONG_AGO: u32 = 1_000_000_000;

/// A GetRequest for sysName.0 with request-id 7 and the community public.
const REQUEST: &[u8] =
    b"\x30\x26\x02\x01\x01\x04\x06public\xa0\x19\x02\x01\x07\x02\x01\x00\x02\x01\x00\
    \x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x05\x00\x05\x00";
/// Where the request-id of its response is, if it is short.
const REQUEST_ID: std::ops::Range<usize> = 15..18;

struct Stage {
    folder: TempDir,
    player: Player,
    socket: UdpSocket,
    /// Receives traps.
    traps: UdpSocket,
    target: Target,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let recording = format!(
            "1.3.6.1.2.1.1.1.0|4|a\n1.3.6.1.2.1.1.3.0|67|{LONG_AGO}\n1.3.6.1.2.1.1.5.0|4|switch\n\
             1.3.6.1.2.1.2.2.1.1.1|2|1\n1.3.6.1.2.1.2.2.1.1.2|2|2\n\
             1.3.6.1.2.1.2.2.1.2.1|4|eth1\n1.3.6.1.2.1.2.2.1.2.2|4|eth2\n"
        );
        fs::write(folder.path().join("switch.snmprec"), recording).unwrap();
        let player = Player::start(load(&folder, "")).unwrap();
        let address = player.addresses()[0].to_string();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket
            .connect(address.strip_prefix("udp:").unwrap())
            .unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(5)))
            .unwrap();
        let traps = UdpSocket::bind("127.0.0.1:0").unwrap();
        traps
            .set_read_timeout(Some(Duration::from_millis(50)))
            .unwrap();
        let target = Client::new().unwrap().target(&address).unwrap();
        Self {
            folder,
            player,
            socket,
            traps,
            target: target.community("public"),
        }
    }

    fn configure(&self, fault: &str) {
        let port = self.traps.local_addr().unwrap().port();
        let fault = fault.replace("TRAPS", &port.to_string());
        self.player.replace(load(&self.folder, &fault)).unwrap();
    }

    fn counted(&self, what: Count) -> u64 {
        self.player.counts().of(what)
    }

    /// The response to a request; `None` if it is lost on purpose.
    fn response(&self) -> Option<Vec<u8>> {
        let (lost, begun) = (self.counted(Count::Lost), Instant::now());
        self.socket.send(REQUEST).unwrap();
        let mut buffer = [0; 1500];
        while self.counted(Count::Lost) == lost {
            if let Ok(length) = self.socket.recv(&mut buffer) {
                return Some(buffer[..length].to_vec());
            }
            assert!(begun.elapsed() < PATIENCE);
        }
        None
    }

    /// Whether a request raises a counter.
    fn raises(&self, what: Count) -> bool {
        let before = self.counted(what);
        self.response();
        self.counted(what) > before
    }

    fn has_error(&self, error: &str) -> bool {
        let got = self.target.get(oid!("1.3.6.1.2.1.1.5.0"));
        got.is_err_and(|told| told.to_string().contains(error))
    }

    /// Whether a walk comes to its end.
    fn breaks_walks(&self) -> bool {
        let walk = self.target.walk(oid!("1.3.6.1.2.1"));
        let objects: Result<Vec<_>, _> = walk.collect();
        objects.map_or(true, |objects| {
            assert_eq!(objects.len(), 7);
            false
        })
    }

    fn up_time(&self) -> u32 {
        match self.target.get(oid!("1.3.6.1.2.1.1.3.0")).unwrap() {
            Value::TimeTicks(ticks) => ticks,
            other => panic!("{other:?}"),
        }
    }

    fn sends_traps(&self) -> bool {
        // Those on the way are none of these.
        self.traps.set_nonblocking(true).unwrap();
        while self.traps.recv(&mut [0; 500]).is_ok() {}
        self.traps.set_nonblocking(false).unwrap();
        let mut buffer = [0; 500];
        let length = self.traps.recv(&mut buffer).unwrap_or(0);
        buffer[..length].windows(4).any(|part| part == b"trap")
    }
}

fn load(folder: &TempDir, fault: &str) -> Simulation {
    let configuration =
        format!("listen = ['udp:127.0.0.1:0']\n[[groups]]\nlive = true\nfaults = {{ {fault} }}\n");
    fs::write(folder.path().join("simulation.toml"), configuration).unwrap();
    let settings = SimulationSettings::of_path(folder.path()).unwrap();
    Simulation::load(&settings).unwrap().0
}

/// Whether a fault shows.
type Symptom = fn(&Stage) -> bool;

const FAULTS: [(&str, Symptom); 14] = [
    ("latency = '1ms'", |stage| stage.raises(Count::Delayed)),
    ("jitter = '2ms'", |stage| stage.raises(Count::Delayed)),
    ("loss = 1", |stage| stage.raises(Count::Lost)),
    ("duplicate = 1", |stage| stage.raises(Count::Duplicated)),
    ("wrong-request-id = 1", |stage| {
        stage.response().unwrap()[REQUEST_ID] != [2, 1, 7]
    }),
    ("general-error = 1", |stage| stage.has_error("genErr")),
    ("too-big = 1", |stage| stage.has_error("tooBig")),
    ("largest-response = 5", |stage| stage.has_error("tooBig")),
    ("mute = true", |stage| stage.response().is_none()),
    ("wrong-order = true", Stage::breaks_walks),
    ("endless-loop = true", Stage::breaks_walks),
    ("restart-every = '100ms'", |stage| {
        stage.up_time() < LONG_AGO
    }),
    ("renumber-every = '100ms'", |stage| {
        stage.target.get(oid!("1.3.6.1.2.1.2.2.1.2.1")).unwrap() == "eth2".into()
    }),
    (
        "traps = { rate = 200, to = '127.0.0.1:TRAPS', community = 'trap' }",
        Stage::sends_traps,
    ),
];

#[test]
fn each_fault_is_switched_on_and_off_while_the_simulation_runs() {
    let stage = Stage::new();
    for (fault, shows) in FAULTS {
        assert!(!shows(&stage), "{fault}, before");
        stage.configure(fault);
        eventually(fault, || shows(&stage));
        stage.configure("");
        eventually(fault, || !shows(&stage));
    }
    assert!(stage.counted(Count::Traps) > 0 && stage.counted(Count::WithoutDevice) == 0);
}
