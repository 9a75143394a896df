//! Sessions of our manager with our agent.

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::{
    MessageProcessing, V3Parameters, WalkOptions,
};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::MessageSession;
use varbind::transport::ssh::SshError;
#[cfg(feature = "experiments")]
use varbind::transport::ssh::{Nagle, SshHandicap, SshOptions};
use varbind_testkit::loopback::{DESCRIPTION, LARGE_TEXT_0, NAME_0, PATIENCE, SYS_DESCR_0, TABLE};
use varbind_testkit::oid;
use varbind_testkit::ssh::{SshAgent, manager_options};

#[track_caller]
pub(crate) fn describes_itself(manager: &mut Manager) {
    let response = manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    let value = Value::OctetString(DESCRIPTION.into());
    assert_eq!(response.var_binds, [VarBind::new(oid(SYS_DESCR_0), value)]);
}

#[test]
fn a_session_answers_one_request_after_the_other() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    for _ in 0..1000 {
        describes_itself(&mut manager);
    }
}

#[cfg(feature = "experiments")]
#[test]
fn sessions_that_are_slow_on_purpose_have_right_answers() {
    for nagle in [Nagle::Always, Nagle::UntilAuthenticated] {
        // The second one is less than some of the messages.
        for window in [200, 50] {
            let handicap = SshHandicap {
                nagle,
                window: Some(window),
                sends_each_packet: nagle == Nagle::Always,
            };
            let agent = SshAgent::with(AgentLimits::default(), |_, server| {
                server.handicap = handicap;
            });
            let options = SshOptions {
                handicap,
                ..agent.files.options()
            };
            let mut manager = agent.open(options).unwrap();
            for _ in 0..3 {
                describes_itself(&mut manager);
            }
        }
    }
}

#[test]
fn the_transport_security_model_knows_who_has_logged_in() {
    let agent = SshAgent::new();
    let mut options = manager_options(agent.files.options());
    options.processing = MessageProcessing::V3(Box::new(V3Parameters::transport()));
    let mut manager = Manager::open(&agent.target(), options).unwrap();
    describes_itself(&mut manager);
    let name = VarBind::new(oid(NAME_0), Value::OctetString("by ops".into()));
    let response = manager.set(std::slice::from_ref(&name)).unwrap();
    assert_eq!(response.var_binds, [name]);
    assert_eq!(agent.agent.memory.stored(), ["by ops"]);
}

#[test]
fn walks_and_large_values_go_through() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    let expected = agent.agent.objects(TABLE);
    for _ in 0..3 {
        let mut found = Vec::new();
        let walked = manager.walk(&[oid(TABLE)], WalkOptions::default(), |objects| {
            found.extend_from_slice(objects);
            ControlFlow::Continue(())
        });
        walked.unwrap();
        assert_eq!(found, expected);
    }
    let response = manager.get(&[oid(LARGE_TEXT_0)]).unwrap();
    assert_eq!(response.var_binds.len(), 1);
    let octets = response.var_binds[0].value.as_bytes();
    assert_eq!(octets.map(<[u8]>::len), Some(4000));
}

#[test]
fn a_server_that_opens_no_channel_is_named_and_counted() {
    let agent = SshAgent::with(AgentLimits::default(), |_, configuration| {
        configuration.channels = 0;
    });
    let options = agent.files.options();
    let told = agent.open(options.clone()).unwrap_err().to_string();
    assert!(told.contains("the server opens no channel"), "{told}");
    assert_eq!(options.statistics.opens.value(), 1);
    assert_eq!(options.statistics.no_channels.value(), 1);
}

#[test]
fn a_session_that_is_silent_for_too_long_is_closed() {
    let limits = AgentLimits {
        tcp_idle: Duration::from_millis(200),
        ..AgentLimits::default()
    };
    let agent = SshAgent::with(limits, |_, _| {});
    let mut manager = agent.manager();
    describes_itself(&mut manager);
    let secure = manager_options(agent.files.options()).secure;
    let mut session = MessageSession::open(&agent.target(), PATIENCE, &secure).unwrap();
    session.receive(PATIENCE).unwrap_err();
    // A manager opens its session anew.
    describes_itself(&mut manager);
}

#[test]
fn an_agent_that_ends_ends_its_sessions() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    describes_itself(&mut manager);
    let target = agent.target();
    let options = agent.files.options();
    agent.agent.agent.shutdown();
    // It would be opened anew, but nobody listens any more.
    let told = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(told.contains("connection refused"), "{told}");
    let told = Manager::open(&target, manager_options(options))
        .unwrap_err()
        .to_string();
    assert!(told.contains("connection refused"), "{told}");
}

#[test]
fn keys_are_exchanged_again_in_the_middle_of_a_session() {
    let agent = SshAgent::with(AgentLimits::default(), |_, configuration| {
        configuration.rekey_time = Duration::from_millis(50);
    });
    let mut manager = agent.manager();
    for _ in 0..20 {
        describes_itself(&mut manager);
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn other_services_are_distinguished_from_ssh_servers() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = varbind::transport::TransportAddress::of_socket(
        varbind::transport::Transport::Ssh,
        listener.local_addr().unwrap(),
    );
    let agent = SshAgent::new();
    let options = || ManagerOptions {
        connect_timeout: Duration::from_millis(300),
        ..manager_options(agent.files.options())
    };
    // It says nothing.
    let told = Manager::open(&target, options()).unwrap_err().to_string();
    assert!(
        told.contains("no answer in time to the key exchange"),
        "{told}"
    );
    let _ = listener.accept().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\n");
        });
        assert!(Manager::open(&target, options()).is_err());
    });
    let error = SshError::SubsystemRefused;
    assert!(error.to_string().contains("Subsystem snmp"));
}
