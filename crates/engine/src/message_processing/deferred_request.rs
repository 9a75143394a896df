use std::fmt;
use std::sync::Arc;

#[cfg(feature = "experiments")]
use varbind_codec::compression::NameCompression;
use varbind_codec::message::Version;
use varbind_codec::pdu::{CommonPdu, PduType, VarBinds};
use zeroize::Zeroizing;

use super::community::CommunityState;
use super::v3::OwnedV3State;
use super::{DataElements, StateReference};
use crate::applications::proxy_forwarder::{ForwardedRequest, Operation, ProxyTarget};
use crate::discard::Discard;
use crate::engine_id::EngineId;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};
use crate::transport::ResponseLimits;

/// A request that was taken apart, authenticated and decrypted, and is to be carried out by a thread that may wait.
#[derive(Clone)]
pub struct DeferredRequest {
    version: Version,
    pdu_type: PduType,
    request_id: i32,
    /// error-status and error-index, or non-repeaters and max-repetitions.
    parameters: (i32, i32),
    /// All of them decode.
    var_binds: Vec<u8>,
    #[cfg(feature = "experiments")]
    compression: Option<NameCompression>,
    security_model: SecurityModel,
    security_name: SecurityName,
    security_level: SecurityLevel,
    proxied_engine: Option<EngineId>,
    context_name: String,
    max_message_size: usize,
    state: State,
    limits: ResponseLimits,
    /// The agent that it is passed on to as a whole.
    proxy_target: Option<Arc<dyn ProxyTarget>>,
}

#[derive(Clone)]
enum State {
    Community(Zeroizing<Vec<u8>>),
    V3(OwnedV3State),
}

impl fmt::Debug for DeferredRequest {
    /// Shows neither community nor values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeferredRequest(..)")
    }
}

impl DeferredRequest {
    /// Takes what a request carries out of its message. Fails if its variable bindings are malformed.
    pub(crate) fn new(
        elements: &DataElements<'_>,
        limits: ResponseLimits,
    ) -> Result<Self, Discard> {
        let pdu = &elements.pdu;
        if let Some(error) = pdu.var_binds.clone().find_map(Result::err) {
            return Err(error.into());
        }
        Ok(Self {
            version: elements.version,
            pdu_type: pdu.pdu_type,
            request_id: pdu.request_id,
            parameters: (pdu.error_status, pdu.error_index),
            var_binds: pdu.var_binds.encoded().to_vec(),
            #[cfg(feature = "experiments")]
            compression: elements.compression,
            security_model: elements.security_model,
            security_name: elements.security_name.clone(),
            security_level: elements.security_level,
            proxied_engine: elements.proxied_engine,
            context_name: elements.context_name.to_owned(),
            max_message_size: elements.max_message_size,
            state: match &elements.state {
                StateReference::Community(state) => {
                    State::Community(Zeroizing::new(state.community.to_vec()))
                }
                StateReference::V3(state) => State::V3(state.into()),
            },
            limits,
            proxy_target: None,
        })
    }

    /// The same, to be passed on.
    pub(crate) fn for_target(self, target: Arc<dyn ProxyTarget>) -> Self {
        Self {
            proxy_target: Some(target),
            ..self
        }
    }

    /// The agent that it is to be passed on to as a whole; whoever does that hands the response to
    /// [`Dispatcher::respond_forwarded`](crate::dispatcher::Dispatcher::respond_forwarded).
    #[must_use]
    pub const fn proxy_target(&self) -> Option<&Arc<dyn ProxyTarget>> {
        self.proxy_target.as_ref()
    }

    /// What is passed on.
    #[must_use]
    pub fn forwarded(&self) -> ForwardedRequest {
        let DataElements { pdu, version, .. } = self.elements();
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        ForwardedRequest {
            version,
            operation: match pdu.pdu_type {
                PduType::GetNextRequest => Operation::GetNext,
                PduType::GetBulkRequest => Operation::GetBulk {
                    non_repeaters: small(pdu.non_repeaters()),
                    max_repetitions: small(pdu.max_repetitions()),
                },
                PduType::SetRequest => Operation::Set,
                _ => Operation::Get,
            },
            // All of them decode.
            var_binds: pdu
                .var_binds
                .filter_map(|var_bind| Some(var_bind.ok()?.to_owned()))
                .collect(),
        }
    }

    /// Whether it is a SetRequest: these are carried out one after the other.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.pdu_type == PduType::SetRequest
    }

    pub(crate) const fn limits(&self) -> ResponseLimits {
        self.limits
    }

    pub(crate) fn elements(&self) -> DataElements<'_> {
        DataElements {
            version: self.version,
            pdu: CommonPdu {
                pdu_type: self.pdu_type,
                request_id: self.request_id,
                error_status: self.parameters.0,
                error_index: self.parameters.1,
                var_binds: VarBinds::of_encoded(&self.var_binds),
            },
            #[cfg(feature = "experiments")]
            compression: self.compression,
            security_model: self.security_model,
            security_name: &self.security_name,
            security_level: self.security_level,
            proxied_engine: self.proxied_engine,
            context_name: &self.context_name,
            max_message_size: self.max_message_size,
            state: match &self.state {
                State::Community(community) => StateReference::Community(CommunityState {
                    version: self.version,
                    community,
                }),
                State::V3(state) => StateReference::V3(state.state()),
            },
        }
    }
}
