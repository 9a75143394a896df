//! The asynchronous client over SSH.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::client::{Client, Error, Target};
use varbind::transport::OpenError;
use varbind::transport::ssh::{
    AgentSocket, HostKey, HostKeyAnswer, HostKeyChecking, Interaction, SshError, SshOptions,
    UnknownHostKey,
};
use varbind_testkit::loopback::{
    CuttingRelay, DESCRIPTION, NAME_0, PATIENCE, SYS_DESCR_0, TABLE, cut_points, drop_at_each_await,
};
use varbind_testkit::ssh::{SshAgent, SshAgentProcess};

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE * 2, test).await });
    outcome.expect("the test ends")
}

fn target(client: &Client, address: SocketAddr, options: SshOptions) -> Target {
    let target = client.target(&format!("ssh:ops@{address}")).unwrap();
    target.ssh(options).connect_timeout(PATIENCE)
}

/// Why there is no session.
async fn refusal(target: &Target) -> SshError {
    match target.get(SYS_DESCR_0).await {
        Err(Error::Open(OpenError::Ssh { error, .. })) => *error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn agent_is_read_walked_and_set_over_ssh() {
    let agent = SshAgent::new();
    let options = agent.files.options();
    let statistics = Arc::clone(&options.statistics);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, options);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
        assert_eq!(target.remote(), Some(agent.address));
        target.set(NAME_0, "over SSH").await.unwrap();
        assert_eq!(target.get(NAME_0).await.unwrap(), "over SSH".into());
        // It can be done in a task.
        let walk = target.walk(TABLE);
        let walked = tokio::spawn(walk.collect()).await.unwrap().unwrap();
        assert_eq!(walked, agent.agent.objects(TABLE));
        assert_eq!(statistics.opens.value(), 1);
        // The session ends with its target.
        drop(target);
        while statistics.closes.value() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert_eq!(agent.agent.memory.stored(), ["over SSH"]);
    assert_eq!(statistics.open_errors.value(), 0);
}

#[test]
fn community_is_possible_over_ssh() {
    let agent = SshAgent::new();
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, agent.files.options());
        let target = target.community("public");
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
    });
}

#[test]
fn blocking_client_has_sessions_over_ssh() {
    let agent = SshAgent::new();
    let client = varbind::blocking::Client::new().unwrap();
    let target = client.target_at(agent.target());
    let target = target.ssh(agent.files.options());
    assert_eq!(target.get(SYS_DESCR_0).unwrap(), DESCRIPTION.into());
}

#[test]
fn refused_user_learns_what_was_tried() {
    let agent = SshAgent::new();
    let other = HostKey::generate(&agent.files.path("id_other"), "other").unwrap();
    let options = SshOptions {
        identity_files: vec![agent.files.path("id_other"), agent.files.path("missing")],
        ..agent.files.options()
    };
    let statistics = Arc::clone(&options.statistics);
    run(async {
        let client = Client::new().unwrap();
        let told = refusal(&target(&client, agent.address, options)).await;
        assert!(matches!(told, SshError::AuthenticationRefused { .. }));
        let told = told.to_string();
        for part in [
            "authentication as user ops was refused",
            &other.fingerprint(),
            "(the server takes: publickey)",
        ] {
            assert!(told.contains(part), "{told}");
        }
    });
    assert_eq!(statistics.opens.value(), 1);
    assert_eq!(statistics.user_auth_failures.value(), 1);
}

/// Counts the questions about host keys, and takes a while to answer them.
struct Asked(HostKeyAnswer, AtomicUsize);

impl Interaction for Asked {
    fn unknown_host_key(&self, _: &UnknownHostKey) -> HostKeyAnswer {
        self.1.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(200));
        self.0
    }
}

