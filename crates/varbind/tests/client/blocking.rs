//! The same without async.

use std::net::UdpSocket;
use std::time::Duration;

use varbind::blocking::{Client, Target};
use varbind::client::{Error, RetryPolicy, User};
use varbind_testkit::loopback::{
    DESCRIPTION, NAME_0, ROW, SYS_DESCR, SYS_DESCR_0, TABLE, TestAgent,
};
use varbind_testkit::oid;

use super::at;

#[test]
fn everything_is_there_without_async() {
    let agent = TestAgent::new();
    let client = Client::new().unwrap();
    for address in [at("udp", agent.udp()), at("tcp", agent.tcp())] {
        let target = client.target(&address).unwrap().community("private");
        // The tasks of the client run only while somebody waits, and targets outlive their client's handle.
        assert_eq!(target.get(SYS_DESCR_0).unwrap(), DESCRIPTION.into());
        target.set(NAME_0, "blocking").unwrap();
        assert_eq!(target.get_next(SYS_DESCR).unwrap().name, oid(SYS_DESCR_0));
        let both = target.get_many([SYS_DESCR_0, NAME_0]).unwrap();
        assert_eq!(both[1].value, "blocking".into());
        let walked: Result<Vec<_>, Error> = target.walk(TABLE).collect();
        assert_eq!(walked.unwrap(), agent.objects(TABLE));
        assert_eq!(target.get_bulk(0, 5, [TABLE]).unwrap().len(), 5);
        let column = oid(ROW).child(&[1]).unwrap();
        assert_eq!(target.table([&column]).unwrap().len(), 50);
    }
    let error = client
        .target("127.0.0.1")
        .unwrap()
        .user(&User::new("ops").sha256("short"))
        .unwrap_err();
    assert!(matches!(error, Error::Key { .. }), "{error:?}");
}

#[test]
fn settings_apply_without_async() {
    let agent = TestAgent::new();
    let builder = Client::builder().max_in_flight(4).resolve_in_place();
    let client = builder.build().unwrap();
    let address = agent.udp();
    let target = client.target(&at("udp", address)).unwrap();
    let target = target.community_v1("public").max_window(2);
    assert_eq!((target.remote(), target.statistics()), (None, None));
    assert_eq!(target.get(SYS_DESCR_0).unwrap(), DESCRIPTION.into());
    assert_eq!(target.remote(), Some(address));
    assert_eq!(target.statistics().unwrap().responses, 1);
    assert!(!target.walk(TABLE).next_batch().unwrap().unwrap().is_empty());
    assert_eq!(client.statistics().unknown_sources, 0);

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = at("udp", socket.local_addr().unwrap());
    let twice = RetryPolicy::Fixed {
        timeout: Duration::from_millis(20),
        retries: 1,
    };
    let silent = target.at(silent.parse().unwrap()).retry(twice);
    assert_eq!(silent.max_attempts(), 2);
    let error = silent.get(SYS_DESCR_0).unwrap_err();
    assert!(matches!(error, Error::Unanswered(_)), "{error:?}");
    let hasty = silent.retry(RetryPolicy::default());
    let error = hasty.deadline(Duration::from_millis(30)).get(SYS_DESCR_0);
    assert!(matches!(error, Err(Error::Deadline { .. })), "{error:?}");
}

#[test]
fn threads_share_a_client() {
    let agent = TestAgent::new();
    let client = Client::new().unwrap();
    let targets: Vec<Target> = [at("udp", agent.udp()), at("tcp", agent.tcp())]
        .iter()
        .map(|address| client.target(address).unwrap().community("public"))
        .collect();
    drop(client);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let target = &targets[number % 2];
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(target.get(SYS_DESCR_0).unwrap(), DESCRIPTION.into());
                }
            });
        }
    });
    for target in &targets {
        let statistics = target.statistics().unwrap();
        assert_eq!((statistics.responses, statistics.failures), (200, 0));
    }
}
