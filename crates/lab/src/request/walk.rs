use std::cmp::Ordering;

use varbind_codec::ber::Reader;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{EncodedOid, Oid, OidRef, ValueRef};

use super::answer::compare;
use super::{Answer, Envelope, MessageTemplate, TemplateError, WalkStep, WrongAnswer};

/// The messages of one walk, each made from the answer to the one before.
#[derive(Clone, Debug)]
pub struct WalkMessages {
    envelope: Envelope,
    step: WalkStep,
    root: EncodedOid,
    /// Content of the last name seen, from which the next step continues.
    last: Vec<u8>,
    /// After how many steps it ends, wherever it is then.
    most: u32,
    /// Steps that were taken.
    steps: u32,
}

/// How far a walk is after an answer.
#[derive(Debug)]
pub enum WalkProgress {
    /// It continues with this message.
    Next {
        /// Objects of the subtree in the answer.
        objects: u64,
        /// The next message.
        message: MessageTemplate,
    },
    /// The subtree ends.
    End {
        /// Objects of the subtree in the answer.
        objects: u64,
    },
}

impl WalkMessages {
    /// A walk of `root`.
    #[must_use]
    pub fn new(root: &Oid, step: WalkStep, envelope: Envelope) -> Self {
        let root = EncodedOid::from(root);
        Self {
            envelope,
            step,
            last: root.as_oid_ref().content().to_vec(),
            root,
            most: u32::MAX,
            steps: 0,
        }
    }

    /// The same, ended after so many steps.
    #[must_use]
    pub const fn of_at_most(mut self, steps: u32) -> Self {
        self.most = steps;
        self
    }

    /// Begins at the root again, and returns the first message.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn first(&mut self) -> Result<MessageTemplate, TemplateError> {
        self.last = self.root.as_oid_ref().content().to_vec();
        self.steps = 0;
        self.message(self.root.as_oid_ref())
    }

    fn message(&self, name: OidRef<'_>) -> Result<MessageTemplate, TemplateError> {
        MessageTemplate::step(&self.envelope, self.step, name)
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// If it is wrong: an error-status, names that do not rise, or no names at all, each of which would let a walk never end.
    pub fn follow(&mut self, answer: Answer<'_>) -> Result<WalkProgress, WrongAnswer> {
        match answer.status()? {
            ErrorStatus::NoError => {}
            // RFC 1157 4.1.3: the end of what SNMPv1 can see.
            ErrorStatus::NoSuchName if self.envelope.is_v1() => {
                return Ok(WalkProgress::End { objects: 0 });
            }
            other => return Err(WrongAnswer::Error(other)),
        }
        let root = self.root.as_oid_ref();
        let previous = std::mem::take(&mut self.last);
        let mut last =
            OidRef::from_content(&Reader::new(&previous)).map_err(|_| WrongAnswer::Undecodable)?;
        let mut objects = 0;
        for var_bind in answer.pdu.var_binds {
            let var_bind = var_bind.map_err(|_| WrongAnswer::Undecodable)?;
            // Encodings are prefixes of each other exactly where the names are.
            let inside = var_bind.name.content().starts_with(root.content());
            if var_bind.value == ValueRef::EndOfMibView || !inside {
                return Ok(WalkProgress::End { objects });
            }
            if compare(var_bind.name, last) != Ordering::Greater {
                return Err(WrongAnswer::Names);
            }
            last = var_bind.name;
            objects += 1;
        }
        if objects == 0 {
            return Err(WrongAnswer::Names);
        }
        self.steps += 1;
        if self.steps >= self.most {
            return Ok(WalkProgress::End { objects });
        }
        let message = self.message(last).map_err(|_| WrongAnswer::Names)?;
        self.last = last.content().to_vec();
        Ok(WalkProgress::Next { objects, message })
    }
}
