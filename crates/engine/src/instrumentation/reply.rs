use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::smi::{OidScratch, Value};

/// Where a managed object puts its answer: the value goes straight into the response, so that nothing is copied or
/// allocated on the way.
pub struct Reply<'r, 'b> {
    name: &'r mut OidScratch,
    writer: &'r mut Writer<'b>,
    is_admitted: &'r dyn Fn(&[u32], &Value<'_>) -> bool,
    outcome: ReplyOutcome,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyOutcome {
    /// The object has not answered.
    Unanswered,
    /// The variable binding is in the response.
    Written,
    /// The requester may not see the instance.
    Withheld,
    /// The variable binding does not fit or is not valid.
    Failed(EncodeError),
}

impl<'r, 'b> Reply<'r, 'b> {
    pub(crate) const fn new(
        name: &'r mut OidScratch,
        writer: &'r mut Writer<'b>,
        is_admitted: &'r dyn Fn(&[u32], &Value<'_>) -> bool,
    ) -> Self {
        Self {
            name,
            writer,
            is_admitted,
            outcome: ReplyOutcome::Unanswered,
        }
    }

    /// The name of the instance in the answer, to be set by `get_next` before the value.
    pub const fn name(&mut self) -> &mut OidScratch {
        self.name
    }

    /// Answers with the value of the instance that [`name`](Self::name) tells.
    pub fn value(&mut self, value: Value<'_>) {
        if !(self.is_admitted)(self.name.arcs(), &value) {
            self.outcome = ReplyOutcome::Withheld;
            return;
        }
        let length = self.writer.len();
        self.outcome = match self.writer.append_var_bind(self.name.arcs(), value) {
            Ok(()) => ReplyOutcome::Written,
            Err(error) => {
                self.writer.truncate(length);
                ReplyOutcome::Failed(error)
            }
        };
    }

    /// What became of the answer.
    #[must_use]
    pub const fn outcome(&self) -> ReplyOutcome {
        self.outcome
    }
}
