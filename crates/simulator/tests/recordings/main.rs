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

/// Objects that are walked before they are compared: walks of hundreds of thousands are not kept together.
const AT_ONCE: usize = 500_000;
/// As many objects of each recording pysnmp walks at most: it takes a millisecond for each.
const MOST_BY_PYSNMP: usize = 1000;

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

/// Has a program walk all devices. Returns what differed.
fn check(
    name: &str,
    walker: &Walker,
    stage: &Stage,
    walks: &[(Version, Transport)],
    most: usize,
) -> Vec<String> {
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
    let of = |walk: &Walk| {
        let known = recordings.iter().find(|(place, ..)| *place == walk.place);
        known.unwrap()
    };
    let mut differences = Vec::new();
    let mut rest = &walks[..];
    while !rest.is_empty() {
        let mut objects = 0;
        let count = rest.iter().take_while(|walk| {
            let is_first = objects == 0;
            objects += of(walk).2.len().min(most);
            is_first || objects <= AT_ONCE
        });
        let (batch, behind) = rest.split_at(count.count());
        rest = behind;
        let Some(walked) = walker(stage, batch) else {
            return differences;
        };
        assert_eq!(walked.len(), batch.len(), "{name}");
        for (walk, walked) in batch.iter().zip(walked) {
            let (_, recording_name, recording) = of(walk);
            let what = format!(
                "{recording_name} by {name}, {:?} over {}",
                walk.version, walk.transport
            );
            match compare(&what, recording, &expected(recording, walk), walked) {
                Ok(count) => println!("{what}: {count} objects"),
                Err(difference) => differences.push(difference),
            }
        }
    }
    differences
}

fn check_all(stage: &Stage, most: usize) {
    let over_udp: Vec<_> = WALKS
        .into_iter()
        .filter(|(_, transport)| *transport == Transport::Udp)
        .collect();
    let checks: [(&str, &Walker, &[_], usize); 4] = [
        ("the library", &own::walk, &WALKS, most),
        ("Net-SNMP", &net_snmp::walk, &WALKS[..WITH_DTLS], most),
        ("gosnmp", &scripts::gosnmp, &WALKS[..WITH_TCP], most),
        (
            "pysnmp",
            &scripts::pysnmp,
            &over_udp,
            most.min(MOST_BY_PYSNMP),
        ),
    ];
    let differences: Vec<_> = checks
        .iter()
        .flat_map(|(name, walker, walks, most)| check(name, walker, stage, walks, *most))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn recordings_are_walked_as_they_are_over_each_version_and_transport() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/data");
    let stage = Stage::new(&folder);
    assert_eq!(stage.recordings().len(), 3);
    check_all(&stage, usize::MAX);
}

/// The first objects of each, or all objects, over all versions and transports.
#[test]
fn recordings_of_real_devices_are_walked_as_they_are() {
    let Some(folder) = std::env::var_os("VARBIND_RECORDINGS").map(PathBuf::from) else {
        return peers::skip("VARBIND_RECORDINGS names no folder of recordings");
    };
    let most = match std::env::var("VARBIND_RECORDED_OBJECTS").as_deref() {
        Ok("all") => usize::MAX,
        Ok(most) => most.parse().unwrap(),
        Err(_) => 1000,
    };
    let stage = Stage::new(&folder);
    check_all(&stage, most);
}
