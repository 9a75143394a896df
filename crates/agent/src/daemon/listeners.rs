use std::io::{self, Write};
use std::net::SocketAddr;

use varbind::agent::Agent;
use varbind::transport::ssh::SubsystemSocket;
use varbind::transport::{Transport, TransportAddress};

use super::AgentError;
use super::secure_servers::Servers;
use crate::configuration::ListenAddress;

/// The addresses on which the agent listens, as they were asked for and as they are bound.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    open: Vec<Listener>,
    subsystem: Option<SubsystemSocket>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Listener {
    wanted: TransportAddress,
    bound: SocketAddr,
}

impl Listener {
    const fn transport(&self) -> Transport {
        self.wanted.transport
    }

    fn close(&self, agent: &Agent) {
        agent.close(self.transport(), self.bound);
    }
}

impl Listeners {
    /// Listens on `wanted` and nothing else. What is wanted and open already stays open.
    ///
    /// # Errors
    /// When an address cannot be had; then all is as before.
    pub(super) fn replace(
        &mut self,
        agent: &Agent,
        wanted: &[ListenAddress],
        servers: &Servers,
    ) -> Result<(), AgentError> {
        let (kept, removed): (Vec<_>, Vec<_>) = self
            .open
            .drain(..)
            .partition(|open| wanted.iter().any(|listen| listen.address == open.wanted));
        let missing: Vec<_> = wanted
            .iter()
            .filter(|listen| !kept.iter().any(|open| open.wanted == listen.address))
            .collect();
        let mut opened = open_all(agent, &missing, servers);
        // An address may overlap one that is given up, as 0.0.0.0 does 127.0.0.1.
        let is_in_the_way = !removed.is_empty() && opened.as_ref().is_err_and(is_in_use);
        if is_in_the_way {
            removed.iter().for_each(|listener| listener.close(agent));
            opened = open_all(agent, &missing, servers);
        }
        self.open = kept;
        let opened = opened.and_then(|opened| {
            self.replace_servers(agent, servers)
                .inspect_err(|_| opened.iter().for_each(|listener| listener.close(agent)))
                .map(|()| opened)
        });
        match opened {
            Ok(opened) => {
                if !is_in_the_way {
                    removed.iter().for_each(|listener| listener.close(agent));
                }
                announce(&opened).map_err(AgentError::Start)?;
                self.open.extend(opened);
                Ok(())
            }
            Err(error) => {
                self.open.extend(if is_in_the_way {
                    reopen(agent, &removed, servers)
                } else {
                    removed
                });
                Err(error)
            }
        }
    }

    /// Listens on that Unix socket for launchers of OpenSSH's server, and on no other.
    ///
    /// # Errors
    /// When the socket cannot be had; then there is none.
    pub(super) fn replace_subsystem(
        &mut self,
        agent: &Agent,
        wanted: Option<&SubsystemSocket>,
    ) -> Result<(), AgentError> {
        if self.subsystem.as_ref() == wanted {
            return Ok(());
        }
        if let Some(former) = self.subsystem.take() {
            agent.close_subsystem(&former.path);
        }
        let Some(socket) = wanted else {
            return Ok(());
        };
        agent
            .listen_subsystem(socket)
            .map_err(|source| AgentError::Subsystem {
                path: socket.path.clone(),
                source,
            })?;
        self.subsystem = Some(socket.clone());
        let mut output = io::stdout().lock();
        writeln!(output, "listening on {}", socket.path.display())
            .and_then(|()| output.flush())
            .map_err(AgentError::Start)
    }

    /// Gives the listeners that stay what was read anew: it counts for sessions from now on.
    pub(super) fn replace_servers(
        &self,
        agent: &Agent,
        servers: &Servers,
    ) -> Result<(), AgentError> {
        for listener in &self.open {
            let replaced = match listener.transport() {
                Transport::Udp | Transport::Tcp => Ok(()),
                Transport::Ssh => servers.ssh().map(drop),
                Transport::Tls => servers
                    .tls()
                    .and_then(|server| agent.replace_tls(server, listener.bound)),
                Transport::Dtls => servers
                    .tls()
                    .and_then(|server| agent.replace_dtls(server, listener.bound)),
            };
            replaced.map_err(|source| AgentError::Listen {
                address: listener.wanted.clone(),
                source,
            })?;
        }
        Ok(())
    }
}

/// Listens on one address.
fn listen(
    agent: &Agent,
    transport: Transport,
    address: SocketAddr,
    servers: &Servers,
) -> io::Result<SocketAddr> {
    match transport {
        Transport::Udp | Transport::Tcp => agent.listen(transport, address),
        Transport::Ssh => agent.listen_ssh(servers.ssh()?, address),
        Transport::Tls => agent.listen_tls(servers.tls()?, address),
        Transport::Dtls => agent.listen_dtls(servers.tls()?, address),
    }
}

fn is_in_use(error: &AgentError) -> bool {
    matches!(error, AgentError::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
}

/// Opens all, or none.
fn open_all(
    agent: &Agent,
    wanted: &[&ListenAddress],
    servers: &Servers,
) -> Result<Vec<Listener>, AgentError> {
    let mut opened = Vec::new();
    for listen in wanted {
        match open(agent, &listen.address, servers) {
            Ok(listeners) => opened.extend(listeners),
            Err(error) if listen.is_optional && is_missing(&error) => {
                log::debug!("{} is left out: {error}", listen.address);
            }
            Err(source) => {
                opened
                    .iter()
                    .for_each(|listener: &Listener| listener.close(agent));
                return Err(AgentError::Listen {
                    address: listen.address.clone(),
                    source,
                });
            }
        }
    }
    Ok(opened)
}

fn open(agent: &Agent, wanted: &TransportAddress, servers: &Servers) -> io::Result<Vec<Listener>> {
    let mut opened: Vec<Listener> = Vec::new();
    for address in wanted.resolve(wanted.transport.agent_port())? {
        match listen(agent, wanted.transport, address, servers) {
            Ok(bound) => opened.push(Listener {
                wanted: wanted.clone(),
                bound,
            }),
            Err(error) => {
                opened.iter().for_each(|listener| listener.close(agent));
                return Err(error);
            }
        }
    }
    Ok(opened)
}

fn reopen(agent: &Agent, removed: &[Listener], servers: &Servers) -> Vec<Listener> {
    let open_again = |listener: &Listener| {
        listen(agent, listener.transport(), listener.bound, servers)
            .inspect_err(|error| log::error!("{}: {error}", listener.wanted))
            .is_ok()
    };
    removed
        .iter()
        .filter(|&listener| open_again(listener))
        .cloned()
        .collect()
}

/// Whether the host has no such address, or not that version of IP.
fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
        || error.raw_os_error() == Some(libc::EAFNOSUPPORT)
}

fn announce(opened: &[Listener]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    for listener in opened {
        let address = TransportAddress::of_socket(listener.transport(), listener.bound);
        writeln!(output, "listening on {address}")?;
    }
    output.flush()
}
