//! Responses that are wrong on purpose.

use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{OidScratch, ValueRef};
use varbind_engine::applications::command_responder::{ResponseAlteration, ResponseDraft};
use varbind_engine::clock::Instant;

use super::objects::{Slot, Stage};
use super::response_faults::ResponseFaults;
use crate::device::Asked;

/// The simulation of the request, for its alteration.
#[derive(Clone, Default)]
pub(super) struct CurrentStage(Arc<Mutex<Option<(Stage, Instant)>>>);

impl CurrentStage {
    /// Only requests with response faults need it.
    pub(super) fn set(&self, stage: &Stage, now: Instant) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some((stage.clone(), now));
    }
}

/// Alters responses by the response faults of their request.
pub(super) struct Alteration {
    pub(super) slot: Arc<Slot>,
    pub(super) stage: CurrentStage,
}

impl ResponseAlteration for Alteration {
    fn alter(&mut self, response: &mut ResponseDraft<'_, '_, '_>) {
        let response_faults = self.slot.response_faults();
        if let Some(status) = self.slot.note.error() {
            return fail(response, status);
        }
        if response_faults == ResponseFaults::default() {
            return;
        }
        if response_faults.has_wrong_request_id {
            response.request_id ^= 0x0055_aa55;
        }
        if response_faults.is_general_error {
            return fail(response, ErrorStatus::GenErr);
        }
        let current = self.stage.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((stage, now)) = &*current else {
            return;
        };
        let is_v3 = response.version == Version::V3;
        let Some(asked) = stage.asked(*now, None, is_v3) else {
            return;
        };
        let is_walk = matches!(
            response.request.pdu_type,
            PduType::GetNextRequest | PduType::GetBulkRequest
        );
        if is_walk && (response_faults.is_out_of_order || response_faults.is_endless) {
            WrongWalk {
                asked: &asked,
                response_faults,
            }
            .write(response);
        }
        let limit = asked.device.group().faults.largest_response;
        if response_faults.is_too_big || limit.is_some_and(|limit| response.writer.len() > limit) {
            fail(response, ErrorStatus::TooBig);
        }
    }
}

/// An error, with the variable bindings of the request.
fn fail(response: &mut ResponseDraft<'_, '_, '_>, status: ErrorStatus) {
    response.writer.truncate(0);
    response.error_status = status;
    response.error_index = 0;
    if status == ErrorStatus::TooBig && response.version != Version::V1 {
        return;
    }
    if response
        .writer
        .append(response.request.var_binds.encoded())
        .is_err()
    {
        response.writer.truncate(0);
        response.error_status = ErrorStatus::TooBig;
        return;
    }
    if status != ErrorStatus::TooBig {
        response.error_index = 1;
    }
}

/// A walk whose names are in the wrong order, or that never ends.
struct WrongWalk<'a, 'f> {
    asked: &'a Asked<'f>,
    response_faults: ResponseFaults,
}

impl WrongWalk<'_, '_> {
    fn write(&self, response: &mut ResponseDraft<'_, '_, '_>) {
        response.writer.truncate(0);
        response.error_status = ErrorStatus::NoError;
        response.error_index = 0;
        let (non_repeaters, repetitions) = match response.request.pdu_type {
            PduType::GetBulkRequest => (
                response.request.non_repeaters(),
                response.request.max_repetitions(),
            ),
            _ => (usize::MAX, 0),
        };
        let mut names: Vec<Vec<u32>> = Vec::new();
        for var_bind in response.request.var_binds.clone().filter_map(Result::ok) {
            let mut name = OidScratch::new();
            names.push(var_bind.name.decode_into(&mut name).to_vec());
        }
        let non_repeaters = non_repeaters.min(names.len());
        let (once, repeated) = names.split_at_mut(non_repeaters);
        for name in once {
            if !self.step(name, response) {
                return;
            }
        }
        for _ in 0..repetitions {
            for name in &mut *repeated {
                if !self.step(name, response) {
                    return;
                }
            }
            if repeated.is_empty() {
                return;
            }
        }
    }

    /// Appends what follows a name, which becomes that name; `false` when the response is full.
    fn step(&self, name: &mut Vec<u32>, response: &mut ResponseDraft<'_, '_, '_>) -> bool {
        let length = response.writer.len();
        let recording = self.asked.recording;
        let Some(at) = self.next(name) else {
            let is_full = length > 0 && length + 2 * name.len() > response.bulk_room;
            let appended = response
                .writer
                .append_var_bind(name, ValueRef::EndOfMibView);
            return !is_full && appended.is_ok();
        };
        let mut found = OidScratch::new();
        recording.name(at, &mut found);
        let mut written = Ok(());
        let read = self.asked.value(at, found.arcs(), &mut |value| {
            written = response.writer.append_var_bind(found.arcs(), value);
        });
        if read.is_err() {
            written = response
                .writer
                .append_var_bind(found.arcs(), ValueRef::Null);
        }
        let is_too_much = length > 0 && response.writer.len() > response.bulk_room;
        if written.is_err() || is_too_much {
            response.writer.truncate(length);
            return false;
        }
        name.clear();
        name.extend_from_slice(found.arcs());
        true
    }

    /// The position of the object after a name. In the wrong order, each object of an odd place comes before its neighbour.
    fn next(&self, name: &[u32]) -> Option<usize> {
        let recording = self.asked.recording;
        let count = recording.len();
        let swapped = |at: usize| match at ^ 1 {
            neighbour if self.response_faults.is_out_of_order && neighbour < count => neighbour,
            _ => at,
        };
        let place = match recording.find(name) {
            Some(at) => swapped(at) + 1,
            None => recording.next(name, usize::MAX),
        };
        match place < count {
            true => Some(swapped(place)),
            false if self.response_faults.is_endless && count > 0 => Some(swapped(0)),
            false => None,
        }
    }
}
