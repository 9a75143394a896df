//! Who is refused, and what is told then.

use super::{Home, assert_services, text};
use crate::program::{Outcome, run, varbind};
#[test]
fn an_agent_that_is_not_the_one_meant_is_refused() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    agent.home.pki(&[
        "issue",
        "agent",
        "other",
        "--output",
        text(&agent.home.path("other")),
    ]);
    let other = agent.home.path("other/pki/agent.pem");
    let other = run(&["pki", "fingerprint", text(&other)]).output;
    for target in &targets {
        for (option, part) in [
            (["--peer-name", "router"], "is not that of router"),
            (["--peer-fingerprint", other.trim_end()], "sha256:"),
        ] {
            let outcome =
                agent.manager(&[&["get"], &option[..], &[target, "sysServices.0"]].concat());
            assert_eq!(outcome.code, Some(4), "{target}: {outcome:?}");
            assert!(outcome.errors.contains(part), "{target}: {outcome:?}");
        }
        let any = agent.manager(&["get", "--peer-name", "*", target, "sysServices.0"]);
        assert_services(&any);
    }
}

#[test]
fn managers_without_a_name_or_access_get_nothing() {
    let (agent, targets) = Home::new().agent(&["tls", "dtls"], "");
    let stranger = tempfile::tempdir().unwrap();
    let directory = text(stranger.path());
    run(&["pki", "init", "--directory", directory]);
    run(&["pki", "issue", "manager", "ops", "--directory", directory]);
    let eve = agent.home.path("eve");
    agent
        .home
        .pki(&["issue", "manager", "eve", "--output", text(&eve)]);
    for target in &targets {
        let words = ["get", target, "sysServices.0"];
        let refused = agent.manager_with(&format!("{directory}/manager.pem"), &words);
        assert_eq!(refused.code, Some(4), "{target}: {refused:?}");
        let nothing = agent.manager_with(&format!("{}/manager.pem", text(&eve)), &words);
        assert_eq!(nothing.code, Some(2), "{target}: {nothing:?}");
        assert!(nothing.errors.contains("authorizationError"), "{nothing:?}");
        let trust = agent.home.path("pki/ca.pem");
        let words = [
            "get",
            "-v2c",
            "--trust",
            text(&trust),
            target,
            "sysServices.0",
        ];
        let nothing = agent.manager_with(&format!("{}/manager.pem", text(&eve)), &words);
        let doctor = format!("`varbind doctor -v2c --trust {} {target}`", text(&trust));
        assert!(nothing.errors.contains(&doctor), "{nothing:?}");
    }
}

#[test]
fn without_a_certificate_the_error_says_how_to_get_one() {
    let empty = tempfile::tempdir().unwrap();
    let ask = |options: &[&str]| -> Outcome {
        varbind(&[&["get"], options, &["tls:127.0.0.1:1", "sysServices.0"]].concat())
            .env("XDG_CONFIG_HOME", empty.path())
            .output()
            .unwrap()
            .into()
    };
    let fingerprint = format!("sha256:{}", "0".repeat(64));
    let outcome = ask(&["--peer-fingerprint", &fingerprint]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.errors.contains("varbind pki issue"), "{outcome:?}");
    let outcome = ask(&[]);
    assert!(outcome.errors.contains("--trust"), "{outcome:?}");
    let outcome = ask(&["--peer-fingerprint", "12"]);
    assert!(outcome.errors.contains("32 octets"), "{outcome:?}");
}
