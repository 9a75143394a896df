//! The tables of view-based access control (RFC 3415 section 4).

use std::process::Command;
use std::sync::mpsc::channel;

use super::{
    ADMIN, CONFIGURATION, GUEST, SYS_CONTACT, SYS_SERVICES, Who, admin_does, assert_refused,
    assign, has_tools, kill_and_start,
};
use crate::process::{Agent, Home, ask};

const VACM_VIEW_SPIN_LOCK: &str = ".1.3.6.1.6.3.16.1.5.1.0";
const VACM_GROUP_ENTRY: &str = ".1.3.6.1.6.3.16.1.2.1";
const VACM_ACCESS_ENTRY: &str = ".1.3.6.1.6.3.16.1.4.1";
const VACM_FAMILY_ENTRY: &str = ".1.3.6.1.6.3.16.1.5.2.1";

fn dotted(text: &str) -> String {
    let octets: String = text.bytes().map(|octet| format!(".{octet}")).collect();
    format!("{}{octets}", text.len())
}

fn vacm(agent: &Agent, options: &[&str], command: &str, answer: &str) {
    let words: Vec<_> = command.split_whitespace().collect();
    admin_does(agent, "snmpvacm", options, &words, answer);
}

/// RFC 3415 section 4: groups, access and views decide from the next message on.
#[test]
fn access_is_given_and_taken_by_snmpvacm() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let template = Who {
        name: "template",
        ..ADMIN
    };
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    let denied = |agent: &Agent| {
        let answer = template.get(agent, SYS_SERVICES);
        assert!(answer.contains("authorizationError"), "{answer}");
    };
    let (made, gone) = ("successfully created", "successfully deleted");
    denied(&agent);
    vacm(&agent, &[], "createSec2Group 3 template operators", made);
    denied(&agent);
    vacm(
        &agent,
        &[],
        "createAccess operators 3 3 1 system none none",
        made,
    );
    // The view does not exist: noSuchView.
    denied(&agent);
    vacm(&agent, &[], "createView system .1.3.6.1.2.1.1", made);
    assert_eq!(template.get(&agent, SYS_SERVICES), right);
    vacm(&agent, &["-Ce"], "createView system .1.3.6.1.2.1.1.4", made);
    let agent = kill_and_start(&home, agent);
    assert_eq!(template.get(&agent, SYS_SERVICES), right);
    assert!(template.get(&agent, SYS_CONTACT).contains("No Such Object"));
    let answer = template.set(&agent, &[SYS_CONTACT, "s", "me"]);
    assert!(answer.contains("authorizationError"), "{answer}");
    vacm(&agent, &[], "deleteView system .1.3.6.1.2.1.1.4", gone);
    assert_eq!(
        template.get(&agent, SYS_CONTACT),
        format!("{SYS_CONTACT} = \"\"")
    );
    vacm(&agent, &[], "deleteAccess operators 3 3", gone);
    denied(&agent);
    vacm(&agent, &[], "deleteSec2Group 3 template", gone);
    // What the file says stays, whoever wants it changed.
    vacm(&agent, &[], "deleteSec2Group 3 admin", "notWritable");
}

/// An administrator may even lock itself out: of what is made through SNMP, and at the next message.
#[test]
fn revoking_access_during_a_set_is_safe() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let group = format!("{VACM_GROUP_ENTRY}.3.3.{}", dotted("template"));
    let status = format!("{VACM_GROUP_ENTRY}.5.3.{}", dotted("template"));
    let made = ADMIN.set(&agent, &[&group, "s", "user-1", &status, "i", "4"]);
    assert!(made.contains("INTEGER: 4"), "{made}");
    let template = Who {
        name: "template",
        ..ADMIN
    };
    let answer = template.set(&agent, &[&status, "i", "6", SYS_CONTACT, "s", "gone"]);
    assert!(answer.contains("STRING: \"gone\""), "{answer}");
    assert!(
        template
            .get(&agent, SYS_CONTACT)
            .contains("authorizationError")
    );
    assert_eq!(
        ADMIN.get(&agent, SYS_CONTACT),
        format!("{SYS_CONTACT} = STRING: \"gone\"")
    );
}

/// The columns of a row of each table.
fn cell(column: &str, table: &str) -> String {
    match table {
        "group" => format!("{VACM_GROUP_ENTRY}.{column}.3.{}", dotted("bob")),
        "access" => format!("{VACM_ACCESS_ENTRY}.{column}.{}.0.3.3", dotted("ops")),
        "view" => format!("{VACM_FAMILY_ENTRY}.{column}.{}.3.1.3.6", dotted("v")),
        "any-model" => format!("{VACM_GROUP_ENTRY}.{column}.0.{}", dotted("bob")),
        _ => format!("{VACM_ACCESS_ENTRY}.{column}.{}.0.3.0", dotted("ops")),
    }
}

