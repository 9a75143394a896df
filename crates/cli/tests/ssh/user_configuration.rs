//! What OpenSSH's users have already: `~/.ssh/config` and keys in an authentication agent.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::program::{Outcome, varbind};
use varbind_testkit::loopback::DESCRIPTION;
use varbind_testkit::ssh::{SshAgent, SshAgentProcess, ssh_keygen};

/// Asks with what is configured alone.
fn ask(home: &Path, target: &str, socket: Option<&Path>) -> Outcome {
    let mut command = varbind(home, &["get", "-v2c", "-Oqv", target, "sysDescr.0"]);
    if let Some(socket) = socket {
        command.env("SSH_AUTH_SOCK", socket);
    }
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
fn is_answered(outcome: &Outcome) {
    assert_eq!(outcome.output.trim_end(), DESCRIPTION, "{outcome:?}");
}

/// A home directory with a configuration, in which `{port}` stands for the agent's.
fn home_with(agent: &SshAgent, configuration: &str) -> std::path::PathBuf {
    let home = agent.files.path("");
    fs::create_dir_all(home.join(".ssh/keys")).unwrap();
    let text = configuration.replace("{port}", &agent.address.port().to_string());
    fs::write(home.join(".ssh/config"), text).unwrap();
    home
}

#[test]
fn host_entries_say_where_and_who_and_with_what() {
    let agent = SshAgent::new();
    let home = home_with(
        &agent,
        "# Whoever comes first counts.\n\
         Include config.d/*.conf\n\
         Host lab-* !lab-closed\n\
         \x20   HostName 127.0.0.1\n\
         \x20   Port={port}\n\
         \x20   User \"nobody here\"\n\
         \x20   IdentityFile ~/.ssh/keys/%r@%n-%p\n\
         Host *\n\
         \x20   StrictHostKeyChecking accept-new\n\
         \x20   UserKnownHostsFile %d/.ssh/hosts-%h\n\
         \x20   IdentitiesOnly yes\n",
    );
    fs::create_dir(home.join(".ssh/config.d")).unwrap();
    fs::write(
        home.join(".ssh/config.d/10-users.conf"),
        "Host lab-router*\nUser ops\n",
    )
    .unwrap();
    let key = format!(".ssh/keys/ops@lab-router1-{}", agent.address.port());
    fs::copy(agent.files.path("id_ops"), home.join(&key)).unwrap();
    is_answered(&ask(&home, "ssh:lab-router1", None));
    assert!(home.join(".ssh/hosts-127.0.0.1").exists());
    // What is written in the target counts more: there is no such key for another name or user.
    let refused = ask(&home, "ssh:eve@lab-router1", None);
    assert!(refused.errors.contains("as user eve"), "{refused:?}");
    let refused = ask(&home, "ssh:lab-router2", None);
    assert!(refused.errors.contains("as user ops"), "{refused:?}");
    // Another entry's.
    let refused = ask(&home, "ssh:lab-switch", None);
    assert!(refused.errors.contains("nobody here"), "{refused:?}");
    // It is left out, and no name of a host.
    let closed = ask(&home, "ssh:lab-closed", None);
    assert!(closed.errors.contains("cannot be resolved"), "{closed:?}");
    // A key that others can read is not used, and that is told.
    fs::set_permissions(home.join(&key), fs::Permissions::from_mode(0o644)).unwrap();
    let refused = ask(&home, "ssh:lab-router1", None);
    assert!(
        refused.errors.contains("others can read it (mode 0644)"),
        "{refused:?}"
    );
}

#[test]
fn a_line_that_is_wrong_is_reported_with_its_file_and_number() {
    let agent = SshAgent::new();
    let home = home_with(&agent, "Host r1\n\nPort many\n");
    let outcome = ask(&home, "ssh:r1", None);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    let place = format!("{}:3: ", home.join(".ssh/config").display());
    assert!(outcome.errors.contains(&place), "{outcome:?}");
}

#[test]
fn keys_and_certificates_are_taken_from_the_authentication_agent() {
    let agent = SshAgent::new();
    let Some(ssh_agent) = SshAgentProcess::start(&agent.files) else {
        return;
    };
    let home = home_with(&agent, "StrictHostKeyChecking accept-new\n");
    let target = format!("ssh:ops@{}", agent.address);
    let socket = ssh_agent.socket();
    let nothing = ask(&home, &target, Some(&socket));
    assert_eq!(nothing.code, Some(4), "{nothing:?}");
    ssh_agent.add("id_ops");
    is_answered(&ask(&home, &target, Some(&socket)));
    // A certificate beside the key, of an authority of the user.
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "staff", "-n", "ops", "id_ops.pub"],
    );
    let authority = fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    agent
        .files
        .authorize("ops", &format!("cert-authority {authority}"));
    let refused = ask(&home, &target, Some(&socket));
    assert!(refused.errors.contains("of the agent"), "{refused:?}");
    ssh_agent.add("id_ops");
    is_answered(&ask(&home, &target, Some(&socket)));
    // One that is not there is no more than a key that is not there.
    let gone = ask(&home, &target, Some(&home.join("gone")));
    assert!(gone.errors.contains("agent "), "{gone:?}");
}

#[test]
fn the_client_of_openssh_shows_the_certificates_and_keys_of_its_agent() {
    let agent = SshAgent::new();
    let Some(ssh_agent) = SshAgentProcess::start(&agent.files) else {
        return;
    };
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "staff", "-n", "ops", "id_ops.pub"],
    );
    ssh_agent.add("id_ops");
    let authority = fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    let key = fs::read_to_string(agent.files.path("id_ops.pub")).unwrap();
    // First by the certificate, then by the key alone.
    for line in [format!("cert-authority {authority}"), key] {
        agent.files.authorize("ops", &line);
        let output = std::process::Command::new("ssh")
            .args(["-F", "none", "-oBatchMode=yes", "-oIdentityFile=none"])
            .args(["-oStrictHostKeyChecking=no", "-oGlobalKnownHostsFile=none"])
            .arg("-oUserKnownHostsFile=/dev/null")
            .args(["-p", &agent.address.port().to_string(), "-l", "ops"])
            .args(["-s", "127.0.0.1", "snmp"])
            .env("SSH_AUTH_SOCK", ssh_agent.socket())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
