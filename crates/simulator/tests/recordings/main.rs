//! Recordings are played, and walked by the library, Net-SNMP, gosnmp and pysnmp over each version and transport that they have:
//! a few in this directory, and those in the folder that `VARBIND_RECORDINGS` names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test panics where something is wrong"
)]

mod comparison;
mod net_snmp;
mod own;
mod scripts;
mod stage;

use std::path::{Path, PathBuf};

use varbind::transport::Transport;
use varbind_codec::message::Version;
use varbind_simulator::recording::Recording;
use varbind_testkit::peers;

use comparison::{compare, objects};
use stage::{Stage, Walk};

/// Each version over each transport. Net-SNMP's TLS is that of 2011, and its SSH is not built anywhere.
const WALKS: [(Version, Transport); 9] = [
    (Version::V1, Transport::Udp),
    (Version::V1, Transport::Tcp),
    (Version::V2c, Transport::Udp),
    (Version::V2c, Transport::Tcp),
    (Version::V3, Transport::Udp),
    (Version::V3, Transport::Tcp),
    (Version::V3, Transport::Dtls),
    (Version::V3, Transport::Tls),
    (Version::V3, Transport::Ssh),
];
/// How many of them a program has that knows no other transports than UDP, TCP and DTLS.
const WITH_DTLS: usize = 7;
const WITH_TCP: usize = 6;

/// A program that walks devices, each walk to its end or so far as it says.
type Walker = dyn Fn(&Stage, &[Walk]) -> Option<Vec<Vec<stage::Object>>>;

/// The objects that a walk should show.
fn expected(recording: &Recording, walk: &Walk) -> Vec<(usize, stage::Object)> {
    // SNMPv1 has no Counter64.
    let is_shown = |object: &stage::Object| match object.1 {
        varbind_codec::smi::Value::Counter64(_) => walk.version != Version::V1,
        _ => true,
    };
    let numbered = objects(recording).enumerate();
    numbered
        .filter(|(_, object)| is_shown(object))
        .take(walk.most)
        .collect()
}

/// Has a program walk all devices.
fn check(name: &str, walker: &Walker, stage: &Stage, walks: &[(Version, Transport)], most: usize) {
    let recordings = stage.recordings();
    let walks: Vec<_> = recordings
        .iter()
        .flat_map(|(place, ..)| {
            walks.iter().map(|(version, transport)| Walk {
                version: *version,
                transport: *transport,
                place: *place,
                most,
            })
        })
        .collect();
    let Some(walked) = walker(stage, &walks) else {
        return;
    };
    assert_eq!(walked.len(), walks.len(), "{name}");
    for (walk, walked) in walks.iter().zip(walked) {
        let known = recordings.iter().find(|(place, ..)| *place == walk.place);
        let (_, recording_name, recording) = known.unwrap();
        let what = format!(
            "{recording_name} by {name}, {:?} over {}",
            walk.version, walk.transport
        );
        compare(&what, recording, &expected(recording, walk), walked);
    }
}

fn check_all(stage: &Stage, most: usize) {
    check("the library", &own::walk, stage, &WALKS, most);
    check(
        "Net-SNMP",
        &net_snmp::walk,
        stage,
        &WALKS[..WITH_DTLS],
        most,
    );
    check("gosnmp", &scripts::gosnmp, stage, &WALKS[..WITH_TCP], most);
    let over_udp: Vec<_> = WALKS
        .into_iter()
        .filter(|(_, transport)| *transport == Transport::Udp)
        .collect();
    check("pysnmp", &scripts::pysnmp, stage, &over_udp, most);
}

#[test]
fn recordings_are_walked_as_they_are_over_each_version_and_transport() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/data");
    let stage = Stage::new(&folder);
    assert_eq!(stage.recordings().len(), 3);
    check_all(&stage, usize::MAX);
}

/// The first objects of each over all versions and transports, all objects over one.
#[test]
fn recordings_of_real_devices_are_walked_as_they_are() {
    let Some(folder) = std::env::var_os("VARBIND_RECORDINGS").map(PathBuf::from) else {
        return peers::skip("VARBIND_RECORDINGS names no folder of recordings");
    };
    let most = std::env::var("VARBIND_RECORDED_OBJECTS");
    let most = most.map_or(1000, |most| most.parse().unwrap());
    let stage = Stage::new(&folder);
    check_all(&stage, most);
    let quick = [(Version::V2c, Transport::Udp)];
    check("the library", &own::walk, &stage, &quick, usize::MAX);
    check("Net-SNMP", &net_snmp::walk, &stage, &quick, usize::MAX);
    check("gosnmp", &scripts::gosnmp, &stage, &quick, usize::MAX);
}
