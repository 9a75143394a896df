//! OpenSSL's programs as the other side.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::codec::ber::{FrameLength, frame_length};
use varbind::codec::smi::{Value, VarBind};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::certificate::{PeerIdentity, ServerAuthentication, TlsClient};
use varbind::transport::{SecureTransportOptions, Transport, TransportAddress};
use varbind_testkit::certificates::{Authority, CertificateTemplate, ECDSA, Files, Issued, RSA};
use varbind_testkit::loopback::{DESCRIPTION, NAME_0, PATIENCE, SYS_DESCR_0};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::peers::{Running, skip};

use crate::agent::{TlsAgent, by_alternative_name};

/// A running `openssl`, ended when it is dropped.
struct Openssl {
    child: Running,
    input: ChildStdin,
    output: ChildStdout,
}

impl Openssl {
    /// `None` if it is not installed.
    fn start(arguments: &[&str]) -> Option<Self> {
        let child = Command::new("openssl")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            skip("openssl is not installed");
            return None;
        };
        let input = child.stdin.take().unwrap();
        let output = child.stdout.take().unwrap();
        Some(Self {
            child: Running(child),
            input,
            output,
        })
    }

    fn send(&mut self, message: &Message) {
        let _ = self.input.write_all(&message.encode());
        let _ = self.input.flush();
    }

    /// The next message, or `None` when the session ended before.
    fn receive(&mut self) -> Option<Message> {
        let mut arrived = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            if let Ok(FrameLength::Octets(length)) = frame_length(&arrived)
                && length <= arrived.len()
            {
                return Some(Message::decode(&arrived[..length]));
            }
            match self.output.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(length) => arrived.extend_from_slice(&buffer[..length]),
            }
        }
    }
}

/// `openssl s_client` to an agent.
fn client(
    address: SocketAddr,
    files: &Files,
    issued: Option<&Issued>,
    more: &[&str],
) -> Option<Openssl> {
    let address = address.to_string();
    let mut arguments = vec!["s_client", "-quiet", "-connect", &address];
    let (certificate, key);
    if let Some(issued) = issued {
        certificate = files.write("client.pem", &issued.pem);
        key = files.write("client.key", issued.key_der());
        arguments.extend(["-cert", certificate.to_str()?, "-key", key.to_str()?]);
        arguments.extend(["-keyform", "DER"]);
    }
    arguments.extend(more);
    Openssl::start(&arguments)
}

const ALGORITHMS: [&rcgen::SignatureAlgorithm; 3] = [RSA, ECDSA, &rcgen::PKCS_ED25519];

#[test]
fn our_agent_answers_s_client() {
    for algorithm in ALGORITHMS {
        let authority = Authority::with_algorithm("authority", algorithm);
        let issued = authority.issue(&CertificateTemplate::server().algorithm(algorithm));
        let agent = TlsAgent::with(AgentLimits::default(), |it| {
            it.identity = issued.identity();
            it.clients = Arc::new(by_alternative_name(&authority));
        });
        let files = Files::new();
        let trust = files.write("authority.pem", &authority.pem);
        let reader = authority.issue(&CertificateTemplate::client("reader").algorithm(algorithm));
        for version in ["-tls1_2", "-tls1_3"] {
            let more = [
                version,
                "-CAfile",
                trust.to_str().unwrap(),
                "-verify_return_error",
                "-verify_hostname",
                "localhost",
            ];
            let Some(mut client) = client(agent.address, &files, Some(&reader), &more) else {
                return;
            };
            for request_id in 1..=3 {
                client.send(&Message::get(request_id, SYS_DESCR_0));
                let response = client.receive().expect("an answer");
                assert_eq!(response.request_id, request_id);
                assert_eq!(response.text(), DESCRIPTION);
            }
        }
    }
}

#[test]
fn s_client_without_a_certificate_is_refused() {
    let agent = TlsAgent::new();
    let files = Files::new();
    for (count, version) in (1..).zip(["-tls1_2", "-tls1_3"]) {
        let Some(mut client) = client(agent.address, &files, None, &[version]) else {
            return;
        };
        client.send(&Message::get(1, SYS_DESCR_0));
        assert!(client.receive().is_none());
        let refused = &agent.statistics.invalid_client_certificates;
        assert_eq!(refused.value(), count);
    }
    assert_eq!(agent.statistics.accepts.value(), 0);
}

/// RFC 9456 2.1
#[test]
fn older_versions_are_refused() {
    let agent = TlsAgent::new();
    let files = Files::new();
    let reader = agent.reader();
    for version in ["-tls1", "-tls1_1"] {
        let more = [version, "-cipher", "ALL:@SECLEVEL=0"];
        let Some(mut client) = client(agent.address, &files, Some(&reader), &more) else {
            return;
        };
        client.send(&Message::get(1, SYS_DESCR_0));
        assert!(client.receive().is_none());
    }
    assert_eq!(agent.statistics.accepts.value(), 0);
}

