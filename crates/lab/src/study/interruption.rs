use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How another thread ends a run: the processes in which tasks are done are killed, and what they were doing is not noted.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_asked: bool,
    children: Vec<Weak<Mutex<Child>>>,
}

impl Interruption {
    /// Ends the run, now or as soon as it begins.
    pub fn interrupt(&self) {
        let mut state = self.state();
        state.is_asked = true;
        state.children.iter().for_each(kill);
        state.children.clear();
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.state().is_asked
    }

    /// A process that is killed with the run.
    pub(super) fn add(&self, child: &Arc<Mutex<Child>>) {
        let child = Arc::downgrade(child);
        let mut state = self.state();
        if state.is_asked {
            kill(&child);
        }
        state.children.retain(|child| child.strong_count() > 0);
        state.children.push(child);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn kill(child: &Weak<Mutex<Child>>) {
    if let Some(child) = child.upgrade() {
        // One that has ended cannot be killed, and need not be.
        let _ended = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}
