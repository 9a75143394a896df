mod access;

use std::fs;
use std::path::Path;

use varbind_codec::smi::Oid;
use varbind_engine::applications::notification_receiver::NotificationKind;

use super::*;
use crate::configuration::{AgentConfiguration, DiskMinimum};
use crate::extensions::{ExtensionKind, PassProtocol};

/// What is imported of a text, and of what snmpd keeps.
fn imported(text: &str, persistent: &str, keeps_open: bool) -> Imported {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmpd.conf");
    fs::write(&file, text).unwrap();
    let kept = directory.path().join("persistent.conf");
    fs::write(&kept, persistent).unwrap();
    import(&ImportOptions {
        file,
        persistent: Some(kept),
        keeps_open,
    })
    .unwrap()
}

#[track_caller]
fn parsed(imported: &Imported) -> AgentConfiguration {
    match AgentConfiguration::parse_in(&imported.configuration, Path::new("/etc/varbind")) {
        Ok(configuration) => configuration,
        Err(error) => panic!("{error}\n{}", imported.configuration),
    }
}

/// A configuration as engineers write them, with all that can be carried over.
const USUAL: &str = r#"
agentAddress udp:161,udp6:[::1]:161,tcp:127.0.0.1:1161,192.0.2.1
sysLocation "Room 12", rack 4
sysContact Operations <ops@example.net>
sysServices 72
rocommunity public 192.0.2.0/24
rwcommunity private localhost .1.3.6.1.2.1.1
rocommunity6 public 2001:db8::/32
view systemonly included .1.3.6.1.2.1.1
view systemonly included .1.3.6.1.2.1.25.1
view all included .1 80
rocommunity narrow 198.51.100.0/255.255.255.0 -V systemonly
createUser ops SHA "maple syrup" AES 'apple sauce'
createUser third SHA-256 "maple syrup"
createUser reader SHA-256 "maple syrup" AES
rouser ops priv -V systemonly
rwuser reader
com2sec mynetwork 192.0.2.0/24 secret
group monitors v2c mynetwork
group monitors usm third
access monitors "" any noauth exact all none none
extend -cacheTime 30 uptime /usr/bin/uptime -p
extend -execType sh count /bin/ls | wc -l
disk / 10%
disk /srv 50000
load 12 10 5
proc sshd
proc sendmail 10 1
proc cron 4
trapcommunity traps
trap2sink 192.0.2.9
informsink 192.0.2.9 other 1162
authtrapenable 1
linkUpDownNotifications yes
includeAllDisks 10%
"#;

#[test]
fn a_usual_configuration_is_carried_over_whole() {
    let found = imported(USUAL, "", false);
    assert_eq!(found.notes, []);
    assert_eq!(found.carried, 34);
    let configuration = parsed(&found);
    let listen: Vec<_> = configuration
        .listen
        .iter()
        .map(|one| one.address.to_string())
        .collect();
    assert_eq!(
        listen,
        [
            "udp:0.0.0.0:161",
            "udp:[::1]:161",
            "tcp:127.0.0.1:1161",
            "udp:192.0.2.1:161"
        ]
    );
    assert_eq!(configuration.system.location, "Room 12\", rack 4");
    assert_eq!(configuration.system.contact, "Operations <ops@example.net>");
    let object_id = configuration.system.object_id.unwrap().to_string();
    assert_eq!(object_id, "1.3.6.1.4.1.8072.3.2.10");
    let users: Vec<_> = configuration.users.iter().map(|user| &*user.name).collect();
    assert_eq!(users, ["ops", "third", "reader"]);
    assert_eq!(configuration.extensions.len(), 2);
    assert_eq!(configuration.targets.len(), 2);
    assert_eq!(configuration.communities.rows().len(), 5);
    assert!(configuration.tells_authentication_failures);
    assert_eq!(
        imported(USUAL, "", false).configuration.lines().count(),
        found.configuration.lines().count()
    );
}

