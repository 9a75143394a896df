//! The agents that have been asked, and what is known of them: engines, keys, round-trip times, sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use thiserror::Error;
use varbind::client::{Client, Error as ClientError, Target};
use varbind::engine::engine_id::EngineId;
use varbind::transport::certificate::TlsClient;
use varbind::transport::ssh::SshOptions;
use varbind::transport::{ParseAddressError, Transport, TransportAddress};

use crate::module::{Auth, WalkParameters};

/// How sessions over secure transports are opened.
#[derive(Clone, Debug, Default)]
pub struct SecureSessions {
    /// Over TLS and DTLS; without it there are none.
    pub tls: Option<Arc<TlsClient>>,
    /// Over SSH.
    pub ssh: SshOptions,
}

/// Why an agent cannot be asked at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgentSetupError {
    /// The text is not an address.
    #[error(transparent)]
    Address(#[from] ParseAddressError),
    /// Credentials cannot be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// There is no certificate for TLS and DTLS.
    #[error("{0}: there is no certificate for TLS and DTLS: make one with varbind pki")]
    NoCertificate(TransportAddress),
}

/// Targets by all that makes a difference to them. An agent that is not requested for a while is forgotten.
#[derive(Debug)]
pub struct Agents {
    client: Client,
    secure: ArcSwap<SecureSessions>,
    known: Mutex<HashMap<Key, Known>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    address: TransportAddress,
    auth: String,
    context_name: String,
    context_engine: Option<Vec<u8>>,
    parameters: ParametersKey,
}

/// What of the parameters of walks concerns a target.
type ParametersKey = (Duration, u32);

#[derive(Debug)]
struct Known {
    target: Target,
    used: Instant,
}

/// How long an agent is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);
/// From so many on, those that may be forgotten are looked for.
const MANY: usize = 1024;

/// On whose behalf, and about what, an agent is asked.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The name of the credentials.
    pub auth_name: &'s str,
    /// The credentials. Over TLS, DTLS and SSH it is the session that has them.
    pub auth: &'s Auth,
    /// The context; that of the credentials if there is none.
    pub context_name: Option<&'s str>,
    /// The engine; the agent's own if there is none.
    pub context_engine: Option<EngineId>,
}

impl Agents {
    /// No agents, which will be asked by this client.
    #[must_use]
    pub fn new(client: Client, secure: SecureSessions) -> Self {
        Self {
            client,
            secure: ArcSwap::from_pointee(secure),
            known: Mutex::default(),
        }
    }

    /// The client.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The agent at an address, as in `router1`, `tls:router1` or `tcp://router1:1161`.
    ///
    /// # Errors
    /// When the text is not an address, or the credentials cannot be used.
    pub fn target(
        &self,
        address: &str,
        subject: &Subject<'_>,
        parameters: &WalkParameters,
    ) -> Result<Target, AgentSetupError> {
        let address: TransportAddress = address.replacen("://", ":", 1).parse()?;
        let context_name = subject
            .context_name
            .unwrap_or(&subject.auth.context_name)
            .to_owned();
        let key = Key {
            address: address.clone(),
            auth: subject.auth_name.to_owned(),
            context_name: context_name.clone(),
            context_engine: subject
                .context_engine
                .map(|engine| engine.as_octets().to_vec()),
            parameters: (parameters.timeout, parameters.retries),
        };
        let now = Instant::now();
        if let Some(known) = self.lock().get_mut(&key) {
            known.used = now;
            return Ok(known.target.clone());
        }
        let target = self.make(address, subject, &context_name)?;
        let target = target.retry(parameters.retry_policy());
        let mut known = self.lock();
        if known.len() >= MANY {
            known.retain(|_, known| now.duration_since(known.used) < REMEMBERED);
        }
        let entry = known.entry(key).or_insert(Known { target, used: now });
        Ok(entry.target.clone())
    }

    /// Opens sessions in another way from now on, with renewed certificates and keys.
    pub fn replace_secure(&self, secure: SecureSessions) {
        self.secure.store(Arc::new(secure));
        self.forget();
    }

    /// Forgets all agents, since credentials may have changed.
    pub fn forget(&self) {
        self.lock().clear();
    }

    fn make(
        &self,
        address: TransportAddress,
        subject: &Subject<'_>,
        context_name: &str,
    ) -> Result<Target, AgentSetupError> {
        let transport = address.transport;
        let target = self.client.target_at(address.clone());
        Ok(match transport {
            Transport::Udp | Transport::Tcp => {
                let Subject {
                    auth,
                    context_engine,
                    ..
                } = subject;
                auth.target(&target, context_name, *context_engine)?
            }
            Transport::Tls | Transport::Dtls => {
                let tls = self.secure.load().tls.clone();
                let tls = tls.ok_or(AgentSetupError::NoCertificate(address))?;
                target.tls_client(tls).context(context_name)
            }
            Transport::Ssh => target
                .ssh(self.secure.load().ssh.clone())
                .context(context_name),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Known>> {
        // Nothing panics while it holds the lock.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
