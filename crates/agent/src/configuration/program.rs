//! Programs that the agent runs, and their limits.

use std::path::Path;
use std::time::Duration;

use rustix::process::geteuid;
use toml::Spanned;
use varbind::transport::ssh::Account;

use super::error::Problem;
use super::value;
use crate::extensions::{Limits, Program, RunAs};

/// How often a program runs, unless it is configured.
pub(super) const INTERVAL: Duration = Duration::from_secs(60);
const TIMEOUT: Duration = Duration::from_secs(30);
const MEMORY_LIMIT: u64 = 1 << 30;
/// Whose rights a program has that an agent of root starts, unless another user is named.
const UNPRIVILEGED: &str = "nobody";
const ROOT: u32 = 0;

/// Who runs the programs of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    ByThisProcess,
    /// A process of root, whatever user this one has.
    ByRoot,
}

/// What the configuration says of a program, of whatever table.
pub(super) struct ConfiguredProgram {
    pub(super) command: Spanned<Vec<String>>,
    pub(super) user: Option<Spanned<String>>,
    pub(super) timeout: Option<Spanned<value::Duration>>,
    pub(super) output_limit: usize,
    pub(super) memory_limit: Option<usize>,
}

impl ConfiguredProgram {
    pub(super) fn into_program(self, runs: Runs) -> Result<Program, Problem> {
        let span = self.command.span();
        let command = self.command.into_inner();
        match command.first() {
            Some(program) if Path::new(program).is_absolute() => {}
            _ => {
                let message = "expected a program by its absolute path, then its arguments, as \
                    [\"/usr/bin/uptime\", \"-p\"]; a shell is [\"/bin/sh\", \"-c\", \"...\"]";
                return Err(Problem::at(span, message));
            }
        }
        Ok(Program {
            command,
            run_as: run_as(self.user.as_ref(), runs)?,
            limits: Limits {
                time: time(self.timeout, TIMEOUT)?,
                output: self.output_limit,
                memory: self.memory_limit.map_or(MEMORY_LIMIT, |limit| limit as u64),
            },
        })
    }
}

/// A time above 0.
pub(super) fn time(
    time: Option<Spanned<value::Duration>>,
    default: Duration,
) -> Result<Duration, Problem> {
    match time {
        None => Ok(default),
        Some(time) if time.get_ref().0.is_zero() => {
            Err(Problem::at(time.span(), "expected a time above 0"))
        }
        Some(time) => Ok(time.get_ref().0),
    }
}

/// An agent of root gives its programs an unprivileged user; another agent can give them its own alone.
fn run_as(user: Option<&Spanned<String>>, runs: Runs) -> Result<Option<RunAs>, Problem> {
    let is_root = runs == Runs::ByRoot || geteuid().as_raw() == ROOT;
    let (name, span) = match user {
        Some(user) => (user.get_ref().as_str(), Some(user.span())),
        None if is_root => (UNPRIVILEGED, None),
        None => return Ok(None),
    };
    let problem = |message: String| match span.clone() {
        Some(span) => Problem::at(span, message),
        None => Problem::anywhere(message),
    };
    let account = Account::named(name)
        .map_err(|error| problem(format!("user {name:?}: {error}")))?
        .ok_or_else(|| {
            problem(format!(
                "user {name:?} to run programs does not exist: set `user`"
            ))
        })?;
    if !is_root && account.uid != geteuid().as_raw() {
        let message = format!("{name}: only an agent of root can run programs as another user");
        return Err(problem(message));
    }
    Ok(is_root.then_some(RunAs {
        uid: account.uid,
        gid: account.gid,
    }))
}
