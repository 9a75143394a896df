//! Objects whose Sets end as they are told, and note each step.

use std::sync::{Arc, Mutex};

use varbind_codec::smi::ValueRef;
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, PreparedSet, ReadError, Registry, Reply, RequestContext, SetError,
    Storage,
};
use varbind_testkit::command_responder::CommunityAgent;
use varbind_testkit::message::Message;
use varbind_testkit::{octets, oid};

pub(crate) const NAMES: [&str; 4] = [
    "1.3.6.1.4.1.32473.9.1.0",
    "1.3.6.1.4.1.32473.9.2.0",
    "1.3.6.1.4.1.32473.9.3.0",
    "1.3.6.1.4.1.32473.9.4.0",
];

/// What becomes of a Set of one object.
#[derive(Clone, Copy, Default)]
pub(crate) struct Script {
    pub(crate) refusal: Option<SetError>,
    /// Found when all are looked at together.
    pub(crate) conflict: Option<SetError>,
    pub(crate) commit_fails: bool,
    pub(crate) undo_fails: bool,
}

/// What was done, in order.
#[derive(Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

const BREAK: &str = "break";

impl Journal {
    fn note(&self, step: String) {
        self.0.lock().unwrap().push(step);
    }

    pub(crate) fn take(&self) -> Vec<String> {
        let mut steps = std::mem::take(&mut *self.0.lock().unwrap());
        steps.retain(|step| step != BREAK);
        steps
    }

    pub(crate) fn break_storage(&self) {
        self.note(BREAK.into());
    }
}

impl Storage for Journal {
    fn make_durable(&self) -> Result<(), NotStored> {
        self.note("store".into());
        let is_broken = self.0.lock().unwrap().iter().any(|step| step == BREAK);
        result(is_broken)
    }
}

fn result(fails: bool) -> Result<(), NotStored> {
    if fails {
        Err(NotStored("scripted".into()))
    } else {
        Ok(())
    }
}

struct Scripted {
    number: usize,
    script: Script,
    journal: Journal,
}

impl ManagedObject for Scripted {
    fn get(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Err(ReadError::Failed)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        Err(ReadError::Failed)
    }

    fn prepare_set(
        &self,
        _request: &RequestContext,
        _name: &[u32],
        _value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        self.journal.note(format!("prepare {}", self.number));
        match self.script.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(Box::new(ScriptedSet {
                number: self.number,
                script: self.script,
                journal: self.journal.clone(),
            })),
        }
    }
}

struct ScriptedSet {
    number: usize,
    script: Script,
    journal: Journal,
}

impl PreparedSet for ScriptedSet {
    fn check(&mut self) -> Result<(), SetError> {
        match self.script.conflict {
            Some(conflict) => {
                self.journal.note(format!("refuse {}", self.number));
                Err(conflict)
            }
            None => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<(), NotStored> {
        self.journal.note(format!("commit {}", self.number));
        result(self.script.commit_fails)
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        self.journal.note(format!("undo {}", self.number));
        result(self.script.undo_fails)
    }
}

impl Drop for ScriptedSet {
    fn drop(&mut self) {
        self.journal.note(format!("release {}", self.number));
    }
}

/// An agent with these objects, and what is done to them.
pub(crate) fn agent_of(scripts: &[Script]) -> (CommunityAgent, Journal) {
    let journal = Journal::default();
    let mut objects = Registry::builder();
    for (at, &script) in scripts.iter().enumerate() {
        let scripted = Scripted {
            number: at + 1,
            script,
            journal: journal.clone(),
        };
        objects = objects.register(oid(NAMES[at]), Arc::new(scripted));
    }
    (
        CommunityAgent::with_storage(objects, Arc::new(journal.clone())),
        journal,
    )
}

/// Sets the first `count` scripted objects.
pub(crate) fn set_all(agent: &mut CommunityAgent, count: usize) -> Message {
    let bindings: Vec<_> = NAMES
        .iter()
        .take(count)
        .map(|&name| (name, octets("x")))
        .collect();
    agent.set(&bindings)
}