#[test]
fn unknown_host_key_is_refused_unless_the_user_accepts_it() {
    let agent = SshAgent::new();
    let host_key = HostKey::read(&agent.files.path("host_key")).unwrap();
    run(async {
        let client = Client::new().unwrap();
        let strict = SshOptions {
            host_key_checking: Some(HostKeyChecking::Strict),
            ..agent.files.options()
        };
        let told = refusal(&target(&client, agent.address, strict.clone())).await;
        let SshError::HostKeyUnknown { fingerprint, .. } = &told else {
            panic!("{told:?}");
        };
        assert_eq!(*fingerprint, host_key.fingerprint());
        let asking = |answer| {
            let asked = Arc::new(Asked(answer, AtomicUsize::new(0)));
            let options = SshOptions {
                host_key_checking: Some(HostKeyChecking::Ask),
                interaction: Arc::<Asked>::clone(&asked),
                ..agent.files.options()
            };
            (asked, target(&client, agent.address, options))
        };
        let (asked, wary) = asking(HostKeyAnswer::Refuse);
        assert!(matches!(
            refusal(&wary).await,
            SshError::HostKeyUnknown { .. }
        ));
        assert_eq!(asked.1.load(Ordering::Relaxed), 1);
        // Other tasks go on while the user thinks.
        let (_, trusting) = asking(HostKeyAnswer::AcceptAndRemember);
        let mut ticks = 0;
        let mut interval = tokio::time::interval(Duration::from_millis(10));
        let getting = trusting.get(SYS_DESCR_0);
        let mut getting = std::pin::pin!(getting);
        loop {
            tokio::select! {
                value = &mut getting => {
                    assert_eq!(value.unwrap(), DESCRIPTION.into());
                    break;
                }
                _ = interval.tick() => ticks += 1,
            }
        }
        assert!(ticks >= 3, "{ticks}");
        let target = target(&client, agent.address, strict);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
    });
}

#[test]
fn key_of_the_authentication_agent_is_used() {
    let agent = SshAgent::new();
    let Some(ssh_agent) = SshAgentProcess::start(&agent.files) else {
        return;
    };
    ssh_agent.add("id_ops");
    let options = SshOptions {
        identity_files: vec![agent.files.path("missing")],
        agent: Some(AgentSocket::Path(ssh_agent.socket())),
        ..agent.files.options()
    };
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, options);
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
    });
}

#[test]
fn silent_server_is_given_up_and_cut() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let agent = SshAgent::new();
    run(async {
        let client = Client::new().unwrap();
        let address = listener.local_addr().unwrap();
        let target = target(&client, address, agent.files.options());
        let target = target.connect_timeout(Duration::from_millis(200));
        let begun = Instant::now();
        assert_eq!(
            refusal(&target).await,
            SshError::TimedOut("to the key exchange")
        );
        assert!(begun.elapsed() < PATIENCE);
    });
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    // The client's identification, then the end.
    std::io::Read::read_to_end(&mut socket, &mut Vec::new()).unwrap();
}

#[test]
fn walk_continues_after_its_session_was_cut() {
    let agent = SshAgent::new();
    let expected = agent.agent.objects(TABLE);
    // In the middle of a handshake too, once there was a session.
    let cuts = CuttingRelay::new(agent.address, |number| match number {
        0 => Some(12_000),
        1 => Some(1_000),
        _ => cut_points(8_000, 16_000, 6)(number),
    });
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, cuts.address, agent.files.options());
        let found = target.walk(TABLE).collect().await.unwrap();
        assert!(found == expected, "{} of {}", found.len(), expected.len());
    });
    assert!(cuts.connections() > 3, "{}", cuts.connections());
}

#[test]
fn session_that_the_agent_closed_is_reopened() {
    let limits = AgentLimits {
        tcp_idle: Duration::from_millis(200),
        ..AgentLimits::default()
    };
    let agent = SshAgent::with(limits, |_, _| {});
    let options = agent.files.options();
    let statistics = Arc::clone(&options.statistics);
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, agent.address, options);
        while statistics.opens.value() < 3 {
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
}

#[test]
fn operations_over_ssh_can_be_dropped_at_each_await() {
    let agent = SshAgent::new();
    let objects = agent.agent.objects(TABLE);
    run(async {
        let client = Client::new().unwrap();
        let target = || {
            let target = target(&client, agent.address, agent.files.options());
            target.max_message_size(5000)
        };
        let dropped = drop_at_each_await(&client, target, &objects).await;
        assert!(dropped > 50, "{dropped}");
    });
}
