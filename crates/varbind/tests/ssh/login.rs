//! Who may log in to our agent, with our client.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use varbind::agent::AgentLimits;
use varbind::transport::ssh::{
    AgentSocket, HostKey, HostKeyAnswer, HostKeyChecking, Interaction, Secret, SshOptions,
    UnknownHostKey,
};
use varbind_testkit::ssh::{SshAgent, ssh_keygen};

use crate::sessions::describes_itself;

fn refusal(agent: &SshAgent, options: SshOptions) -> String {
    match agent.open(options) {
        Ok(_) => panic!("the session is open"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_refused_user_learns_the_tried_methods() {
    let agent = SshAgent::new();
    let other = HostKey::generate(&agent.files.path("id_other"), "other").unwrap();
    let options = SshOptions {
        identity_files: vec![agent.files.path("id_other"), agent.files.path("missing")],
        ..agent.files.options()
    };
    let statistics = Arc::clone(&options.statistics);
    let told = refusal(&agent, options);
    assert!(
        told.contains("authentication as user ops was refused"),
        "{told}"
    );
    assert!(told.contains(&other.fingerprint()), "{told}");
    assert!(told.contains("(the server takes: publickey)"), "{told}");
    assert_eq!(statistics.user_auth_failures.value(), 1);
    assert_eq!(
        (statistics.opens.value(), statistics.open_errors.value()),
        (1, 1)
    );
    // The right key, but another user.
    let options = SshOptions {
        user: Some("root".to_owned()),
        ..agent.files.options()
    };
    let told = refusal(&agent, options);
    assert!(
        told.contains("authentication as user root was refused"),
        "{told}"
    );
}

#[test]
fn options_of_authorized_keys_are_respected() {
    let agent = SshAgent::new();
    let key = HostKey::read(&agent.files.path("id_ops"))
        .unwrap()
        .public_key();
    agent
        .files
        .authorize("ops", &format!("restrict,from=\"127.0.0.0/8\" {key}"));
    describes_itself(&mut agent.manager());
    for line in [
        format!("from=\"192.0.2.0/24\" {key}"),
        format!("expiry-time=\"20200101\" {key}"),
        format!("command=\"true\" {key}"),
    ] {
        agent.files.authorize("ops", &line);
        assert!(
            refusal(&agent, agent.files.options()).contains("refused"),
            "{line}"
        );
    }
}

#[test]
fn an_encrypted_key_asks_for_its_passphrase_only_when_the_server_takes_it() {
    struct Passphrase(&'static str, AtomicUsize);
    impl Interaction for Passphrase {
        fn passphrase(&self, _: &Path) -> Option<Secret> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Some(Secret::new(self.0.to_owned()))
        }
    }
    let agent = SshAgent::new();
    let directory = agent.files.path("");
    ssh_keygen(
        &directory,
        &["-t", "ed25519", "-N", "opensesame", "-f", "id_secret"],
    );
    let with = |passphrase| {
        let interaction = Arc::new(Passphrase(passphrase, AtomicUsize::new(0)));
        let options = SshOptions {
            identity_files: vec![agent.files.path("id_secret")],
            interaction: Arc::<Passphrase>::clone(&interaction),
            ..agent.files.options()
        };
        (interaction, options)
    };
    let (interaction, options) = with("opensesame");
    assert!(refusal(&agent, options).contains("refused"));
    assert_eq!(interaction.1.load(Ordering::Relaxed), 0);
    let public = fs::read_to_string(agent.files.path("id_secret.pub")).unwrap();
    agent.files.authorize("ops", &public);
    let told = refusal(&agent, with("wrong").1);
    assert!(
        told.contains("the passphrase is wrong") && !told.contains("wrong)"),
        "{told}"
    );
    let (interaction, options) = with("opensesame");
    describes_itself(&mut agent.open(options).unwrap());
    assert_eq!(interaction.1.load(Ordering::Relaxed), 1);
}

#[test]
fn every_type_of_key_is_taken() {
    let agent = SshAgent::new();
    let directory = agent.files.path("");
    for (kind, bits) in [
        ("rsa", "2048"),
        ("ecdsa", "256"),
        ("ecdsa", "521"),
        ("ed25519", "256"),
    ] {
        let name = format!("id_{kind}_{bits}");
        ssh_keygen(&directory, &["-t", kind, "-b", bits, "-N", "", "-f", &name]);
        let public = fs::read_to_string(agent.files.path(&format!("{name}.pub"))).unwrap();
        agent.files.authorize("ops", &public);
        let options = SshOptions {
            identity_files: vec![agent.files.path(&name)],
            ..agent.files.options()
        };
        describes_itself(&mut agent.open(options).unwrap());
    }
}

#[test]
fn a_certificate_of_a_configured_authority_admits_the_users_that_it_names() {
    let agent = SshAgent::with(AgentLimits::default(), |files, configuration| {
        ssh_keygen(&files.path(""), &["-t", "ed25519", "-N", "", "-f", "ca"]);
        configuration.user_authorities = vec![files.path("ca.pub")];
        configuration.authorized_keys.clear();
    });
    let directory = agent.files.path("");
    let sign = |principals: &str, validity: &str| {
        let arguments = [
            "-s",
            "ca",
            "-I",
            "ops-2026",
            "-n",
            principals,
            "-V",
            validity,
            "id_ops.pub",
        ];
        ssh_keygen(&directory, &arguments);
    };
    assert!(refusal(&agent, agent.files.options()).contains("refused"));
    sign("ops,admin", "-1h:+1h");
    describes_itself(&mut agent.manager());
    sign("admin", "-1h:+1h");
    let told = refusal(&agent, agent.files.options());
    assert!(told.contains("certificate \"ops-2026\" of key"), "{told}");
    sign("ops", "-2h:-1h");
    assert!(refusal(&agent, agent.files.options()).contains("refused"));
}

#[test]
fn a_certificate_of_an_authority_in_authorized_keys_is_taken() {
    let agent = SshAgent::new();
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "x", "-n", "team", "id_ops.pub"],
    );
    let authority = fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    agent
        .files
        .authorize("ops", &format!("cert-authority {authority}"));
    assert!(refusal(&agent, agent.files.options()).contains("refused"));
    agent.files.authorize(
        "ops",
        &format!("cert-authority,principals=\"team\" {authority}"),
    );
    describes_itself(&mut agent.manager());
}

#[test]
fn passwords_are_checked_by_the_configured_checker() {
    struct Password(&'static str);
    impl Interaction for Password {
        fn password(&self, user: &str, _: &str) -> Option<Secret> {
            assert_eq!(user, "ops");
            Some(Secret::new(self.0.to_owned()))
        }
    }
    let agent = SshAgent::with(AgentLimits::default(), |_, configuration| {
        configuration.password_check = Some(Arc::new(
            |user: &str, password: &Secret, address: IpAddr| {
                assert!(address.is_loopback());
                let is_right = user == "ops" && password.as_str() == "hunter2";
                is_right.then_some(()).ok_or("it is another".to_owned())
            },
        ));
    });
    let options = |password| SshOptions {
        identity_files: vec![agent.files.path("missing")],
        interaction: Arc::new(Password(password)),
        ..agent.files.options()
    };
    describes_itself(&mut agent.open(options("hunter2")).unwrap());
    let told = refusal(&agent, options("letmein"));
    assert!(told.contains("password: refused"), "{told}");
    assert!(!told.contains("letmein"), "{told}");
}

/// What the user is asked, and answers.
struct Asked(HostKeyAnswer, AtomicUsize);

impl Interaction for Asked {
    fn unknown_host_key(&self, key: &UnknownHostKey) -> HostKeyAnswer {
        assert!(key.fingerprint.starts_with("SHA256:"));
        assert_eq!(key.algorithm, "ED25519");
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0
    }
}

#[test]
fn the_user_decides_about_an_unknown_host_key() {
    let agent = SshAgent::new();
    let with = |answer| {
        let asked = Arc::new(Asked(answer, AtomicUsize::new(0)));
        let options = SshOptions {
            host_key_checking: Some(HostKeyChecking::Ask),
            interaction: Arc::<Asked>::clone(&asked),
            ..agent.files.options()
        };
        (asked, options)
    };
    let told = refusal(&agent, with(HostKeyAnswer::Refuse).1);
    let fingerprint = HostKey::read(&agent.files.path("host_key"))
        .unwrap()
        .fingerprint();
    assert!(
        told.contains("is not known") && told.contains(&fingerprint),
        "{told}"
    );
    let known_hosts = agent.files.path("known_hosts");
    agent.open(with(HostKeyAnswer::AcceptOnce).1).unwrap();
    assert!(!known_hosts.exists());
    agent
        .open(with(HostKeyAnswer::AcceptAndRemember).1)
        .unwrap();
    let (asked, options) = with(HostKeyAnswer::Refuse);
    agent.open(options).unwrap();
    assert_eq!(asked.1.load(Ordering::Relaxed), 0);
    let strict = SshOptions {
        host_key_checking: Some(HostKeyChecking::Strict),
        ..agent.files.options()
    };
    agent.open(strict).unwrap();
}

#[test]
fn a_host_key_that_has_changed_is_refused_with_both_fingerprints() {
    let agent = SshAgent::new();
    agent.manager();
    let former = HostKey::read(&agent.files.path("host_key")).unwrap();
    let new = HostKey::generate(&agent.files.path("new_key"), "new").unwrap();
    let mut configuration = agent.files.server_configuration();
    configuration.host_keys = vec![new.clone()];
    agent.server.replace(configuration);
    // Even those who accept what is new do not accept what is another.
    let told = refusal(&agent, agent.files.options());
    let line = format!("{}:1", agent.files.path("known_hosts").display());
    for part in [
        "has changed",
        &former.fingerprint(),
        &new.fingerprint(),
        &line,
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn a_host_certificate_is_checked_against_its_authority() {
    let agent = SshAgent::new();
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    let sign = |name: &str| {
        ssh_keygen(
            &directory,
            &["-s", "ca", "-I", "h", "-h", "-n", name, "host_key.pub"],
        );
        agent.server.replace(agent.files.server_configuration());
    };
    let authority = fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    let known_hosts = agent.files.path("known_hosts");
    fs::write(
        &known_hosts,
        format!("@cert-authority [127.0.0.1]:* {authority}"),
    )
    .unwrap();
    let strict = || SshOptions {
        host_key_checking: Some(HostKeyChecking::Strict),
        ..agent.files.options()
    };
    sign("127.0.0.1");
    describes_itself(&mut agent.open(strict()).unwrap());
    sign("192.0.2.1");
    let told = refusal(&agent, strict());
    assert!(told.contains("it is for other hosts"), "{told}");
}

#[test]
fn keys_of_the_authentication_agent_are_used() {
    let agent = SshAgent::new();
    let Some(ssh_agent) = varbind_testkit::ssh::SshAgentProcess::start(&agent.files) else {
        return;
    };
    let options = |only: bool| SshOptions {
        identity_files: if only {
            vec![agent.files.path("id_ops")]
        } else {
            vec![agent.files.path("missing")]
        },
        agent: Some(AgentSocket::Path(ssh_agent.socket())),
        ..agent.files.options()
    };
    let told = refusal(&agent, options(false));
    assert!(told.contains("missing: there is no such file"), "{told}");
    ssh_agent.add("id_ops");
    describes_itself(&mut agent.open(options(false)).unwrap());
    describes_itself(&mut agent.open(options(true)).unwrap());
    // A certificate that the agent has.
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "x", "-n", "ops", "id_ops.pub"],
    );
    let authority = fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    agent
        .files
        .authorize("ops", &format!("cert-authority {authority}"));
    assert!(refusal(&agent, options(false)).contains("of the agent"));
    ssh_agent.add("id_ops");
    describes_itself(&mut agent.open(options(false)).unwrap());
}
