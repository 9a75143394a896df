use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use varbind_pki::KeyType;

use super::SshHandicap;
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
    /// Of which kind the keys of certificates are.
    pub key_type: KeyType,
    /// The web services over HTTP.
    pub web: bool,
    /// The same over HTTPS.
    pub secure_web: bool,
    /// Compression of messages.
    pub compression: bool,
    /// Whether it is asked from other hosts too: it then listens at every address, and lets communities in from anywhere.
    pub is_asked_from_elsewhere: bool,
    /// Whether it sends messages over UDP that do not fit into one packet.
    pub sends_fragments: bool,
    /// Whether it is asked at every address of loopback: it then listens at every address, but lets communities in from
    /// loopback alone.
    pub is_whole_loopback: bool,
    /// Whether it is to listen on the loopback address of IPv6 too, where this machine has it.
    pub listens_on_ipv6: bool,
    /// Where it keeps what is set.
    pub storage: Storage,
    /// Interfaces of the network that it is in, if there are many: the more, the longer it may take to start.
    pub interfaces: u32,
    /// What makes its sessions over SSH, and those of the manager, slow on purpose.
    pub ssh_handicap: SshHandicap,
    /// How long it keeps the counters of interfaces that it has read.
    pub counter_cache: CounterCache,
}

/// How long an agent that is started keeps the counters of interfaces that it has read.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum CounterCache {
    /// As long as it does by itself.
    #[default]
    Usual,
    /// For one request: each reads them again.
    Off,
    /// For an hour, which is longer than any task.
    Lasting,
}

/// Where an agent that is started keeps what is set.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// On the disk on which temporary files are.
    #[default]
    Disk,
    /// In memory (a file system at /dev/shm): what is made durable there costs nothing.
    Memory,
}

/// How long an agent may take until its first answer, and for each interface besides.
pub(super) const LONGEST_START: Duration = Duration::from_secs(10);
const LONGEST_START_BY_INTERFACE: Duration = Duration::from_millis(20);

impl Demands {
    /// Users, and nothing else.
    #[must_use]
    pub fn users(users: Vec<Protection>) -> Self {
        Self {
            users,
            ..Self::default()
        }
    }

    /// How long an agent may take until its first answer. snmpd asks the kernel a few dozen times for each interface, and
    /// then writes a line for each, on which it waits for the disk: 6 ms each were seen.
    pub(super) fn longest_start(&self) -> Duration {
        LONGEST_START + LONGEST_START_BY_INTERFACE * self.interfaces
    }

    /// Whether a secure transport is wanted.
    pub(super) fn is_secure(&self) -> bool {
        let mut transports = self.transports.iter();
        self.secure_web || transports.any(|transport| transport.is_secure())
    }
}

/// Where an agent is to listen.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    /// UDP and TCP.
    pub(super) plain: SocketAddr,
    /// The same over IPv6.
    plain_ipv6: Option<SocketAddr>,
    /// Each secure transport that is wanted, over each version of IP.
    pub(super) secure: Vec<Target>,
    /// The web services, if they are wanted.
    pub(super) web: Option<SocketAddr>,
    /// The same over HTTPS.
    pub(super) secure_web: Option<SocketAddr>,
    /// Of which kind the keys of certificates are.
    pub(super) key_type: KeyType,
    /// Whether it listens at the same ports of every other address too.
    is_everywhere: bool,
}

impl Addresses {
    /// Loopback addresses whose ports are free at this moment.
    pub(super) fn free(demands: &Demands) -> io::Result<Self> {
        let on = |ip: IpAddr| -> io::Result<(SocketAddr, Vec<Target>)> {
            let secure = demands.transports.iter().filter(|one| one.is_secure());
            let secure = secure.map(|&transport| {
                Ok(Target {
                    transport,
                    address: free_address(ip)?,
                })
            });
            Ok((free_address(ip)?, secure.collect::<io::Result<_>>()?))
        };
        let (plain, mut secure) = on(Ipv4Addr::LOCALHOST.into())?;
        // Not every machine has IPv6.
        let ipv6 = demands
            .listens_on_ipv6
            .then(|| on(Ipv6Addr::LOCALHOST.into()));
        let ipv6 = ipv6.and_then(Result::ok);
        let plain_ipv6 = ipv6.map(|(plain, more)| {
            secure.extend(more);
            plain
        });
        Ok(Self {
            plain,
            plain_ipv6,
            secure,
            web: demands
                .web
                .then(|| free_address(Ipv4Addr::LOCALHOST.into()))
                .transpose()?,
            secure_web: demands
                .secure_web
                .then(|| free_address(Ipv4Addr::LOCALHOST.into()))
                .transpose()?,
            key_type: demands.key_type,
            is_everywhere: demands.is_asked_from_elsewhere || demands.is_whole_loopback,
        })
    }

    /// Where the web services listen, as it is configured.
    pub(super) fn web_listened_at(&self) -> Vec<String> {
        let faces = [("http", self.web), ("https", self.secure_web)].into_iter();
        let listened = faces.filter_map(|(scheme, address)| {
            let mut address = address?;
            if self.is_everywhere {
                address.set_ip(Ipv4Addr::UNSPECIFIED.into());
            }
            Some(format!("{scheme}://{address}"))
        });
        listened.collect()
    }

    /// What it listens at: the addresses that it is asked at here, or every address with their ports.
    pub(super) fn listened_at(&self) -> Vec<Target> {
        let mut targets = self.targets();
        if self.is_everywhere {
            for target in &mut targets {
                target.address.set_ip(match target.address.ip() {
                    IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
                    IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
                });
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

    /// Where it is asked from this host; the addresses of IPv4 come before those of IPv6.
    pub(super) fn targets(&self) -> Vec<Target> {
        let of = |address: SocketAddr| {
            [TransportKind::Udp, TransportKind::Tcp].map(|transport| Target { transport, address })
        };
        let plain = of(self.plain).into_iter();
        plain
            .chain(self.plain_ipv6.into_iter().flat_map(of))
            .chain(self.secure.iter().copied())
            .collect()
    }
}

/// The ports that agents of the laboratory listen at. The system gives them to nobody: those that it gives out begin at
/// 32768, and one of them could be taken by another process before the agent binds it.
const FIRST_PORT: u16 = 10_000;
const PORTS: u16 = 10_000;

/// How far apart processes with successive numbers begin, so that they do not try the same ports at the same moment.
const PORTS_OF_A_PROCESS: u32 = 97;

/// This address, with a port of [`PORTS`] that is free over UDP and TCP at this moment.
pub(super) fn free_address(ip: IpAddr) -> io::Result<SocketAddr> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(PORTS_OF_A_PROCESS);
    for _ in 0..PORTS {
        let offset = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % u32::from(PORTS);
        let offset = u16::try_from(offset).unwrap_or_default();
        let address = SocketAddr::new(ip, FIRST_PORT + offset);
        match UdpSocket::bind(address).and_then(|_| TcpListener::bind(address)) {
            Ok(_) => return Ok(address),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}
