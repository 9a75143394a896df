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

use varbind_codec::pdu::PduType;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::process::{cpu_time, pss};
use varbind_lab::request::{Assignment, Request, WalkStep};
use varbind_lab::security::{
    Account, AuthenticationProtocol, Password, PrivacyProtocol, Protection, Scheme,
};
use varbind_lab::subject::{
    AUTHENTICATION_PASSWORD, Agent, AgentAddress, Credentials, Demands, PRIVACY_PASSWORD,
    RunningAgent, Subject, SubjectError, Users, user_name,
};
use varbind_lab::workload::{Measured, Workload};
use varbind_testkit::peers::skip;

fn net_snmp(users: &[Protection]) -> Option<Agent> {
    match Subject::net_snmp() {
        Ok(subject) => Some(subject.start(&Demands::users(users.to_vec())).unwrap()),
        Err(error) => {
            skip(&error.to_string());
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

fn workload(agent: &Agent, scheme: Scheme, transport: TransportKind, request: Request) -> Workload {
    let security = agent.security(scheme, request.is_set());
    Workload {
        target: agent.target(transport).unwrap(),
        access: None,
        security: security.unwrap().unwrap(),
        derives_per_session: false,
        sessions: 2,
        exchanges: 3,
        mode: Mode::Closed,
        timeout: Duration::from_secs(1),
        answered_by: PduType::Response,
        retries: 5,
        pause: Duration::ZERO,
        request,
    }
}

fn all_are_answered(workload: &Workload) -> Measured {
    let measured = workload.run().unwrap();
    let what = format!("{:?} {}", workload.security, workload.request);
    let outcome = &measured.outcome;
    assert_eq!(outcome.completed, 6, "{what}: {outcome:?}");
    assert_eq!(outcome.failed(), 0, "{what}: {outcome:?}");
    measured
}

#[test]
fn net_snmp_answers_every_request_over_every_transport() {
    let Some(agent) = net_snmp(&[]) else {
        return;
    };
    let pid = agent.id().unwrap();
    assert!(agent.start_time().unwrap() < Duration::from_secs(10));
    assert!(pss(pid).unwrap() > 1_000_000);
    let before = cpu_time(pid).unwrap();
    for scheme in [Scheme::V1, Scheme::V2c] {
        for transport in [TransportKind::Udp, TransportKind::Tcp] {
            for request in requests() {
                if scheme == Scheme::V1 && request.needs_v2() {
                    continue;
                }
                all_are_answered(&workload(&agent, scheme, transport, request));
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
    assert!(matches!(
        subject.start(&Demands::default()),
        Err(SubjectError::Ended { .. })
    ));
    let subject = Subject::Varbind {
        executable: "/bin/echo".into(),
    };
    let text = subject.start(&Demands::default()).unwrap_err().to_string();
    assert!(
        text.contains("it said: agent --dumpable --config"),
        "{text}"
    );
    let subject = Subject::Varbind {
        executable: "/nowhere/varbind".into(),
    };
    assert!(matches!(
        subject.start(&Demands::default()),
        Err(SubjectError::Start { .. })
    ));
}

/// Every protection that there is.
fn protections() -> Vec<Protection> {
    let mut protections = vec![Protection::NoAuthNoPriv];
    for authentication in AuthenticationProtocol::ALL {
        protections.push(Protection::AuthNoPriv(authentication));
        for privacy in PrivacyProtocol::ALL {
            protections.push(Protection::AuthPriv(authentication, privacy));
        }
    }
    protections
}

#[test]
fn net_snmp_answers_users_of_every_protection() {
    let Some(agent) = net_snmp(&protections()) else {
        return;
    };
    for protection in protections() {
        let get = requests().swap_remove(0);
        let scheme = Scheme::V3(protection);
        let measured = all_are_answered(&workload(&agent, scheme, TransportKind::Udp, get));
        assert_eq!(measured.discovery.count(), 2);
        let has_keys = protection != Protection::NoAuthNoPriv;
        assert_eq!(measured.key_derivation.count(), u64::from(has_keys));
    }
}

#[test]
fn users_make_every_request_over_every_transport() {
    let protection = Protection::AuthPriv(AuthenticationProtocol::Sha256, PrivacyProtocol::Aes128);
    let Some(agent) = net_snmp(&[protection]) else {
        return;
    };
    for transport in [TransportKind::Udp, TransportKind::Tcp] {
        for request in requests() {
            let scheme = Scheme::V3(protection);
            let mut workload = workload(&agent, scheme, transport, request);
            all_are_answered(&workload);
            workload.mode = Mode::Window { size: 3 };
            workload.derives_per_session = true;
            let measured = all_are_answered(&workload);
            assert_eq!(measured.key_derivation.count(), 2);
            let all: u64 = measured.key_derivation.kept().iter().sum();
            assert!(measured.total > Duration::from_nanos(all));
        }
    }
}

#[test]
fn what_is_wrong_with_a_user_is_said_before_anything_is_measured() {
    let protection = Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);
    let Some(agent) = net_snmp(&[protection]) else {
        return;
    };
    let start = |name: &str, authentication: &str, privacy: &str, protection| {
        let account = Account {
            name: name.into(),
            authentication_password: Some(Password::new(authentication).unwrap()),
            privacy_password: Some(Password::new(privacy).unwrap()),
        };
        let subject = Subject::External(RunningAgent {
            credentials: Credentials {
                users: Users::One(account),
                ..Credentials::of_laboratory()
            },
            addresses: vec![AgentAddress {
                target: agent.target(TransportKind::Udp).unwrap(),
                accesses: None,
                first: Scheme::V3(protection),
            }],
        });
        subject
            .start(&Demands::default())
            .map_err(|error| error.to_string())
    };
    let name = user_name(protection);
    let (right, other) = (AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD);
    start(&name, right, other, protection).unwrap();
    let sha_256 = Protection::AuthPriv(AuthenticationProtocol::Sha256, PrivacyProtocol::Aes128);
    let des = Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Des);
    for (name, authentication, privacy, protection, expected) in [
        (
            "nobody",
            right,
            other,
            protection,
            "check the name of the user",
        ),
        (
            &name,
            "mistaken",
            other,
            protection,
            "check the password for authentication",
        ),
        (
            &name,
            right,
            other,
            sha_256,
            "check the password for authentication",
        ),
    ] {
        let error = start(name, authentication, privacy, protection).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(
            !error.contains("mistaken") && !error.contains(right),
            "{error}"
        );
    }
    // An engine that cannot decrypt may say so, or nothing at all.
    let error = start(&name, right, "mistaken", des).unwrap_err();
    assert!(error.contains("sysUpTime.0"), "{error}");
}

/// Net-SNMP has no other TLS than OpenSSL's, and takes suites without encryption when it is told to.
#[cfg(feature = "openssl-tls")]
#[test]
fn snmpd_answers_over_tls_with_integrity_alone() {
    use std::sync::Arc;
    use varbind::transport::tls::TlsVersions;

    let subject = match Subject::net_snmp() {
        Ok(subject) => subject,
        Err(error) => {
            skip(&error.to_string());
            return;
        }
    };
    for transport in [TransportKind::IntegrityOnlyTls, TransportKind::LegacyAesTls] {
        let demands = Demands {
            transports: vec![transport],
            ..Demands::default()
        };
        let agent = subject.start(&demands).unwrap();
        let request = requests().swap_remove(0);
        let mut workload = workload(&agent, Scheme::V3Transport, transport, request);
        workload.access = agent.access(transport, false).cloned();
        let measured = workload.run().unwrap();
        assert_eq!(measured.outcome.completed, 6, "{transport}: {measured:?}");
        assert_eq!(measured.outcome.failed(), 0, "{transport}: {measured:?}");
        // Managers who do not ask for it get no session without encryption.
        let options = &mut workload.access.as_mut().unwrap().options;
        let client = options.tls.as_deref().unwrap().clone();
        options.tls = Some(Arc::new(client.with_versions(TlsVersions::Legacy)));
        let completed = workload.run().map(|measured| measured.outcome.completed);
        let encrypts = transport == TransportKind::LegacyAesTls;
        assert_eq!(
            completed.is_ok_and(|completed| completed > 0),
            encrypts,
            "{transport}"
        );
    }
}
