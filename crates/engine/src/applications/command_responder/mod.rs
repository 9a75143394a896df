//! Command responder (RFC 3413 section 3.2, RFC 3416 section 4.2): answers requests from the managed objects.

mod alteration;
mod announcement;
#[cfg(feature = "experiments")]
mod compressed;
mod get;
mod get_bulk;
mod get_next;
mod name_list;
mod object_access;
mod set;

use std::sync::{Arc, Mutex};

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::Version;
use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};
use varbind_codec::smi::{OidScratch, ValueRef};

use crate::access_control::ViewTree;
use crate::discard::Discard;
use crate::instrumentation::{Admission, Registry, RequestContext, Storage};
use crate::message_processing::PduRoom;
pub(crate) use alteration::Alteration;
pub use alteration::{ResponseAlteration, ResponseDraft};
use name_list::NameList;
pub use object_access::{NotRead, ObjectReader, Principal};
pub(crate) use set::Assignment;

/// A request and what it may touch.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) context: RequestContext<'a>,
    pub(crate) version: Version,
    /// How many octets of variable bindings a response can have.
    pub(crate) room: usize,
    /// Where the response to a GetBulkRequest-PDU is cut, if it has any variable binding at all.
    pub(crate) bulk_room: usize,
    pub(crate) pdu: &'a CommonPdu<'a>,
    pub(crate) registry: &'a Registry,
    /// `None` if the requester is not authorised at all.
    pub(crate) view: Option<&'a ViewTree>,
}

/// Room that is needed while a request is processed, kept by each thread, so that requests allocate nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    /// What was decrypted.
    pub(crate) pdu_room: PduRoom,
    /// Variable bindings whose names are compressed.
    #[cfg(feature = "experiments")]
    compressed: Vec<u8>,
    asked: OidScratch,
    from: OidScratch,
    answer: OidScratch,
    /// How many variables the latest request has read or set.
    pub(crate) variables: u64,
    row: NameList,
    next_row: NameList,
    pub(crate) alteration: Alteration,
}

impl Workspace {
    /// Has each response of this workspace changed before it is sent.
    #[must_use]
    pub fn altering(alteration: Box<dyn ResponseAlteration>) -> Self {
        Self {
            alteration: Alteration(Some(alteration)),
            ..Self::default()
        }
    }
}

/// An error of the whole request: what the response's error-status and error-index say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestError {
    pub(crate) status: ErrorStatus,
    /// Counted from 1; 0 for the whole PDU.
    pub(crate) index: usize,
}

/// Why processing a request ended early.
pub(crate) enum Stop {
    /// With an error-status.
    Error(RequestError),
    /// Without an answer.
    Discard(Discard),
    /// It is carried out by a thread that may wait.
    MustWait,
}

/// Why a request is not answered at once.
pub(crate) enum NotProcessed {
    Discard(Discard),
    /// It is carried out by a thread that may wait.
    MustWait,
}

impl From<Discard> for NotProcessed {
    fn from(discard: Discard) -> Self {
        Self::Discard(discard)
    }
}

impl From<Discard> for Stop {
    fn from(discard: Discard) -> Self {
        Self::Discard(discard)
    }
}

impl From<varbind_codec::ber::DecodeError> for Stop {
    fn from(error: varbind_codec::ber::DecodeError) -> Self {
        Self::Discard(error.into())
    }
}

/// The error for the variable binding at `at`, counted from 0.
const fn error_at(status: ErrorStatus, at: usize) -> Stop {
    Stop::Error(RequestError {
        status,
        index: at + 1,
    })
}

/// An object waits for a thread that may wait, and this is one.
const WHOLE_FAILED: RequestError = RequestError {
    status: ErrorStatus::GenErr,
    index: 0,
};

const TOO_BIG: Stop = Stop::Error(RequestError {
    status: ErrorStatus::TooBig,
    index: 0,
});

/// The error for an answer that could not be written.
const fn unwritten(error: EncodeError, at: usize) -> Stop {
    match error {
        EncodeError::BufferFull => TOO_BIG,
        _ => error_at(ErrorStatus::GenErr, at),
    }
}

