//! Programs that extend the agent (`[[extend]]`, `[[pass]]`): each runs again and again in the background, and requests are
//! answered from its last result.

mod background;
mod built_in;
mod pass;
mod program;
mod runner;

use std::sync::Arc;
use std::time::Duration;

pub(crate) use background::{Background, Task};
pub(crate) use built_in::built_in;
#[cfg(any(test, fuzzing))]
pub(crate) use built_in::descriptions;
#[cfg(any(test, fuzzing))]
pub use pass::pass_answer;
pub(crate) use pass::{PassProtocol, PassSubtree};
use program::{Launch, RunError};
pub(crate) use program::{Limits, Program, RunAs, Starter};
pub(crate) use runner::Runner;
use runner::Table;
pub use runner::{RunnerError, run_programs};
use varbind_codec::smi::Oid;

/// The exit status that is reported for a program that was ended, or could not be started.
pub(crate) const NO_RESULT: i32 = -1;

/// An extension: a name and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extension {
    /// The name by which managers know it.
    pub(crate) name: String,
    pub(crate) kind: ExtensionKind,
    /// The name below which it is served, other than nsExtendObjects.
    pub(crate) root: Option<Oid>,
    /// Whether it is a row of extTable too.
    pub(crate) is_exec: bool,
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
        // No output is not a line, one end of a line is an empty one.
        let has_lines = !self.output.is_empty();
        lines
            .filter(move |_| has_lines)
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Extensions and their last results.
pub(crate) type Extensions = Background<Extension>;

impl Task for Extension {
    type Result = RunResult;

    const TABLE: Table = Table::Extend;

    fn title(&self) -> String {
        format!("extend {}", self.name)
    }

    fn interval(&self) -> Option<Duration> {
        match self.kind {
            ExtensionKind::Program { interval, .. } => Some(interval),
            ExtensionKind::Fixed(_) => None,
        }
    }

    fn result_without_run(&self) -> RunResult {
        match &self.kind {
            ExtensionKind::Program { .. } => RunResult {
                output: Vec::new(),
                status: NO_RESULT,
            },
            ExtensionKind::Fixed(text) => RunResult {
                output: text.clone().into_bytes(),
                status: 0,
            },
        }
    }

    fn after_failure(&self, last: &Arc<RunResult>) -> Arc<RunResult> {
        let output = last.output.clone();
        let status = NO_RESULT;
        Arc::new(RunResult { output, status })
    }

    fn program(&self) -> Option<&Program> {
        match &self.kind {
            ExtensionKind::Program { program, .. } => Some(program),
            ExtensionKind::Fixed(_) => None,
        }
    }

    fn worker<'a>(
        &'a self,
        launch: Launch<'a>,
    ) -> impl FnMut(&dyn Fn() -> bool) -> Result<RunResult, RunError> + Send {
        move |is_unwanted| launch.run(is_unwanted)
    }
}

#[cfg(test)]
mod tests;
