//! Peers that are slow, broken or malicious.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::manager::ManagerOptions;
use varbind::transport::tls::TlsVersions;
use varbind_testkit::loopback::{PATIENCE, SYS_DESCR_0};
use varbind_testkit::oid;

use crate::agent::{TlsAgent, ask, await_that, described, open, tsm};
use crate::proxy::{Fate, Proxy};

/// Waits for the end of a connection, whatever comes before it.
#[track_caller]
fn assert_ends(stream: &mut TcpStream) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
}

#[track_caller]
fn assert_serves(agent: &TlsAgent) {
    let client = agent.client(&agent.reader());
    assert_eq!(ask(agent.address, client, tsm()), Ok(described()));
}

fn impatient() -> AgentLimits {
    AgentLimits {
        handshake: Duration::from_secs(3),
        tcp_message: Duration::from_secs(3),
        handshakes_per_source: 5,
        ..AgentLimits::default()
    }
}

/// The beginning of a ClientHello.
const BEGINNING: [u8; 9] = [22, 3, 1, 2, 0, 1, 0, 1, 252];

#[test]
fn unfinished_handshakes_are_closed_without_affecting_others() {
    let agent = TlsAgent::with(impatient(), |_| {});
    let mut half: Vec<_> = (0..4)
        .map(|number| {
            let mut stream = TcpStream::connect(agent.address).unwrap();
            // None, some, and all but the last octet of a beginning.
            stream.write_all(&BEGINNING[..number * 3 % 9]).unwrap();
            stream
        })
        .collect();
    assert_serves(&agent);
    half.iter_mut().for_each(assert_ends);
}

#[test]
fn a_source_has_no_more_handshakes_in_progress_than_the_limit() {
    let agent = TlsAgent::with(
        AgentLimits {
            handshake: PATIENCE,
            ..impatient()
        },
        |_| {},
    );
    let open: Vec<_> = (0..5)
        .map(|_| TcpStream::connect(agent.address).unwrap())
        .collect();
    let mut refused = TcpStream::connect(agent.address).unwrap();
    assert_ends(&mut refused);
    drop(open);
    await_that("there is room again", || {
        ask(agent.address, agent.client(&agent.reader()), tsm()).is_ok()
    });
}

#[test]
fn a_connection_without_tls_is_closed_at_once() {
    let agent = TlsAgent::new();
    for octets in [
        &b"\x30\x26\x02\x01\x01\x04\x06public"[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-x\r\n",
        &[0xff; 100],
        // A ClientHello that is none.
        &[22, 3, 1, 0, 4, 1, 0, 0, 0],
        // A record of application data, and an alert, where a ClientHello should be.
        &[23, 3, 3, 0, 1, 0],
        &[21, 3, 3, 0, 2, 2, 40],
    ] {
        let mut stream = TcpStream::connect(agent.address).unwrap();
        stream.write_all(octets).unwrap();
        assert_ends(&mut stream);
    }
    assert_serves(&agent);
}

#[test]
fn a_message_of_the_handshake_without_end_is_ended() {
    let agent = TlsAgent::with(impatient(), |_| {});
    let mut stream = TcpStream::connect(agent.address).unwrap();
    // A ClientHello of 16 MB, in records of 16 kB.
    let mut record = vec![22, 3, 1, 0x40, 0];
    record.extend_from_slice(&[1, 0xff, 0xff, 0xff]);
    record.resize(5 + 0x4000, 0);
    let mut sent = 0;
    while sent < 100 && stream.write_all(&record).is_ok() {
        record[5..9].fill(0);
        sent += 1;
    }
    assert_ends(&mut stream);
    assert_serves(&agent);
}

fn once() -> ManagerOptions {
    let retry = RetryPolicy::Fixed {
        timeout: PATIENCE,
        retries: 0,
    };
    ManagerOptions { retry, ..tsm() }
}

#[test]
fn a_record_that_does_not_arrive_whole_ends_the_session() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let agent = TlsAgent::with(impatient(), |_| {});
        // In TLS 1.3 the first records of that kind are the client's certificate and what belongs to it.
        let proxy = Proxy::new(agent.address, |number, record| match number {
            0..6 => Fate::Pass(record),
            _ => Fate::Stall(record[..record.len() / 2].to_vec()),
        });
        let client = agent.client(&agent.reader()).with_versions(versions);
        let client = Arc::new(client);
        let mut manager = open(proxy.address, &client, once()).unwrap();
        let mut answered = 0;
        while proxy.records.load(Ordering::SeqCst) < 5 {
            manager.get(&[oid(SYS_DESCR_0)]).unwrap();
            answered += 1;
        }
        assert!(answered > 0);
        // The agent waits for the rest no longer than it may take. The manager, which sees the session end, tries again
        // in another one, which fares no better.
        manager.get(&[oid(SYS_DESCR_0)]).unwrap_err();
        // It counts a close when its peer knows of it.
        await_that("the session counts as closed", || {
            agent.statistics.server_closes.value() > 0
        });
        assert_serves(&agent);
    }
}

#[test]
fn a_record_that_is_changed_on_its_way_ends_the_session() {
    for versions in [TlsVersions::Only12, TlsVersions::Only13] {
        let agent = TlsAgent::new();
        let proxy = Proxy::new(agent.address, |number, mut record| {
            if number >= 6
                && let Some(last) = record.last_mut()
            {
                *last ^= 1;
            }
            Fate::Pass(record)
        });
        let client = agent.client(&agent.reader()).with_versions(versions);
        let mut manager = open(proxy.address, &Arc::new(client), once()).unwrap();
        while proxy.records.load(Ordering::SeqCst) < 5 {
            manager.get(&[oid(SYS_DESCR_0)]).unwrap();
        }
        let error = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
        assert!(error.contains("BadRecordMac"), "{error}");
        assert_serves(&agent);
    }
}

#[test]
fn a_connection_that_ends_in_the_middle_of_a_message_is_over() {
    let agent = TlsAgent::new();
    let proxy = Proxy::new(agent.address, |number, record| match number {
        0..6 => Fate::Pass(record),
        _ => Fate::Close(record[..record.len() - 3].to_vec()),
    });
    let client = Arc::new(agent.client(&agent.reader()));
    let mut manager = open(proxy.address, &client, once()).unwrap();
    while proxy.records.load(Ordering::SeqCst) < 5 {
        manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    }
    // It is asked once more in a session of its own, which meets the same end.
    let error = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(error.contains("closed"), "{error}");
    assert_serves(&agent);
}

#[test]
fn sessions_that_say_nothing_are_ended_when_they_are_idle() {
    let limits = AgentLimits {
        tcp_idle: Duration::from_millis(50),
        ..AgentLimits::default()
    };
    let agent = TlsAgent::with(limits, |_| {});
    let client = Arc::new(agent.client(&agent.reader()));
    let _sessions: Vec<_> = (0..5)
        .map(|_| open(agent.address, &client, tsm()).unwrap())
        .collect();
    await_that("idle sessions are ended", || {
        agent.statistics.server_closes.value() == 5
    });
}
