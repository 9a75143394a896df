use std::net::{Ipv4Addr, SocketAddr};

use super::first_answer::free_address;
use crate::measurement::TransportKind;
use crate::security::Protection;
use crate::session::Target;

/// What an agent that is started is to offer, besides communities over UDP and TCP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// A user of SNMPv3 for each of these.
    pub users: Vec<Protection>,
    /// Secure transports, with keys made for the occasion.
    pub transports: Vec<TransportKind>,
    /// Sessions at the same time over each transport; `None` for as many as it allows by itself.
    pub sessions: Option<u32>,
    /// The web face over HTTP.
    pub web: bool,
    /// Whether it is asked from other hosts too: it then listens at every address, lets communities in from anywhere, and
    /// sends messages over UDP that do not fit into one packet.
    pub is_asked_from_elsewhere: bool,
}

impl Demands {
    /// Users, and nothing else.
    #[must_use]
    pub const fn users(users: Vec<Protection>) -> Self {
        Self {
            users,
            transports: Vec::new(),
            sessions: None,
            web: false,
            is_asked_from_elsewhere: false,
        }
    }

    /// Whether a secure transport is wanted.
    pub(super) fn is_secure(&self) -> bool {
        self.transports
            .iter()
            .any(|transport| transport.is_secure())
    }
}

/// Where an agent is to listen.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    /// UDP and TCP.
    pub(super) plain: SocketAddr,
    /// Each secure transport that is wanted.
    pub(super) secure: Vec<Target>,
    /// The web face, if it is wanted.
    pub(super) web: Option<SocketAddr>,
    /// Whether it listens at the same ports of every other address too.
    is_everywhere: bool,
}

impl Addresses {
    /// Loopback addresses whose ports are free at this moment.
    pub(super) fn free(demands: &Demands) -> std::io::Result<Self> {
        let secure = demands
            .transports
            .iter()
            .filter(|transport| transport.is_secure())
            .map(|&transport| {
                Ok(Target {
                    transport,
                    address: free_address()?,
                })
            });
        Ok(Self {
            plain: free_address()?,
            secure: secure.collect::<std::io::Result<_>>()?,
            web: demands.web.then(free_address).transpose()?,
            is_everywhere: demands.is_asked_from_elsewhere,
        })
    }

    /// What it listens at: the addresses that it is asked at here, or every address with their ports.
    pub(super) fn listened_at(&self) -> Vec<Target> {
        let mut targets = self.targets();
        if self.is_everywhere {
            for target in &mut targets {
                target.address.set_ip(Ipv4Addr::UNSPECIFIED.into());
            }
        }
        targets
    }

    /// The host names that SSH knows it by.
    pub(super) fn host_pattern(&self, address: SocketAddr) -> String {
        if self.is_everywhere {
            format!("[*]:{}", address.port())
        } else {
            format!("[{}]:{}", address.ip(), address.port())
        }
    }

    /// Where it is asked from this host.
    pub(super) fn targets(&self) -> Vec<Target> {
        let plain = [TransportKind::Udp, TransportKind::Tcp].map(|transport| Target {
            transport,
            address: self.plain,
        });
        plain
            .into_iter()
            .chain(self.secure.iter().copied())
            .collect()
    }
}
