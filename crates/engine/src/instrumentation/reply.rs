use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::smi::{OidRef, OidScratch, ValueRef};

/// Where a managed object puts its answer: the value goes straight into the response, so that nothing is copied or
/// allocated on the way.
pub struct Reply<'r, 'b> {
    name: &'r mut OidScratch,
    /// The name as the requester encoded it, where the answer repeats it.
    asked: Option<OidRef<'r>>,
    writer: &'r mut Writer<'b>,
    admission: &'r dyn Fn(&[u32], &ValueRef<'_>) -> Admission,
    start: usize,
    outcome: ReplyOutcome,
}

/// What is done with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It goes into the response.
    Admitted,
    /// It was taken as it is; no response is written.
    Taken,
    /// The requester may not see it.
    Withheld,
    /// It does not answer the question.
    Refused,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyOutcome {
    /// The object has not answered.
    Unanswered,
    /// The variable binding is in the response, or where else the value was asked for.
    Written,
    /// The requester may not see the instance.
    Withheld,
    /// What the object answered does not answer the question: its name is not behind the one asked for or not below
    /// the object's own, its value is an exception, or it is the second answer.
    Refused,
    /// The variable binding does not fit or is not valid.
    Failed(EncodeError),
}

impl<'r, 'b> Reply<'r, 'b> {
    pub(crate) fn new(
        name: &'r mut OidScratch,
        asked: Option<OidRef<'r>>,
        writer: &'r mut Writer<'b>,
        admission: &'r dyn Fn(&[u32], &ValueRef<'_>) -> Admission,
    ) -> Self {
        Self {
            start: writer.len(),
            name,
            asked,
            writer,
            admission,
            outcome: ReplyOutcome::Unanswered,
        }
    }

    /// The name of the instance in the answer, to be set by `get_next` before the value.
    pub fn name(&mut self) -> &mut OidScratch {
        self.refuse_if_answered();
        self.name
    }

    /// Writes the value of the instance named by [`name`](Self::name).
    pub fn value(&mut self, value: ValueRef<'_>) {
        if self.refuse_if_answered() {
            return;
        }
        self.outcome = match (self.admission)(self.name.arcs(), &value) {
            Admission::Admitted => self.write(value),
            Admission::Taken => ReplyOutcome::Written,
            Admission::Withheld => ReplyOutcome::Withheld,
            Admission::Refused => ReplyOutcome::Refused,
        };
    }

    fn write(&mut self, value: ValueRef<'_>) -> ReplyOutcome {
        let written = match self.asked {
            Some(name) => self.writer.append_encoded_var_bind(name, value),
            None => self.writer.append_var_bind(self.name.arcs(), value),
        };
        match written {
            Ok(()) => ReplyOutcome::Written,
            Err(error) => {
                self.writer.truncate(self.start);
                ReplyOutcome::Failed(error)
            }
        }
    }

    /// Neither a second answer nor another name for the first one: what was checked must stay.
    fn refuse_if_answered(&mut self) -> bool {
        let is_answered = self.outcome != ReplyOutcome::Unanswered;
        if is_answered {
            self.writer.truncate(self.start);
            self.outcome = ReplyOutcome::Refused;
        }
        is_answered
    }

    /// What became of the answer.
    #[must_use]
    pub const fn outcome(&self) -> ReplyOutcome {
        self.outcome
    }
}
