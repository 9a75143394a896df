//! The echo as a process of its own: this program is both the test and the echo.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::env;
use std::time::Duration;

use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::process::cpu_time;
use varbind_lab::request::Request;
use varbind_lab::security::Security;
use varbind_lab::subject::{Agent, Echo, EchoProgram, serve_echo};
use varbind_lab::workload::Workload;

fn main() {
    if env::args().any(|word| word == "serve-echo") {
        serve_echo().unwrap();
        return;
    }
    the_echo_answers_with_the_request_and_costs_cpu_time();
    println!("test the_echo_answers_with_the_request_and_costs_cpu_time ... ok");
}

fn the_echo_answers_with_the_request_and_costs_cpu_time() {
    let echo = Echo::start(&EchoProgram {
        executable: env::current_exe().unwrap(),
        arguments: vec!["serve-echo".into()],
    });
    let agent = Agent::echo(echo.unwrap());
    let pid = agent.id().unwrap();
    let before = cpu_time(pid).unwrap();
    for mode in [
        Mode::Closed,
        Mode::Window { size: 16 },
        Mode::Burst { size: 16 },
    ] {
        let measured = Workload {
            target: agent.target(TransportKind::Udp).unwrap(),
            access: None,
            security: Security::Community {
                version: Version::V2c,
                community: b"public".to_vec(),
            },
            derives_per_session: false,
            request: Request::Get {
                names: vec!["1.3.6.1.2.1.1.1.0".parse().unwrap()],
            },
            sessions: 1,
            exchanges: 500,
            mode,
            timeout: Duration::from_secs(1),
            answered_by: PduType::GetRequest,
            retries: 0,
            pause: Duration::ZERO,
        }
        .run()
        .unwrap();
        assert_eq!(measured.outcome.completed, 500, "{mode}");
        assert_eq!(measured.traffic.snmp_octets_received, 500 * 43);
    }
    assert!(cpu_time(pid).unwrap().since(&before).total > 100.0);
    drop(agent);
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}
