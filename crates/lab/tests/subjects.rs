//! Foreign agents are started, measured and stopped. Skipped where they are not installed.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::path::Path;
use std::time::Duration;

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::process::{cpu_time, resident};
use varbind_lab::request::{Assignment, Request, WalkStep};
use varbind_lab::subject::{Agent, Subject, SubjectError};
use varbind_lab::workload::Workload;

fn net_snmp() -> Option<Agent> {
    match Subject::net_snmp() {
        Ok(subject) => Some(subject.start().unwrap()),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn requests() -> Vec<Request> {
    let if_table = "1.3.6.1.2.1.2.2";
    vec![
        Request::Get {
            names: vec![
                "1.3.6.1.2.1.1.1.0".parse().unwrap(),
                "1.3.6.1.2.1.1.3.0".parse().unwrap(),
            ],
        },
        Request::GetNext {
            names: vec!["1.3.6.1.2.1.1".parse().unwrap()],
        },
        Request::Set {
            alternatives: vec![vec![
                Assignment::parse("1.3.6.1.2.1.1.4.0", "s", "someone").unwrap(),
            ]],
        },
        Request::Walk {
            root: if_table.parse().unwrap(),
            step: WalkStep::GetNext,
        },
        Request::GetBulk {
            names: vec![if_table.parse().unwrap()],
            non_repeaters: 0,
            max_repetitions: 10,
        },
        Request::Walk {
            root: if_table.parse().unwrap(),
            step: WalkStep::GetBulk {
                max_repetitions: 20,
            },
        },
    ]
}

#[test]
fn net_snmp_answers_every_request_over_every_transport() {
    let Some(agent) = net_snmp() else { return };
    let pid = agent.id().unwrap();
    assert!(agent.start_time().unwrap() < Duration::from_secs(10));
    assert!(resident(pid).unwrap() > 1_000_000);
    let before = cpu_time(pid).unwrap();
    for version in [Version::V1, Version::V2c] {
        for transport in [TransportKind::Udp, TransportKind::Tcp] {
            for request in requests() {
                if version == Version::V1 && request.needs_v2() {
                    continue;
                }
                let community = agent.community(request.is_set());
                let workload = Workload {
                    target: agent.target(transport).unwrap(),
                    version,
                    community: community.as_bytes().to_vec(),
                    sessions: 2,
                    exchanges: 3,
                    mode: Mode::Closed,
                    timeout: Duration::from_secs(1),
                    answered_by: PduType::Response,
                    retries: 5,
                    request,
                };
                let measured = workload.run().unwrap();
                let what = format!("{version} {transport} {}", workload.request);
                assert_eq!(measured.outcome.completed, 6, "{what}");
                assert_eq!(
                    measured.outcome.failed(),
                    0,
                    "{what}: {:?}",
                    measured.outcome
                );
            }
        }
    }
    assert!(cpu_time(pid).unwrap().since(&before).total > 100.0);
    drop(agent);
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn an_agent_that_ends_at_once_is_an_error_that_shows_its_words() {
    let subject = Subject::NetSnmp {
        executable: "/bin/false".into(),
    };
    assert!(matches!(subject.start(), Err(SubjectError::Ended { .. })));
    let subject = Subject::Varbind {
        executable: "/bin/echo".into(),
    };
    let text = subject.start().unwrap_err().to_string();
    assert!(text.contains("it said: agent --config"), "{text}");
    let subject = Subject::Varbind {
        executable: "/nowhere/varbind".into(),
    };
    assert!(matches!(subject.start(), Err(SubjectError::Start { .. })));
}
