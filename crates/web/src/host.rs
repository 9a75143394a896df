//! The host that a request names (RFC 9112 section 3.2).
//!
//! A page in a browser on the agent's host can have the name of its own server point to the agent, and would then read
//! what the agent lets local clients read (DNS rebinding). So a request must name a host that is the agent. An address
//! literal is no such name: no name server has a say in it.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{Request, StatusCode, Version};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;

use crate::body::Answer;

/// The name of a host, without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(String);

impl FromStr for HostName {
    type Err = ParseHostNameError;

    fn from_str(text: &str) -> Result<Self, ParseHostNameError> {
        let is_name = |label: &str| {
            let is_letter = |octet: u8| octet.is_ascii_alphanumeric() || b"-_".contains(&octet);
            !label.is_empty() && label.len() <= 63 && label.bytes().all(is_letter)
        };
        let name = text.strip_suffix('.').unwrap_or(text);
        if name.len() <= 253 && name.split('.').all(is_name) {
            Ok(Self(name.to_ascii_lowercase()))
        } else {
            Err(ParseHostNameError)
        }
    }
}

impl HostName {
    /// Any name: requests are served whatever they call the server. A web page of a stranger can then read what clients inside the
    /// network may read.
    #[must_use]
    pub fn any() -> Self {
        Self(ANY.to_owned())
    }
}

/// No host has this name.
const ANY: &str = "*";

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text is not the name of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected the name of a host without a port, as agent.example")]
pub struct ParseHostNameError;

/// The names by which a connection's requests may call the agent.
pub(crate) struct HostNames<'h> {
    pub(crate) configured: &'h [HostName],
    /// The address to which the client has connected.
    pub(crate) local: Option<IpAddr>,
    /// The certificate that the client has seen.
    pub(crate) certificate: Option<&'h CertificateDer<'static>>,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostError {
    /// HTTP/1.1 without Host.
    Missing,
    /// More than one.
    Repeated,
    Malformed,
    /// The agent has no such name.
    Misdirected(String),
}

impl HostError {
    pub(crate) fn answer(&self) -> Answer {
        let (status, why) = match self {
            Self::Missing => (
                StatusCode::BAD_REQUEST,
                "the request has no Host header".to_owned(),
            ),
            Self::Repeated => (
                StatusCode::BAD_REQUEST,
                "the request has several Host headers".to_owned(),
            ),
            Self::Malformed => (
                StatusCode::BAD_REQUEST,
                "the host of the request is malformed".to_owned(),
            ),
            Self::Misdirected(host) => (
                StatusCode::MISDIRECTED_REQUEST,
                format!(
                    "{host} is not a name of this server: add it to the key hosts in [web] of the agent's configuration, or to --web.host of the collector"
                ),
            ),
        };
        Answer::refusal(status, &why)
    }
}

impl HostNames<'_> {
    /// Checks the host that a request names.
    ///
    /// # Errors
    /// When it names none, several, or another one.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), HostError> {
        let mut headers = request.headers().get_all(HOST).iter();
        let header = match (headers.next(), headers.next()) {
            (_, Some(_)) => return Err(HostError::Repeated),
            (Some(header), None) => Some(authority(header.as_bytes())?),
            (None, None) if request.version() == Version::HTTP_11 => {
                return Err(HostError::Missing);
            }
            (None, None) => None,
        };
        // RFC 9112 3.2.2: the target of the request counts before the header.
        match request.uri().authority().or(header.as_ref()) {
            Some(authority) if !self.include(authority.host()) => {
                Err(HostError::Misdirected(authority.host().to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn include(&self, host: &str) -> bool {
        let literal = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        if literal.unwrap_or(host).parse::<IpAddr>().is_ok() {
            return true;
        }
        let Ok(name) = host.parse::<HostName>() else {
            return false;
        };
        let is_loopback = self
            .local
            .is_some_and(|local| local.to_canonical().is_loopback());
        (name.0 == "localhost" && is_loopback)
            || self.configured.contains(&name)
            || self.configured.iter().any(|known| known.0 == ANY)
            || self
                .certificate
                .is_some_and(|certificate| is_named_by(certificate, &name))
    }
}

fn authority(octets: &[u8]) -> Result<Authority, HostError> {
    match Authority::try_from(octets) {
        // RFC 9110 4.2.4: no user.
        Ok(authority) if !authority.as_str().contains('@') => Ok(authority),
        _ => Err(HostError::Malformed),
    }
}

/// Whether a certificate is for that host (RFC 6125, as clients check it).
fn is_named_by(certificate: &CertificateDer<'_>, name: &HostName) -> bool {
    let parsed = ParsedCertificate::try_from(certificate);
    match (parsed, ServerName::try_from(name.0.as_str())) {
        (Ok(certificate), Ok(name)) => verify_server_name(&certificate, &name).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(version: Version, target: &str, hosts: &[&str]) -> Result<(), HostError> {
        let mut request = Request::builder()
            .version(version)
            .uri(target)
            .body(())
            .unwrap();
        for host in hosts {
            let host = HeaderValue::from_str(host).unwrap();
            request.headers_mut().append(HOST, host);
        }
        let names = HostNames {
            configured: &["Agent.example".parse().unwrap()],
            local: Some([127, 0, 0, 1].into()),
            certificate: None,
        };
        names.check(&request)
    }

    #[test]
    fn names_of_the_agent_and_addresses_are_taken() {
        for host in [
            "127.0.0.1:8080",
            "192.0.2.1",
            "[::1]:8443",
            "localhost",
            "LOCALHOST:1",
            "agent.example",
            "AGENT.example.:8080",
        ] {
            assert_eq!(check(Version::HTTP_11, "/", &[host]), Ok(()), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil"] {
            let misdirected = Err(HostError::Misdirected(host.to_owned()));
            assert_eq!(check(Version::HTTP_11, "/", &[host]), misdirected);
            let target = format!("http://{host}/");
            assert_eq!(
                check(Version::HTTP_11, &target, &["agent.example"]),
                misdirected
            );
        }
        let target = "http://agent.example/";
        assert_eq!(check(Version::HTTP_11, target, &["evil.example"]), Ok(()));
    }

    #[test]
    fn there_is_one_host() {
        let both = ["a.example", "agent.example"];
        assert_eq!(
            check(Version::HTTP_11, "/", &both),
            Err(HostError::Repeated)
        );
        assert_eq!(check(Version::HTTP_11, "/", &[]), Err(HostError::Missing));
        assert_eq!(check(Version::HTTP_10, "/", &[]), Ok(()));
        for host in ["", "a b", "user@agent.example", "agent.example/"] {
            let found = check(Version::HTTP_11, "/", &[host]);
            assert_eq!(found, Err(HostError::Malformed), "{host}");
        }
    }

    #[test]
    fn names_have_no_port_and_no_scheme() {
        for name in ["", "a..b", "agent:8080", "http://agent", "*", "ä.example"] {
            assert_eq!(name.parse::<HostName>(), Err(ParseHostNameError), "{name}");
        }
    }
}
