//! Variables that came before they were asked for: those of one request, until it asks for them.

use std::collections::HashMap;

use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::instrumentation::ReadError;

use super::regions::Piece;
use crate::latest_requests::LatestRequests;

/// What a search has found in a piece.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    Instance(VarBind),
    /// There is nothing, or the subagent did not answer well.
    Nothing,
}

/// The variables of the latest requests.
#[derive(Default)]
pub(super) struct Fetched(LatestRequests<Known>);

/// The variables of a request.
#[derive(Default)]
struct Known {
    instances: HashMap<Oid, Result<Value, ReadError>>,
    /// By where the search began, and whether it might find that.
    successors: HashMap<(Oid, bool), Found>,
}

impl Fetched {
    /// An instance, if it came already.
    pub(super) fn take_instance(
        &mut self,
        transaction: u32,
        name: &Oid,
    ) -> Option<Result<Value, ReadError>> {
        self.0.of(transaction)?.instances.remove(name)
    }

    pub(super) fn keep_instance(
        &mut self,
        transaction: u32,
        name: Oid,
        value: Result<Value, ReadError>,
    ) {
        self.0
            .change(transaction, |known| known.instances.insert(name, value));
    }

    /// What is found in a piece, if that is known already.
    pub(super) fn take_successor(&mut self, transaction: u32, piece: &Piece) -> Option<Found> {
        let key = (piece.start.clone(), piece.is_included);
        let found = self.0.of(transaction)?.successors.remove(&key)?;
        match &found {
            // Registrations have changed meanwhile.
            Found::Instance(found) if !piece.contains(&found.name) => None,
            _ => Some(found),
        }
    }

    /// Keeps what a search in a piece has found one behind the other, as far as it goes upwards and stays within the piece. The
    /// name of an instance that does neither is the error.
    pub(super) fn keep_column(
        &mut self,
        transaction: u32,
        piece: &Piece,
        column: impl IntoIterator<Item = VarBind>,
    ) -> Result<(), Oid> {
        self.0
            .change(transaction, |known| known.keep_column(piece, column))
    }

    pub(super) fn keep_failure(&mut self, transaction: u32, piece: &Piece) {
        let key = (piece.start.clone(), piece.is_included);
        self.0.change(transaction, |known| {
            known.successors.insert(key, Found::Nothing)
        });
    }
}

impl Known {
    fn keep_column(
        &mut self,
        piece: &Piece,
        column: impl IntoIterator<Item = VarBind>,
    ) -> Result<(), Oid> {
        let mut last = (piece.start.clone(), piece.is_included);
        for found in column {
            let name = found.name.clone();
            let is_behind = match last.1 {
                true => name >= last.0,
                false => name > last.0,
            };
            let is_end = found.value.as_value_ref().is_exception();
            // RFC 2741 7.2.5.3: an instance behind the end belongs to another session.
            if is_end || !is_behind || !piece.contains(&name) {
                self.successors.insert(last, Found::Nothing);
                let is_wrong = !is_end && !is_behind;
                return if is_wrong { Err(name) } else { Ok(()) };
            }
            self.successors.insert(last, Found::Instance(found));
            last = (name, false);
        }
        Ok(())
    }
}
