//! Threads for what may hang: files, and file systems of other hosts.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread without a task stays.
const IDLE: Duration = Duration::from_secs(10);
/// Readers parse small files; the usual 2 MiB are not needed.
const STACK: usize = 256 * 1024;

type Task = Box<dyn FnOnce() + Send>;

/// Threads, of which there are none before the first task.
///
/// Invariant: no task waits for another one. It gets an idle thread or a new one.
#[derive(Clone, Default)]
pub(crate) struct ReaderThreads(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    added: Condvar,
}

/// Invariant: each task has an idle thread.
#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    idle: usize,
}

impl ReaderThreads {
    /// Runs a task aside.
    ///
    /// # Errors
    /// When no thread is idle and none can be started.
    pub(crate) fn run(&self, task: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut state = self.0.state();
        if state.tasks.len() < state.idle {
            state.tasks.push_back(Box::new(task));
            drop(state);
            self.0.added.notify_one();
            return Ok(());
        }
        drop(state);
        let shared = Arc::clone(&self.0);
        thread::Builder::new()
            .name("varbind-reader".into())
            .stack_size(STACK)
            .spawn(move || shared.work(task))
            .map(drop)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, first: impl FnOnce()) {
        first();
        while let Some(task) = self.next() {
            task();
        }
    }

    /// The next task; `None` if there is none for a while.
    fn next(&self) -> Option<Task> {
        let mut state = self.state();
        state.idle += 1;
        let waited = self
            .added
            .wait_timeout_while(state, IDLE, |state| state.tasks.is_empty());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        state.tasks.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread::ThreadId;

    use super::*;

    /// The thread of a task that ends.
    fn thread_of_task(threads: &ReaderThreads) -> ThreadId {
        let (answer, answers) = mpsc::channel();
        let task = move || answer.send(thread::current().id()).unwrap();
        threads.run(task).unwrap();
        answers.recv().unwrap()
    }

    fn await_idle(threads: &ReaderThreads) {
        while threads.0.state().idle == 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn an_idle_thread_runs_the_next_task() {
        let threads = ReaderThreads::default();
        let first = thread_of_task(&threads);
        await_idle(&threads);
        assert_eq!(thread_of_task(&threads), first);
    }

    #[test]
    fn a_task_that_hangs_delays_no_other_one() {
        let threads = ReaderThreads::default();
        thread_of_task(&threads);
        await_idle(&threads);
        let (began, begun) = mpsc::channel();
        let (go_on, wait) = mpsc::channel::<()>();
        let hang = move || {
            began.send(thread::current().id()).unwrap();
            let _ = wait.recv();
        };
        threads.run(hang).unwrap();
        let hanging = begun.recv().unwrap();
        for _ in 0..3 {
            assert_ne!(thread_of_task(&threads), hanging);
        }
        drop(go_on);
    }

    #[test]
    fn a_task_that_fails_takes_no_other_one_with_it() {
        let threads = ReaderThreads::default();
        threads.run(|| panic!("as told")).unwrap();
        thread_of_task(&threads);
        await_idle(&threads);
        thread_of_task(&threads);
    }
}
