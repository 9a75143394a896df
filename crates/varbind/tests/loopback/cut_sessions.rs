//! TCP sessions that are cut while a manager asks.

use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::{Command, RetryPolicy, WalkOptions};
use varbind::manager::{Manager, ManagerOptions, PipelineOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{
    CuttingRelay, NAME_0, SYS_DESCR_0, TABLE, TcpPeer, TestAgent, cut_points, target, walk,
};
use varbind_testkit::oid;
use varbind_testkit::peers::listen_again;

fn manager(cuts: &CuttingRelay, options: ManagerOptions) -> Manager {
    Manager::open(&target(Transport::Tcp, cuts.address), options).unwrap()
}

fn fixed(retries: u32) -> ManagerOptions {
    ManagerOptions {
        retry: RetryPolicy::Fixed {
            timeout: Duration::from_secs(2),
            retries,
        },
        ..ManagerOptions::v2c("public")
    }
}

#[test]
fn a_walk_goes_on_where_its_session_was_cut() {
    let agent = TestAgent::with(500, AgentLimits::default());
    let expected = agent.objects(TABLE);
    // From a few octets to several answers.
    for (least, most, count) in [(100, 3_000, 30), (10_000, 40_000, 10)] {
        let cuts = CuttingRelay::new(agent.tcp(), cut_points(least, most, count));
        let found = walk(&mut manager(&cuts, ManagerOptions::v2c("public")), TABLE).unwrap();
        assert!(found == expected, "{} of {}", found.len(), expected.len());
        assert!(cuts.connections() > 5, "{}", cuts.connections());
    }
}

#[test]
fn a_walk_ends_when_its_retries_are_used_up() {
    let agent = TestAgent::with(500, AgentLimits::default());
    // Two sessions bring something, then none does.
    let cuts = CuttingRelay::new(agent.tcp(), |number| {
        Some(if number < 2 { 20_000 } else { 10 })
    });
    let mut manager = manager(&cuts, fixed(3));
    let failure = walk(&mut manager, TABLE).unwrap_err();
    assert!(failure.summary.objects > 0, "{failure}");
    assert!(
        failure.to_string().contains("closed the connection"),
        "{failure}"
    );
    let connections = cuts.connections();
    assert!((4..=6).contains(&connections), "{connections}");
}

#[test]
fn without_retries_a_cut_ends_a_walk() {
    let agent = TestAgent::with(500, AgentLimits::default());
    let cuts = CuttingRelay::new(agent.tcp(), cut_points(20_000, 20_001, 1));
    let mut manager = manager(&cuts, fixed(0));
    walk(&mut manager, TABLE).unwrap_err();
    assert_eq!(cuts.connections(), 1);
    // The next one has a session of its own.
    assert_eq!(walk(&mut manager, TABLE).unwrap(), agent.objects(TABLE));
}

#[test]
fn an_agent_that_is_away_for_a_while_is_waited_for() {
    let mut agent = Some(TestAgent::with(500, AgentLimits::default()));
    let expected = agent.as_ref().unwrap().objects(TABLE);
    let address = agent.as_ref().unwrap().tcp();
    let options = ManagerOptions::v2c("public");
    let mut manager = Manager::open(&target(Transport::Tcp, address), options).unwrap();
    let mut restarted = None;
    let mut found = Vec::new();
    let walked = manager.walk(&[oid(TABLE)], WalkOptions::default(), |objects| {
        found.extend_from_slice(objects);
        if let Some(agent) = agent.take() {
            agent.agent.shutdown();
            restarted = Some(thread::spawn(move || {
                thread::sleep(Duration::from_millis(300));
                let agent = TestAgent::with(500, AgentLimits::default());
                listen_again(|| agent.agent.listen(Transport::Tcp, address)).unwrap();
                agent
            }));
        }
        ControlFlow::Continue(())
    });
    walked.unwrap();
    assert!(found == expected, "{} of {}", found.len(), expected.len());
    drop(restarted.unwrap().join().unwrap());
}

#[test]
fn an_agent_that_went_between_two_requests_is_waited_for() {
    let agent = TestAgent::with(5, AgentLimits::default());
    let address = agent.tcp();
    let mut manager = Manager::open(
        &target(Transport::Tcp, address),
        ManagerOptions::v2c("public"),
    )
    .unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    agent.agent.shutdown();
    let restarted = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        let agent = TestAgent::with(5, AgentLimits::default());
        listen_again(|| agent.agent.listen(Transport::Tcp, address)).unwrap();
        agent
    });
    let names = [oid(SYS_DESCR_0)];
    let mut answered = 0;
    let commands = [Command::Get(&names); 20];
    manager.pipeline(commands, PipelineOptions::default(), |_, result| {
        result.unwrap();
        answered += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(answered, 20);
    restarted.join().unwrap().agent.shutdown();
}

#[test]
fn an_agent_that_stays_away_is_waited_for_once() {
    let agent = TestAgent::with(5, AgentLimits::default());
    let options = ManagerOptions {
        retry: RetryPolicy::Fixed {
            timeout: Duration::from_secs(2),
            retries: 1,
        },
        ..ManagerOptions::v2c("public")
    };
    let mut manager = Manager::open(&target(Transport::Tcp, agent.tcp()), options).unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    agent.agent.shutdown();
    for _ in 0..3 {
        let error = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
        assert!(error.contains("connection refused"), "{error}");
    }
}

/// An agent that takes requests, and ends the session instead of answering but the first.
#[test]
fn a_set_that_met_the_end_of_its_session_is_not_sent_again() {
    static SETS: AtomicUsize = AtomicUsize::new(0);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut peer = TcpPeer::of(stream.unwrap());
            let request = peer.receive();
            peer.send(&request.response(request.bindings.clone()).encode());
            if peer.receive_octets().is_some() {
                SETS.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let mut manager = Manager::open(
        &target(Transport::Tcp, address),
        ManagerOptions::v2c("private"),
    )
    .unwrap();
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let value = Value::OctetString("x".into());
    let error = manager
        .set(&[VarBind::new(oid(NAME_0), value)])
        .unwrap_err()
        .to_string();
    assert!(error.contains("may have carried out the Set"), "{error}");
    assert!(error.contains("read before it is set again"), "{error}");
    assert_eq!(SETS.load(Ordering::SeqCst), 1);
    // What only reads is asked again.
    manager.get(&[oid(SYS_DESCR_0)]).unwrap();
}
