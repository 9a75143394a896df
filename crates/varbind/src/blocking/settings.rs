#[cfg(feature = "certificates")]
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, RetryPolicy,
};

use super::Target;
use crate::client::{self, Error, User};
use crate::transport::TransportAddress;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsClient;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshOptions;

/// Each setting makes another target: see [`client::Target`].
impl Target {
    /// A target that `change` makes of this one.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&client::Target) -> client::Target) -> Self {
        Self {
            target: change(&self.target),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// Another agent, with the same settings and credentials.
    #[must_use]
    pub fn at(&self, address: TransportAddress) -> Self {
        self.with(|target| target.at(address))
    }

    /// SNMPv2c with this community.
    #[must_use]
    pub fn community(&self, community: impl Into<Vec<u8>>) -> Self {
        self.with(|target| target.community(community))
    }

    /// SNMPv1 with this community.
    #[must_use]
    pub fn community_v1(&self, community: impl Into<Vec<u8>>) -> Self {
        self.with(|target| target.community_v1(community))
    }

    /// SNMPv3 with a user.
    ///
    /// # Errors
    /// As [`client::Target::user`].
    pub fn user(&self, user: &User) -> Result<Self, Error> {
        let target = self.target.user(user)?;
        Ok(self.with(|_| target))
    }

    /// SNMPv3 over TLS or DTLS with the certificate chain, key and authority in these PEM files.
    ///
    /// # Errors
    /// As [`client::Target::certificate`].
    #[cfg(feature = "certificates")]
    pub fn certificate(
        &self,
        chain: impl AsRef<Path>,
        key: impl AsRef<Path>,
        authority: impl AsRef<Path>,
    ) -> Result<Self, Error> {
        let target = self.target.certificate(chain, key, authority)?;
        Ok(self.with(|_| target))
    }

    /// SNMPv3 over TLS or DTLS; see [`client::Target::tls_client`].
    #[cfg(feature = "certificates")]
    #[must_use]
    pub fn tls_client(&self, client: Arc<TlsClient>) -> Self {
        self.with(|target| target.tls_client(client))
    }

    /// SNMPv3 over SSH; see [`client::Target::ssh`].
    #[cfg(feature = "ssh")]
    #[must_use]
    pub fn ssh(&self, options: SshOptions) -> Self {
        self.with(|target| target.ssh(options))
    }

    /// The version and credentials in the engine's terms, for credentials without a method of their own.
    #[must_use]
    pub fn message_processing(&self, processing: MessageProcessing) -> Self {
        self.with(|target| target.message_processing(processing))
    }

    /// The context to query (contextName of SNMPv3).
    #[must_use]
    pub fn context(&self, name: impl Into<String>) -> Self {
        self.with(|target| target.context(name))
    }

    /// The engine to query (contextEngineID of SNMPv3); see [`client::Target::context_engine`].
    #[must_use]
    pub fn context_engine(&self, engine: ContextEngine) -> Self {
        self.with(|target| target.context_engine(engine))
    }

    /// When requests are sent again and given up; adaptive by default.
    #[must_use]
    pub fn retry(&self, policy: RetryPolicy) -> Self {
        self.with(|target| target.retry(policy))
    }

    /// How long each operation may take; by default as long as its requests may.
    #[must_use]
    pub fn deadline(&self, deadline: Duration) -> Self {
        self.with(|target| target.deadline(deadline))
    }

    /// How long opening a session may take; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(&self, timeout: Duration) -> Self {
        self.with(|target| target.connect_timeout(timeout))
    }

    /// How many requests may be in flight at most; 8 by default.
    #[must_use]
    pub fn max_window(&self, requests: u16) -> Self {
        self.with(|target| target.max_window(requests))
    }

    /// The largest message in octets, in both directions; see [`client::Target::max_message_size`].
    #[must_use]
    pub fn max_message_size(&self, octets: usize) -> Self {
        self.with(|target| target.max_message_size(octets))
    }

    /// How often a request is sent at most.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        self.target.max_attempts()
    }
}
