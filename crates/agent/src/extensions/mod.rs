//! Programs that extend the agent (`[[extend]]`): each runs again and again in the background, and requests are answered from
//! its last result.

mod built_in;
mod program;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use built_in::built_in;
pub(crate) use program::{Limits, Program, RunAs};

/// A thread waits for each program; its stack need not be the usual 2 MiB.
const STACK: usize = 128 * 1024;
/// The exit status that is told of a program that did not end by itself, or could not be started.
pub(crate) const NO_RESULT: i32 = -1;

/// An extension: a name and what is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extension {
    /// The name by which managers know it.
    pub(crate) name: String,
    pub(crate) kind: ExtensionKind,
}

/// Where the output of an extension comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExtensionKind {
    /// A program that runs at an interval.
    Program {
        program: Program,
        interval: Duration,
    },
    /// A text that is known at the start.
    Fixed(String),
}

/// What a program last wrote, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunResult {
    /// Octets, as they were written, to the limit.
    pub(crate) output: Vec<u8>,
    /// The exit status, 128 and the number of the signal that ended it, or [`NO_RESULT`].
    pub(crate) status: i32,
}

impl RunResult {
    /// The lines, without their ends.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.output.strip_suffix(b"\n").unwrap_or(&self.output);
        let lines = text.split(|&octet| octet == b'\n');
        // No output is no line, one end of a line is an empty one.
        let has_lines = !self.output.is_empty();
        lines
            .filter(move |_| has_lines)
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Extensions and their last results. When it is dropped, no program is started any more, and those that run are ended.
pub(crate) struct Extensions {
    extensions: Vec<Extension>,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// In the order of the extensions.
    results: Vec<Option<Arc<RunResult>>>,
    /// How many results have come.
    version: u64,
    is_over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, at: usize, result: RunResult) {
        let mut state = self.state();
        if let Some(place) = state.results.get_mut(at) {
            *place = Some(Arc::new(result));
            state.version += 1;
        }
    }

    /// Waits until `deadline`; whether the extensions are over.
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

impl Extensions {
    /// Extensions whose programs do not run, with the results that `former` has of the same extensions.
    pub(crate) fn new(extensions: Vec<Extension>, former: Option<&Self>) -> Self {
        let known: Vec<_> = former.into_iter().flat_map(Self::results).collect();
        let result = |extension: &Extension| match &extension.kind {
            ExtensionKind::Program { .. } => {
                let same = known.iter().find(|(other, _)| *other == extension);
                same.and_then(|(_, result)| result.clone())
            }
            ExtensionKind::Fixed(text) => Some(Arc::new(RunResult {
                output: text.clone().into_bytes(),
                status: 0,
            })),
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                results: extensions.iter().map(result).collect(),
                version: 1,
                is_over: false,
            }),
            changed: Condvar::new(),
        });
        Self { extensions, shared }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.extensions.is_empty()
    }

    /// Starts a thread for each program.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub(crate) fn start(&self) -> std::io::Result<()> {
        for (at, extension) in self.extensions.iter().enumerate() {
            let ExtensionKind::Program { program, interval } = &extension.kind else {
                continue;
            };
            let (program, interval) = (program.clone(), *interval);
            let (name, shared) = (extension.name.clone(), Arc::clone(&self.shared));
            thread::Builder::new()
                .name("varbind-extend".into())
                .stack_size(STACK)
                .spawn(move || run(&name, &program, interval, &shared, at))?;
        }
        Ok(())
    }

    /// The extensions, each with its last result; `None` before the first.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Extension, Option<Arc<RunResult>>)> {
        let results = self.shared.state().results.clone();
        self.extensions.iter().zip(results)
    }

    /// Another number whenever a result has come.
    pub(crate) fn version(&self) -> u64 {
        self.shared.state().version
    }
}

impl Drop for Extensions {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
    }
}

/// Runs a program again and again, until the extensions are over.
fn run(name: &str, program: &Program, interval: Duration, shared: &Shared, at: usize) {
    let mut was_failing = false;
    loop {
        let begun = Instant::now();
        let result = match program.run(|| shared.is_over()) {
            Ok(result) => {
                was_failing = false;
                result
            }
            Err(error) => {
                if !was_failing {
                    log::warn!("extend {name}: {error}");
                }
                was_failing = true;
                RunResult {
                    output: Vec::new(),
                    status: NO_RESULT,
                }
            }
        };
        shared.put(at, result);
        if shared.wait_until(begun + interval) {
            break;
        }
    }
}

#[cfg(test)]
mod tests;
