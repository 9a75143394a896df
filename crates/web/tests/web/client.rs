//! The client, with the agent's own web services and with servers that have none.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use varbind::transport::certificate::{
    CertificateIdentity, PeerIdentity, ServerAuthentication, TlsClient,
};
use varbind_testkit::peers::skip;
use varbind_testkit::web::{LIMITED, READER, Served, WRITER};
use varbind_web::Limits;
use varbind_web::Listen;
#[cfg(feature = "experiments")]
use varbind_web::client::Operation;
use varbind_web::client::{
    ClientError, Coding, Encoding, Endpoint, Request, StatusCode, WebClient, WebClientOptions,
};

use crate::https::SignedFiles;

const CONTACT: &str = "SNMPv2-MIB:SNMPv2-MIB/system/sysContact";

fn http(address: SocketAddr) -> Endpoint {
    format!("http://{address}").parse().unwrap()
}

fn options(community: &str) -> WebClientOptions {
    WebClientOptions {
        community: Some(community.as_bytes().to_vec()),
        timeout: Duration::from_secs(60),
        ..WebClientOptions::default()
    }
}

fn client(served: &Served, community: &str) -> WebClient {
    WebClient::open(&http(served.address), options(community)).unwrap()
}

pub(crate) fn get(client: &WebClient, path: &str) -> Request {
    Request::get(client.endpoint().path(path))
}

#[test]
fn one_connection_answers_many_requests_and_its_octets_are_counted() {
    let served = Served::start();
    let mut client = client(&served, READER);
    let request = get(&client, "IF-MIB:IF-MIB/ifTable").accepting(Encoding::Json);
    let first = client.send(&request).unwrap();
    assert_eq!(first.status, StatusCode::OK);
    let json: serde_json::Value = serde_json::from_slice(&first.body).unwrap();
    assert_eq!(
        json["IF-MIB:ifTable"]["ifEntry"].as_array().unwrap().len(),
        2
    );
    let second = client.send(&request).unwrap();
    assert_eq!(second.body, first.body);
    // Without TLS what TCP carries is HTTP.
    let octets = second.octets;
    assert_eq!(octets, first.octets);
    assert_eq!(octets.stream_sent, octets.request);
    assert_eq!(octets.stream_received, octets.response);
    assert_eq!(octets.response_body, second.body.len() as u64);
    assert_eq!(octets.response_body_encoded, octets.response_body);
    assert_eq!(octets.request_body, 0);
    // The same request by hand.
    let authorization = "authorization: Basic OnJlYWRlcg==\r\n";
    let by_hand = format!(
        "GET /restconf/data/IF-MIB:IF-MIB/ifTable HTTP/1.1\r\nhost: {}\r\n{authorization}accept: application/yang-data+json\r\n",
        served.address
    );
    assert_eq!(octets.request, by_hand.len() as u64 + 2);
    assert!(octets.response > octets.response_body + 100);
}

#[test]
fn what_is_compressed_is_counted_before_and_after() {
    let served = Served::start();
    let mut client = client(&served, READER);
    let plain = client.send(&get(&client, "IF-MIB:IF-MIB")).unwrap();
    for coding in [Coding::Gzip, Coding::Deflate] {
        let request = get(&client, "IF-MIB:IF-MIB").accepting_coding(coding);
        let compressed = client.send(&request).unwrap();
        assert_eq!(compressed.body, plain.body);
        let octets = compressed.octets;
        assert_eq!(octets.response_body, plain.octets.response_body);
        assert!(octets.response_body_encoded < octets.response_body / 2);
        assert!(octets.response < plain.octets.response);
        #[cfg(feature = "experiments")]
        {
            let call = Request::soap("/soap", &Operation::Table);
            let call = call.encoded(coding).unwrap();
            let octets = client.send(&call).unwrap().octets;
            assert!(octets.request_body_encoded < octets.request_body);
        }
    }
}

#[test]
fn a_leaf_is_put_while_it_has_the_entity_tag() {
    let served = Served::start();
    let mut client = client(&served, WRITER);
    let path = client.endpoint().path(CONTACT);
    let read = client.send(&Request::get(&path)).unwrap();
    let tag = read.entity_tag().unwrap().to_owned();
    let unchanged = Request::get(&path).if_none_match(&tag).unwrap();
    assert_eq!(
        client.send(&unchanged).unwrap().status,
        StatusCode::NOT_MODIFIED
    );
    let put = |value: &str| {
        let body = format!("{{\"SNMPv2-MIB:sysContact\":\"{value}\"}}");
        Request::put(&path, Encoding::Json, body.into_bytes())
            .if_match(&tag)
            .unwrap()
    };
    let set = client.send(&put("one")).unwrap();
    assert_eq!(set.status, StatusCode::NO_CONTENT);
    let refused = client.send(&put("two")).unwrap();
    assert_eq!(refused.status, StatusCode::PRECONDITION_FAILED);
    assert_eq!(refused.errors()[0].tag, "operation-failed");
    let read = client.send(&Request::get(&path)).unwrap();
    assert!(read.body.ends_with(b"\"one\"}"));
}

