//! Tasks that are done again and again, each in a thread of its own, with their last results.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::program::{Launch, Program, RunError, Starter};
use super::runner::{Place, Table};

/// A thread waits for each program; its stack need not be the usual 2 MiB.
const STACK: usize = 256 * 1024;
/// How long the end of all tasks is waited for; programs are killed, and end at once unless the kernel does not let them.
const LAST: Duration = Duration::from_secs(5);

/// After so many failures in a row the last result is not served any more: managers are to notice.
const FAILURES: u32 = 3;

/// What is done again and again.
pub(crate) trait Task: Clone + Eq + Send + 'static {
    /// What comes of it.
    type Result: Send + Sync + 'static;

    /// The table of the configuration that has it.
    const TABLE: Table;

    /// How the log calls it, as `extend uptime`.
    fn title(&self) -> String;

    /// The time from one start to the next; none of a task whose result is known without it.
    fn interval(&self) -> Option<Duration>;

    /// The result of a task that is never done, or was done in vain too often.
    fn result_without_run(&self) -> Self::Result;

    /// The last result, marked as such, where a type of results can be.
    fn after_failure(&self, last: &Arc<Self::Result>) -> Arc<Self::Result>;

    /// The program that does it; none of a task whose result is known without one.
    fn program(&self) -> Option<&Program>;

    /// What does it, until it is unwanted. It may keep what the next time needs.
    fn worker<'a>(
        &'a self,
        launch: Launch<'a>,
    ) -> impl FnMut(&dyn Fn() -> bool) -> Result<Self::Result, RunError> + Send;
}

/// Tasks and their last results. When it is dropped, no program is started any more, and those that run are ended.
pub(crate) struct Background<T: Task> {
    tasks: Vec<T>,
    pub(super) shared: Arc<Shared<T::Result>>,
}

pub(super) struct Shared<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

struct State<R> {
    /// In the order of the tasks.
    results: Vec<Option<Known<R>>>,
    /// How many results have come.
    version: u64,
    is_over: bool,
    /// The threads that have not ended.
    threads: usize,
}

/// A result and its age.
pub(super) struct Known<R> {
    pub(super) result: Arc<R>,
    /// When the run began that brought it; none if no run did.
    pub(super) read_at: Option<Instant>,
    /// How many runs have failed since.
    pub(super) failures: u32,
}

impl<R> Clone for Known<R> {
    fn clone(&self) -> Self {
        Self {
            result: Arc::clone(&self.result),
            ..*self
        }
    }
}

impl<R> Known<R> {
    /// What is known without a run.
    fn without_run(result: R) -> Self {
        Self {
            result: Arc::new(result),
            read_at: None,
            failures: 0,
        }
    }

    /// The result to serve after this many failures in a row.
    pub(super) fn after_failures<T: Task<Result = R>>(
        task: &T,
        last: Option<Self>,
        failures: u32,
    ) -> Self {
        let kept = last.filter(|_| failures < FAILURES);
        let (result, read_at) = match kept {
            Some(last) => (task.after_failure(&last.result), last.read_at),
            None => (Arc::new(task.result_without_run()), None),
        };
        Self {
            result,
            read_at,
            failures,
        }
    }

    /// Its age, as `result of 3.2 s ago`.
    fn age(&self) -> String {
        let age = self.read_at.map_or_else(
            || "no result".to_owned(),
            |at| format!("result of {:.1} s ago", at.elapsed().as_secs_f64()),
        );
        match self.failures {
            0 => age,
            failures => format!("{age}, {failures} failed since"),
        }
    }
}

/// A thread of a task, as long as this lives.
struct Counted<R>(Arc<Shared<R>>);

impl<R> Counted<R> {
    fn new(shared: &Arc<Shared<R>>) -> Self {
        shared.state().threads += 1;
        Self(Arc::clone(shared))
    }
}

impl<R> Drop for Counted<R> {
    fn drop(&mut self) {
        self.0.state().threads -= 1;
        self.0.changed.notify_all();
    }
}

