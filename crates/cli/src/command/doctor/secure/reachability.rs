//! Where the agent is, and whether anything answers there.

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use varbind::transport::{OpenError, Transport, TransportAddress};
use varbind_terminal::Failure;

use super::client_hello::{self, Answer, Cookie, DTLS_VERSIONS, TLS_VERSIONS, Version};
use super::{Examination, bad, good, no_session, open, reported};
use crate::command::doctor::report::milliseconds;

/// How many octets of a line that names a version are looked at (RFC 4253 section 4.2).
const IDENTIFICATION: u64 = 255;

impl Examination<'_> {
    /// The addresses of the name, IPv4 first, as for every session.
    pub(super) fn resolve(&self, target: &TransportAddress) -> Result<Vec<SocketAddr>, Failure> {
        let resolved = target.resolve(target.transport.agent_port());
        let mut addresses = match resolved {
            Ok(addresses) => addresses,
            Err(error) => {
                let host = &target.host;
                let text = format!(
                    "{host} cannot be resolved: {error}; check its spelling, or name the address"
                );
                bad("name", &text)?;
                let target = target.clone();
                return Err(reported(OpenError::Resolving { target, error }));
            }
        };
        addresses.sort_by_key(SocketAddr::is_ipv6);
        let texts: Vec<_> = addresses.iter().map(|it| it.ip().to_string()).collect();
        if texts != [target.host.clone()] {
            good("name", &format!("{} is {}", target.host, texts.join(", ")))?;
        }
        Ok(addresses)
    }

    /// Connects to the first address that accepts.
    pub(super) fn connect(
        &self,
        addresses: &[SocketAddr],
    ) -> Result<(SocketAddr, TcpStream), Failure> {
        let mut failure = no_session("the name has no address");
        for &address in addresses {
            let begun = Instant::now();
            match TcpStream::connect_timeout(&address, self.timeout) {
                Ok(stream) => {
                    let time = milliseconds(begun.elapsed());
                    good(
                        "TCP",
                        &format!("{address} accepts the connection in {time:.1} ms"),
                    )?;
                    return Ok((address, stream));
                }
                Err(error) => failure = self.unreachable("TCP", address, error)?,
            }
        }
        Err(failure)
    }

    fn unreachable(
        &self,
        what: &str,
        address: SocketAddr,
        error: io::Error,
    ) -> Result<Failure, Failure> {
        let text = match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                format!("nothing listens at {address}: is the agent running, and is this its port?")
            }
            io::ErrorKind::TimedOut => {
                format!("{address} does not answer: the host is down, or a firewall is between")
            }
            _ => format!("{address}: {error}"),
        };
        bad(what, &text)?;
        let target = self.session.target.address.clone();
        Ok(reported(OpenError::Connecting {
            target,
            address,
            error: Box::new(error.into()),
        }))
    }

    /// Which versions of TLS the server speaks.
    pub(super) fn print_tls_versions(&self, remote: SocketAddr) -> Result<(), Failure> {
        let mut accepted = Vec::new();
        let mut refused = Vec::new();
        for version in TLS_VERSIONS {
            let answer = client_hello::probe_tls(remote, version, self.timeout);
            match answer.unwrap_or(Answer::Closed) {
                Answer::Accepted => accepted.push(version),
                Answer::Silence => {
                    bad(
                        "TLS",
                        "no response to a ClientHello: another protocol is used there, or the service hangs",
                    )?;
                    let target = self.session.target.address.clone();
                    let error = Box::new(io::ErrorKind::TimedOut.into());
                    return Err(reported(OpenError::Connecting {
                        target,
                        address: remote,
                        error,
                    }));
                }
                Answer::Other(octets) => {
                    let text = match octets.starts_with(b"SSH-") {
                        true => format!("an SSH server answers here; use {}", self.over_ssh()),
                        false => format!("the response is not TLS: \"{}\"", shown(&octets)),
                    };
                    bad("TLS", &text)?;
                    return Err(no_session(&text));
                }
                answer => refused.push((version, answer)),
            }
        }
        if accepted.is_empty() && refused.iter().all(|(_, answer)| *answer == Answer::Closed) {
            let text = "it closes the connection without an answer to TLS: another service is at this port";
            bad("TLS", text)?;
            return Err(no_session(text));
        }
        let refused: Vec<_> = refused.into_iter().map(|(version, _)| version).collect();
        self.print_versions("TLS", accepted, refused, &["1.3", "1.2"])
    }

    /// The target, if it is an SSH server.
    fn over_ssh(&self) -> TransportAddress {
        let target = &self.session.target.address;
        TransportAddress {
            transport: Transport::Ssh,
            port: target.port.or(Some(target.transport.agent_port())),
            ..target.clone()
        }
    }

    /// The same for DTLS, which also shows whether the host responds at all.
    pub(super) fn print_dtls_versions(&self, addresses: &[SocketAddr]) -> Result<(), Failure> {
        let mut failure = no_session("the name has no address");
        for &address in addresses {
            let [newest, older] = DTLS_VERSIONS;
            let begun = Instant::now();
            match client_hello::probe_dtls(address, newest, self.timeout) {
                Ok((Answer::Silence, Cookie::NotDemanded)) => {
                    let error = io::ErrorKind::TimedOut.into();
                    failure = self.unreachable("DTLS", address, error)?;
                }
                Ok((Answer::Other(octets), _)) => {
                    let response = shown(&octets);
                    let text = format!("the response of {address} is not DTLS: \"{response}\"");
                    bad("DTLS", &text)?;
                    failure = no_session(&text);
                }
                Ok((answer, cookie)) => {
                    print_cookie(address, cookie, begun.elapsed())?;
                    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
                    let answer_to_older =
                        client_hello::probe_dtls(address, older, self.timeout.min(OLDER));
                    let is_older = matches!(answer_to_older, Ok((Answer::Accepted, _)));
                    for (version, is_accepted) in
                        [(newest, answer == Answer::Accepted), (older, is_older)]
                    {
                        if is_accepted {
                            &mut accepted
                        } else {
                            &mut refused
                        }
                        .push(version);
                    }
                    return self.print_versions("DTLS", accepted, refused, &["1.2"]);
                }
                Err(error) => failure = self.unreachable("DTLS", address, error)?,
            }
        }
        Err(failure)
    }

    fn print_versions(
        &self,
        what: &str,
        mut accepted: Vec<Version>,
        mut refused: Vec<Version>,
        ours: &[&str],
    ) -> Result<(), Failure> {
        accepted.reverse();
        refused.reverse();
        let spoken = names(&accepted);
        let mut text = match accepted.is_empty() {
            true => "it accepts no version with the usual cipher suites".to_owned(),
            false => format!("it speaks {what} {spoken}"),
        };
        if !refused.is_empty() {
            text += &format!("; refused: {}", names(&refused));
        }
        #[cfg(feature = "openssl-tls")]
        if self.session.peer.legacy_tls {
            return good(what, &text);
        }
        if accepted.is_empty() || accepted.iter().any(|it| ours.contains(&it.name)) {
            let is_weak = accepted.iter().any(|it| !ours.contains(&it.name));
            if is_weak {
                text += " (versions before 1.2 are not secure: RFC 9456 forbids them)";
            }
            return if accepted.is_empty() {
                open(what, &text)
            } else {
                good(what, &text)
            };
        }
        text += &format!(", and none that is secure: RFC 9456 wants {what} 1.2 at least");
        bad(what, &text)?;
        if spoken == "1.0" && what == "TLS" {
            open(
                "",
                "Net-SNMP up to 5.9.4 has no other over TCP: use dtls: there, or a varbind that is built with openssl-tls, and --legacy-tls",
            )?;
        }
        Err(no_session("no version in common"))
    }

    /// What an SSH server calls itself.
    pub(super) fn print_identification(&self, stream: &TcpStream) -> Result<(), Failure> {
        stream.set_read_timeout(Some(self.timeout))?;
        let mut line = Vec::new();
        // What came until an error is looked at.
        let _ = BufReader::new(stream.take(IDENTIFICATION)).read_until(b'\n', &mut line);
        let text = shown(&line).to_string();
        if line.starts_with(b"SSH-2.0-") || line.starts_with(b"SSH-1.99-") {
            return good("SSH", &text);
        }
        let problem = match line.as_slice() {
            [] => "no answer: an SSH server would say its version at once".to_owned(),
            _ => format!("the response is not from an SSH server: \"{text}\""),
        };
        bad("SSH", &problem)?;
        Err(no_session(&problem))
    }
}

/// Who does not speak the older version is often silent.
const OLDER: Duration = Duration::from_secs(1);

fn print_cookie(address: SocketAddr, cookie: Cookie, time: Duration) -> Result<(), Failure> {
    let time = milliseconds(time);
    match cookie {
        Cookie::Demanded => good(
            "UDP",
            &format!("{address} answers in {time:.1} ms, with a cookie"),
        ),
        Cookie::NotDemanded => good(
            "UDP",
            &format!(
                "{address} answers in {time:.1} ms, without a cookie: it does not verify client addresses (RFC 6347 section 4.2.1)"
            ),
        ),
    }
}

/// What a peer has sent, without the end of a line.
fn shown(octets: &[u8]) -> impl Display {
    octets.trim_ascii_end().escape_ascii()
}

fn names(versions: &[Version]) -> String {
    let names: Vec<_> = versions.iter().map(|it| it.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
