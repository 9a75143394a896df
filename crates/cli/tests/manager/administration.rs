//! Users and access rights by SET requests, against the agent of the same program and, where it is there, Net-SNMP's.

use crate::own_agent::Agent;
use crate::program::{Outcome, varbind};
use crate::snmpd::Snmpd;

const CONFIGURATION: &str = "\
[[user]]
name = \"admin\"
authentication = { protocol = \"SHA-256\", password = \"maplesyrup\" }
privacy = { protocol = \"AES\", password = \"applesauce\" }
access = \"read-write\"
view = \"everything\"
";
const SNMPD: &str = "\
createUser admin SHA-256 maplesyrup AES applesauce
rwuser admin priv
";

/// A user of the agent, and its two passwords.
type Account<'a> = (&'a str, &'a str, &'a str);

const ADMIN: Account<'_> = ("admin", "maplesyrup", "applesauce");

/// Runs a command as a user; the words go behind the options of the session.
fn run_as(
    (user, auth, privacy): Account<'_>,
    command: &[&str],
    words: &[&str],
    variables: &[(&str, &str)],
) -> Outcome {
    let session = [
        "-v3", "-u", user, "-l", "authPriv", "-a", "SHA-256", "-x", "AES",
    ];
    let mut command = varbind(&[command, &session, words].concat());
    command
        .env("VARBIND_AUTH_PASSWORD", auth)
        .env("VARBIND_PRIV_PASSWORD", privacy)
        .envs(variables.iter().copied());
    command.output().unwrap().into()
}

fn done(outcome: Outcome) -> String {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.output
}

fn each_agent(check: fn(&str)) {
    let agent = Agent::start_with(CONFIGURATION);
    check(&agent.target);
    if let Some(snmpd) = Snmpd::start_with(SNMPD) {
        check(&snmpd.target());
    }
}

const NEW: [(&str, &str); 2] = [
    ("VARBIND_NEW_AUTH_PASSWORD", "crabapple"),
    ("VARBIND_NEW_PRIV_PASSWORD", "elderberry"),
];
const JO: Account<'_> = ("jo", "crabapple", "elderberry");

/// Creates [`JO`].
fn create_jo(target: &str) {
    let words = ["--from", "admin", target, "jo"];
    let created = done(run_as(ADMIN, &["usm", "create"], &words, &NEW));
    assert!(created.contains("user jo is created"), "{created}");
}

#[test]
fn a_user_is_created_let_in_and_deleted() {
    each_agent(|target| {
        create_jo(target);
        let group = ["create-group", "create-view", "create-access"];
        for (action, words) in group.into_iter().zip([
            &[target, "usm", "jo", "guests"][..],
            &[target, "naming", "sysName"],
            &["--level", "authPriv", "--read", "naming", target, "guests"],
        ]) {
            done(run_as(ADMIN, &["vacm", action], words, &[]));
        }
        let name = done(run_as(JO, &["get"], &["-Oqv", target, "sysName.0"], &[]));
        assert!(!name.trim_end().is_empty());
        let outside = done(run_as(JO, &["get"], &[target, "sysDescr.0"], &[]));
        assert!(outside.contains("No Such"), "{outside}");

        done(run_as(ADMIN, &["usm", "deactivate"], &[target, "jo"], &[]));
        let kept_out = run_as(JO, &["get"], &[target, "sysName.0"], &[]);
        assert_eq!(kept_out.code, Some(2), "{kept_out:?}");
        done(run_as(ADMIN, &["usm", "activate"], &[target, "jo"], &[]));
        done(run_as(JO, &["get"], &[target, "sysName.0"], &[]));

        done(run_as(
            ADMIN,
            &["vacm", "delete-access"],
            &["--level", "authPriv", target, "guests"],
            &[],
        ));
        let refused = run_as(JO, &["get"], &[target, "sysName.0"], &[]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        done(run_as(
            ADMIN,
            &["vacm", "delete-view"],
            &[target, "naming", "sysName"],
            &[],
        ));
        done(run_as(
            ADMIN,
            &["vacm", "delete-group"],
            &[target, "usm", "jo"],
            &[],
        ));
        done(run_as(ADMIN, &["usm", "delete"], &[target, "jo"], &[]));
        let gone = run_as(JO, &["get"], &[target, "sysName.0"], &[]);
        assert!(gone.errors.contains("unknown user name"), "{gone:?}");
    });
}

#[test]
fn passwords_of_another_user_are_changed() {
    each_agent(|target| {
        create_jo(target);
        let changed = run_as(
            ADMIN,
            &["usm", "passwd"],
            &[target, "jo"],
            &[
                ("VARBIND_OLD_AUTH_PASSWORD", "crabapple"),
                ("VARBIND_OLD_PRIV_PASSWORD", "elderberry"),
                ("VARBIND_NEW_AUTH_PASSWORD", "gooseberry"),
                ("VARBIND_NEW_PRIV_PASSWORD", "huckleberry"),
            ],
        );
        assert!(done(changed).contains("user jo has new passwords"));
        // Whoever may read anything answers; that it is not let in by its keys would be another message.
        let by_old = run_as(JO, &["get"], &[target, "sysName.0"], &[]);
        assert!(by_old.errors.contains("wrong digest"), "{by_old:?}");
        let jo = ("jo", "gooseberry", "huckleberry");
        let by_new = run_as(jo, &["get"], &[target, "sysName.0"], &[]);
        assert!(by_new.errors.contains("authorizationError"), "{by_new:?}");
    });
}

#[test]
fn users_change_their_own_passwords_where_their_view_has_them() {
    each_agent(|target| {
        create_jo(target);
        done(run_as(
            ADMIN,
            &["vacm", "create-group"],
            &[target, "usm", "jo", "own"],
            &[],
        ));
        done(run_as(
            ADMIN,
            &["vacm", "create-view"],
            &[target, "own", "1.3.6.1.6.3.15.1.2"],
            &[],
        ));
        let access = [
            "--level", "authPriv", "--read", "own", "--write", "own", target, "own",
        ];
        done(run_as(ADMIN, &["vacm", "create-access"], &access, &[]));
        let other = [
            ("VARBIND_NEW_AUTH_PASSWORD", "gooseberry"),
            ("VARBIND_NEW_PRIV_PASSWORD", "huckleberry"),
        ];
        done(run_as(JO, &["usm", "passwd"], &[target], &other));
        let by_old = run_as(JO, &["get"], &[target, "usmUserSpinLock.0"], &[]);
        assert!(by_old.errors.contains("wrong digest"), "{by_old:?}");
        let jo = ("jo", "gooseberry", "huckleberry");
        done(run_as(jo, &["get"], &[target, "usmUserSpinLock.0"], &[]));
    });
}

#[test]
fn users_of_the_configuration_file_stay_as_they_are() {
    let agent = Agent::start_with(CONFIGURATION);
    let refused = run_as(ADMIN, &["usm", "passwd"], &[&agent.target], &NEW);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.errors.contains("notWritable"), "{refused:?}");
}

#[test]
fn a_user_that_is_not_there_is_told() {
    each_agent(|target| {
        let created = run_as(
            ADMIN,
            &["usm", "create"],
            &["--from", "nobody", target, "jo"],
            &NEW,
        );
        assert_eq!(created.code, Some(2), "{created:?}");
        assert!(
            created.errors.contains("shows no user nobody"),
            "{created:?}"
        );
    });
}
