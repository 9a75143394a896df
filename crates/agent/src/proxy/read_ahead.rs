//! Instances that came before they were asked for: a target is asked for several at once.

use std::collections::HashMap;

use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::instrumentation::Transaction;

use crate::latest_requests::LatestRequests;

/// Instances by their request and the name before them.
#[derive(Default)]
pub(super) struct ReadAhead(LatestRequests<HashMap<Oid, VarBind>>);

impl ReadAhead {
    /// The instance behind `last`, if it came already.
    pub(super) fn take(&mut self, transaction: Transaction, last: &Oid) -> Option<VarBind> {
        self.0.of(transaction.number)?.remove(last)
    }

    /// Keeps instances of which the first is behind `first`.
    pub(super) fn keep(
        &mut self,
        transaction: Transaction,
        first: &Oid,
        found: impl Iterator<Item = VarBind>,
    ) {
        let mut last = first.clone();
        let chain = found.map(|one| (std::mem::replace(&mut last, one.name.clone()), one));
        self.0
            .change(transaction.number, |known| known.extend(chain));
    }
}
