//! Batches in the bodies of HTTP requests.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use tokio::time::timeout;

use super::sink::DeliveryError;
use crate::module::duration;

/// A response that is larger is not read to the end.
const LARGEST_RESPONSE: usize = 64 << 10;
/// So much of a response is in an error message.
const SHOWN: usize = 300;
/// Others than the owner and the group may read a file.
const OTHERS: u32 = 0o007;

/// How requests reach a server, and what lets them in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HttpConfiguration {
    /// The user for basic authentication.
    #[serde(default)]
    pub username: Option<String>,
    /// A file with the password.
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// A file with a bearer token.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// A file with the certificates of authorities (PEM), in place of those of the system.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// Headers of each request.
    #[serde(default)]
    pub headers: std::collections::BTreeMap<String, String>,
    /// How long a request may take.
    #[serde(default = "usual_timeout", deserialize_with = "duration::deserialize")]
    pub timeout: Duration,
}

impl Default for HttpConfiguration {
    fn default() -> Self {
        Self {
            username: None,
            password_file: None,
            token_file: None,
            ca_file: None,
            headers: std::collections::BTreeMap::new(),
            timeout: usual_timeout(),
        }
    }
}

const fn usual_timeout() -> Duration {
    Duration::from_secs(30)
}

/// A server that takes batches.
#[derive(Debug)]
pub(super) struct Server {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    headers: HeaderMap,
    timeout: Duration,
}

impl Server {
    /// `scheme` is what stands before a token.
    pub(super) fn new(
        url: &str,
        configuration: &HttpConfiguration,
        scheme: &str,
        fixed: &[(HeaderName, &'static str)],
    ) -> Result<Self, String> {
        let wrong =
            |why: &str| format!("url {url:?}: {why}: write it as in \"https://host:port/path\"");
        let uri: Uri = url.parse().map_err(|error| wrong(&format!("{error}")))?;
        let is_https = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong("not a URL of HTTP or HTTPS")),
        };
        if uri
            .authority()
            .is_some_and(|authority| authority.as_str().contains('@'))
        {
            return Err("url: it contains credentials: use username and password-file".to_owned());
        }
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(configuration.ca_file.as_deref(), is_https)?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(90))
            .build(connector);
        Ok(Self {
            client,
            uri,
            headers: headers(configuration, scheme, fixed)?,
            timeout: configuration.timeout,
        })
    }

    /// Posts a body, and returns the body of the response.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Bytes, DeliveryError> {
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        let exchange = async {
            let response = self
                .client
                .request(request)
                .await
                .map_err(|error| reason(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, LARGEST_RESPONSE).collect().await;
            Ok::<_, String>((parts, body.map(http_body_util::Collected::to_bytes)))
        };
        let (parts, body) = match timeout(self.timeout, exchange).await {
            Ok(Ok(exchanged)) => exchanged,
            Ok(Err(why)) => {
                return Err(DeliveryError::temporary(format_args!(
                    "{}: {why}",
                    self.uri
                )));
            }
            Err(_) => {
                let why = format!("{}: no response within {:?}", self.uri, self.timeout);
                return Err(DeliveryError::temporary(why));
            }
        };
        let status = parts.status;
        if status.is_success() {
            return Ok(body.unwrap_or_default());
        }
        let text = body.unwrap_or_default();
        let text = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(&text)).into_owned();
        let message = format!("{}: {status}: {}", self.uri, text.trim());
        Err(if is_temporary(status) {
            DeliveryError::Temporary {
                message,
                retry_after: retry_after(&parts.headers),
            }
        } else {
            DeliveryError::Refused(message)
        })
    }
}

/// The innermost reason of an error.
fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Statuses by which a server says that it cannot serve now, or that its configuration or ours must be corrected first.
fn is_temporary(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::REQUEST_TIMEOUT
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::UNAUTHORIZED
                | StatusCode::FORBIDDEN
                | StatusCode::NOT_FOUND
                | StatusCode::PROXY_AUTHENTICATION_REQUIRED
        )
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn headers(
    configuration: &HttpConfiguration,
    scheme: &str,
    fixed: &[(HeaderName, &'static str)],
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let agent = concat!("varbind/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    for (name, value) in &configuration.headers {
        let wrong = |_| format!("headers: {name:?} or its value cannot be in a header");
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(()))?;
        headers.insert(name, HeaderValue::from_str(value).map_err(|_| wrong(()))?);
    }
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(authorization) = authorization(configuration, scheme)? {
        let mut value = HeaderValue::from_str(&authorization)
            .map_err(|_| "the token or password cannot be in a header".to_owned())?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn authorization(
    configuration: &HttpConfiguration,
    scheme: &str,
) -> Result<Option<String>, String> {
    match (
        &configuration.username,
        &configuration.password_file,
        &configuration.token_file,
    ) {
        (None, None, None) => Ok(None),
        (None, None, Some(path)) => Ok(Some(format!("{scheme} {}", secret(path)?))),
        (Some(user), Some(path), None) => {
            let pair = format!("{user}:{}", secret(path)?);
            Ok(Some(format!("Basic {}", BASE64_STANDARD.encode(pair))))
        }
        _ => Err("authorization needs either token-file, or username and password-file".to_owned()),
    }
}

/// Reads a secret from a file, without the line feed at its end.
pub(crate) fn secret(path: &Path) -> Result<String, String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    let mode = file.metadata().map_err(|error| failed(&error))?.mode();
    if mode & OTHERS != 0 {
        return Err(failed(&format_args!(
            "the file holds a secret, and others may read or change it: chmod 600 {}",
            path.display()
        )));
    }
    let mut text = String::new();
    file.read_to_string(&mut text)
        .map_err(|error| failed(&error))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(failed(&"the file is empty"));
    }
    Ok(text.to_owned())
}

/// TLS with the authorities of a file, or those of the system.
pub(crate) fn tls(ca_file: Option<&Path>, is_https: bool) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(path) => {
            let failed = |why: &dyn std::fmt::Display| format!("ca-file {}: {why}", path.display());
            let text = fs::read(path).map_err(|error| failed(&error))?;
            for certificate in CertificateDer::pem_slice_iter(&text) {
                let certificate = certificate.map_err(|error| failed(&error))?;
                roots.add(certificate).map_err(|error| failed(&error))?;
            }
            if roots.is_empty() {
                return Err(failed(&"no certificate in it"));
            }
        }
        None if is_https => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
            if roots.is_empty() {
                return Err(
                    "the system has no certificates of authorities: install ca-certificates or set ca-file"
                        .to_owned(),
                );
            }
        }
        None => {}
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let configuration = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(configuration
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// The header with the type of a body.
pub(super) const fn content_type(value: &'static str) -> (HeaderName, &'static str) {
    (CONTENT_TYPE, value)
}
