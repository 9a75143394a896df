//! Recordings of real devices, in the folder that `VARBIND_RECORDINGS` names, are played and walked by Net-SNMP and by the library.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test panics where something is wrong"
)]

use std::io::Cursor;
use std::net::SocketAddr;
use std::path::PathBuf;

use varbind::blocking::Client;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::oid;
use varbind_codec::smi::{OidScratch, Value, VarBind};
use varbind_mib::Mib;
use varbind_simulator::recording::{Recording, RecordingFormat, read};
use varbind_simulator::{Player, Simulation, SimulationSettings};
use varbind_testkit::peers;

/// Behind the name of a recording that Net-SNMP has walked.
const NET_SNMP: &str = " by Net-SNMP";

/// The objects of a recording.
fn objects(recording: &Recording) -> impl Iterator<Item = (Vec<u32>, Value)> {
    let mut name = OidScratch::new();
    (0..recording.len()).map(move |at| {
        recording.name(at, &mut name);
        let value = recording.value(at).unwrap().to_owned();
        (name.arcs().to_vec(), value)
    })
}

/// Panics at the first object in which a walk differs from the recording. Values that change by themselves may.
fn compare(
    what: &str,
    recording: &Recording,
    mut walked: impl Iterator<Item = (Vec<u32>, Value)>,
) -> usize {
    for (at, (name, value)) in objects(recording).enumerate() {
        let (walked_name, walked_value) = walked.next().unwrap();
        assert_eq!(name, walked_name, "{what}: object {at}");
        // Net-SNMP writes Opaque in forms that are not read back.
        let is_comparable = !(what.ends_with(NET_SNMP) && matches!(value, Value::Opaque(_)));
        if is_comparable && !recording.varies(at) {
            assert_eq!(value, walked_value, "{what}: object {at}, {name:?}");
        }
    }
    assert_eq!(walked.next(), None, "{what}");
    recording.len()
}

/// What Net-SNMP's program walks, read as a recording.
fn walked_by_net_snmp(address: SocketAddr, name: &str) -> Recording {
    let walk = peers::command("snmpbulkwalk")
        .args(["-v2c", "-c", name, "-Onext", "-Cc", "-Cr50", "-t5"])
        .args([&address.to_string(), ".1"])
        .env("MIBS", "")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&walk.stderr);
    assert!(walk.status.success(), "{name}: {errors}");
    let (recording, report) = read(
        Cursor::new(walk.stdout),
        RecordingFormat::Snmpwalk,
        &Mib::builtin(),
    );
    // The end of the MIB view is the only line that is no object.
    assert!(report.rejected <= 1, "{name}: {report}");
    recording
}

#[test]
fn recordings_of_real_devices_are_walked_as_they_are() {
    let Some(folder) = std::env::var_os("VARBIND_RECORDINGS").map(PathBuf::from) else {
        return peers::skip("VARBIND_RECORDINGS names no folder of recordings");
    };
    let settings = SimulationSettings::of_path(&folder).unwrap();
    let settings = SimulationSettings {
        listen: vec!["udp:127.0.0.1:0".parse().unwrap()],
        ..settings
    };
    let (simulation, report) = Simulation::load(&settings).unwrap();
    println!("{report}");
    let player = Player::start(simulation).unwrap();
    let address = player.addresses().remove(0);
    let socket = SocketAddr::from(([127, 0, 0, 1], address.port.unwrap()));
    let client = Client::new().unwrap();
    let has_net_snmp = peers::is_installed("snmpbulkwalk");
    let playing = player.simulation();
    for (name, recording) in playing.library.matching("*") {
        // They delay and refuse on purpose.
        if recording.is_empty() || name.starts_with("variation/") {
            continue;
        }
        let target = client.target_at(address.clone()).community(name);
        let options = WalkOptions {
            max_objects: u64::MAX,
            ..WalkOptions::default()
        };
        let walk = target.walk_with([oid!("1")], options);
        let walked = walk.map(|object| {
            let VarBind { name: oid, value } =
                object.unwrap_or_else(|error| panic!("{name}: {error}"));
            (oid.arcs().to_vec(), value)
        });
        let count = compare(name, recording, walked);
        if has_net_snmp {
            let walked = walked_by_net_snmp(socket, name);
            let what = format!("{name}{NET_SNMP}");
            compare(&what, recording, objects(&walked));
        }
        println!("{name}: {count} objects");
    }
}
