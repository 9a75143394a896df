use std::io;
use std::sync::Arc;

use varbind::notification::NotificationReceiver;
use varbind::transport::certificate::TlsServer;
use varbind::transport::ssh::SshServer;
use varbind::transport::{Transport, TransportAddress};

use super::Arguments;
use crate::failure::{Failure, tell};
use crate::secure_transport;

/// What the secure transports need, as far as they are listened on.
#[derive(Default)]
pub(super) struct Servers {
    tls: Option<TlsServer>,
    pub(super) ssh: Option<Arc<SshServer>>,
}

impl Servers {
    pub(super) fn new(
        addresses: &[TransportAddress],
        arguments: &Arguments,
    ) -> Result<Self, Failure> {
        let mut servers = Self::default();
        for address in addresses {
            match address.transport {
                Transport::Tls | Transport::Dtls if servers.tls.is_none() => {
                    servers.tls = Some(tls_server(arguments)?);
                }
                Transport::Ssh if servers.ssh.is_none() => {
                    servers.ssh = Some(secure_transport::ssh_server(&arguments.ssh)?);
                }
                _ => {}
            }
        }
        Ok(servers)
    }
}

/// Reads certificates, revocation lists and keys anew, and has sessions that are opened from now on go by them. What cannot
/// be used leaves the former ones in force.
pub(super) fn renew(
    receiver: &NotificationReceiver,
    arguments: &Arguments,
    ssh: Option<&SshServer>,
) -> Result<(), Failure> {
    let listens = |wanted: &[Transport]| {
        let mut addresses = arguments.listen.iter();
        addresses.any(|address| wanted.contains(&address.transport))
    };
    let tls = match listens(&[Transport::Tls, Transport::Dtls]) {
        true => Some(tls_server(arguments)?),
        false => None,
    };
    if let Some(ssh) = ssh {
        ssh.replace(secure_transport::ssh_server_configuration(&arguments.ssh)?);
    }
    match tls {
        Some(server) => receiver.replace_tls(&server).map_err(Failure::Output),
        None => Ok(()),
    }
}

fn tls_server(arguments: &Arguments) -> Result<TlsServer, Failure> {
    secure_transport::tls_server(&arguments.certificate, &arguments.map)
}

/// Listens on these addresses, or where nothing is said on loopback, and tells where.
pub(super) fn open(
    receiver: &NotificationReceiver,
    addresses: &[TransportAddress],
    servers: &Servers,
) -> Result<(), Failure> {
    for address in addresses {
        open_one(receiver, address, servers).map_err(|error| failure(address, &error))?;
    }
    if addresses.is_empty() {
        for (host, is_optional) in [("127.0.0.1", false), ("::1", true)] {
            for transport in [Transport::Udp, Transport::Tcp] {
                let address = TransportAddress {
                    transport,
                    family: None,
                    user: None,
                    host: host.to_owned(),
                    port: Some(transport.notification_port()),
                };
                match open_one(receiver, &address, servers) {
                    // There is no IPv6 here.
                    Err(error) if is_optional && is_missing(&error) => {}
                    result => result.map_err(|error| failure(&address, &error))?,
                }
            }
        }
    }
    for address in receiver.addresses() {
        tell(format_args!("listening on {address}"));
    }
    Ok(())
}

fn open_one(
    receiver: &NotificationReceiver,
    address: &TransportAddress,
    servers: &Servers,
) -> io::Result<()> {
    for socket in address.resolve(address.transport.notification_port())? {
        match (address.transport, &servers.tls, &servers.ssh) {
            (Transport::Tls, Some(server), _) => receiver.listen_tls(server, socket)?,
            (Transport::Dtls, Some(server), _) => receiver.listen_dtls(server, socket)?,
            (Transport::Ssh, _, Some(server)) => receiver.listen_ssh(Arc::clone(server), socket)?,
            (transport, ..) => receiver.listen(transport, socket)?,
        };
    }
    Ok(())
}

/// Whether the host has no such address, or not that version of IP (EAFNOSUPPORT).
fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(97)
}

fn failure(address: &TransportAddress, error: &io::Error) -> Failure {
    let unprivileged = TransportAddress {
        port: Some(1162),
        ..address.clone()
    };
    let advice = match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "; another program listens there, perhaps snmptrapd: stop it, or choose another address, as \
             --listen {unprivileged}"
        ),
        io::ErrorKind::PermissionDenied => format!(
            "; ports below 1024 need root or the capability CAP_NET_BIND_SERVICE: give it, or choose another port, as \
             --listen {unprivileged}"
        ),
        io::ErrorKind::AddrNotAvailable => {
            "; this host has no such address: see `ip address`, and correct --listen".to_owned()
        }
        _ => String::new(),
    };
    Failure::Usage(format!("cannot listen on {address}: {error}{advice}"))
}
