//! Subtrees that programs serve (`[[pass]]`), as `pass` and `pass_persist` of snmpd do.
//!
//! A program is asked in the background for everything below the name, one answer after the other; requests are answered from
//! what came last.

mod answer;
mod conversation;
#[cfg(any(test, fuzzing))]
mod properties;

use std::sync::Arc;
use std::time::Duration;

use varbind_codec::smi::{Oid, Value};

use super::background::Task;
use super::program::{Bounds, Launch, Program, RunError};
use super::runner::Table;
use crate::managed_objects::Instances;
use answer::Answer;
use conversation::Conversation;
#[cfg(any(test, fuzzing))]
pub use properties::pass_answer;

/// A subtree and the program that serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassSubtree {
    /// The name above all that the program serves.
    pub(crate) root: Oid,
    pub(crate) program: Program,
    pub(crate) protocol: PassProtocol,
    pub(crate) interval: Duration,
}

/// How a program is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassProtocol {
    /// The program runs for each instance, with `-n` and a name; it writes name, type and value in three lines.
    Pass,
    /// The program runs on, reads `getnext` and a name in two lines, and writes the same three lines or `NONE`.
    PassPersist,
    /// The program writes all instances at once, each as a JSON object in one line, and ends.
    JsonLines,
}

impl Task for PassSubtree {
    type Result = Instances;

    const TABLE: Table = Table::Pass;

    fn title(&self) -> String {
        format!("pass {}", self.root)
    }

    fn interval(&self) -> Option<Duration> {
        Some(self.interval)
    }

    fn result_without_run(&self) -> Instances {
        Instances::default()
    }

    fn after_failure(&self, last: &Arc<Instances>) -> Arc<Instances> {
        Arc::clone(last)
    }

    fn program(&self) -> Option<&Program> {
        Some(&self.program)
    }

    fn worker<'a>(
        &'a self,
        launch: Launch<'a>,
    ) -> impl FnMut(&dyn Fn() -> bool) -> Result<Instances, RunError> + Send {
        let mut conversation = Conversation::new(self, launch.clone());
        move |is_unwanted| {
            let bounds = Bounds::new(&self.program, is_unwanted);
            let answers = match self.protocol {
                PassProtocol::JsonLines => self.lines(&launch, is_unwanted, &bounds),
                PassProtocol::Pass | PassProtocol::PassPersist => {
                    let walked = self.walk(&mut conversation, &bounds);
                    if walked.is_err() {
                        // What it still has to say would answer the next question.
                        conversation.hang_up();
                    }
                    walked
                }
            }?;
            let mut instances = Instances::default();
            for Answer { name, value } in answers {
                instances.instance(name.arcs(), &[], value);
            }
            instances.sort();
            Ok(instances)
        }
    }
}

impl PassSubtree {
    /// Asks for the root itself, which a program may serve as the only instance, and then for one behind the other.
    fn walk(
        &self,
        conversation: &mut Conversation<'_>,
        bounds: &Bounds<'_>,
    ) -> Result<Vec<Answer>, RunError> {
        let mut octets = 0;
        let mut answers = Vec::new();
        let of_root = conversation.get(&self.root, bounds)?;
        answers.extend(of_root.filter(|answer| answer.name == self.root));
        let mut last = self.root.clone();
        while let Some(answer) = conversation.get_next(&last, bounds)? {
            if !self.root.is_prefix_of(answer.name.arcs()) {
                break;
            }
            if answer.name <= last {
                let message = format!("{} does not come behind {last}", answer.name);
                return Err(bounds.no_answer(message));
            }
            octets += answer.size();
            if octets > self.program.limits.output {
                return Err(bounds.too_much_output());
            }
            last = answer.name.clone();
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Takes all instances from one run.
    fn lines(
        &self,
        launch: &Launch<'_>,
        is_unwanted: &dyn Fn() -> bool,
        bounds: &Bounds<'_>,
    ) -> Result<Vec<Answer>, RunError> {
        let result = launch.run(is_unwanted)?;
        if result.status != 0 {
            let message = format!("ended with exit status {}", result.status);
            return Err(bounds.no_answer(message));
        }
        let read = |(number, line): (usize, &[u8])| {
            let told = |message| bounds.no_answer(format!("line {}: {message}", number + 1));
            let answer = Answer::from_json(line).map_err(told)?;
            if self.root.is_prefix_of(answer.name.arcs()) {
                Ok(answer)
            } else {
                Err(told(format!("{} is not below {}", answer.name, self.root)))
            }
        };
        let lines = result.lines().enumerate();
        lines
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(read)
            .collect()
    }
}

impl Answer {
    /// About how much of the limit of output it takes.
    fn size(&self) -> usize {
        let octets = match &self.value {
            Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
            _ => 0,
        };
        octets + 4 * self.name.arcs().len()
    }
}

#[cfg(test)]
mod tests;