#[test]
fn errors_are_read_in_json_and_xml() {
    let served = Served::start();
    let mut client = client(&served, LIMITED);
    for encoding in [Encoding::Json, Encoding::Xml] {
        let request = get(&client, "IF-MIB:IF-MIB/interfaces/ifNumber").accepting(encoding);
        let refused = client.send(&request).unwrap();
        assert!(refused.is_refusal());
        assert_eq!(
            refused.errors()[0].to_string(),
            "invalid-value: there is no such resource"
        );
    }
}

#[cfg(feature = "experiments")]
#[test]
fn faults_of_soap_are_errors() {
    let served = Served::start();
    let mut client = client(&served, LIMITED);
    let name = "ifNothing".to_owned();
    let call = Request::soap("/soap", &Operation::Column { name });
    let fault = client.send(&call).unwrap();
    assert!(fault.is_refusal());
    assert_eq!(fault.errors()[0].tag, "Client");
}

/// Passes connections on to a server, and tells when the server has ended one.
fn relay(server: SocketAddr) -> (SocketAddr, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = channel();
    std::thread::spawn(move || {
        // One connection after the other.
        for client in listener.incoming() {
            let (mut client, mut server) = (client.unwrap(), TcpStream::connect(server).unwrap());
            let mut requests = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let requesting =
                std::thread::spawn(move || std::io::copy(&mut requests.0, &mut requests.1));
            let _ = std::io::copy(&mut server, &mut client);
            let _ = client.shutdown(Shutdown::Both);
            let _ = requesting.join();
            if end.send(()).is_err() {
                return;
            }
        }
    });
    (address, ended)
}

#[test]
fn a_connection_that_the_server_has_ended_is_reopened() {
    // Long enough for a request on a busy machine, and waited for after each.
    let limits = Limits {
        header: Duration::from_secs(1),
        ..Limits::default()
    };
    let served = Served::with(Listen::Http(([127, 0, 0, 1], 0).into()), limits);
    let (address, ended) = relay(served.address);
    let mut client = WebClient::open(&http(address), options(WRITER)).unwrap();
    let body = b"{\"SNMPv2-MIB:sysContact\":\"again\"}";
    let put = Request::put(
        client.endpoint().path(CONTACT),
        Encoding::Json,
        body.to_vec(),
    );
    for request in [&get(&client, CONTACT), &put, &put, &get(&client, CONTACT)] {
        let response = client.send(request).unwrap();
        assert!(response.status.is_success());
        ended.recv_timeout(Duration::from_secs(60)).unwrap();
    }
}

fn tls(authority: &SignedFiles, name: &str, trusted: &SignedFiles) -> WebClientOptions {
    authority.client(name);
    let files = ["pem", "key"].map(|kind| authority.path(&format!("{name}.{kind}")));
    let [certificate, key] = &files;
    let identity = CertificateIdentity::load(Path::new(certificate), Path::new(key)).unwrap();
    let server = ServerAuthentication {
        trust: trusted.trust(),
        identity: PeerIdentity::Target,
    };
    WebClientOptions {
        tls: Some(Arc::new(TlsClient::new(identity, server))),
        timeout: Duration::from_secs(60),
        ..WebClientOptions::default()
    }
}

#[test]
fn certificates_are_those_of_snmp_over_tls() {
    let authority = SignedFiles::new();
    let served = authority.served();
    let endpoint: Endpoint = served.address.to_string().parse().unwrap();
    let options = tls(&authority, READER, &authority);
    let mut client = WebClient::open(&endpoint, options.clone()).unwrap();
    assert!(client.opening().handshake.is_some());
    for _ in 0..2 {
        let response = client.send(&get(&client, CONTACT)).unwrap();
        assert_eq!(response.body, b"{\"SNMPv2-MIB:sysContact\":\"admin\"}");
        assert!(response.octets.stream_sent > response.octets.request);
    }
    drop(client);
    let mut again = WebClient::open(&endpoint, options).unwrap();
    assert!(again.opening().is_resumed);
    assert_eq!(
        again.send(&get(&again, CONTACT)).unwrap().status,
        StatusCode::OK
    );
}

