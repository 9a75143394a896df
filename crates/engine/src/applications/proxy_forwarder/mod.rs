//! Proxy forwarder (RFC 3413 section 3.5): passes requests on to other agents, and their responses back.
//!
//! A [`Registry`](crate::instrumentation::Registry) says what is proxied: a whole context, or subtrees of one. A request
//! that concerns one [`ProxyTarget`] alone is passed on as a whole. An [`Exchange`] converts it and its response between the
//! versions (RFC 3584 section 4) and checks what comes back. All other requests are the command responder's, for which
//! the proxied objects are managed objects like any other.

mod exchange;
mod response;
mod selection;

use std::fmt;

use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, VarBind};

pub use exchange::Exchange;
pub(crate) use response::write_response;
pub(crate) use selection::{is_answer, select};

/// An agent that requests are passed on to.
pub trait ProxyTarget: Send + Sync + fmt::Debug {
    /// Whether it takes SetRequests (snmpProxyType, RFC 3413 section 4.3).
    fn may_write(&self) -> bool;

    /// Passes a request on, and has `reply` called once with the response; dropping `reply` leaves the request without
    /// one. It must not wait.
    fn forward(&self, request: ForwardedRequest, reply: ForwardReply);
}

/// Takes the response to a request that was passed on.
pub type ForwardReply = Box<dyn FnOnce(ForwardedResponse) + Send>;

/// A request to be passed on.
#[derive(Clone, PartialEq, Eq)]
pub struct ForwardedRequest {
    /// The version of the message that it came in.
    pub version: Version,
    /// What is asked.
    pub operation: Operation,
    /// The variable bindings.
    pub var_binds: Vec<VarBind>,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// GetRequest-PDU.
    Get,
    /// GetNextRequest-PDU.
    GetNext,
    /// GetBulkRequest-PDU.
    GetBulk {
        /// non-repeaters.
        non_repeaters: u16,
        /// max-repetitions.
        max_repetitions: u16,
    },
    /// SetRequest-PDU.
    Set,
}

impl ForwardedRequest {
    /// The names that are asked for.
    pub fn names(&self) -> impl Iterator<Item = &Oid> {
        self.var_binds.iter().map(|var_bind| &var_bind.name)
    }
}

impl fmt::Debug for ForwardedRequest {
    /// Shows no values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForwardedRequest")
            .field("version", &self.version)
            .field("operation", &self.operation)
            .field("names", &self.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A response in the terms of SNMPv2: what a name has no value for is an exception, whatever the version of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardedResponse {
    /// error-status.
    pub error_status: ErrorStatus,
    /// error-index, counted from 1 by the variable bindings of the request; 0 for none.
    pub error_index: usize,
    /// The variable bindings; none with an error-status.
    pub var_binds: Vec<VarBind>,
}

impl ForwardedResponse {
    /// A response with values.
    #[must_use]
    pub const fn values(var_binds: Vec<VarBind>) -> Self {
        Self {
            error_status: ErrorStatus::NoError,
            error_index: 0,
            var_binds,
        }
    }

    /// A response with an error-status.
    #[must_use]
    pub const fn error(error_status: ErrorStatus, error_index: usize) -> Self {
        Self {
            error_status,
            error_index,
            var_binds: Vec::new(),
        }
    }

    /// The error for the sender if a target has no usable response.
    #[must_use]
    pub const fn failed() -> Self {
        Self::error(ErrorStatus::GenErr, 0)
    }
}