#[test]
fn programs_are_run_as_their_directives_say() {
    let found = imported(
        "pass .1.3.6.1.4.1.99.1 /bin/x -a\npass_persist -p 10 1.3.6.1.4.1.99.2 /bin/y\n\
         exec one /bin/echo a\nsh two echo $HOME | wc\n\
         extend .1.3.6.1.4.1.2021.7890.1 distro /usr/bin/distro\ndefaultMonitors yes\n",
        "",
        false,
    );
    assert_eq!(found.notes, []);
    let configuration = parsed(&found);
    assert_eq!(configuration.monitors.len(), 5);
    let subtrees: Vec<_> = configuration
        .pass_subtrees
        .iter()
        .map(|subtree| {
            let command: Vec<_> = subtree.program.command.iter().map(String::as_str).collect();
            (subtree.root.to_string(), subtree.protocol, command)
        })
        .collect();
    let expected = [
        (
            "1.3.6.1.4.1.99.1".to_owned(),
            PassProtocol::Pass,
            vec!["/bin/x", "-a"],
        ),
        (
            "1.3.6.1.4.1.99.2".to_owned(),
            PassProtocol::PassPersist,
            vec!["/bin/y"],
        ),
    ];
    assert_eq!(subtrees, expected);
    let extensions: Vec<_> = configuration
        .extensions
        .iter()
        .map(|one| {
            (
                &*one.name,
                one.is_exec,
                one.root.as_ref().map(Oid::to_string),
            )
        })
        .collect();
    let below = Some("1.3.6.1.4.1.2021.7890.1".to_owned());
    let expected = [
        ("one", true, None),
        ("two", true, None),
        ("distro", false, below),
    ];
    assert_eq!(extensions, expected);
}

#[test]
fn programs_that_managers_can_write_to_are_reported() {
    let pass = "pass .1.3.6.1.4.1.99.1 /bin/x\n";
    let writing = format!("{pass}rwcommunity private localhost\n");
    let found = imported(&writing, "", false);
    assert_eq!((found.notes.len(), found.carried), (1, 1));
    let note = &found.notes[0];
    assert_eq!((note.line, &*note.directive), (1, "pass"));
    assert!(note.message.contains("Set requests"), "{note:?}");
    assert_eq!(parsed(&found).pass_subtrees.len(), 1);
    let access = "com2sec s localhost c\ngroup g v2c s\nview all included .1\n";
    for (write, count) in [("none", 0), ("all", 1)] {
        let access = format!("{pass}{access}access g \"\" any noauth exact all {write} none\n");
        assert_eq!(imported(&access, "", false).notes.len(), count, "{write}");
    }
}

#[test]
fn disks_have_the_numbers_and_limits_of_snmpd() {
    let text = "includeAllDisks\nincludeAllDisks 20%\nswap 16000\n";
    let found = imported(text, "", false);
    assert_eq!((&found.notes[..], found.carried), (&[][..], 3));
    assert!(!found.configuration.contains("disks-first"));
    let host = parsed(&found).host;
    assert_eq!(host.minimum_of("/"), Some(DiskMinimum::PerCent(5)));
    let found = imported("disk /srv 10%\nincludeAllDisks 1000\n", "", false);
    assert_eq!(found.notes, []);
    assert!(found.configuration.contains("disks-first = true\n"));
    let host = parsed(&found).host;
    assert_eq!(host.minimum_of("/"), Some(DiskMinimum::PerCent(5)));
    assert_eq!(host.minimum_of("/srv"), Some(DiskMinimum::PerCent(10)));
}

#[test]
fn the_user_of_snmpd_becomes_that_of_the_agent() {
    let found = imported("agentUser daemon\n", "", false);
    assert_eq!(found.notes.len(), 1);
    assert!(found.notes[0].message.contains("chown"));
    assert_eq!(parsed(&found).process.user.as_deref(), Some("daemon"));
    let root = imported("agentUser root\n", "", false);
    assert_eq!((&root.notes[..], root.carried), (&[][..], 1));
    assert_eq!(parsed(&root).process.user, None);
}

