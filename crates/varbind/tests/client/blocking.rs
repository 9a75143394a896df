//! The same without async.

use varbind::blocking::{Client, Target};
use varbind::client::{Error, User};
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
        let statistics = target.as_async().statistics().unwrap();
        assert_eq!((statistics.responses, statistics.failures), (200, 0));
    }
}
