//! Managers with several requests outstanding.

use std::net::UdpSocket;
use std::ops::ControlFlow;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::engine::applications::command_generator::Command;
use varbind::manager::{Manager, ManagerError, ManagerOptions, PipelineOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{TABLE, TestAgent, target};
use varbind_testkit::oid;

#[test]
fn every_response_is_matched_to_its_request() {
    let agent = TestAgent::with(300, AgentLimits::default());
    let objects = agent.objects(TABLE);
    let names: Vec<_> = objects.iter().map(|object| object.name.clone()).collect();
    let addresses = [(Transport::Udp, agent.udp()), (Transport::Tcp, agent.tcp())];
    for (transport, address) in addresses {
        let target = target(transport, address);
        let mut manager = Manager::open(&target, ManagerOptions::v2c("public")).unwrap();
        let mut found = vec![Vec::new(); names.len().div_ceil(10)];
        let parts = names.chunks(10).map(Command::Get);
        manager.pipeline(parts, PipelineOptions::default(), |at, result| {
            assert!(found[at].is_empty(), "{at} is told twice");
            found[at] = result.unwrap().var_binds;
            ControlFlow::Continue(())
        });
        assert!(found.concat() == objects);
        assert_eq!(manager.generator().outstanding(), 0);
    }
}

#[test]
fn what_is_not_answered_in_time_is_given_up_and_nothing_follows() {
    // Nobody reads what it receives.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = target(Transport::Udp, silent.local_addr().unwrap());
    let mut manager = Manager::open(&target, ManagerOptions::v2c("public")).unwrap();
    let names = [oid("1.3.6.1.2.1.1.3.0")];
    let options = PipelineOptions {
        outstanding: 4,
        give_up_after: Some(Duration::from_millis(50)),
    };
    let mut told = Vec::new();
    manager.pipeline(vec![Command::Get(&names); 100], options, |at, result| {
        assert!(matches!(result, Err(ManagerError::Abandoned { .. })));
        told.push(at);
        ControlFlow::Continue(())
    });
    assert_eq!(told, [0, 1, 2, 3]);
    assert_eq!(manager.generator().outstanding(), 0);
}

#[test]
fn nothing_is_sent_after_a_break() {
    let agent = TestAgent::with(10, AgentLimits::default());
    let target = target(Transport::Udp, agent.udp());
    let mut manager = Manager::open(&target, ManagerOptions::v2c("public")).unwrap();
    let names = [oid("1.3.6.1.2.1.1.1.0")];
    let mut told = 0;
    let options = PipelineOptions {
        outstanding: 1,
        give_up_after: None,
    };
    manager.pipeline(vec![Command::Get(&names); 9], options, |_, result| {
        result.unwrap();
        told += 1;
        if told == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(told, 3);
    assert_eq!(manager.generator().statistics().requests, 3);
}
