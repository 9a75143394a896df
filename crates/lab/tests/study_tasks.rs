//! Tasks of studies with agents and receivers that they start, without a study.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod programs;

use std::fs;

use programs::{laboratory, varbind};
use varbind_lab::measurement::TransportKind;
use varbind_lab::request::Request;
use varbind_lab::security::{AuthenticationProtocol, PrivacyProtocol, Protection, Scheme};
use varbind_lab::study::{
    CommandTask, Measure, NetconfQuestion, NetconfTask, NotificationTask, Observation, SessionTask,
    Setting, SiteProgram, SubjectName, Task, WebQuestion, WebTask, observe,
};
use varbind_lab::subject::find_executable;
use varbind_testkit::peers::skip;

fn observed(tasks: &[(Task, SubjectName)]) -> Vec<Observation> {
    let program = SiteProgram {
        executable: laboratory().into(),
        site: vec!["study-site".into()],
        holder: vec!["hold-sessions".into()],
        echo: vec!["echo".into()],
        varbind: varbind(),
    };
    observe(&program, Setting::Host, tasks, 1).unwrap()
}

const USM: Scheme = Scheme::V3(Protection::AuthPriv(
    AuthenticationProtocol::Sha1,
    PrivacyProtocol::Aes128,
));

fn notifications(is_inform: bool, scheme: Scheme, transport: TransportKind) -> Task {
    Task::Notifications(NotificationTask {
        is_inform,
        scheme,
        transport,
        count: 60,
        together: 20,
    })
}

/// Each of both receivers over what it speaks: what was sent has arrived, and is counted.
#[test]
fn notifications_reach_receivers_of_both_kinds() {
    let plain = [
        (Scheme::V2c, TransportKind::Udp),
        (Scheme::V2c, TransportKind::Tcp),
        (USM, TransportKind::Udp),
        (Scheme::V3Transport, TransportKind::Dtls),
    ];
    let ours = [TransportKind::Tls, TransportKind::Ssh].map(|one| (Scheme::V3Transport, one));
    let all = plain.iter().chain(&ours);
    let mut tasks = Vec::new();
    for &(scheme, transport) in all {
        let both = [false, true].map(|is_inform| notifications(is_inform, scheme, transport));
        tasks.extend(both.map(|task| (task, SubjectName::Varbind)));
    }
    if find_executable("snmptrapd").is_some() {
        for (scheme, transport) in plain {
            let both = [false, true].map(|is_inform| notifications(is_inform, scheme, transport));
            tasks.extend(both.map(|task| (task, SubjectName::NetSnmp)));
        }
    } else {
        skip("snmptrapd received nothing: it is not installed (package snmptrapd)");
    }
    for ((task, subject), observation) in tasks.iter().zip(observed(&tasks)) {
        let told = format!("{subject}, {task:?}: {observation:?}");
        assert_eq!(observation.trouble, None, "{told}");
        assert_eq!(
            observation.measures.get(&Measure::Completed),
            Some(&60.0),
            "{told}"
        );
        assert!(observation.measures[&Measure::AgentCpu] > 0.0, "{told}");
    }
}

#[test]
fn certificates_of_rsa_and_web_services_over_https_are_measured() {
    let get = |transport| SessionTask {
        has_rsa: true,
        ..SessionTask::new(
            Scheme::V3Transport,
            transport,
            Request::Get {
                names: vec!["1.3.6.1.2.1.1.5.0".parse().unwrap()],
            },
        )
    };
    let restconf = WebTask::new(WebQuestion::Restconf {
        path: "SNMPv2-MIB:SNMPv2-MIB/system/sysContact".to_owned(),
        fields: None,
        is_json: true,
    });
    let tasks = [
        Task::Sessions(get(TransportKind::Tls)),
        Task::Web(WebTask {
            is_secure: true,
            ..restconf.clone()
        }),
        Task::Web(restconf),
    ];
    let tasks = tasks.map(|task| (task, SubjectName::Varbind));
    let observations = observed(&tasks);
    for (observation, (task, _)) in observations.iter().zip(&tasks) {
        assert_eq!(observation.trouble, None, "{task:?}");
        assert!(observation.measures[&Measure::RoundTrip] > 0.0, "{task:?}");
    }
}

#[test]
fn netconf_reads_what_the_agent_has() {
    let needed = ["netconfd", "sshd"];
    if needed.iter().any(|name| find_executable(name).is_none()) {
        skip("NETCONF was not measured: packages netconfd and openssh-server are not installed");
        return;
    }
    let tasks = [NetconfQuestion::SysContact, NetconfQuestion::IfTable].map(|question| {
        let task = NetconfTask {
            setting: Setting::Host,
            question,
            sessions: 2,
            exchanges: 3,
        };
        (Task::Netconf(task), SubjectName::Varbind)
    });
    for (observation, (task, _)) in observed(&tasks).iter().zip(&tasks) {
        let told = format!("{task:?}: {observation:?}");
        assert_eq!(observation.trouble, None, "{told}");
        assert_eq!(observation.measures[&Measure::Completed], 6.0, "{told}");
        assert!(observation.measures[&Measure::Objects] >= 1.0, "{told}");
        assert!(observation.measures[&Measure::RoundTrip] > 0.0, "{told}");
    }
}

#[test]
fn whole_commands_are_timed_over_secure_transports() {
    let command = |command: &str, name: &str, transport| {
        Task::Command(CommandTask {
            command: command.to_owned(),
            name: name.to_owned(),
            scheme: Scheme::V3Transport,
            transport,
        })
    };
    let get = |transport| command("get", "1.3.6.1.2.1.1.1.0", transport);
    let bulkwalk = || command("bulkwalk", "1.3.6.1.2.1.1", TransportKind::Dtls);
    let mut tasks = vec![
        (get(TransportKind::Ssh), SubjectName::Varbind),
        (get(TransportKind::Tls), SubjectName::Varbind),
        (bulkwalk(), SubjectName::Varbind),
    ];
    let needed = ["snmpd", "snmpbulkwalk"];
    if needed.iter().all(|name| find_executable(name).is_some()) {
        tasks.push((bulkwalk(), SubjectName::NetSnmp));
    } else {
        skip("Net-SNMP's command was not timed: packages snmp and snmpd are not installed");
    }
    let indexes = || fs::read_dir("/var/lib/snmp/cert_indexes").map_or(0, Iterator::count);
    let before = indexes();
    for ((task, subject), observation) in tasks.iter().zip(observed(&tasks)) {
        assert_eq!(observation.trouble, None, "{subject}, {task:?}");
        assert!(
            observation.measures[&Measure::CommandTime] > 0.0,
            "{subject}, {task:?}"
        );
    }
    assert_eq!(indexes(), before, "indexes of our certificates are left");
}
