//! Over UDP.

use std::error::Error as _;
use std::net::UdpSocket;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use varbind::client::{Client, Command, Error, RetryPolicy, User, WalkOptions};
use varbind::transport::TransportError;

use super::{at, run};
use varbind_testkit::loopback::{
    DESCRIPTION, NAME_0, PATIENCE, ROW, SYS_DESCR, SYS_DESCR_0, TABLE, TestAgent,
};
use varbind_testkit::oid;

#[test]
fn a_value_is_read_and_set() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let target = target.community("private");
        let description: String = target.get(SYS_DESCR_0).await.unwrap().try_into().unwrap();
        assert_eq!(description, DESCRIPTION);
        let next = target.get_next(SYS_DESCR).await.unwrap();
        assert_eq!(next.name, oid(SYS_DESCR_0));
        target.set(NAME_0, "a name").await.unwrap();
        let names = [SYS_DESCR_0, NAME_0];
        let both = target.get_many(names).await.unwrap();
        assert_eq!(both[0].value, DESCRIPTION.into());
        assert_eq!(both[1].value, "a name".into());
        assert_eq!(target.remote(), Some(address));
        assert_eq!(target.statistics().unwrap().responses, 4);
    });
}

#[test]
fn names_of_objects_are_understood() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let target = target.community("public");
        let description: String = target.get("sysDescr.0").await.unwrap().try_into().unwrap();
        assert_eq!(description, DESCRIPTION);
        let next = target.get_next("SNMPv2-MIB::sysDescr").await.unwrap();
        assert_eq!(next.name, oid(SYS_DESCR_0));
        let error = target.get("sysDesc.0").await.unwrap_err().to_string();
        assert!(error.contains("sysDesc"), "{error}");
    });
}

#[test]
fn names_are_looked_up_without_a_thread_if_wanted() {
    let agent = TestAgent::new();
    let address = format!("udp4:localhost:{}", agent.udp().port());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    // The only thread for blocking calls has something else to do.
    let (end, ended) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || ended.recv());
    let outcome = runtime.block_on(async {
        let client = Client::builder().resolve_in_place().build().unwrap();
        let target = client.target(&address).unwrap().community("public");
        tokio::time::timeout(PATIENCE, target.get(SYS_DESCR_0)).await
    });
    drop(end);
    assert_eq!(outcome.unwrap().unwrap(), DESCRIPTION.into());
}

#[test]
fn the_first_response_of_a_client_waits_for_no_timer() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let once = RetryPolicy::Fixed {
            timeout: PATIENCE,
            retries: 0,
        };
        let target = target.community("public").retry(once);
        let begun = Instant::now();
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
        assert!(begun.elapsed() < PATIENCE);
    });
}

#[test]
fn a_request_that_cannot_be_sent_fails_at_once() {
    run(async {
        let client = Client::new().unwrap();
        // The socket may not broadcast.
        let target = client.target("udp:255.255.255.255:1161").unwrap();
        let once = RetryPolicy::Fixed {
            timeout: PATIENCE,
            retries: 0,
        };
        let target = target.community("public").retry(once);
        let begun = Instant::now();
        let error = target.get(SYS_DESCR_0).await.unwrap_err();
        assert!(matches!(error, Error::Unanswered(_)), "{error:?}");
        assert!(begun.elapsed() < PATIENCE, "{error}");
    });
}

#[test]
fn a_walk_brings_what_the_agent_has_in_order() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let target = target.community("public");
        let walked = target.walk(TABLE).collect().await.unwrap();
        assert_eq!(walked, agent.objects(TABLE));
        let bulk = target.get_bulk(0, 10, [TABLE]).await.unwrap();
        assert_eq!(bulk, walked[..10]);
        // One that is dropped in the middle disturbs no other.
        let mut walk = target.walk(TABLE);
        assert_eq!(walk.next().await.unwrap().unwrap(), walked[0]);
        drop(walk);
        let mut walk = target.walk_with([TABLE], WalkOptions::default());
        let mut count = 0;
        while let Some(object) = walk.next().await {
            assert_eq!(object.unwrap(), walked[count]);
            count += 1;
        }
        assert_eq!(count, walked.len());
        assert_eq!(walk.summary().objects, walked.len() as u64);
        assert!(walk.next().await.is_none());
    });
}

#[test]
fn a_table_is_read_as_rows() {
    let agent = TestAgent::with(30, varbind::agent::AgentLimits::default());
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let target = target.community("public");
        let columns = [1, 2, 5].map(|column| oid(ROW).child(&[column]).unwrap());
        let rows = target.table(&columns).await.unwrap();
        assert_eq!(rows.len(), 30);
        for row in rows {
            for (column, value) in columns.iter().zip(&row.values) {
                let name = column.child(&row.index).unwrap();
                let expected = target.get(&name).await.unwrap();
                assert_eq!(value.as_ref(), Some(&expected), "{name}");
            }
        }
    });
}