/// RFC 9456 2.1
#[test]
fn s_client_may_not_renegotiate() {
    let agent = TlsAgent::new();
    let files = Files::new();
    let reader = agent.reader();
    let certificate = files.write("client.pem", &reader.pem);
    let key = files.write("client.key", reader.key_der());
    let address = agent.address.to_string();
    let arguments = [
        "s_client",
        "-connect",
        &address,
        "-tls1_2",
        "-state",
        "-cert",
        certificate.to_str().unwrap(),
        "-key",
        key.to_str().unwrap(),
        "-keyform",
        "DER",
    ];
    let Some(mut client) = Openssl::start(&arguments) else {
        return;
    };
    let mut told = Vec::new();
    let mut await_text = |client: &mut Openssl, text: &[u8]| {
        let mut buffer = [0; 4096];
        while !told.windows(text.len()).any(|part| part == text) {
            match client.output.read(&mut buffer) {
                Ok(length) if length > 0 => told.extend_from_slice(&buffer[..length]),
                _ => panic!("{}", String::from_utf8_lossy(&told)),
            }
        }
    };
    await_text(&mut client, b"Extended master secret");
    client.input.write_all(b"R\n").unwrap();
    client.input.flush().unwrap();
    // There is no second handshake: the client gives up.
    let begun = Instant::now();
    while client.child.0.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < PATIENCE, "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(agent.statistics.invalid_client_certificates.value(), 0);
    let asked = crate::agent::ask(agent.address, agent.client(&reader), crate::agent::tsm());
    assert_eq!(asked, Ok(crate::agent::described()));
}

/// RFC 5590 5.2, tmSameSecurity
#[test]
fn a_session_that_s_client_resumes_with_another_certificate_keeps_its_identity() {
    let agent = TlsAgent::new();
    let files = Files::new();
    for version in ["-tls1_2", "-tls1_3"] {
        let kept = files.path(&format!("session{version}"));
        let kept = kept.to_str().unwrap();
        let reader = agent.reader();
        let more = [version, "-sess_out", kept];
        let Some(mut first) = client(agent.address, &files, Some(&reader), &more) else {
            return;
        };
        first.send(&Message::get(1, SYS_DESCR_0));
        assert_eq!(first.receive().unwrap().text(), DESCRIPTION);
        let deadline = Instant::now() + PATIENCE;
        while std::fs::metadata(kept).map_or(0, |it| it.len()) == 0 {
            assert!(Instant::now() < deadline, "no session is kept");
            std::thread::sleep(Duration::from_millis(5));
        }
        let writer = agent.writer();
        let more = [version, "-sess_in", kept];
        let mut second = client(agent.address, &files, Some(&writer), &more).unwrap();
        second.send(&Message::set_text(2, NAME_0, "stolen"));
        let response = second.receive().expect("an answer");
        let expected = varbind::codec::pdu::ErrorStatus::AuthorizationError;
        assert_eq!(response.status(), expected, "{version}");
    }
}

/// `openssl s_server` on a port of its own.
fn server(files: &Files, issued: &Issued, more: &[&str]) -> Option<(Openssl, SocketAddr)> {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let certificate = files.write("server.pem", &issued.pem);
    let key = files.write("server.key", issued.key_der());
    let accept = address.to_string();
    let mut arguments = vec![
        "s_server",
        "-quiet",
        "-accept",
        &accept,
        "-cert",
        certificate.to_str()?,
        "-key",
        key.to_str()?,
        "-keyform",
        "DER",
    ];
    arguments.extend(more);
    Some((Openssl::start(&arguments)?, address))
}

/// Opens a session as soon as there is somebody who listens.
fn open(address: SocketAddr, client: &Arc<TlsClient>) -> Result<Manager, String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut options = ManagerOptions::v2c("public");
        options.secure = SecureTransportOptions::default();
        options.secure.tls = Some(Arc::clone(client));
        let target = TransportAddress::of_socket(Transport::Tls, address);
        match Manager::open(&target, options).map_err(|error| error.to_string()) {
            Err(error) if error.contains("refused: nothing") && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

fn known(authority: &Authority) -> ServerAuthentication {
    ServerAuthentication {
        trust: authority.trust(),
        identity: PeerIdentity::Target,
    }
}

#[test]
fn our_manager_asks_s_server() {
    for algorithm in ALGORITHMS {
        let authority = Authority::with_algorithm("authority", algorithm);
        let files = Files::new();
        let trust = files.write("authority.pem", &authority.pem);
        let issued = authority.issue(&CertificateTemplate::server().algorithm(algorithm));
        let manager = authority.issue(&CertificateTemplate::client("manager").algorithm(algorithm));
        let client = Arc::new(TlsClient::new(manager.identity(), known(&authority)));
        for version in ["-tls1_2", "-tls1_3"] {
            let trust = trust.to_str().unwrap();
            let more = [
                version,
                "-CAfile",
                trust,
                "-Verify",
                "1",
                "-verify_return_error",
            ];
            let Some((mut server, address)) = server(&files, &issued, &more) else {
                return;
            };
            let mut manager = open(address, &client).unwrap();
            std::thread::scope(|scope| {
                let asked = scope.spawn(|| manager.get(&[oid(SYS_DESCR_0)]).unwrap());
                let request = server.receive().expect("a request");
                let name = request.bindings[0].name.clone();
                let value = Value::OctetString(b"s_server".to_vec());
                server.send(&request.response(vec![VarBind::new(name, value.clone())]));
                assert_eq!(asked.join().unwrap().var_binds[0].value, value);
            });
        }
    }
}

#[test]
fn our_manager_refuses_servers_of_older_versions() {
    let authority = Authority::new("authority");
    let issued = authority.issue(&CertificateTemplate::server());
    let manager = authority.issue(&CertificateTemplate::client("manager"));
    let client = Arc::new(TlsClient::new(manager.identity(), known(&authority)));
    let files = Files::new();
    for version in ["-tls1", "-tls1_1"] {
        let more = [version, "-cipher", "ALL:@SECLEVEL=0"];
        let Some((_server, address)) = server(&files, &issued, &more) else {
            return;
        };
        let error = open(address, &client).unwrap_err();
        assert!(
            error.contains("does not support TLS 1.2 and 1.3"),
            "{error}"
        );
    }
}
