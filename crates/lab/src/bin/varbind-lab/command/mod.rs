//! The commands.

mod bench;
mod link;
mod study;

use std::ffi::OsString;

use clap::Subcommand;
use varbind_lab::many_targets::run_targets;
use varbind_lab::study::serve_site;
use varbind_lab::subject::{hold_sessions, serve_echo};
use varbind_terminal::Failure;
use varbind_terminal::completions::CompletionsArguments;
use varbind_terminal::manual::ManArguments;

use crate::arguments::definition;
use crate::manual::MANUAL;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure an agent: response times, processor time, memory, packets
    Bench(Box<bench::Arguments>),
    /// Run programs at both ends of an emulated link, which loses and delays packets
    Link(Box<link::Arguments>),
    /// Repeat published studies: list them, run them, compare runs
    Study(Box<study::Arguments>),
    /// Do the tasks of a study that standard input names
    #[command(hide = true)]
    StudySite,
    /// Send every datagram back: what bench compares agents with
    #[command(hide = true)]
    Echo,
    /// Open sessions and hold them: how bench finds out what they cost an agent
    #[command(hide = true)]
    HoldSessions {
        /// Transport, address, number, exchanges of each and directory of keys
        sessions: Vec<String>,
    },
    /// Ask many targets once: how bench finds out what a client costs
    #[command(hide = true)]
    RunTargets {
        /// What to do, as JSON
        order: String,
    },
    /// Write completions for a shell to standard output
    Completions(CompletionsArguments),
    /// Write manual pages into a directory
    Man(ManArguments),
}

impl Command {
    /// Runs it; `words` are those of the command line, with the secrets in them.
    pub(crate) fn run(&self, words: Vec<OsString>) -> Result<(), Failure> {
        match self {
            Self::Bench(arguments) => arguments.run(words),
            Self::Link(arguments) => arguments.run(),
            Self::Study(arguments) => arguments.run(words),
            Self::StudySite => Ok(serve_site(|agent, words| {
                study::external_subject(agent, words).map_err(|failure| failure.to_string())
            })?),
            Self::Echo => Ok(serve_echo()?),
            Self::HoldSessions { sessions } => {
                hold_sessions(sessions).map_err(|error| Failure::Usage(error.to_string()))
            }
            Self::RunTargets { order } => Ok(run_targets(order)?),
            Self::Completions(arguments) => arguments.run(definition()),
            Self::Man(arguments) => arguments.run(definition(), &MANUAL),
        }
    }
}
