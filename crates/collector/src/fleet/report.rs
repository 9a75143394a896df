//! What SIGUSR1 prints.

use std::fmt;
use std::time::Duration;

use super::board::{Board, State, Status};
use crate::output::Outcome;
use crate::schedule::ScheduleStatistics;

/// So many targets are listed.
const LISTED: usize = 50;

/// Targets by state, the first of those that are not well, and why.
#[derive(Clone, Debug)]
pub struct Report {
    counts: Vec<(State, usize)>,
    troubled: Vec<Line>,
    more: usize,
    statistics: ScheduleStatistics,
    running: usize,
    notifications: u64,
}

#[derive(Clone, Debug)]
struct Line {
    state: State,
    name: String,
    why: String,
}

impl Report {
    pub(super) fn of(board: &Board, now: Duration) -> Self {
        let board = board.lock();
        let mut troubled: Vec<(State, &Status)> = Vec::new();
        let mut counts = State::ALL.map(|state| (state, 0));
        for status in board.targets.values() {
            let state = status.state(now);
            if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == state) {
                *count += 1;
            }
            if !matches!(state, State::Ok | State::Waiting) {
                troubled.push((state, status));
            }
        }
        troubled.sort_by_key(|(state, _)| *state);
        let listed = troubled.iter().take(LISTED);
        Self {
            counts: counts.into_iter().filter(|(_, count)| *count > 0).collect(),
            more: troubled.len().saturating_sub(LISTED),
            troubled: listed
                .map(|(state, status)| Line::of(*state, status, now))
                .collect(),
            statistics: board.statistics,
            running: board.running,
            notifications: board.notifications,
        }
    }
}

impl Line {
    fn of(state: State, status: &Status, now: Duration) -> Self {
        let errors = status
            .polls
            .iter()
            .filter_map(|last| match &last.poll.outcome {
                Outcome::Failure { message, .. } => {
                    // The line names the target already.
                    let bare = message.strip_prefix(&*status.name.name);
                    let bare = bare
                        .and_then(|rest| rest.strip_prefix(": "))
                        .unwrap_or(message);
                    Some(format!("{}: {bare}", last.poll.module))
                }
                Outcome::Success => None,
            });
        let mut errors: Vec<String> = errors.collect();
        if status.not_before > now {
            let wait = (status.not_before - now).as_secs();
            let failures = status.failures;
            errors.push(format!(
                "next attempt in {wait} s, after {failures} without a response"
            ));
        }
        Self {
            state,
            name: status.name.name.to_string(),
            why: errors.join("; "),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("targets:")?;
        for (state, count) in &self.counts {
            write!(f, " {count} {}", state.as_str())?;
        }
        let ScheduleStatistics {
            started,
            late,
            overrun,
            backed_off,
            ..
        } = self.statistics;
        write!(
            f,
            "\npolls: {started} started, {} running, {late} late, {overrun} left out after an overrun, {backed_off} while silent",
            self.running
        )?;
        write!(f, "\nnotifications: {}", self.notifications)?;
        for Line { state, name, why } in &self.troubled {
            write!(f, "\n  {} {name}: {why}", state.as_str())?;
        }
        if self.more > 0 {
            write!(f, "\n  {} more: see the page of [prometheus]", self.more)?;
        }
        Ok(())
    }
}
