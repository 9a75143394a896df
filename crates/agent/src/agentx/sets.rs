//! SetRequests that concern subagents (RFC 2741 section 7.2.4): all variables of a session are tested, committed and undone
//! together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use varbind_codec::smi::VarBind;
use varbind_engine::instrumentation::{NotStored, PreparedSet, SetError};

use super::context::Context;
use super::regions::{Registration, SessionId};
use varbind_codec::agentx::{AgentxPdu, Packet, ResponseError};

/// The error-statuses of SNMP that a test may end with (RFC 3416 section 4.2.5).
const ERRORS: [(u16, SetError); 11] = [
    (5, SetError::Failed),
    (6, SetError::NoAccess),
    (7, SetError::WrongType),
    (8, SetError::WrongLength),
    (9, SetError::WrongEncoding),
    (10, SetError::WrongValue),
    (11, SetError::NoCreation),
    (12, SetError::InconsistentValue),
    (13, SetError::ResourceUnavailable),
    (17, SetError::NotWritable),
    (18, SetError::InconsistentName),
];

/// The groups that are being set.
pub(super) struct Sets {
    context: Context,
    open: Mutex<HashMap<(u32, SessionId), Weak<Group>>>,
}

impl Sets {
    pub(super) fn new(context: Context) -> Arc<Self> {
        Arc::new(Self {
            context,
            open: Mutex::default(),
        })
    }

    /// The group of a request and a session.
    fn group(self: &Arc<Self>, transaction: u32, registration: &Registration) -> Arc<Group> {
        let mut open = lock(&self.open);
        open.retain(|_, group| group.strong_count() > 0);
        let key = (transaction, registration.session);
        if let Some(group) = open.get(&key).and_then(Weak::upgrade) {
            return group;
        }
        let group = Arc::new(Group {
            context: self.context.clone(),
            transaction,
            registration: *registration,
            state: Mutex::default(),
        });
        open.insert(key, Arc::downgrade(&group));
        group
    }
}

/// The variables of one session in one request. Dropping it tells the session that the request is over.
struct Group {
    context: Context,
    transaction: u32,
    registration: Registration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    variables: Vec<VarBind>,
    phase: Phase,
}

/// How far the session has come.
#[derive(Clone, Debug, Default)]
enum Phase {
    #[default]
    Collecting,
    /// With the error, and the place of its variable, counted from 1; 0 for all.
    Tested(Result<(), (SetError, usize)>),
    Committed,
    /// It could not be committed, and was undone at once, or not.
    Failed {
        reason: NotStored,
        is_undone: bool,
    },
    /// It was committed, and undone later.
    Undone(Result<(), NotStored>),
}

impl Group {
    fn request(&self, pdu: AgentxPdu) -> Result<(), (ResponseError, u16)> {
        match self
            .context
            .request(&self.registration, self.transaction, pdu)
        {
            Ok(Packet {
                pdu: AgentxPdu::Response { error, index, .. },
                ..
            }) if error != ResponseError::NO_ERROR => Err((error, index)),
            Ok(_) => Ok(()),
            Err(_) => Err((ResponseError::PROCESSING_ERROR, 0)),
        }
    }

    fn test(&self) -> Result<(), (SetError, usize)> {
        let mut state = lock(&self.state);
        if let Phase::Collecting = state.phase {
            let tested = self.request(AgentxPdu::TestSet(state.variables.clone()));
            state.phase = Phase::Tested(tested.map_err(|(error, index)| {
                let known = ERRORS.iter().find(|(number, _)| *number == error.0);
                let error = known.map_or(SetError::Failed, |(_, error)| *error);
                (error, index.into())
            }));
        }
        match &state.phase {
            Phase::Tested(tested) => *tested,
            _ => Ok(()),
        }
    }

    fn commit(&self) -> Result<(), NotStored> {
        let mut state = lock(&self.state);
        if let Phase::Tested(_) = state.phase {
            state.phase = match self.request(AgentxPdu::CommitSet) {
                Ok(()) => Phase::Committed,
                // RFC 2741 7.2.5.5 (1): it may have changed something before it failed.
                Err((error, _)) => Phase::Failed {
                    reason: not_stored("CommitSet", error),
                    is_undone: self.request(AgentxPdu::UndoSet).is_ok(),
                },
            };
        }
        match &state.phase {
            Phase::Committed => Ok(()),
            Phase::Failed { reason, .. } => Err(reason.clone()),
            _ => Err(NotStored("it was not tested".to_owned())),
        }
    }

    /// Whether a commit failed and the subagent could not take back what it had changed.
    fn is_left_changed(&self) -> bool {
        let phase = &lock(&self.state).phase;
        matches!(phase, Phase::Failed { is_undone, .. } if !is_undone)
    }

    fn undo(&self) -> Result<(), NotStored> {
        let mut state = lock(&self.state);
        if let Phase::Committed = state.phase {
            let undone = self.request(AgentxPdu::UndoSet);
            let undone = undone.map_err(|(error, _)| not_stored("UndoSet", error));
            state.phase = Phase::Undone(undone);
        }
        match &state.phase {
            Phase::Undone(done) => done.clone(),
            _ => Ok(()),
        }
    }
}

fn not_stored(pdu: &str, error: ResponseError) -> NotStored {
    NotStored(format!(
        "a subagent answers {pdu} with the error {}",
        error.0
    ))
}

impl Drop for Group {
    /// RFC 2741 section 7.2.4.4: behind UndoSet there is no CleanupSet.
    fn drop(&mut self) {
        let phase = &lock(&self.state).phase;
        if matches!(phase, Phase::Tested(_) | Phase::Committed) {
            self.context
                .notify(&self.registration, self.transaction, AgentxPdu::CleanupSet);
        }
    }
}

/// One variable of a group.
pub(super) struct PreparedVariable {
    group: Arc<Group>,
    /// Its place in the group, counted from 1.
    place: usize,
}

impl PreparedVariable {
    pub(super) fn new(
        sets: &Arc<Sets>,
        transaction: u32,
        registration: &Registration,
        variable: VarBind,
    ) -> Self {
        let group = sets.group(transaction, registration);
        let place = {
            let mut state = lock(&group.state);
            state.variables.push(variable);
            state.variables.len()
        };
        Self { group, place }
    }
}

impl PreparedSet for PreparedVariable {
    fn check(&mut self) -> Result<(), SetError> {
        match self.group.test() {
            // The error is told of the variable that it is about.
            Err((error, place)) if place == 0 || place == self.place => Err(error),
            _ => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<(), NotStored> {
        self.group.commit()
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        self.group.undo()
    }

    fn is_left_changed(&self) -> bool {
        self.group.is_left_changed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
