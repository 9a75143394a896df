use std::num::NonZeroU32;
use std::sync::Arc;

use super::{Client, runtime};
use crate::client::{self, Error};

/// Makes a [`Client`] with other settings than the usual; see [`client::ClientBuilder`].
#[derive(Debug, Default)]
pub struct ClientBuilder(client::ClientBuilder);

impl ClientBuilder {
    /// As [`client::ClientBuilder::max_in_flight`].
    #[must_use]
    pub fn max_in_flight(self, requests: usize) -> Self {
        Self(self.0.max_in_flight(requests))
    }

    /// As [`client::ClientBuilder::messages_per_second`].
    #[must_use]
    pub fn messages_per_second(self, messages: NonZeroU32) -> Self {
        Self(self.0.messages_per_second(messages))
    }

    /// As [`client::ClientBuilder::resolve_in_place`].
    #[must_use]
    pub fn resolve_in_place(self) -> Self {
        Self(self.0.resolve_in_place())
    }

    /// As [`client::ClientBuilder::mib`].
    #[cfg(feature = "mib")]
    #[must_use]
    pub fn mib(self, mib: varbind_mib::Mib) -> Self {
        Self(self.0.mib(mib))
    }

    /// The client, with a runtime of its own.
    ///
    /// # Errors
    /// When the system has no room for it.
    pub fn build(self) -> Result<Client, Error> {
        let runtime = runtime()?;
        let client = {
            let _entered = runtime.enter();
            self.0.build()?
        };
        Ok(Client {
            client,
            runtime: Arc::new(runtime),
        })
    }
}
