use std::fs;
use std::path::Path;

use super::*;
use crate::configuration::AgentConfiguration;

const USERS: &str = "\
listen = [\"udp:127.0.0.1:1161\", \"tcp:0.0.0.0:161\"]
[[user]]
name = \"ops\"
authentication = { protocol = \"SHA-256\", password = \"maple syrup\" }
privacy = { protocol = \"AES\", password = \"apple sauce\" }
[[user]]
name = \"sealed\"
access = \"none\"
authentication = { protocol = \"SHA-256\", key = \"0000000000000000000000000000000000000000000000000000000000000000\" }
[[transport-user]]
name = \"tess\"
[[group]]
name = \"several\"
security-model = \"usm\"
security-names = [\"sealed\"]
[[access]]
group = \"several\"
read = \"all\"
";

fn parse(text: &str) -> Result<AgentConfiguration, String> {
    AgentConfiguration::parse_in(&format!("{USERS}{text}"), Path::new("/etc/varbind"))
        .map_err(|error| error.to_string())
}

fn proxy(keys: &str) -> Result<AgentConfiguration, String> {
    parse(&format!("[[proxy]]\ntarget = \"udp:192.0.2.7\"\n{keys}\n"))
}

#[test]
fn a_target_is_reached_by_context_engine_or_subtree() {
    let scope = |keys: &str| {
        let keys = format!("community = \"public\"\n{keys}");
        proxy(&keys).unwrap().proxies.remove(0).scope
    };
    assert_eq!(
        scope("context = \"switch7\""),
        ProxyScope::Context("switch7".into())
    );
    let engine: EngineId = "0x80007ed90402".parse().unwrap();
    assert_eq!(
        scope("context-engine = \"0x80007ed90402\""),
        ProxyScope::Engine(engine, String::new())
    );
    assert_eq!(
        scope("context-engine = \"0x80007ed90402\"\ncontext = \"vrf\""),
        ProxyScope::Engine(engine, "vrf".into())
    );
    assert_eq!(
        scope("subtree = \"1.3.6.1.4.1.3495.1\""),
        ProxyScope::Subtree("1.3.6.1.4.1.3495.1".parse().unwrap())
    );
}

#[test]
fn the_version_follows_the_credentials_and_the_transport() {
    let version = |text: &str| {
        let text = format!("[[proxy]]\ncontext = \"x\"\n{text}\n");
        parse(&text).unwrap().proxies.remove(0).processing.version()
    };
    let v2c = "target = \"udp:h\"\ncommunity = \"c\"";
    assert_eq!(version(v2c), Version::V2c);
    assert_eq!(version(&format!("{v2c}\nversion = \"v1\"")), Version::V1);
    assert_eq!(version("target = \"udp:h\"\nuser = \"ops\""), Version::V3);
    assert_eq!(version("target = \"tls:h\""), Version::V3);
    let v2c_by_tls = "target = \"tls:h\"\nversion = \"v2c\"\ncommunity = \"c\"";
    assert_eq!(version(v2c_by_tls), Version::V2c);
}

#[test]
fn a_community_is_the_first_line_of_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("switch7");
    fs::write(&file, "s3cret\r\nmore\n").unwrap();
    let configuration = proxy(&format!("context = \"x\"\ncommunity-file = {file:?}")).unwrap();
    assert!(matches!(
        &configuration.proxies[0].processing,
        MessageProcessing::V2c { community } if community == b"s3cret"
    ));
    let warned = configuration.warnings.join("\n");
    assert!(warned.contains("others may read it"), "{warned}");
    fs::write(&file, "\n").unwrap();
    let error = proxy(&format!("context = \"x\"\ncommunity-file = {file:?}")).unwrap_err();
    assert!(error.contains("must not be empty"), "{error}");
}

#[test]
fn a_wrong_section_is_refused_with_what_to_write() {
    for (keys, expected) in [
        (
            "community = \"c\"",
            "one of `context`, `context-engine` and `subtree`",
        ),
        (
            "community = \"c\"\ncontext = \"x\"\nsubtree = \"1.3.6\"",
            "one of `context`",
        ),
        ("context = \"x\"", "needs `community-file` or `community`"),
        (
            "context = \"x\"\nuser = \"ops\"\ncommunity = \"c\"",
            "no `community`",
        ),
        (
            "context = \"x\"\nuser = \"nobody\"",
            "no [[user]] named \"nobody\"",
        ),
        (
            "context = \"x\"\nuser = \"sealed\"",
            "good for this agent alone",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\ntarget-context = \"y\"",
            "no contexts",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\nusers = [\"nobody\"]",
            "named \"nobody\"",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\nusers = [\"sealed\"]",
            "[[access]] with `context`",
        ),
        (
            "subtree = \"1.3.6\"\ncommunity = \"c\"\nusers = [\"ops\"]",
            "no effect on the default context",
        ),
        (
            "context = \"\"\ncommunity = \"c\"\nview = \"all\"",
            "no effect on the default context",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\ntimeout = \"0s\"",
            "needs time",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\npeer-name = \"h\"",
            "TLS and DTLS",
        ),
        (
            "context = \"x\"\ncommunity = \"c\"\nsources = [\"192.0.2.7\"]",
            "`notifications = true`",
        ),
        (
            "context = \"123456789012345678901234567890123\"\ncommunity = \"c\"",
            "at most 32",
        ),
    ] {
        let error = proxy(keys).unwrap_err();
        assert!(error.contains(expected), "{keys}: {error}");
    }
}

#[test]
fn two_targets_for_one_request_are_refused() {
    let section =
        |keys: &str| format!("[[proxy]]\ntarget = \"udp:192.0.2.7\"\ncommunity = \"c\"\n{keys}\n");
    for (one, other) in [
        ("context = \"x\"", "context = \"x\""),
        ("subtree = \"1.3.6.1.4.1\"", "subtree = \"1.3.6.1.4.1.9\""),
        ("context = \"\"", "subtree = \"1.3.6.1.4.1.9\""),
        (
            "context-engine = \"8000000001\"",
            "context-engine = \"8000000001\"",
        ),
        (
            "context-engine = \"8000000001\"\nname = \"x\"",
            "context = \"x\"",
        ),
    ] {
        assert!(parse(&section(one)).is_ok(), "{one}");
        for (first, second) in [(one, other), (other, one)] {
            let both = section(first) + &section(second);
            assert!(parse(&both).is_err(), "{first} {second}");
        }
    }
    let apart = section("context = \"x\"") + &section("context = \"y\"");
    assert_eq!(parse(&apart).unwrap().proxies.len(), 2);
}

/// RFC 3413 3.5
#[test]
fn a_target_at_which_the_agent_listens_itself_is_refused() {
    for target in ["udp:127.0.0.1:1161", "tcp:127.0.0.1", "tcp:localhost:161"] {
        let text = format!("[[proxy]]\ntarget = \"{target}\"\ncontext = \"x\"\ncommunity = \"c\"");
        let error = parse(&text).unwrap_err();
        assert!(error.contains("loop"), "{target}: {error}");
    }
    for target in ["udp:127.0.0.1:1162", "tcp:127.0.0.1:1161", "tcp:192.0.2.7"] {
        let text = format!("[[proxy]]\ntarget = \"{target}\"\ncontext = \"x\"\ncommunity = \"c\"");
        assert!(parse(&text).is_ok(), "{target}");
    }
}

#[test]
fn access_to_a_context_is_given_by_name() {
    let lines = |text: &str| parse(text).unwrap().permissions();
    let text = "[[proxy]]\nname = \"seven\"\ntarget = \"udp:192.0.2.7\"\ncommunity = \"c\"\ncontext = \"switch7\"\n\
                access = \"read-write\"\nusers = [\"ops\", \"tess\"]\n";
    let lines = lines(text);
    let has = |line: &str| lines.iter().any(|told| told == line);
    assert!(
        has("context switch7 is passed on to udp:192.0.2.7 (v2c, read-write, for ops, tess)"),
        "{lines:#?}"
    );
    assert!(
        has(
            "user ops reads all, only encrypted; reads all, writes all in context switch7, only encrypted"
        ),
        "{lines:#?}"
    );
    let text = text.replace("users = [\"ops\", \"tess\"]\n", "");
    let warnings = parse(&text).unwrap().warnings.join("\n");
    assert!(
        warnings.contains("\"seven\" of [[proxy]] has no users"),
        "{warnings}"
    );
}

#[test]
fn a_community_may_stand_for_a_context_that_is_passed_on() {
    let community = "[[community]]\nname = \"public\"\ncontext = \"switch7\"\n";
    let error = parse(community).unwrap_err();
    assert!(error.contains("there is no context \"switch7\""), "{error}");
    let proxy = "[[proxy]]\ntarget = \"udp:h\"\ncommunity = \"c\"\ncontext = \"switch7\"\n";
    let configuration = parse(&(proxy.to_owned() + community)).unwrap();
    assert_eq!(configuration.communities.rows()[0].context_name, "switch7");
    assert!(
        configuration.warnings.is_empty(),
        "{:?}",
        configuration.warnings
    );
}

#[test]
fn notifications_are_taken_from_the_target_alone() {
    let listen = "[notifications]\nlisten = [\"udp:0.0.0.0\"]\n";
    let section = |target: &str, more: &str| {
        format!("[[proxy]]\ntarget = \"{target}\"\ncontext = \"x\"\ncommunity = \"c\"\n{more}")
    };
    let error = parse(&(section("udp:h", "") + listen)).unwrap_err();
    assert!(error.contains("notifications = true"), "{error}");
    let text = section("udp:192.0.2.7", "notifications = true\n");
    let warnings = parse(&text).unwrap().warnings.join("\n");
    assert!(warnings.contains("they arrive nowhere"), "{warnings}");
    let configuration = parse(&(text + listen)).unwrap();
    assert_eq!(
        configuration.notification_listen[0].to_string(),
        "udp:0.0.0.0:162"
    );
    let source = configuration.proxies[0].notifications.as_ref().unwrap();
    let from = |address: &str| {
        source
            .sources
            .contain(format!("{address}:9").parse().unwrap())
    };
    assert!(from("192.0.2.7") && !from("192.0.2.8"));
    let error = parse(&section("udp:h", "notifications = true\n")).unwrap_err();
    assert!(error.contains("sources"), "{error}");
    let tls = "[[proxy]]\ntarget = \"tls:192.0.2.7\"\ncontext = \"x\"\nnotifications = true\n";
    assert!(parse(tls).unwrap_err().contains("over UDP and TCP"));
}

#[test]
fn a_front_passes_on_everything() {
    let mut configuration = parse("").unwrap();
    let processing = MessageProcessing::V2c {
        community: b"c".to_vec(),
    };
    let address = |text: &str| text.parse().unwrap();
    let error = configuration
        .become_front(address("udp:127.0.0.1:1161"), processing.clone())
        .unwrap_err();
    assert!(error.to_string().contains("loop"), "{error}");
    configuration
        .become_front(address("udp:192.0.2.7"), processing.clone())
        .unwrap();
    let lines = configuration.permissions();
    assert!(
        lines.contains(&"everything is passed on to udp:192.0.2.7 (v2c, read-only)".to_owned()),
        "{lines:#?}"
    );
    let again = configuration.become_front(address("udp:192.0.2.8"), processing);
    assert!(again.unwrap_err().to_string().contains("--front"));
}
