//! The name by which a client asks for the server (RFC 6066 section 3).
//!
//! An unbuffered connection of rustls shows it only to the resolver of certificates. So a connection that keeps the name has
//! a configuration with its own resolver, which notes the name and delegates to the resolver of the listener.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// The name in a client's first message, if it is kept and the client sent one.
#[derive(Clone, Default)]
pub(super) struct ServerName(Option<Arc<OnceLock<Box<str>>>>);

impl ServerName {
    /// The configuration for one connection, and where its name will be.
    pub(super) fn kept_by(listener: &ServerConfig) -> (Arc<ServerConfig>, Self) {
        let name = Arc::<OnceLock<Box<str>>>::default();
        let mut config = listener.clone();
        config.cert_resolver = Arc::new(NotingResolver {
            name: Arc::clone(&name),
            listener: Arc::clone(&config.cert_resolver),
        });
        (Arc::new(config), Self(Some(name)))
    }

    /// The name, in lower case.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_ref()?.get().map(AsRef::as_ref)
    }
}

/// Takes note of the name that a client asks for. It is asked in each handshake, also if a session is resumed.
struct NotingResolver {
    name: Arc<OnceLock<Box<str>>>,
    listener: Arc<dyn ResolvesServerCert>,
}

impl ResolvesServerCert for NotingResolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Some(name) = hello.server_name() {
            // A client that is asked to try another group sends the name again.
            let _ = self.name.set(name.into());
        }
        self.listener.resolve(hello)
    }
}

impl fmt::Debug for NotingResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotingResolver").finish_non_exhaustive()
    }
}
