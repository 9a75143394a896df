//! Net-SNMP's programs walk; what they print is read as a recording.

use std::io::Cursor;

use varbind::transport::Transport;
use varbind_codec::message::Version;
use varbind_codec::smi::OidScratch;
use varbind_mib::Mib;
use varbind_simulator::recording::{RecordingFormat, read};
use varbind_testkit::peers;

use crate::comparison::objects;
use crate::stage::{Object, Stage, Walk};

const USER: [&str; 12] = [
    "-v3",
    "-u",
    "ops",
    "-l",
    "authPriv",
    "-a",
    "SHA-256",
    "-A",
    "maple syrup",
    "-x",
    "AES",
    "-X",
];
const CERTIFICATES: [&str; 9] = [
    "-v3",
    "-l",
    "authPriv",
    "-T",
    "our_identity=manager",
    "-T",
    "their_identity=agent",
    "-T",
    "trust_cert=authority",
];

pub(crate) fn walk(stage: &Stage, walks: &[Walk]) -> Option<Vec<Vec<Object>>> {
    if !peers::is_installed("snmpwalk") {
        return None;
    }
    Some(walks.iter().map(|walk| walk_one(stage, walk)).collect())
}

fn walk_one(stage: &Stage, walk: &Walk) -> Vec<Object> {
    let end = end(stage, walk);
    // snmpbulkwalk has no end.
    let is_bulk = end.is_none() && walk.version != Version::V1;
    let mut command = peers::command(if is_bulk { "snmpbulkwalk" } else { "snmpwalk" });
    command.args(["-Onext", "-Cc", "-t20"]);
    match (walk.version, walk.transport) {
        (Version::V1, _) => command.args(["-v1", "-c", "public"]),
        (Version::V2c, _) => command.args(["-v2c", "-c", "public"]),
        (_, Transport::Dtls) => command.args(CERTIFICATES),
        _ => command.args(USER).arg("apple sauce"),
    };
    if is_bulk {
        command.arg("-Cr50");
    }
    if let Some(end) = end {
        command.args(["-CE", &end]);
    }
    let address = stage.address(walk).to_string();
    let address = address.replace("dtls:", "dtlsudp:");
    let output = command
        .args([&address, ".1"])
        .env("MIBS", "")
        .env("SNMPCONFPATH", stage.certificates.directory())
        .env("SNMP_PERSISTENT_DIR", stage.certificates.directory())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{walk:?}: {errors}");
    let input = Cursor::new(output.stdout);
    let (recording, report) = read(input, RecordingFormat::Snmpwalk, &Mib::builtin());
    assert_eq!(report.rejected, 0, "{walk:?}: {report}");
    assert_eq!(report.out_of_order + report.duplicates, 0, "{walk:?}");
    objects(&recording).collect()
}

/// The first object that a walk does not show.
fn end(stage: &Stage, walk: &Walk) -> Option<String> {
    let recording = stage.recording(walk);
    let (end, _) = crate::expected(
        &recording,
        &Walk {
            most: walk.most.checked_add(1)?,
            ..*walk
        },
    )
    .into_iter()
    .nth(walk.most)?;
    let mut name = OidScratch::new();
    recording.name(end, &mut name);
    let arcs: Vec<_> = name.arcs().iter().map(ToString::to_string).collect();
    Some(arcs.join("."))
}
