use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::OnceCell;
use varbind::client::{Client, Error, Target};
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value};
use varbind_engine::applications::command_generator::{
    AdaptivePolicy, Command, MessageProcessing, RetryPolicy, SendError,
};
use varbind_engine::applications::proxy_forwarder::{
    Exchange, ForwardReply, ForwardedRequest, ForwardedResponse, Operation, ProxyTarget,
};
use varbind_engine::engine_id::{EngineId, SNMP_ENGINE_ID};

use super::ProxyRuntime;
use crate::configuration::ConfiguredProxy;

/// How many requests to a target may be in flight that did not respond to the last one.
const PLACES_OF_SILENT: usize = 4;

/// Another agent that requests are passed on to.
pub(crate) struct Remote {
    proxy: ConfiguredProxy,
    /// snmpEngineID of this agent.
    own_engine: EngineId,
    runtime: Arc<ProxyRuntime>,
    target: OnceCell<Target>,
    /// Set once it was found out which engine it is.
    identity: OnceCell<()>,
    state: Mutex<State>,
    own: Weak<Self>,
}

#[derive(Debug, Default)]
struct State {
    in_flight: usize,
    health: Health,
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Health {
    /// It has not failed since it last responded.
    #[default]
    Good,
    /// It did not respond to the last request.
    Silent,
    /// It is this agent itself.
    Loop,
}

/// A place among the requests in flight.
struct Place(Arc<Remote>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.state().in_flight -= 1;
    }
}

impl Remote {
    /// A target that is spoken to by the thread of `runtime`. Nothing is sent yet.
    pub(crate) fn new(
        proxy: ConfiguredProxy,
        own_engine: EngineId,
        runtime: Arc<ProxyRuntime>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own| Self {
            proxy,
            own_engine,
            runtime,
            target: OnceCell::new(),
            identity: OnceCell::new(),
            state: Mutex::default(),
            own: own.clone(),
        })
    }

    /// Whether it knows GetBulk.
    pub(super) const fn takes_bulk(&self) -> bool {
        !matches!(self.proxy.processing, MessageProcessing::V1 { .. })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a request, if not too many are in flight: what goes round in a loop ends here at the latest.
    fn place(&self) -> Option<Place> {
        let own = self.own.upgrade()?;
        let mut state = self.state();
        let places = match state.health {
            Health::Good => self.proxy.max_in_flight,
            Health::Silent => PLACES_OF_SILENT.min(self.proxy.max_in_flight),
            Health::Loop => 0,
        };
        if state.in_flight >= places {
            return None;
        }
        state.in_flight += 1;
        drop(state);
        Some(Place(own))
    }

    fn target(&self, client: &Client) -> Target {
        let ConfiguredProxy {
            address,
            secure,
            processing,
            timeout,
            max_in_flight,
            ..
        } = &self.proxy;
        let mut target = client.target_at(address.clone());
        if let Some(tls) = &secure.tls {
            target = target.tls_client(Arc::clone(tls));
        }
        if address.transport == varbind::transport::Transport::Ssh {
            target = target.ssh(secure.ssh.clone());
        }
        // Before the time is over, so that the reason is known.
        let give_up_after = timeout.saturating_sub(*timeout / 10);
        target
            .message_processing(processing.clone())
            .connect_timeout(give_up_after)
            .max_window(u16::try_from(*max_in_flight).unwrap_or(u16::MAX))
            .retry(RetryPolicy::Adaptive(AdaptivePolicy {
                // A SetRequest is never sent twice: whether it was carried out is for its sender to find out.
                set_timeout: give_up_after,
                give_up_after,
                ..AdaptivePolicy::default()
            }))
    }

    /// The response to a request, within the time of the target.
    async fn respond(&self, client: &Client, request: ForwardedRequest) -> ForwardedResponse {
        let exchange = Exchange::new(request, self.proxy.processing.version());
        if let Some(response) = exchange.immediate_response() {
            return response;
        }
        let target = self.target.get_or_init(async || self.target(client)).await;
        let timeout = self.proxy.timeout;
        match tokio::time::timeout(timeout, exchange_with(target, exchange)).await {
            Ok(Ok(response)) => {
                self.note_response(target);
                response
            }
            Ok(Err(Error::NotSent { source, .. })) => not_sent(source),
            Ok(Err(error)) => self.note_silence(&error.to_string()),
            Err(_) => {
                let address = &self.proxy.address;
                self.note_silence(&format!("{address}: no response within {timeout:?}"))
            }
        }
    }

    /// The target is silent, which is logged once.
    fn note_silence(&self, reason: &str) -> ForwardedResponse {
        let mut state = self.state();
        let former = state.health;
        if former == Health::Good {
            state.health = Health::Silent;
            drop(state);
            log::warn!(
                "proxy {}: {reason}; requests for it end with genErr until it responds",
                self.proxy.name
            );
        } else {
            drop(state);
            log::debug!("proxy {}: {reason}", self.proxy.name);
        }
        ForwardedResponse::failed()
    }

    fn note_response(&self, target: &Target) {
        let mut state = self.state();
        if state.health == Health::Silent {
            state.health = Health::Good;
            log::info!(
                "proxy {}: {} responds again",
                self.proxy.name,
                self.proxy.address
            );
        }
        drop(state);
        if !self.identity.initialized()
            && let Some(own) = self.own.upgrade()
        {
            let target = target.clone();
            tokio::spawn(async move { own.find_out_identity(&target).await });
        }
    }

    /// Finds out once whether the target is this agent itself (a proxy loop, RFC 3413 section 3.5).
    async fn find_out_identity(&self, target: &Target) {
        let find_out = async || {
            let known = target.remote_engine().map(|engine| *engine.id());
            let known = known.or(target.context_engine_id());
            if known == Some(self.own_engine) || self.tells_own_engine(target).await {
                self.note_loop();
            }
        };
        self.identity.get_or_init(find_out).await;
    }

    async fn tells_own_engine(&self, target: &Target) -> bool {
        let Ok(name) = Oid::new(SNMP_ENGINE_ID) else {
            return false;
        };
        let response = target.request(Command::Get(&[name])).await;
        let var_bind = response
            .ok()
            .and_then(|response| response.var_binds.into_iter().next());
        matches!(
            var_bind.map(|var_bind| var_bind.value),
            Some(Value::OctetString(octets)) if octets == self.own_engine.as_octets()
        )
    }

    fn note_loop(&self) {
        self.state().health = Health::Loop;
        log::error!(
            "proxy {}: {} has the engine ID {} of this agent: requests would go round in a loop, and end with genErr from now on; \
             correct `target` of [[proxy]]",
            self.proxy.name,
            self.proxy.address,
            self.own_engine
        );
    }
}