#[test]
fn an_untrusted_certificate_is_reported() {
    let authority = SignedFiles::new();
    let served = authority.served();
    let endpoint: Endpoint = served.address.to_string().parse().unwrap();
    let other = SignedFiles::new();
    // The server is not trusted.
    let error = WebClient::open(&endpoint, tls(&authority, READER, &other)).unwrap_err();
    assert!(matches!(error, ClientError::Tls { .. }), "{error}");
    assert!(error.to_string().contains("fingerprint"), "{error}");
    // The client is not: with TLS 1.3 that comes after its handshake.
    let told =
        WebClient::open(&endpoint, tls(&other, READER, &authority)).and_then(|mut client| {
            let request = get(&client, CONTACT);
            client.send(&request)
        });
    let error = told.unwrap_err();
    assert!(matches!(error, ClientError::Tls { .. }), "{error}");
    assert!(error.to_string().contains("authority"), "{error}");
    // Nobody speaks TLS there.
    let plain = Served::start();
    let endpoint: Endpoint = plain.address.to_string().parse().unwrap();
    let error = WebClient::open(&endpoint, tls(&authority, READER, &authority)).unwrap_err();
    assert!(error.to_string().contains("TLS"), "{error}");
}

/// Answers one connection with these octets, and keeps it open or ends it.
fn answering(answer: &'static [u8], ends: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]);
        socket.write_all(answer).unwrap();
        if !ends {
            // Until the client has gone.
            let _ = socket.read_to_end(&mut Vec::new());
        }
    });
    address
}

fn ask(address: SocketAddr, options: WebClientOptions) -> Result<Vec<u8>, ClientError> {
    let mut client = WebClient::open(&http(address), options)?;
    let request = get(&client, CONTACT);
    client.send(&request).map(|response| response.body)
}

#[test]
fn servers_that_break_the_protocol_are_reported() {
    let garbage = answering(b"\0\0\0\0 this is not a HTTP\r\n\r\n", true);
    let error = ask(garbage, options(READER)).unwrap_err();
    assert!(matches!(error, ClientError::Malformed { .. }), "{error}");
    let cut = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", true);
    let error = ask(cut, options(READER)).unwrap_err();
    assert!(matches!(error, ClientError::Broken { .. }), "{error}");
    let ended = answering(b"", true);
    let error = ask(ended, options(READER)).unwrap_err();
    assert!(matches!(error, ClientError::Broken { .. }), "{error}");
    let coding = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc";
    let error = ask(answering(coding, true), options(READER)).unwrap_err();
    assert!(error.to_string().contains("content coding"), "{error}");
    let large = WebClientOptions {
        response: 2,
        ..options(READER)
    };
    let three = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
    let error = ask(answering(three, true), large).unwrap_err();
    assert!(error.to_string().contains("more than 2 octets"), "{error}");
    let silent = WebClientOptions {
        timeout: Duration::from_millis(50),
        ..options(READER)
    };
    let error = ask(answering(b"", false), silent).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    let slow = WebClientOptions {
        timeout: Duration::from_millis(50),
        ..options(READER)
    };
    let begun = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na";
    let error = ask(answering(begun, false), slow).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
}

#[test]
fn a_server_that_is_no_agent_answers_with_its_own_words() {
    use std::process::{Command, Stdio};

    let directory = tempfile::tempdir().unwrap();
    let server = Command::new("python3")
        .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut server) = server else {
        skip("python3 cannot be run");
        return;
    };
    // Serving HTTP on 127.0.0.1 port 34567 (...
    let mut told = String::new();
    let mut output = server.stdout.take().unwrap();
    while !told.contains("(http") {
        let mut octet = [0];
        output.read_exact(&mut octet).unwrap();
        told.push(char::from(octet[0]));
    }
    let port = told.split(' ').nth(5).unwrap();
    let endpoint: Endpoint = format!("http://127.0.0.1:{port}").parse().unwrap();
    let mut client = WebClient::open(&endpoint, options(READER)).unwrap();
    for _ in 0..2 {
        // It ends the connection behind each response.
        let refused = client.send(&get(&client, CONTACT)).unwrap();
        assert_eq!(refused.status, StatusCode::NOT_FOUND);
        assert!(refused.is_refusal() && refused.errors().is_empty());
        assert_eq!(refused.media_type(), "text/html");
    }
    let put = Request::put(endpoint.path(CONTACT), Encoding::Json, b"{}".to_vec());
    assert_eq!(
        client.send(&put).unwrap().status,
        StatusCode::NOT_IMPLEMENTED
    );
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn an_unreachable_server_is_reported() {
    use socket2::{Domain, Socket, Type};

    // Nobody listens there, and nobody else can.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    socket.bind(&any.into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let error = ask(address, options(READER)).unwrap_err();
    assert!(matches!(error, ClientError::Connecting { .. }), "{error}");
    let nowhere: Endpoint = "http://nowhere.invalid".parse().unwrap();
    let error = WebClient::open(&nowhere, options(READER)).unwrap_err();
    assert!(matches!(error, ClientError::Resolving { .. }), "{error}");
}
