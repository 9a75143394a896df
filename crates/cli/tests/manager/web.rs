//! `varbind web` with our own agent.

use serde_json::Value;
use tempfile::TempDir;

use crate::own_agent::Agent;
use crate::program::{Outcome, run, varbind};
use crate::secure_transports::{Home, SecureAgent};

const CONTACT: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

struct Served {
    _agent: Agent,
    url: String,
    _home: TempDir,
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("agent.toml");
        let text = format!(
            "listen = [\"udp:127.0.0.1:0\"]\nstate-directory = {:?}\n[web]\nlisten = [\"http://127.0.0.1:0\"]\n\
             [[community]]\nname = \"reader\"\n[[community]]\nname = \"writer\"\naccess = \"read-write\"\n",
            home.path().join("state")
        );
        std::fs::write(&file, text).unwrap();
        let (agent, addresses) = Agent::start_listening(&file, 2);
        Self {
            _agent: agent,
            url: addresses[1].clone(),
            _home: home,
        }
    }

    fn run(&self, action: &str, words: &[&str]) -> Outcome {
        run(&[&["web", action, &self.url], words].concat())
    }

    fn read(&self, words: &[&str]) -> Outcome {
        self.run("get", &[words, &["-c", "reader"]].concat())
    }

    fn write(&self, words: &[&str]) -> Outcome {
        self.run("put", &[words, &["-c", "writer"]].concat())
    }
}

fn done(output: &str) -> Outcome {
    Outcome {
        output: output.to_owned(),
        errors: String::new(),
        code: Some(0),
    }
}

#[track_caller]
fn assert_fails(outcome: &Outcome, code: i32, part: &str) {
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    assert!(outcome.errors.contains(part), "{outcome:?}");
    assert_eq!(outcome.output, "");
}

#[test]
fn a_leaf_is_put_and_read_in_each_encoding() {
    let served = Served::start();
    assert_eq!(served.write(&[CONTACT, "--value", "Jo & Co"]), done(""));
    assert_eq!(
        served.read(&[CONTACT]),
        done("{\"SNMPv2-MIB:sysContact\":\"Jo & Co\"}\n")
    );
    let xml = served.read(&[CONTACT, "--accept", "xml", "--compressed"]);
    assert!(xml.output.contains(">Jo &amp; Co</sysContact>"), "{xml:?}");
    let body = xml.output.replace("Jo", "Al");
    assert_eq!(served.write(&[CONTACT, &body]), done(""));
    let patch = "{\"SNMPv2-MIB:system\":{\"sysName\":\"n\",\"sysLocation\":\"l\"}}";
    let system = "SNMPv2-MIB:SNMPv2-MIB/system";
    assert_eq!(
        served.run("patch", &[system, patch, "-c", "writer"]),
        done("")
    );
    assert_eq!(
        served.read(&[system, "--fields", "sysContact;sysName"]),
        done("{\"SNMPv2-MIB:system\":{\"sysContact\":\"Al & Co\",\"sysName\":\"n\"}}\n")
    );
    let shallow = served.read(&["--depth", "1"]);
    assert_eq!(shallow.code, Some(0), "{shallow:?}");
}

#[test]
fn a_leaf_is_only_put_while_it_has_its_entity_tag() {
    let served = Served::start();
    let read = served.read(&[CONTACT, "--json"]);
    let read: Value = serde_json::from_str(&read.output).unwrap();
    assert_eq!(read["status"], 200);
    assert_eq!(read["body"]["SNMPv2-MIB:sysContact"], "");
    assert!(read["octets"]["response"].as_u64() > read["octets"]["response_body"].as_u64());
    let tag = read["headers"]["etag"].as_str().unwrap();
    assert_eq!(served.read(&[CONTACT, "--if-none-match", tag]), done(""));
    let put = |value| served.write(&[CONTACT, "--value", value, "--if-match", tag]);
    assert_eq!(put("one"), done(""));
    assert_fails(&put("two"), 2, "412 Precondition Failed: operation-failed");
    let shown = served.read(&[CONTACT, "-i"]);
    assert!(shown.output.starts_with("200 OK\n"), "{shown:?}");
    assert!(shown.output.contains("\netag: \""), "{shown:?}");
    assert!(shown.output.ends_with(":\"one\"}\n"), "{shown:?}");
}

#[test]
fn metrics_are_read() {
    let served = Served::start();
    let metrics = served.read(&["/metrics"]);
    let counter = "# TYPE ifInOctets_total counter\n";
    assert!(metrics.output.contains(counter), "{metrics:?}");
}

