//! Variables that came before they were asked for: those of one request, until it asks for them.

use std::collections::{HashMap, VecDeque};

use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::instrumentation::ReadError;

use super::regions::Piece;

/// Of how many requests variables are remembered.
const REQUESTS: usize = 64;

/// What a search has found in a piece.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    Instance(VarBind),
    /// There is nothing, or the subagent did not answer well.
    Nothing,
}

/// The variables of the latest requests.
#[derive(Default)]
pub(super) struct Fetched(VecDeque<(u32, Known)>);

/// The variables of a request.
#[derive(Default)]
struct Known {
    instances: HashMap<Oid, Result<Value, ReadError>>,
    /// By where the search began, and whether it might find that.
    successors: HashMap<(Oid, bool), Found>,
}

impl Fetched {
    fn of(&mut self, transaction: u32) -> Option<&mut Known> {
        let mut all = self.0.iter_mut();
        let (_, known) = all.find(|(number, _)| *number == transaction)?;
        Some(known)
    }

    fn made(&mut self, transaction: u32) -> Option<&mut Known> {
        if self.of(transaction).is_none() {
            if self.0.len() >= REQUESTS {
                self.0.pop_front();
            }
            self.0.push_back((transaction, Known::default()));
        }
        self.of(transaction)
    }

    /// An instance, if it came already.
    pub(super) fn take_instance(
        &mut self,
        transaction: u32,
        name: &Oid,
    ) -> Option<Result<Value, ReadError>> {
        self.of(transaction)?.instances.remove(name)
    }

    pub(super) fn keep_instance(
        &mut self,
        transaction: u32,
        name: Oid,
        value: Result<Value, ReadError>,
    ) {
        if let Some(known) = self.made(transaction) {
            known.instances.insert(name, value);
        }
    }

    /// What is found in a piece, if that is known already.
    pub(super) fn take_successor(&mut self, transaction: u32, piece: &Piece) -> Option<Found> {
        let key = (piece.start.clone(), piece.is_included);
        let found = self.of(transaction)?.successors.remove(&key)?;
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
        let Some(known) = self.made(transaction) else {
            return Ok(());
        };
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
                known.successors.insert(last, Found::Nothing);
                let is_wrong = !is_end && !is_behind;
                return if is_wrong { Err(name) } else { Ok(()) };
            }
            known.successors.insert(last, Found::Instance(found));
            last = (name, false);
        }
        Ok(())
    }

    pub(super) fn keep_failure(&mut self, transaction: u32, piece: &Piece) {
        if let Some(known) = self.made(transaction) {
            let key = (piece.start.clone(), piece.is_included);
            known.successors.insert(key, Found::Nothing);
        }
    }
}