#[test]
fn configurations_with_programs_say_how_they_run() {
    let of = |text: &str| imported(text, "", false).configuration;
    assert!(of("extend up /usr/bin/uptime\n").contains("as the user nobody unless"));
    assert!(!of("sysName a\n").contains("as the user nobody unless"));
}

#[test]
fn unconverted_lines_are_reported_with_their_number() {
    let lines = [
        ("agentXTimeout 5", "otherwise it is a second"),
        ("agentXSocket udp:127.0.0.1:705", "over TCP"),
        ("agentXPerms 0777 0755", "for a group"),
        ("proxy -v 2c -c x localhost", "a host and an OID"),
        ("proxy -v 2c localhost .1.3.6.1.4.1.3495.1", "-c is missing"),
        (
            "proxy -v 2c -c x localhost .1.3.6.1.4.1.9 .1.3.6",
            "on the way",
        ),
        ("proxy -v 2c -c x localhost .1.3", "take the place"),
        ("proxy -Cn x -v 2c -c x localhost .1.3.6.1.2", "as a whole"),
        ("proxy -v 3 localhost .1.3.6.1.4.1.9", "-u is missing"),
        ("pass .1.3.6.1.4.1.99 x", "absolute path"),
        ("pass .1.3.6.1.4.1.99", "an OID and a program"),
        ("pass_persist UCD-SNMP-MIB::x /bin/x", "in numbers"),
        ("execFix x /bin/x", "repair nothing"),
        ("disk / lots", "should be free"),
        ("disk", "PATH"),
        ("includeAllDisks 101%", "should be free"),
        ("load", "MAX1"),
        ("load -1", "from 0"),
        ("proc /usr/sbin/sshd", "without its directory"),
        ("swap 20000", "test = \"< 20000\""),
        ("file /var/log/x 100", "fileTable"),
        ("logmatch x /var/log/x 60 error", "logMatchTable"),
        ("interface eth0 6 1000000000", "ifSpeed"),
        ("ignoreDisk /dev/sdb", "exclude-disks"),
        ("agentUser #100", "`user` of [process]"),
        ("agentGroup snmp", "first group of its user"),
        ("proc x 5 1 2", "NAME [MAX [MIN]]"),
        ("proc x 1 2", "no MAX below MIN"),
        ("proc", "no process"),
        ("monitor disks !dskErrorFlag", "[[monitor]]"),
        ("monitor -e other disks dskErrorFlag != 0", "-e is not"),
        ("trapsess -v 3 192.0.2.1", "-u is missing"),
        ("trapsess -v 1 -Ci 192.0.2.1", "no informs"),
        ("trapsess -v2c -c x -Z 192.0.2.1", "-Z is not"),
        ("rocommunity public", "--keep-open"),
        ("rocommunity x router1.example.net", "only addresses"),
        ("rocommunity", "no community"),
        ("com2sec -Cn context a default b", "contexts"),
        ("rouser x wrong", "noauth, auth or priv"),
        ("rouser -s ksm x", "security model ksm"),
        ("createUser x MD5 short", "shorter than 8"),
        ("createUser x MD6 longenough", "no authentication protocol"),
        ("createUser x MD5 longenough AEX", "no privacy protocol"),
        ("createUser -e 0x80 x MD5 longenough", "options"),
        ("group a b c", "security model b"),
        ("view x maybe .1", "included or excluded"),
        ("view x included nonsense", "in numbers"),
        ("access a b c", "GROUP CONTEXT"),
        ("extend x relative", "absolute path"),
        ("exec one", "a name and a program"),
        ("agentAddress unix:/tmp/x", "not served"),
        ("agentAddress tlstcp:10161", "certificates"),
        ("sysServices 200", "0 to 127"),
        ("trap2sink", "no target"),
        ("rocomunity public", "not known"),
        ("syslocatoin \u{7}x", "not known"),
    ];
    let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    let found = imported(&text, "", false);
    assert_eq!(found.notes.len(), lines.len(), "{:#?}", found.notes);
    for ((number, (line, expected)), note) in (1..).zip(lines).zip(&found.notes) {
        assert_eq!(note.line, number, "{line}");
        assert!(note.message.contains(expected), "{line}: {}", note.message);
    }
    parsed(&found);
}

