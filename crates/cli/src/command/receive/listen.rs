use std::io;
use std::sync::Arc;

use varbind::notification::NotificationReceiver;
use varbind::transport::certificate::TlsServer;
use varbind::transport::ssh::{SshServer, SshServerConfiguration};
use varbind::transport::{Transport, TransportAddress};
use varbind_terminal::{Failure, print_message};

use super::settings::Settings;
use crate::secure_transport;

/// What the secure transports need, as far as they are listened on.
pub(super) struct Servers {
    tls: Option<TlsServer>,
    ssh: Option<Arc<SshServer>>,
}

impl Servers {
    pub(super) fn new(settings: &Settings) -> Result<Self, Failure> {
        let Certificates { tls, ssh } = Certificates::read(&settings.listen, settings)?;
        Ok(Self {
            tls,
            ssh: ssh.map(SshServer::new),
        })
    }
}

/// Certificates, revocation lists and keys, read.
pub(super) struct Certificates {
    tls: Option<TlsServer>,
    ssh: Option<SshServerConfiguration>,
}

impl Certificates {
    /// Reads those that listening on these addresses needs.
    pub(super) fn read(
        addresses: &[TransportAddress],
        settings: &Settings,
    ) -> Result<Self, Failure> {
        let listens = |wanted: &[Transport]| {
            let mut addresses = addresses.iter();
            addresses.any(|address| wanted.contains(&address.transport))
        };
        let tls = listens(&[Transport::Tls, Transport::Dtls])
            .then(|| secure_transport::tls_server(&settings.certificate, &settings.map));
        let ssh = listens(&[Transport::Ssh])
            .then(|| secure_transport::ssh_server_configuration(&settings.ssh));
        Ok(Self {
            tls: tls.transpose()?,
            ssh: ssh.transpose()?,
        })
    }

    /// Has sessions that are opened from now on go by them.
    pub(super) fn replace(
        self,
        receiver: &NotificationReceiver,
        servers: &Servers,
    ) -> Result<(), Failure> {
        if let Some(tls) = &self.tls {
            receiver.replace_tls(tls).map_err(Failure::Output)?;
        }
        if let (Some(server), Some(configuration)) = (&servers.ssh, self.ssh) {
            server.replace(configuration);
        }
        Ok(())
    }
}

/// Listens on these addresses, or where nothing is said on loopback.
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
    Ok(())
}

/// Prints where it listens.
pub(super) fn announce(receiver: &NotificationReceiver) {
    for address in receiver.addresses() {
        print_message(format_args!("listening on {address}"));
    }
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
