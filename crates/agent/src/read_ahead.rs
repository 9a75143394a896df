//! Instances that came before they were asked for: other programs and agents are asked for several at once.

use std::collections::{HashMap, VecDeque};

use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::instrumentation::Transaction;

/// Of how many requests instances are remembered.
const REQUESTS: usize = 64;

/// Instances by their request and the name before them.
#[derive(Default)]
pub(crate) struct ReadAhead(VecDeque<(u32, HashMap<Oid, VarBind>)>);

impl ReadAhead {
    /// The instance behind `last`, if it came already.
    pub(crate) fn take(&mut self, transaction: Transaction, last: &Oid) -> Option<VarBind> {
        let (_, known) = self
            .0
            .iter_mut()
            .find(|(number, _)| *number == transaction.number)?;
        known.remove(last)
    }

    /// Keeps instances of which the first is behind `first`.
    pub(crate) fn keep(
        &mut self,
        transaction: Transaction,
        first: &Oid,
        found: impl Iterator<Item = VarBind>,
    ) {
        let mut last = first.clone();
        let chain = found.map(|one| (std::mem::replace(&mut last, one.name.clone()), one));
        let known = self
            .0
            .iter_mut()
            .find(|(number, _)| *number == transaction.number);
        if let Some((_, known)) = known {
            known.extend(chain);
            return;
        }
        let known: HashMap<_, _> = chain.collect();
        if known.is_empty() {
            return;
        }
        if self.0.len() >= REQUESTS {
            self.0.pop_front();
        }
        self.0.push_back((transaction.number, known));
    }
}