/// As LibreNMS's documentation writes them.
#[test]
fn a_program_in_quotation_marks_has_its_arguments_with_it() {
    let found = imported(
        "extend hardware '/bin/cat /sys/devices/virtual/dmi/id/product_name'\n\
         extend-sh .1.3.6.1.4.1.99.20 logs du -sb /var/log | grep -oE '^[0-9]+'\n",
        "",
        false,
    );
    assert_eq!(found.notes, []);
    let commands: Vec<_> = parsed(&found)
        .extensions
        .into_iter()
        .map(|extension| match extension.kind {
            ExtensionKind::Program { program, .. } => program.command,
            ExtensionKind::Fixed(text) => vec![text],
        })
        .collect();
    let expected = [
        vec!["/bin/cat", "/sys/devices/virtual/dmi/id/product_name"],
        vec!["/bin/sh", "-c", "du -sb /var/log | grep -oE '^[0-9]+'"],
    ];
    assert_eq!(commands, expected);
}

#[test]
fn sessions_for_traps_and_monitors_are_carried_over() {
    let found = imported(
        "createUser ops SHA-256 \"maple syrup\" AES\n\
         trapsess -v 2c -c traps 192.0.2.9\n\
         trapsess -Ci -v2c -c traps -r 5 tcp:192.0.2.9:1162\n\
         trapsess -v3 -u ops -l authPriv 192.0.2.10\n\
         trapsess -v 3 -u teller -a SHA -A \"maple syrup\" -x AES -X 'apple sauce' 192.0.2.11\n\
         monitor -r 1m -o dskPath -o dskErrorMsg \"disks\" dskErrorFlag != 0\n\
         monitor -D -I \"errors\" IF-MIB::ifInErrors.1 > 100\n\
         monitor load .1.3.6.1.4.1.2021.10.1.5 5 1000\n",
        "",
        false,
    );
    assert_eq!((&found.notes[..], found.carried), (&[][..], 8));
    let configuration = parsed(&found);
    let targets: Vec<_> = configuration
        .targets
        .iter()
        .map(|target| (target.address.to_string(), target.kind))
        .collect();
    let (trap, inform) = (NotificationKind::Trap, NotificationKind::Inform);
    let expected = [
        ("udp:192.0.2.9:162", trap),
        ("tcp:192.0.2.9:1162", inform),
        ("udp:192.0.2.10:162", trap),
        ("udp:192.0.2.11:162", trap),
    ];
    assert_eq!(
        targets,
        expected.map(|(address, kind)| (address.to_owned(), kind))
    );
    // Who is only told of by traps may do nothing here.
    let users: Vec<_> = configuration.users.iter().map(|user| &*user.name).collect();
    assert_eq!(users, ["ops", "teller"]);
    let monitors: Vec<_> = configuration
        .monitors
        .iter()
        .map(|one| (&*one.name, one.object.to_string(), one.interval.as_secs()))
        .collect();
    let expected = [
        ("disks", "1.3.6.1.4.1.2021.9.1.100", 60),
        ("errors", "1.3.6.1.2.1.2.2.1.14.1", 600),
        ("load < 5", "1.3.6.1.4.1.2021.10.1.5", 600),
        ("load > 1000", "1.3.6.1.4.1.2021.10.1.5", 600),
    ];
    assert_eq!(
        monitors,
        expected.map(|(name, object, interval)| (name, object.to_owned(), interval))
    );
    assert_eq!(configuration.monitors[0].told.len(), 2);
}

