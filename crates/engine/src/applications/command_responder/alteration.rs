use std::fmt;

use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::{CommonPdu, ErrorStatus};

/// Changes responses after they were made and before they are enclosed in their headers, whatever the version and the
/// security of the message: for simulators of agents that are wrong. An agent has none.
pub trait ResponseAlteration: Send + Sync {
    /// Changes a response.
    fn alter(&mut self, response: &mut ResponseDraft<'_, '_, '_>);
}

/// A response whose variable bindings are written.
pub struct ResponseDraft<'r, 'w, 'b> {
    /// The request.
    pub request: &'r CommonPdu<'r>,
    /// The version of the message.
    pub version: Version,
    /// request-id of the response.
    pub request_id: i32,
    /// error-status of the response.
    pub error_status: ErrorStatus,
    /// error-index of the response.
    pub error_index: i32,
    /// How many octets the variable bindings may have in the response to a GetBulkRequest.
    pub bulk_room: usize,
    /// The variable bindings: what is appended comes behind them, and they can be [cut](Writer::truncate) to none.
    pub writer: &'w mut Writer<'b>,
}

/// The alteration of a workspace, if there is one.
#[derive(Default)]
pub(crate) struct Alteration(pub(super) Option<Box<dyn ResponseAlteration>>);

impl Alteration {
    pub(crate) fn alter(&mut self, response: &mut ResponseDraft<'_, '_, '_>) {
        if let Some(alteration) = &mut self.0 {
            alteration.alter(response);
        }
    }

    pub(crate) const fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Debug for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() {
            "None"
        } else {
            "Alteration(..)"
        })
    }
}