/// Asks a target what it takes to answer a request.
async fn exchange_with(
    target: &Target,
    mut exchange: Exchange,
) -> Result<ForwardedResponse, Error> {
    loop {
        let response = target.request(exchange.command()).await?;
        let taken = exchange.handle_response(
            response.error_status,
            response.error_index,
            response.var_binds,
        );
        if let Some(response) = taken {
            return Ok(response);
        }
    }
}

/// The target was not asked.
const fn not_sent(source: SendError) -> ForwardedResponse {
    match source {
        SendError::TooLarge { .. } => ForwardedResponse::error(ErrorStatus::TooBig, 0),
        _ => ForwardedResponse::failed(),
    }
}

impl ProxyTarget for Remote {
    fn may_write(&self) -> bool {
        self.proxy.may_write
    }

    fn forward(&self, request: ForwardedRequest, reply: ForwardReply) {
        let Some(place) = self.place() else {
            log::debug!("proxy {}: too many requests are in flight", self.proxy.name);
            return reply(ForwardedResponse::failed());
        };
        let (client, runtime) = match self.runtime.get() {
            Ok(started) => started,
            Err(error) => {
                log::error!("proxy {}: nothing is passed on: {error}", self.proxy.name);
                return reply(ForwardedResponse::failed());
            }
        };
        debug_assert!(request.operation != Operation::Set || self.proxy.may_write);
        runtime.spawn(async move {
            let response = place.0.respond(&client, request).await;
            drop(place);
            reply(response);
        });
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("name", &self.proxy.name)
            .field("address", &self.proxy.address)
            .finish_non_exhaustive()
    }
}
