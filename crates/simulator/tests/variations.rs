//! Recordings that are played one after the other, and objects that have notifications sent.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test panics where something is wrong"
)]

use std::fs;
use std::net::UdpSocket;
use std::time::Duration;

use tempfile::TempDir;
use varbind::blocking::{Client, Target};
use varbind::{Value, oid};
use varbind_codec::message::{
    CommunityMessage, UsmSecurityParameters, V3Message, Version, message_version,
};
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::Oid;
use varbind_simulator::{Count, Player, Simulation, SimulationReport, SimulationSettings};

/// A simulation of these recordings, the first of which answers by default.
struct Stage {
    _folder: TempDir,
    player: Player,
    client: Client,
    report: SimulationReport,
}

impl Stage {
    fn new(recordings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, objects) in recordings {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, objects).unwrap();
        }
        let mut settings = SimulationSettings::of_path(folder.path()).unwrap();
        settings.listen = vec!["udp:127.0.0.1:0".parse().unwrap()];
        let (simulation, report) = Simulation::load(&settings).unwrap();
        Self {
            player: Player::start(simulation).unwrap(),
            client: Client::new().unwrap(),
            _folder: folder,
            report,
        }
    }

    fn target(&self) -> Target {
        let address = self.player.addresses().into_iter().next().unwrap();
        self.client.target_at(address).community("public")
    }
}

fn walk(target: &Target) -> Vec<(Oid, Value)> {
    let objects = target.walk(oid!("1.3")).map(Result::unwrap);
    objects.map(|object| (object.name, object.value)).collect()
}

#[test]
fn a_set_request_chooses_which_recording_a_subtree_is_from() {
    let stage = Stage::new(&[
        (
            "changing.snmprec",
            "1.3.6.1.2.1.1.5.0|4|sw\n1.3.6.1.2.1.2|:multiplex|dir=moments,control=1.3.6.1.2.1.2.999.0\n\
             1.3.6.1.2.1.31.1.0|2|1\n",
        ),
        ("moments/2.snmprec", "1.3.6.1.2.1.2.1.0|2|2\n"),
        (
            "moments/10.snmprec",
            "1.3.6.1.2.1.2.1.0|2|10\n1.3.6.1.2.1.2.2.0|2|7\n",
        ),
        ("moments/notes.snmprec", "1.3.6.1.2.1.2.1.0|2|99\n"),
    ]);
    let named = stage.player.simulation();
    let names: Vec<_> = named.library.matching("*").map(|(name, _)| name).collect();
    assert_eq!(names, ["changing", "moments/notes"]);
    assert!(!stage.report.has_remarks(), "{}", stage.report);
    let target = stage.target();
    let control = oid!("1.3.6.1.2.1.2.999.0");
    let number = |name: &str, value| (name.parse::<Oid>().unwrap(), Value::Integer(value));
    let system = (oid!("1.3.6.1.2.1.1.5.0"), Value::from("sw"));
    let last = number("1.3.6.1.2.1.31.1.0", 1);
    let first = [
        system.clone(),
        number("1.3.6.1.2.1.2.1.0", 2),
        number("1.3.6.1.2.1.2.999.0", 0),
        last.clone(),
    ];
    assert_eq!(walk(&target), first);
    target.set(control.clone(), 1).unwrap();
    let second = [
        system,
        number("1.3.6.1.2.1.2.1.0", 10),
        number("1.3.6.1.2.1.2.2.0", 7),
        number("1.3.6.1.2.1.2.999.0", 1),
        last,
    ];
    assert_eq!(walk(&target), second);
    let refused = target.set(control.clone(), 2).unwrap_err().to_string();
    assert!(refused.contains("wrongValue"), "{refused}");
    let refused = target.set(control.clone(), "1").unwrap_err().to_string();
    assert!(refused.contains("wrongType"), "{refused}");
    target.set(control, 0).unwrap();
    assert_eq!(walk(&target), first);
}