#[test]
fn a_refused_port_fails_its_own_target_at_once() {
    let agent = TestAgent::new();
    let address = agent.udp();
    let closed = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    run(async {
        let client = Client::new().unwrap();
        let target = |address| {
            let target = client.target(&at("udp", address)).unwrap();
            target.community("public")
        };
        let (open, refused) = (target(address), target(closed));
        let begun = Instant::now();
        let (open, refused) = tokio::join!(open.get(SYS_DESCR_0), refused.get(SYS_DESCR_0));
        assert_eq!(open.unwrap(), DESCRIPTION.into());
        let error = refused.unwrap_err();
        let Error::Unanswered(unanswered) = &error else {
            panic!("{error:?}");
        };
        assert_eq!(
            TransportError::of(&unanswered.failure.reason),
            Some(&TransportError::ConnectionRefused)
        );
        let source = error.source().unwrap();
        assert!(source.is::<TransportError>(), "{source:?}");
        let text = error.to_string();
        assert!(
            text.contains("connection refused: nothing listens"),
            "{text}"
        );
        assert!(begun.elapsed() < Duration::from_secs(4));
    });
}

#[test]
fn a_silent_agent_is_reported_and_a_deadline_is_kept() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let fixed = RetryPolicy::Fixed {
            timeout: Duration::from_millis(20),
            retries: 2,
        };
        let target = target.community("public").retry(fixed);
        let error = target.get(SYS_DESCR_0).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("no answer") && text.contains("3 attempts"),
            "{text}"
        );
        let hasty = client.target(&at("udp", address)).unwrap();
        let hasty = hasty
            .community("public")
            .deadline(Duration::from_millis(30));
        let error = hasty.get(SYS_DESCR_0).await.unwrap_err();
        assert!(matches!(error, Error::Deadline { .. }), "{error:?}");
        let error = hasty.walk(TABLE).collect().await.unwrap_err();
        assert!(matches!(error, Error::Deadline { .. }), "{error:?}");
    });
}

#[test]
fn an_error_status_names_the_object() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("udp", address)).unwrap();
        let target = target.community("private");
        let error = target.set(SYS_DESCR_0, "no").await.unwrap_err();
        let Error::ErrorStatus { name, .. } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(name.as_ref(), Some(&oid(SYS_DESCR_0)));
        // Whoever wants the whole response has it.
        let names = [oid("1.3.6.1.2.1.99.1.0")];
        let response = target.request(Command::Get(&names)).await.unwrap();
        assert!(response.var_binds[0].value.as_value_ref().is_exception());
        assert_eq!(
            target.get(&names[0]).await.unwrap(),
            response.var_binds[0].value
        );
    });
}

#[test]
fn wrong_settings_are_reported_before_anything_is_sent() {
    run(async {
        let client = Client::new().unwrap();
        let target = client.target("127.0.0.1").unwrap();
        let error = target.get(SYS_DESCR_0).await.unwrap_err();
        assert!(matches!(error, Error::NoCredentials { .. }), "{error:?}");
        let error = target.user(&User::new("ops").sha256("short")).unwrap_err();
        assert!(error.to_string().contains("ops"), "{error}");
        assert!(matches!(error, Error::Key { .. }), "{error:?}");
        assert!(target.user(&User::new("")).is_err());
        let target = target.community("public");
        let error = target.get("no.such..name").await.unwrap_err();
        assert!(matches!(error, Error::Name { .. }), "{error:?}");
        let error = target.walk("no.such..name").collect().await.unwrap_err();
        assert!(matches!(error, Error::Name { .. }), "{error:?}");
        assert!(client.target("gopher:router1").is_err());
        assert_eq!(target.statistics(), None);
    });
    assert!(matches!(Client::new(), Err(Error::NoRuntime)));
}

#[test]
fn many_targets_on_one_socket_are_asked_at_once() {
    let agents: Vec<TestAgent> = (0..4)
        .map(|rows| TestAgent::with(rows + 1, varbind::agent::AgentLimits::default()))
        .collect();
    let addresses: Vec<_> = agents.iter().map(TestAgent::udp).collect();
    run(async {
        let client = Client::new().unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..200 {
            let target = client.target(&at("udp", addresses[number % 4])).unwrap();
            let target = target.community("public");
            tasks.spawn(async move {
                let rows = target.table([oid(ROW).child(&[1]).unwrap()]).await.unwrap();
                (number, rows.len())
            });
        }
        while let Some(finished) = tasks.join_next().await {
            let (number, rows) = finished.unwrap();
            assert_eq!(rows, number % 4 + 1);
        }
    });
}
