//! Targets from Prometheus' HTTP service discovery: `[{"targets": ["192.0.2.1"], "labels": {"site": "lab"}}]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use hyper::{Request, Uri};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::output::{secret, tls};

/// How long a server may take to respond.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest response: a million targets.
const LARGEST: usize = 256 << 20;

/// A server of targets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct HttpSd {
    pub(super) url: String,
    /// A file with a bearer token.
    pub(super) token_file: Option<PathBuf>,
    /// A file with the certificates of authorities (PEM), in place of those of the system.
    pub(super) ca_file: Option<PathBuf>,
}

/// Targets with the same labels.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct TargetGroup {
    pub(super) targets: Vec<String>,
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
}

/// The targets of a server at present.
pub(super) fn targets(file: &Path, server: &HttpSd) -> Result<Vec<TargetGroup>, String> {
    fetch(file, server).and_then(|body| parse(&body))
}

fn parse(body: &[u8]) -> Result<Vec<TargetGroup>, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("the response is no list of targets of Prometheus: {error}"))
}

fn fetch(file: &Path, server: &HttpSd) -> Result<Bytes, String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let exchange = exchange(file, server);
    let exchanged = runtime.block_on(async { timeout(PATIENCE, exchange).await });
    exchanged.unwrap_or_else(|_| Err(format!("no response within {PATIENCE:?}")))
}

async fn exchange(file: &Path, server: &HttpSd) -> Result<Bytes, String> {
    let uri: Uri = server
        .url
        .parse()
        .map_err(|error| format!("no URL: {error}"))?;
    let is_https = uri.scheme_str() == Some("https");
    let mut request = Request::new(Empty::<Bytes>::new());
    let headers = request.headers_mut();
    let agent = concat!("varbind/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    if let Some(path) = &server.token_file {
        let bearer = format!("Bearer {}", secret(&super::plan::beside(file, path))?);
        let bearer = HeaderValue::from_str(&bearer);
        let mut bearer = bearer.map_err(|_| "the token cannot be in a header".to_owned())?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
    }
    *request.uri_mut() = uri;
    let authorities = server
        .ca_file
        .as_ref()
        .map(|path| super::plan::beside(file, path));
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls(authorities.as_deref(), is_https)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let response = client
        .request(request)
        .await
        .map_err(|error| innermost(&error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(format!("the server responds {status}"));
    }
    let body = Limited::new(response.into_body(), LARGEST).collect().await;
    Ok(body.map_err(|error| error.to_string())?.to_bytes())
}

fn innermost(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), innermost)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use super::*;
    use crate::fleet::Discovered;

    /// Responds to one request, and returns it.
    fn server(response: &'static str) -> (HttpSd, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/targets?dc=1", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut octet = [0];
                stream.read_exact(&mut octet).unwrap();
                request.push(octet[0]);
            }
            stream.write_all(response.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        });
        let server = HttpSd {
            url,
            token_file: None,
            ca_file: None,
        };
        (server, served)
    }

    #[test]
    fn targets_of_a_server_stay_while_it_is_away() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("fleet.toml");
        let path = directory.path().join("token");
        fs::write(&path, "sesame\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let (mut server, served) = server(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
             [{\"targets\": [\"192.0.2.1\"], \"labels\": {\"site\": \"lab\", \"__snmp_community\": \"x\"}}]",
        );
        server.token_file = Some("token".into());
        let mut discovered = Discovered::default();
        let (fresh, why) = discovered.targets(&file, &server);
        assert_eq!(fresh[0].targets, ["192.0.2.1"], "{why:?}");
        assert!(why.unwrap().contains("__snmp_community is ignored"));
        let request = served.join().unwrap();
        assert!(
            request.starts_with("GET /targets?dc=1 HTTP/1.1\r\n"),
            "{request}"
        );
        assert!(
            request.contains("\r\nauthorization: Bearer sesame\r\n"),
            "{request}"
        );
        let (stays, why) = discovered.targets(&file, &server);
        assert_eq!(stays, fresh);
        let why = why.unwrap();
        assert!(why.contains("1 targets of its last response stay"), "{why}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let (_, why) = discovered.targets(&file, &server);
        assert!(why.unwrap().contains("chmod 600"));
    }

    #[test]
    fn a_response_that_is_no_list_is_refused() {
        let response = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}";
        let (server, served) = server(response);
        let (none, why) = Discovered::default().targets(Path::new("fleet.toml"), &server);
        assert!(none.is_empty());
        assert!(why.unwrap().contains("no list of targets"));
        served.join().unwrap();
    }
}
