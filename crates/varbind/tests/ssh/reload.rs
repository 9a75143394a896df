//! Keys and users that change while sessions are open.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use varbind::agent::AgentLimits;
use varbind::transport::ssh::{Interaction, Secret, SshOptions, SshServerConfiguration};
use varbind::transport::{MessageSession, SessionError};
use varbind_testkit::loopback::{DESCRIPTION, PATIENCE, SYS_DESCR_0};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::ssh::{Files, SshAgent, manager_options, ssh_keygen};

use crate::sessions::describes_itself;

fn session(agent: &SshAgent, options: SshOptions) -> MessageSession {
    let secure = manager_options(options).secure;
    MessageSession::open(&agent.target(), PATIENCE, &secure).unwrap()
}

/// What the agent answers in an open session.
fn ask(session: &mut MessageSession) -> Result<String, SessionError> {
    session.send(&Message::get(1, SYS_DESCR_0).encode())?;
    let response = session.receive(PATIENCE)?;
    Ok(Message::decode(response.expect("neither a response nor an end")).text())
}

#[track_caller]
fn assert_open(session: &mut MessageSession) {
    assert_eq!(ask(session).unwrap(), DESCRIPTION);
}

#[track_caller]
fn assert_ends(mut session: MessageSession) {
    let error = ask(&mut session).unwrap_err();
    if let SessionError::System(error) = error {
        assert_ne!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    }
}

#[test]
fn a_session_ends_when_its_key_is_removed() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    describes_itself(&mut manager);
    let mut open = session(&agent, agent.files.options());
    assert_open(&mut open);
    agent.files.authorize("ops", "# nobody");
    // Files are read at a reload.
    assert_open(&mut open);
    agent.server.replace(agent.files.server_configuration());
    assert_ends(open);
    // A manager opens its session anew, and is refused.
    let error = manager.get(&[oid(SYS_DESCR_0)]).unwrap_err().to_string();
    assert!(
        error.contains("authentication as user ops was refused"),
        "{error}"
    );
}

#[test]
fn sessions_of_users_who_may_still_log_in_outlive_a_reload() {
    let agent = SshAgent::new();
    // More than are looked up at a time.
    let mut open: Vec<_> = (0..30)
        .map(|_| session(&agent, agent.files.options()))
        .collect();
    for _ in 0..2 {
        agent.server.replace(agent.files.server_configuration());
        let request = Message::get(1, SYS_DESCR_0).encode();
        for session in &mut open {
            session.send(&request).unwrap();
        }
        for session in &mut open {
            let response = session.receive(PATIENCE).unwrap().expect("no response");
            assert_eq!(Message::decode(response).text(), DESCRIPTION);
        }
    }
}

#[test]
fn a_session_ends_when_the_authority_of_its_certificate_is_removed() {
    let agent = SshAgent::with(AgentLimits::default(), |files, configuration| {
        ssh_keygen(&files.path(""), &["-t", "ed25519", "-N", "", "-f", "ca"]);
        configuration.user_authorities = vec![files.path("ca.pub")];
        configuration.authorized_keys.clear();
    });
    let arguments = ["-s", "ca", "-I", "x", "-n", "ops", "id_ops.pub"];
    ssh_keygen(&agent.files.path(""), &arguments);
    let mut open = session(&agent, agent.files.options());
    assert_open(&mut open);
    let without = SshServerConfiguration {
        authorized_keys: Vec::new(),
        ..agent.files.server_configuration()
    };
    agent.server.replace(without);
    assert_ends(open);
}

/// The password of the user.
struct Password;

impl Interaction for Password {
    fn password(&self, _: &str, _: &str) -> Option<Secret> {
        Some(Secret::new("hunter2".to_owned()))
    }
}

fn with_passwords(files: &Files) -> SshServerConfiguration {
    let check = |_: &str, password: &Secret, _: IpAddr| match password.as_str() {
        "hunter2" => Ok(()),
        _ => Err("it is another".to_owned()),
    };
    SshServerConfiguration {
        password_check: Some(Arc::new(check)),
        ..files.server_configuration()
    }
}

#[test]
fn a_session_ends_when_its_account_is_locked_or_passwords_are_not_accepted_any_more() {
    let agent = SshAgent::with(AgentLimits::default(), |files, configuration| {
        *configuration = with_passwords(files);
    });
    let by_password = || {
        let options = SshOptions {
            identity_files: vec![agent.files.path("missing")],
            interaction: Arc::new(Password),
            ..agent.files.options()
        };
        session(&agent, options)
    };
    let (mut first, mut second) = (by_password(), by_password());
    agent.server.replace(with_passwords(&agent.files));
    assert_open(&mut first);
    assert_open(&mut second);
    agent.server.replace(SshServerConfiguration {
        account_check: Some(Arc::new(|user: &str, _: IpAddr| {
            Err(format!("{user} is locked"))
        })),
        ..with_passwords(&agent.files)
    });
    assert_ends(first);
    agent.server.replace(agent.files.server_configuration());
    assert_ends(second);
}
