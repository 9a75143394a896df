use std::fmt;
use std::str::FromStr;

/// A server: scheme, host and port, and the path below which requests are, as `https://agent.example:8443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    is_secure: bool,
    host: String,
    port: u16,
    /// It begins with a slash and does not end with one; empty if none was written.
    path: String,
}

/// The text is not an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseEndpointError {
    text: String,
    why: &'static str,
}

/// The default path of RESTCONF data.
const DATA: &str = "/restconf/data";

impl Endpoint {
    /// Whether its scheme is https.
    #[must_use]
    pub const fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The name or address of the server, without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port: 443 for HTTPS and 80 for HTTP, if none was written.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Host and port as a URL has them (RFC 3986 section 3.2).
    #[must_use]
    pub fn authority(&self) -> String {
        let (host, port) = (&self.host, self.port);
        if host.contains(':') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        }
    }

    /// The path of a resource: as it is if it begins with a slash, otherwise below the endpoint's own, which is
    /// `/restconf/data` if none was written. Characters that a URL cannot have are percent-encoded.
    #[must_use]
    pub fn path(&self, resource: &str) -> String {
        let base = if self.path.is_empty() {
            DATA
        } else {
            &self.path
        };
        let mut path = String::new();
        if !resource.starts_with('/') {
            path.push_str(base);
        }
        if !resource.is_empty() && !resource.starts_with('/') {
            path.push('/');
        }
        escape(resource, b"/?:@!$&'()*+,;=-._~%", &mut path);
        path
    }
}

/// The value of a query parameter, with reserved characters percent-encoded.
#[must_use]
pub(super) fn query_value(value: &str) -> String {
    let mut text = String::new();
    escape(value, b"/?:@!$'()*,;=-._~", &mut text);
    text
}

fn escape(text: &str, plain: &[u8], output: &mut String) {
    for octet in text.bytes() {
        if octet.is_ascii_alphanumeric() || plain.contains(&octet) {
            output.push(char::from(octet));
        } else {
            output.push_str(&format!("%{octet:02X}"));
        }
    }
}

impl FromStr for Endpoint {
    type Err = ParseEndpointError;

    fn from_str(text: &str) -> Result<Self, ParseEndpointError> {
        let wrong = |why| ParseEndpointError {
            text: text.to_owned(),
            why,
        };
        let (is_secure, rest) = match text.split_once("://") {
            Some(("http", rest)) => (false, rest),
            Some(("https", rest)) => (true, rest),
            Some(_) => return Err(wrong("the scheme is neither http nor https")),
            None => (true, text),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(wrong(
                "a URL must not contain a password: give the community by an option or the environment",
            ));
        }
        let no_port = "the port is not a number from 1 to 65535";
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest
                    .split_once(']')
                    .ok_or_else(|| wrong("the bracket is not closed"))?;
                let port = match rest {
                    "" => None,
                    rest => Some(rest.strip_prefix(':').ok_or_else(|| wrong(no_port))?),
                };
                (host, port)
            }
            None => match authority.split_once(':') {
                Some((_, port)) if port.contains(':') => {
                    return Err(wrong("addresses of IPv6 are in brackets"));
                }
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() {
            return Err(wrong("there is no host"));
        }
        let port = match port {
            None => Some(if is_secure { 443 } else { 80 }),
            Some(port) => port.parse().ok().filter(|port| *port > 0),
        };
        Ok(Self {
            is_secure,
            host: host.to_owned(),
            port: port.ok_or_else(|| wrong(no_port))?,
            path: path.trim_end_matches('/').to_owned(),
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

impl fmt::Display for ParseEndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL with a password is not repeated.
        if self.text.contains('@') {
            f.write_str(self.why)
        } else {
            write!(
                f,
                "{:?}: {}; write http://HOST[:PORT] or https://HOST[:PORT]",
                self.text, self.why
            )
        }
    }
}

impl std::error::Error for ParseEndpointError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        text.parse().unwrap()
    }

    #[test]
    fn urls_and_hosts_are_endpoints() {
        for (text, shown) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://agent/", "http://agent:80"),
            ("https://[::1]:8443/rests", "https://[::1]:8443"),
            ("agent.example", "https://agent.example:443"),
            ("agent:8443", "https://agent:8443"),
            ("[fe80::1%2]", "https://[fe80::1%2]:443"),
        ] {
            assert_eq!(endpoint(text).to_string(), shown);
        }
        assert_eq!(endpoint("https://[::1]:8443").host(), "::1");
        for wrong in [
            "",
            "ftp://a",
            "http://",
            "http://a:x",
            "http://a:0",
            "::1",
            "http://[::1",
            "http://[::1]8",
            "http://a:70000",
        ] {
            let error = wrong.parse::<Endpoint>().unwrap_err();
            assert!(error.to_string().contains("https://HOST"), "{error}");
        }
        let error = "http://x:secret@a".parse::<Endpoint>().unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn paths_are_below_the_endpoint_unless_they_begin_with_a_slash() {
        let plain = endpoint("http://a");
        assert_eq!(plain.path(""), "/restconf/data");
        assert_eq!(plain.path("IF-MIB:IF-MIB"), "/restconf/data/IF-MIB:IF-MIB");
        assert_eq!(plain.path("/metrics"), "/metrics");
        assert_eq!(plain.path("a=b c\u{e9}"), "/restconf/data/a=b%20c%C3%A9");
        let other = endpoint("http://a/rests/data/");
        assert_eq!(other.path("x"), "/rests/data/x");
        assert_eq!(other.path(""), "/rests/data");
        assert_eq!(query_value("a;b(c/d)&e#+"), "a;b(c/d)%26e%23%2B");
    }
}