impl<R> Shared<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, at: usize, known: Known<R>) {
        let mut state = self.state();
        if let Some(place) = state.results.get_mut(at) {
            *place = Some(known);
            state.version += 1;
        }
    }

    fn known(&self, at: usize) -> Option<Known<R>> {
        self.state().results.get(at)?.clone()
    }

    /// Waits until `deadline`; whether the tasks are over.
    fn wait_until(&self, deadline: Instant) -> bool {
        let time = deadline.saturating_duration_since(Instant::now());
        let state = self.state();
        let waited = self
            .changed
            .wait_timeout_while(state, time, |state| !state.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    fn is_over(&self) -> bool {
        self.state().is_over
    }
}

impl<T: Task> Background<T> {
    /// Tasks that are not done yet, with the results that `former` has of the same tasks.
    pub(crate) fn new(tasks: Vec<T>, former: Option<&Self>) -> Self {
        let known: Vec<_> = former.into_iter().flat_map(Self::known).collect();
        let result = |task: &T| {
            if task.interval().is_none() {
                return Some(Known::without_run(task.result_without_run()));
            }
            let same = known.iter().find(|(other, _)| *other == task);
            same.and_then(|(_, result)| result.clone())
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                results: tasks.iter().map(result).collect(),
                version: 1,
                is_over: false,
                threads: 0,
            }),
            changed: Condvar::new(),
        });
        Self { tasks, shared }
    }

    pub(crate) fn tasks(&self) -> &[T] {
        &self.tasks
    }

    /// Starts a thread for each task, whose programs are at these places of the configuration with this checksum.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub(crate) fn start(&self, starter: &Starter, checksum: u32) -> io::Result<()> {
        for (at, task) in self.tasks.iter().enumerate() {
            let Some(interval) = task.interval() else {
                continue;
            };
            let (task, counted) = (task.clone(), Counted::new(&self.shared));
            let (starter, table) = (starter.clone(), T::TABLE);
            let place = Place {
                table,
                at,
                checksum,
            };
            thread::Builder::new()
                .name("varbind-extend".into())
                .stack_size(STACK)
                .spawn(move || run(&task, interval, &counted.0, (&starter, place)))?;
        }
        Ok(())
    }

    fn known(&self) -> impl Iterator<Item = (&T, Option<Known<T::Result>>)> {
        let results = self.shared.state().results.clone();
        self.tasks.iter().zip(results)
    }

    /// The tasks, each with its last result; `None` before the first.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&T, Option<Arc<T::Result>>)> {
        self.known()
            .map(|(task, known)| (task, known.map(|known| known.result)))
    }

    /// The last result of the task at this place.
    pub(crate) fn result(&self, at: usize) -> Option<Arc<T::Result>> {
        Some(self.shared.known(at)?.result)
    }

    /// The age of each result of a program, a line for each.
    pub(crate) fn ages(&self) -> Vec<String> {
        let run = self.known().filter(|(task, _)| task.interval().is_some());
        let line = |(task, known): (&T, Option<Known<T::Result>>)| {
            let age = known.map_or_else(|| "no result yet".to_owned(), |known| known.age());
            format!("{}: {age}", task.title())
        };
        run.map(line).collect()
    }

    /// Starts no program any more, and ends those that run.
    pub(crate) fn stop(&self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
    }

    /// Waits until the programs have ended after [`stop`](Self::stop).
    pub(crate) fn await_end(&self) {
        let state = self.shared.state();
        let changed = &self.shared.changed;
        let _ = changed.wait_timeout_while(state, LAST, |state| state.threads > 0);
    }

    /// Another number whenever a result has come.
    pub(crate) fn version(&self) -> u64 {
        self.shared.state().version
    }
}

impl<T: Task> Drop for Background<T> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Does a task again and again, until all are over.
fn run<T: Task>(
    task: &T,
    interval: Duration,
    shared: &Shared<T::Result>,
    (starter, place): (&Starter, Place),
) {
    let Some(program) = task.program() else {
        return;
    };
    let mut failures = 0_u32;
    let mut worker = task.worker(Launch::new(program, starter, place));
    loop {
        let begun = Instant::now();
        let known = match worker(&|| shared.is_over()) {
            Ok(result) => {
                failures = 0;
                Known {
                    read_at: Some(begun),
                    ..Known::without_run(result)
                }
            }
            Err(error) => {
                if failures == 0 && !shared.is_over() {
                    log::warn!("{}: {error}", task.title());
                }
                failures = failures.saturating_add(1);
                Known::after_failures(task, shared.known(place.at), failures)
            }
        };
        shared.put(place.at, known);
        if shared.wait_until(begun + interval) {
            break;
        }
    }
}