#[test]
fn the_time_chooses_which_recording_a_subtree_is_from() {
    let stage = Stage::new(&[
        (
            "a.snmprec",
            "1.3.6.1.2.1.2|:multiplex|dir=moments,period=0.2,wrap=1\n",
        ),
        ("moments/0.snmprec", "1.3.6.1.2.1.2.1.0|2|0\n"),
        ("moments/1.snmprec", "1.3.6.1.2.1.2.1.0|2|1\n"),
    ]);
    let target = stage.target();
    let mut seen = Vec::new();
    // Each of both comes again.
    while seen.len() < 4 {
        let value = target.get(oid!("1.3.6.1.2.1.2.1.0")).unwrap();
        if seen.last() != Some(&value) {
            seen.push(value);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        seen.iter()
            .all(|value| matches!(value, Value::Integer(0 | 1))),
        "{seen:?}"
    );
}

#[test]
fn a_subtree_without_recordings_is_reported() {
    let stage = Stage::new(&[(
        "a.snmprec",
        "1.3.6.1.2.1.1.5.0|4|a\n1.3.6.1.2.1.2|:multiplex|dir=nowhere\n1.3.6.1.2.1.4|:redis|key-spaces-id=1\n",
    )]);
    let report = stage.report.to_string();
    for part in [
        "nowhere has no recordings with numbers as names",
        "\"redis for a subtree\"",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert_eq!(walk(&stage.target()).len(), 1);
}

/// The next message of a version that a receiver of notifications gets. A client may repeat its request, and then others come
/// again.
fn receive(receiver: &UdpSocket, version: Version) -> Vec<u8> {
    loop {
        let mut buffer = [0; 1500];
        let length = receiver.recv(&mut buffer).unwrap();
        let message = buffer.get(..length).unwrap();
        if message_version(message).unwrap().0 == version {
            return message.to_vec();
        }
    }
}

/// A receiver, and the options that name it.
fn receiver() -> (UdpSocket, String) {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    let patience = Some(Duration::from_secs(60));
    receiver.set_read_timeout(patience).unwrap();
    let port = receiver.local_addr().unwrap().port();
    (receiver, format!("host=127.0.0.1,port={port}"))
}

#[test]
fn an_object_that_is_read_has_a_trap_of_snmpv1_sent() {
    let (receiver, to) = receiver();
    let recording = format!(
        "1.3.6.1.2.1.1.1.0|4:notification|op=get,version=1,community=old,{to},trapoid=1.3.6.1.4.1.8072.9.0.432,uptime=12345,\
         varbinds=1.3.6.1.2.1.1.1.0:s:seen:1.3.6.1.2.1.1.7.0:i:42,value=plain\n",
    );
    let stage = Stage::new(&[("a.snmprec", &recording)]);
    let value = stage.target().get(oid!("1.3.6.1.2.1.1.1.0")).unwrap();
    assert_eq!(value, "plain".into());
    let message = receive(&receiver, Version::V1);
    let message = CommunityMessage::decode(&message).unwrap();
    let Pdu::TrapV1(trap) = message.pdu else {
        panic!("{message:?}");
    };
    assert_eq!(message.community, b"old");
    assert_eq!(trap.enterprise.to_string(), "1.3.6.1.4.1.8072.9");
    assert_eq!((trap.specific_trap, trap.time_stamp), (432, 12_345));
    assert_eq!(trap.var_binds.count(), 2);
}

#[test]
fn a_value_of_the_list_that_is_set_has_a_trap_sent() {
    let (receiver, to) = receiver();
    let recording = format!(
        "1.3.6.1.2.1.1.5.0|4:notification|vlist=eq:up,{to},trapoid=1.3.6.1.6.3.1.1.5.4,varbinds=1.3.6.1.2.1.1.5.0:s:up,value=down\n",
    );
    let stage = Stage::new(&[("a.snmprec", &recording)]);
    let target = stage.target();
    let name = oid!("1.3.6.1.2.1.1.5.0");
    let refused = target.set(name.clone(), 1).unwrap_err().to_string();
    assert!(refused.contains("wrongType"), "{refused}");
    target.set(name.clone(), "idle").unwrap();
    target.set(name.clone(), "up").unwrap();
    // No value is kept.
    assert_eq!(target.get(name).unwrap(), "down".into());
    let message = receive(&receiver, Version::V2c);
    let message = CommunityMessage::decode(&message).unwrap();
    let Pdu::Common(trap) = message.pdu else {
        panic!("{message:?}");
    };
    assert_eq!(
        (message.community, trap.pdu_type),
        (&b"public"[..], PduType::TrapV2)
    );
    let values = trap.var_binds.map(|found| found.unwrap().value.to_owned());
    let values: Vec<_> = values.skip(1).collect();
    let link_up = Value::from(&oid!("1.3.6.1.6.3.1.1.5.4"));
    assert_eq!(values, [link_up, "up".into()]);
    assert!(stage.player.counts().of(Count::Traps) >= 1);
}

#[test]
fn a_trap_of_snmpv3_has_the_engine_of_its_device() {
    let (receiver, to) = receiver();
    let recording = format!(
        "1.3.6.1.2.1.1.6.0|4:notification|op=any,version=3,user=ops,authkey=maple syrup,authproto=sha,{to},value=here\n",
    );
    let stage = Stage::new(&[("a.snmprec", &recording)]);
    stage.target().get(oid!("1.3.6.1.2.1.1.6.0")).unwrap();
    let message = receive(&receiver, Version::V3);
    let message = V3Message::decode(&message).unwrap();
    let parameters = UsmSecurityParameters::decode(message.security_parameters).unwrap();
    let simulation = stage.player.simulation();
    let device = simulation.fleet.default_device().unwrap();
    assert_eq!(
        parameters.authoritative_engine_id,
        device.engine_id().unwrap().as_octets()
    );
    assert_eq!(parameters.user_name, b"ops");
}
