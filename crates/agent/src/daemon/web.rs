use std::io::{self, Write};

use varbind::agent::Agent;
use varbind::transport::certificate::TlsServer;
use varbind_web::{HostName, Listen, WebServer};

use super::AgentError;
use super::secure_servers::Servers;
use crate::configuration::{WebAddress, WebSettings};
use crate::operating_system::host;

/// The web services, if they are configured.
#[derive(Debug, Default)]
pub(super) struct Web {
    open: WebSettings,
    server: Option<WebServer>,
}

impl Web {
    /// Listens on `wanted` and nothing else. Where the addresses are the same, those of HTTPS get what the files hold now.
    ///
    /// # Errors
    /// When an address cannot be had or a file cannot be used; of addresses then the former ones are opened again.
    pub(super) fn replace(
        &mut self,
        agent: &Agent,
        wanted: &WebSettings,
        servers: &Servers,
    ) -> Result<(), AgentError> {
        if self.open.listen == wanted.listen {
            self.replace_servers(servers)?;
            if let Some(server) = &self.server {
                server.replace_limits(wanted.limits.clone());
                server.replace_hosts(hosts(wanted));
                server.replace_certificate_end(servers.certificate_end());
            }
            self.open = wanted.clone();
            return Ok(());
        }
        if let Some(server) = self.server.take() {
            server.shutdown();
        }
        match start(agent, wanted, servers) {
            Ok(server) => {
                self.server = server;
                self.open = wanted.clone();
                announce(self.server.as_ref(), &wanted.listen).map_err(AgentError::Start)
            }
            Err(error) => {
                self.server = start(agent, &self.open, servers).unwrap_or_else(|error| {
                    log::error!("the former addresses of [web] cannot be opened again: {error}");
                    None
                });
                Err(refused(&wanted.listen, error))
            }
        }
    }

    /// Gives the addresses of HTTPS what the files hold now, and the names that clients have now.
    ///
    /// # Errors
    /// When a certificate or a key cannot be used.
    pub(super) fn replace_servers(&self, servers: &Servers) -> Result<(), AgentError> {
        match &self.server {
            Some(server) if self.open.listen.iter().any(|open| open.is_secure) => {
                let replaced = servers.tls().and_then(|tls| server.replace_tls(tls));
                replaced.map_err(|error| refused(&self.open.listen, error))
            }
            _ => Ok(()),
        }
    }

    /// Answers the requests in progress and ends.
    pub(super) fn shutdown(self) {
        if let Some(server) = self.server {
            server.shutdown();
        }
    }
}

fn refused(wanted: &[WebAddress], source: io::Error) -> AgentError {
    let addresses: Vec<_> = wanted.iter().map(WebAddress::to_string).collect();
    AgentError::Web {
        addresses: addresses.join(", "),
        source,
    }
}

fn listen(wanted: WebAddress, tls: io::Result<&TlsServer>) -> io::Result<Listen> {
    if wanted.is_secure {
        Ok(Listen::Https(wanted.address, Box::new(tls?.clone())))
    } else {
        Ok(Listen::Http(wanted.address))
    }
}

fn start(agent: &Agent, wanted: &WebSettings, servers: &Servers) -> io::Result<Option<WebServer>> {
    if wanted.listen.is_empty() {
        return Ok(None);
    }
    let addresses = wanted.listen.iter();
    let listen: io::Result<Vec<_>> = addresses
        .map(|wanted| listen(*wanted, servers.tls()))
        .collect();
    let server = WebServer::start(
        agent.object_access(),
        &listen?,
        wanted.limits.clone(),
        hosts(wanted),
    )?;
    server.replace_certificate_end(servers.certificate_end());
    Ok(Some(server))
}

/// The names by which requests may call the host: its own, and those of the configuration.
fn hosts(wanted: &WebSettings) -> Vec<HostName> {
    let own = host::hostname().parse().ok();
    own.into_iter().chain(wanted.hosts.clone()).collect()
}

fn announce(server: Option<&WebServer>, wanted: &[WebAddress]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let bound = server.map_or(&[][..], WebServer::addresses);
    for (&wanted, &address) in wanted.iter().zip(bound) {
        let bound = WebAddress { address, ..wanted };
        writeln!(output, "listening on {bound}")?;
    }
    output.flush()
}