#[cfg(feature = "experiments")]
#[test]
fn soap_is_read() {
    let served = Served::start();
    let soap = |words: &[&str]| served.run("soap", &[words, &["-c", "reader"]].concat());
    let table = soap(&[]);
    assert!(table.output.contains(">lo</ifDescr>"), "{table:?}");
    let object = soap(&["--column", "ifDescr", "--index", "1"]);
    assert!(object.output.contains(">lo<"), "{object:?}");
    assert!(soap(&["--index", "1"]).output.contains("GetIfRowResponse"));
    assert_fails(&soap(&["--column", "sysDescr"]), 2, ": Client: ");
}

#[test]
fn what_the_agent_refuses_and_what_cannot_be_sent_is_reported() {
    let served = Served::start();
    let missing = served.read(&["IF-MIB:IF-MIB/nothing"]);
    assert_fails(
        &missing,
        2,
        "404 Not Found: invalid-value: there is no such",
    );
    let xml = served.read(&["IF-MIB:IF-MIB/nothing", "--accept", "xml"]);
    assert_eq!(xml.errors, missing.errors);
    let nobody = served.run("get", &[CONTACT, "-c", "nobody"]);
    assert_fails(&nobody, 2, "401 Unauthorized: access-denied");
    let metrics = served.run("get", &["/metrics", "-c", "nobody"]);
    assert_fails(&metrics, 2, "name a community");
    let reader = served.run("put", &[CONTACT, "--value", "x", "-c", "reader"]);
    assert_fails(&reader, 2, "name a community that may do this: -c");
    let json = served.read(&["IF-MIB:IF-MIB/nothing", "--json"]);
    let object: Value = serde_json::from_str(&json.output).unwrap();
    assert_eq!((json.code, &object["status"]), (Some(2), &404.into()));
    assert_eq!(object["errors"][0]["tag"], "invalid-value");
    assert_fails(&served.write(&["sysContact", "--value", "x"]), 1, "MODULE");
    assert_fails(&served.write(&[CONTACT]), 1, "<BODY");
    assert_fails(
        &served.write(&[CONTACT, "@/nonexistent"]),
        1,
        "/nonexistent",
    );
    assert_fails(&served.read(&[CONTACT, "--depth", "0"]), 1, "unbounded");
    let url = served.url.replace("http", "ftp");
    assert_fails(&run(&["web", "get", &url, CONTACT]), 1, "https://HOST");
    let password = run(&["web", "get", "http://x:secret@a", CONTACT]);
    assert_fails(&password, 1, "must not contain a password");
}

#[test]
fn who_does_not_answer_is_reported_by_the_exit_code() {
    use socket2::{Domain, Socket, Type};

    // A port that nobody else can have.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    socket.bind(&any.into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let url = format!("http://{address}");
    assert_fails(&run(&["web", "get", &url]), 4, "no connection");
    socket.listen(16).unwrap();
    let silent = run(&["web", "get", &url, "-t", "0.1"]);
    assert_fails(&silent, 3, "no answer within 0.1 s");
    assert_fails(
        &run(&["web", "get", "http://nowhere.invalid"]),
        4,
        "resolved",
    );
}

#[test]
fn the_community_comes_from_the_environment_too_and_is_not_shown() {
    let served = Served::start();
    let with = |community: &str| -> Outcome {
        varbind(&["web", "get", &served.url, CONTACT, "-d"])
            .env("VARBIND_COMMUNITY", community)
            .env("VARBIND_LOG", "trace")
            .output()
            .unwrap()
            .into()
    };
    assert_eq!(with("reader").code, Some(0));
    let refused = with("secret-of-mine");
    assert_eq!(refused.code, Some(2));
    assert!(!refused.errors.contains("secret-of-mine"), "{refused:?}");
    assert!(!refused.errors.contains("c2VjcmV0"), "{refused:?}");
}

fn over_tls(agent: &SecureAgent, url: &str, words: &[&str]) -> Outcome {
    agent.manager(&[&["web", "get", url, CONTACT], words].concat())
}

#[test]
fn certificates_are_given_as_for_snmp_over_tls() {
    let web = "[web]\nlisten = [\"https://127.0.0.1:0\"]";
    let (agent, addresses) = Home::new().agent_on(&["tls"], web, 2);
    let url = &addresses[1];
    let contact = "{\"SNMPv2-MIB:sysContact\":\"\"}\n";
    assert_eq!(over_tls(&agent, url, &[]), done(contact));
    // As a target, which is https.
    let target = url.strip_prefix("https://").unwrap();
    assert_eq!(over_tls(&agent, target, &[]), done(contact));
    let wrong = over_tls(&agent, url, &["--peer-name", "other"]);
    assert_fails(&wrong, 4, "fingerprint");
    let nobody = run(&["web", "get", url, CONTACT, "--certificate", "/nonexistent"]);
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    // Who speaks no TLS there is told by the server that it does.
    let plain = run(&["web", "get", &url.replace("https", "http"), CONTACT]);
    assert_eq!(plain.code, Some(5), "{plain:?}");
}