/// Answers requests from the managed objects.
pub(crate) struct CommandResponder {
    storage: Arc<dyn Storage>,
    /// One SetRequest at a time, so that what was prepared still holds when it is committed.
    sets: Mutex<()>,
}

impl CommandResponder {
    pub(crate) fn new(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            sets: Mutex::new(()),
        }
    }

    /// Writes the variable bindings of the response and returns its error-status and error-index (processPdu,
    /// RFC 3412 section 4.4).
    pub(crate) fn process_pdu(
        &self,
        request: &Request<'_>,
        workspace: &mut Workspace,
        writer: &mut Writer<'_>,
    ) -> Result<(ErrorStatus, i32), NotProcessed> {
        workspace.variables = 0;
        let result = match request.view {
            // RFC 3413 3.2 (4): noSuchView, noAccessEntry, noGroupName
            None => Err(Stop::Error(RequestError {
                status: ErrorStatus::AuthorizationError,
                index: 0,
            })),
            Some(view) if request.pdu.pdu_type == PduType::SetRequest => {
                self.set(request, view, workspace, writer)
            }
            Some(view) => {
                let read = match request.pdu.pdu_type {
                    PduType::GetNextRequest => get_next::process,
                    PduType::GetBulkRequest => get_bulk::process,
                    _ => get::process,
                };
                announcement::announce(request, view, workspace)
                    .and_then(|()| read(request, view, workspace, writer))
            }
        };
        match result {
            Ok(()) => Ok((ErrorStatus::NoError, 0)),
            Err(Stop::Discard(discard)) => Err(discard.into()),
            Err(Stop::MustWait) if request.context.transaction.is_none() => {
                Err(NotProcessed::MustWait)
            }
            Err(Stop::MustWait) => Ok(error_response(request, WHOLE_FAILED, writer)?),
            Err(Stop::Error(error)) => Ok(error_response(request, error, writer)?),
        }
    }
}

/// The variable bindings of an error response are those of the request; that of tooBig has none (RFC 3416
/// section 4.2.1), but in SNMPv1 (RFC 1157 section 4.1.2).
pub(crate) fn error_response(
    request: &Request<'_>,
    error: RequestError,
    writer: &mut Writer<'_>,
) -> Result<(ErrorStatus, i32), Discard> {
    writer.truncate(0);
    if !all_decode(request) {
        return Err(first_decode_error(request));
    }
    let is_v1 = request.version == Version::V1;
    let mut error = error;
    if error.status != ErrorStatus::TooBig || is_v1 {
        let echoed = writer.append(request.pdu.var_binds.encoded());
        if echoed.is_err() {
            writer.truncate(0);
            if is_v1 {
                return Err(Discard::ResponseTooBig);
            }
            error = RequestError {
                status: ErrorStatus::TooBig,
                index: 0,
            };
        }
    }
    // RFC 3584 4.4: SNMPv1 knows no error of the whole PDU but tooBig and genErr.
    let index = match error.status.to_v1() {
        ErrorStatus::NoSuchName if is_v1 => error.index.max(1),
        _ => error.index,
    };
    Ok((error.status, i32::try_from(index).unwrap_or(0)))
}

/// An error found early must not hide that the rest of the message is malformed.
fn all_decode(request: &Request<'_>) -> bool {
    request
        .pdu
        .var_binds
        .clone()
        .all(|var_bind| var_bind.is_ok())
}

fn first_decode_error(request: &Request<'_>) -> Discard {
    request
        .pdu
        .var_binds
        .clone()
        .find_map(Result::err)
        .map_or(Discard::ResponseTooBig, Discard::from)
}

/// What is done with a value in a response of this version.
fn admission(version: Version, value: &ValueRef<'_>) -> Admission {
    match value {
        // RFC 3584 4.2.2.1: SNMPv1 has no Counter64.
        ValueRef::Counter64(_) if version == Version::V1 => Admission::Withheld,
        // An error of a managed object means that there is no value.
        ValueRef::NoSuchObject | ValueRef::NoSuchInstance | ValueRef::EndOfMibView => {
            Admission::Refused
        }
        _ => Admission::Admitted,
    }
}
