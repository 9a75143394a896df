use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::str::FromStr;

use varbind_web::{HostName, Limits};

use super::{document, value};

/// Where RESTCONF and metrics are served, nowhere by default, and the limits for clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WebSettings {
    pub(crate) listen: Vec<WebAddress>,
    /// Names of the host, besides its own, by which requests may call it.
    pub(crate) hosts: Vec<HostName>,
    pub(crate) limits: Limits,
}

impl WebSettings {
    pub(super) fn new(web: document::Web) -> Self {
        let defaults = Limits::default();
        let number = |number: Option<NonZeroUsize>, default| number.map_or(default, usize::from);
        let time = |time: Option<value::Duration>, default| time.map_or(default, |time| time.0);
        Self {
            listen: web.listen.into_iter().map(|listen| listen.0).collect(),
            hosts: web.hosts.into_iter().map(|host| host.0).collect(),
            limits: Limits {
                connections: number(web.connections, defaults.connections),
                connections_per_source: number(
                    web.connections_per_source,
                    defaults.connections_per_source,
                ),
                connections_per_block: number(
                    web.connections_per_block,
                    defaults.connections_per_block,
                ),
                handshake: time(web.handshake_timeout, defaults.handshake),
                first_request: time(web.first_request_timeout, defaults.first_request),
                header: time(web.idle_timeout, defaults.header),
                body: time(web.request_timeout, defaults.body),
                request: number(web.request_size, defaults.request),
                response: number(web.response_size, defaults.response),
            },
        }
    }
}

/// An address of the web services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WebAddress {
    /// HTTPS, or HTTP.
    pub(crate) is_secure: bool,
    pub(crate) address: SocketAddr,
}

impl FromStr for WebAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = match text.split_once("://") {
            Some(("http", rest)) => Some((false, rest)),
            Some(("https", rest)) => Some((true, rest)),
            _ => None,
        };
        let parsed = parts.and_then(|(is_secure, rest)| {
            let address = rest.strip_suffix('/').unwrap_or(rest).parse().ok()?;
            Some(Self { is_secure, address })
        });
        parsed.ok_or_else(|| {
            format!(
                "{text:?}: expected http://ADDRESS:PORT or https://ADDRESS:PORT, as http://127.0.0.1:8080 or \
                 https://[::1]:8443"
            )
        })
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_and_a_port() {
        for text in ["http://127.0.0.1:8080", "https://[::1]:8443"] {
            assert_eq!(text.parse::<WebAddress>().unwrap().to_string(), text);
        }
        for wrong in [
            "127.0.0.1:8080",
            "http://127.0.0.1",
            "ftp://127.0.0.1:1",
            "http://:80",
            "https://127.0.0.1:1/x",
        ] {
            let error = wrong.parse::<WebAddress>().unwrap_err();
            assert!(error.contains("http://127.0.0.1:8080"), "{error}");
        }
    }
}