#[test]
fn targets_of_proxy_are_carried_over() {
    let text = "proxy -v 2c -c squid localhost:3401 .1.3.6.1.4.1.3495.1\n\
                proxy -Cn switch7 -v 1 -c s3cret 192.0.2.7 .1.3\n\
                proxy -v 3 -u far -l authPriv -a SHA -A \"maple syrup\" -x AES -X \"apple sauce\" 192.0.2.8 .1.3.6.1.4.1.9\n";
    let found = imported(text, "", false);
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let described = parsed(&found).permissions();
    for expected in [
        "subtree 1.3.6.1.4.1.3495.1 is passed on to udp:127.0.0.1:3401 (v2c, read-write)",
        "context switch7 is passed on to udp:192.0.2.7:161 (v1, read-write)",
        "subtree 1.3.6.1.4.1.9 is passed on to udp:192.0.2.8:161 (v3, read-write)",
        "user far may do nothing",
    ] {
        assert!(
            described.iter().any(|line| line == expected),
            "{described:#?}"
        );
    }
}

#[test]
fn a_master_of_subagents_stays_one() {
    let lines =
        "agentXSocket /run/x,tcp:localhost:1705\nagentXPerms 0660 0550 root 0\nagentXRetries 3\n";
    let idle = parsed(&imported(lines, "", false));
    assert_eq!(idle.agentx.addresses, []);
    let found = imported(&format!("master agentx\n{lines}"), "", false);
    assert_eq!((&found.notes[..], found.carried), (&[][..], 4));
    let addresses: Vec<_> = parsed(&found)
        .agentx
        .addresses
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(addresses, ["agentx:/run/x", "agentx:tcp:127.0.0.1:1705"]);
}

/// An inform needs the keys of its target's engine, which a key that snmpd has localised cannot give.
#[test]
fn an_inform_in_the_name_of_a_user_with_a_localized_key_is_noted() {
    let persistent = format!(
        "usmUser 1 3 0x80001f8880aabbccdd 0x6f7073 0x6f7073 NULL .1.3.6.1.6.3.10.1.1.3 0x{} .1.3.6.1.6.3.10.1.2.4 0x{} 0x\n\
         engineBoots 1\noldEngineID 0x80001f8880aabbccdd\n",
        "ab".repeat(20),
        "ab".repeat(16)
    );
    let found = imported("trapsess -v3 -Ci -u ops 192.0.2.10\n", &persistent, false);
    assert_eq!(found.notes.len(), 1);
    assert!(found.notes[0].message.contains("with a password"));
    parsed(&found);
}

#[test]
fn a_second_import_is_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmpd.conf");
    fs::write(&file, USUAL).unwrap();
    let options = ImportOptions {
        file,
        ..ImportOptions::default()
    };
    assert_eq!(import(&options).unwrap(), import(&options).unwrap());
}

#[test]
fn the_file_of_the_package_can_be_imported() {
    let file = Path::new("/etc/snmp/snmpd.conf");
    if fs::read(file).is_err() {
        varbind_testkit::peers::skip("there is no /etc/snmp/snmpd.conf that can be read");
        return;
    }
    let found = import(&ImportOptions {
        file: file.to_owned(),
        ..ImportOptions::default()
    })
    .unwrap();
    assert!(found.carried > 0);
    parsed(&found);
}

#[test]
fn any_text_is_a_configuration_or_noted() {
    proptest::proptest!(|(lines in proptest::collection::vec(
        "(agentaddress|rocommunity|rouser|createuser|com2sec|group|view|access|extend|trap2sink|trapsess|monitor|syslocation|[a-z]{1,4})( [ -~é]{0,12}){0,9}",
        0..8,
    ))| {
        let found = imported(&lines.join("\n"), "", true);
        // Nothing that is imported breaks the configuration's form.
        let _: toml::Table = toml::from_str(&found.configuration)
            .unwrap_or_else(|error| panic!("{error}\n{}", found.configuration));
    });
}
