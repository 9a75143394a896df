//! RFC 3584 section 4.2.2.1: SNMPv1 has no Counter64, so that such objects do not exist for it.

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::Value;
use varbind_testkit::command_responder::{CommunityAgent, IF_X_TABLE, THRESHOLD};

fn cell(column: u32, row: u32) -> String {
    format!("{IF_X_TABLE}.1.{column}.{row}")
}

#[test]
fn snmpv2c_sees_counter64() {
    let mut agent = CommunityAgent::host(2);
    let got = agent.get(&[&cell(106, 1)]).values();
    assert!(matches!(got[..], [Value::Counter64(_)]));
    assert_eq!(agent.get_next(&[&cell(103, 2)]).names(), [cell(106, 1)]);
}

#[test]
fn a_get_of_snmpv1_gives_no_such_name_for_it() {
    let names = [cell(103, 1), cell(106, 1), cell(115, 1)];
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut agent = CommunityAgent::host(2);
    agent
        .get_v1(&names)
        .assert_error(ErrorStatus::NoSuchName, 2, &names);
}

#[test]
fn a_get_next_of_snmpv1_passes_it() {
    let mut agent = CommunityAgent::host(2);
    for (name, next) in [
        (cell(103, 2), cell(115, 1)),
        (cell(106, 0), cell(115, 1)),
        (cell(106, 1), cell(115, 1)),
        (cell(110, 2), cell(115, 1)),
        (cell(117, 2), cell(118, 1)),
        (cell(118, 2), format!("{THRESHOLD}.0")),
    ] {
        assert_eq!(agent.get_next_v1(&[&name]).names(), [next]);
    }
}

#[test]
fn a_walk_of_snmpv1_shows_all_but_counter64() {
    let walk = |agent: &mut CommunityAgent, is_v1: bool| {
        let mut names = vec!["0.0".to_owned()];
        loop {
            let name = &names[names.len() - 1];
            let response = if is_v1 {
                agent.get_next_v1(&[name])
            } else {
                agent.get_next(&[name])
            };
            let has_ended = response.status() == ErrorStatus::NoSuchName
                || response.bindings[0].value == Value::EndOfMibView;
            if has_ended {
                return names.split_off(1);
            }
            names.push(response.names().remove(0));
        }
    };
    let mut agent = CommunityAgent::host(3);
    let mut expected = walk(&mut agent, false);
    let is_counter64 = |name: &String| {
        [106, 110]
            .iter()
            .any(|column| name.starts_with(&format!("{IF_X_TABLE}.1.{column}.")))
    };
    assert_eq!(expected.iter().filter(|name| is_counter64(name)).count(), 6);
    expected.retain(|name| !is_counter64(name));
    assert_eq!(walk(&mut agent, true), expected);
}
