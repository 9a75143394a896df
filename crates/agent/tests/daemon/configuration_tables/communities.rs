//! snmpCommunityTable (RFC 3584 section 5.2).

use super::{
    ADMIN, CONFIGURATION, ENGINE_ID, SYS_SERVICES, admin_does, assert_refused, assign, has_tools,
    kill_and_start,
};
use crate::process::{Agent, Home, ask};

const COMMUNITY_ENTRY: &str = ".1.3.6.1.6.3.18.1.1.1";

const TARGET_ADDR_ENTRY: &str = ".1.3.6.1.6.3.12.1.2.1";
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

/// RFC 3584 section 5.3: from the addresses that have the tag, under their masks.
#[test]
fn a_community_may_be_used_from_the_addresses_with_its_tag() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let get = |agent: &Agent| ask("snmpget", BACKUP, &agent.addresses[0], &[SYS_SERVICES]);
    let group = ["createSec2Group", "2", "night", "community-1"];
    admin_does(&agent, "snmpvacm", &[], &group, "successfully created");
    let made = "2/row s backup 3/row s night 6/row s inside 8/row i 4";
    assert!(!assign(&agent, cell, made).contains("Error"));
    assert!(get(&agent).contains("Timeout"));
    let target = |column: &str, table: &str| {
        let entry = match table {
            "mask" => COMMUNITY_ENTRY.replace("18.1.1.1", "18.1.2.1"),
            _ => TARGET_ADDR_ENTRY.to_owned(),
        };
        format!("{entry}.{column}.104")
    };
    // 127.0.0.0/8, whatever the port.
    let address = "2/to o .1.3.6.1.6.1.1 3/to x 7f0000090a00 6/to s outside 7/to s none 9/to i 4";
    let made = assign(&agent, target, &format!("{address} 1/mask x ff0000000000"));
    assert!(!made.contains("Error"), "{made}");
    assert!(get(&agent).contains("Timeout"));
    let tagged = assign(&agent, target, "6/to x 6f75747369646520696e73696465");
    assert!(tagged.contains("outside inside"), "{tagged}");
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    assert_eq!(get(&agent), right);
    let agent = kill_and_start(&home, agent);
    assert_eq!(get(&agent), right);
    // Without a mask it is that one address and port.
    for assignments in ["9/to i 2 1/mask s \"\"", "9/to i 1"] {
        let answer = assign(&agent, target, assignments);
        assert!(!answer.contains("Error"), "{answer}");
    }
    assert!(get(&agent).contains("Timeout"));
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