#[test]
fn each_wrong_row_of_access_control_has_its_error() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let long = format!("3/group s {} 5/group i 4", "x".repeat(33));
    let long_view = format!("5/access s {} 9/access i 4", "x".repeat(33));
    let long_mask = format!("3/view x {} 6/view i 4", "ff".repeat(17));
    let cases = [
        ("5/group i 4", "inconsistentValue"),
        ("3/group s ops", "inconsistentName"),
        (&long, "wrongLength"),
        ("3/group i 1 5/group i 4", "wrongType"),
        ("4/group i 4 5/group i 5", "wrongValue"),
        ("5/any-model i 5", "noCreation"),
        ("9/no-level i 5", "noCreation"),
        ("4/access i 3 9/access i 4", "wrongValue"),
        (&long_view, "wrongLength"),
        (&long_mask, "wrongLength"),
        ("4/view i 0 6/view i 4", "wrongValue"),
        (".1.3.6.1.6.3.16.1.1.1.1.0 s x", "notWritable"),
    ];
    assert_refused(&agent, cell, &cases);
}

#[test]
fn default_values_make_rows_complete_and_what_is_volatile_goes_with_the_agent() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let created = format!("9/access i 4 6/view i 4 {VACM_VIEW_SPIN_LOCK} i 0");
    for assignments in [
        &*created,
        "5/group i 5",
        "3/group s ops 4/group i 2",
        "5/group i 1",
    ] {
        let answer = assign(&agent, cell, assignments);
        assert!(!answer.contains("Error"), "{answer}");
    }
    let agent = kill_and_start(&home, agent);
    let shown = |column, table| {
        let name = cell(column, table);
        let answer = ADMIN.get(&agent, &name);
        answer.replacen(&format!("{name} = "), "", 1)
    };
    assert!(shown("3", "group").contains("No Such Instance"));
    for (column, table) in [
        ("4", "access"),
        ("9", "access"),
        ("4", "view"),
        ("6", "view"),
    ] {
        assert_eq!(shown(column, table), "INTEGER: 1");
    }
    let lock = ADMIN.get(&agent, VACM_VIEW_SPIN_LOCK);
    assert_eq!(lock, format!("{VACM_VIEW_SPIN_LOCK} = INTEGER: 1"));
}

/// Rows of several tables in one SetRequest are there together, or none of them is.
#[test]
fn rows_that_were_acknowledged_survives_a_kill_in_the_middle_of_sets() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let rows = |agent: &Agent, root: &str| {
        let shown = ADMIN.run(agent, "snmpbulkwalk", &[], &[root]);
        shown.matches("\"together\"").count()
    };
    let mut acknowledged = 0;
    for round in 0..4 {
        let agent = home.start(1);
        let process = agent.process().to_string();
        let (sender, numbers) = channel();
        // While the next Set is on its way.
        let killer = std::thread::spawn(move || {
            numbers.into_iter().find(|number| *number == round + 2);
            Command::new("kill").args(["-KILL", &process]).status()
        });
        let made = (0..30).take_while(|number| {
            let name = dotted(&format!("round {round} number {number}"));
            let group = |column| format!("{VACM_GROUP_ENTRY}.{column}.3.{name}");
            let access = |column| format!("{VACM_ACCESS_ENTRY}.{column}.{name}.0.3.3");
            let rows = [
                [&*group(5), "i", "4"],
                [&group(3), "s", "together"],
                [&access(5), "s", "together"],
                [&access(9), "i", "4"],
            ];
            let _ = sender.send(*number);
            let answer = ADMIN.set(&agent, rows.as_flattened());
            answer.contains(&format!("{} = INTEGER: 4", access(9)))
        });
        acknowledged += made.count();
        drop(sender);
        assert!(killer.join().unwrap().unwrap().success());
        agent.wait();
        let agent = home.start(1);
        let groups = rows(&agent, VACM_GROUP_ENTRY);
        assert_eq!(groups, rows(&agent, VACM_ACCESS_ENTRY));
        // One may have been stored and not acknowledged.
        assert!(
            (acknowledged..=acknowledged + 1).contains(&groups),
            "{groups}"
        );
        acknowledged = groups;
    }
    assert!(acknowledged > 0);
}

/// RFC 3414 section 11.5, RFC 3415 section 7: who may do what is not for everybody's eyes.
#[test]
fn the_view_all_does_not_show_who_may_do_what() {
    if !has_tools() {
        return;
    }
    let home = Home::new(CONFIGURATION);
    let agent = home.start(1);
    let walk = |who: Who<'_>, root| who.run(&agent, "snmpbulkwalk", &[], &[root]);
    for root in [".1.3.6.1.6.3.15.1.2", ".1.3.6.1.6.3.16", ".1.3.6.1.6.3.18"] {
        assert!(walk(GUEST, root).contains("No "), "{}", walk(GUEST, root));
        let shown = walk(ADMIN, root);
        assert!(shown.lines().count() > 5, "{shown}");
        let whole = ask("snmpbulkwalk", "public", &agent.addresses[0], &[".1.3"]);
        assert!(!whole.contains(&format!("{root}.")), "{whole}");
    }
    // The statistics are for all.
    assert!(walk(GUEST, ".1.3.6.1.6.3.15").contains(".1.3.6.1.6.3.15.1.1.1.0"));
}
