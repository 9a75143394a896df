//! snmpCommunityTable (RFC 3584 section 5.2).

use super::{
    ADMIN, CONFIGURATION, ENGINE_ID, SYS_SERVICES, admin_does, assert_refused, assign, has_tools,
    kill_and_start,
};
use crate::process::{Agent, Home, ask};

const COMMUNITY_ENTRY: &str = ".1.3.6.1.6.3.18.1.1.1";

const BACKUP: &str = "backup";

fn cell(column: &str, index: &str) -> String {
    let index: String = index.bytes().map(|octet| format!(".{octet}")).collect();
    format!("{COMMUNITY_ENTRY}.{column}{index}")
}

#[test]
fn a_community_is_made_and_taken_away() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let get = |agent: &Agent| ask("snmpget", BACKUP, &agent.addresses[0], &[SYS_SERVICES]);
    let done = |agent: &Agent, assignments| {
        let answer = assign(agent, cell, assignments);
        assert!(!answer.contains("Error"), "{answer}");
    };
    assert!(get(&agent).contains("Timeout"));
    done(&agent, "2/row s backup 3/row s night 8/row i 4");
    let engine_id = ADMIN.get(&agent, &cell("4", "row"));
    let engine_id = engine_id.replace([' ', '\n'], "").to_lowercase();
    assert!(engine_id.ends_with(ENGINE_ID), "{engine_id}");
    let group = ["createSec2Group", "2", "night", "community-1"];
    admin_does(&agent, "snmpvacm", &[], &group, "successfully created");
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    assert_eq!(get(&agent), right);
    let agent = kill_and_start(&home, agent);
    assert_eq!(get(&agent), right);
    // No address has the tag.
    done(&agent, "6/row s nowhere");
    assert!(get(&agent).contains("Timeout"));
    done(&agent, "6/row s \"\"");
    assert_eq!(get(&agent), right);
    done(&agent, "8/row i 6");
    assert!(get(&agent).contains("Timeout"));
    let public = ADMIN.get(&agent, &cell("2", "community-1"));
    assert!(public.contains("\"public\""), "{public}");
}

#[test]
fn each_wrong_community_has_its_error() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let long = format!("8/{} i 5", "x".repeat(33));
    let cases = [
        ("8/row i 4", "inconsistentValue"),
        ("8/row i 4 2/row s backup", "inconsistentValue"),
        ("8/row i 5 4/row x 8000000001", "wrongValue"),
        ("8/row i 5 4/row x 80", "wrongLength"),
        ("8/row i 5 6/row x 6120", "wrongValue"),
        ("8/ i 5", "noCreation"),
        (&long, "noCreation"),
        ("8/community-1 i 6", "notWritable"),
    ];
    assert_refused(&agent, cell, &cases);
}
