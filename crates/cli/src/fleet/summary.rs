//! Which hosts failed, and why.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use varbind_inventory::Host;
use varbind_terminal::print_message;

use super::MIXED;
use super::failure::HostFailure;

/// How many names of hosts are shown for a reason on a terminal. Elsewhere all are.
const SHOWN: usize = 40;

/// What became of hosts so far.
pub(crate) struct Summary {
    total: usize,
    finished: usize,
    /// The hosts by exit code and reason.
    failures: BTreeMap<(u8, String), Vec<usize>>,
    started: Instant,
}

impl Summary {
    pub(crate) fn new(total: usize) -> Self {
        Self {
            total,
            finished: 0,
            failures: BTreeMap::new(),
            started: Instant::now(),
        }
    }

    pub(crate) fn note(&mut self, host: usize, outcome: Result<(), HostFailure>) {
        self.finished += 1;
        if let Err(HostFailure { code, reason }) = outcome {
            self.failures.entry((code, reason)).or_default().push(host);
        }
    }

    pub(super) const fn finished(&self) -> usize {
        self.finished
    }

    pub(super) fn failed(&self) -> usize {
        self.failures.values().map(Vec::len).sum()
    }

    /// 0 if none failed, the code of the failures if all have the same, or the code for several kinds.
    pub(crate) fn exit_code(&self) -> u8 {
        let mut codes = self.failures.keys().map(|(code, _)| *code);
        match (codes.next(), codes.next_back()) {
            (None, _) => 0,
            (Some(code), last) if last.is_none_or(|last| last == code) => code,
            _ => MIXED,
        }
    }

    /// Tells who failed and why on standard error; nothing where all succeeded.
    pub(crate) fn print(&self, hosts: &[Host], is_interrupted: bool) {
        let text = self.text(hosts, self.started.elapsed(), is_interrupted);
        if !text.is_empty() {
            print_message(format_args!("{text}"));
        }
    }

    fn text(&self, hosts: &[Host], elapsed: Duration, is_interrupted: bool) -> String {
        let failed = self.failed();
        if failed == 0 && !is_interrupted {
            return String::new();
        }
        let Self {
            total, finished, ..
        } = self;
        let good = finished - failed;
        let seconds = elapsed.as_secs_f64();
        let interrupted = if is_interrupted { "interrupted: " } else { "" };
        let mut text =
            format!("varbind: {interrupted}{good} of {total} hosts succeeded in {seconds:.1} s");
        let mut groups: Vec<_> = self.failures.iter().collect();
        groups.sort_by_key(|(_, hosts)| std::cmp::Reverse(hosts.len()));
        let limit = match io::stderr().is_terminal() {
            true => SHOWN,
            false => usize::MAX,
        };
        for ((_, reason), failed) in groups {
            let names = failed
                .iter()
                .take(limit)
                .filter_map(|host| hosts.get(*host));
            let names: Vec<_> = names.map(|host| host.name.as_str()).collect();
            let more = match failed.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more (--json names all)"),
            };
            let (count, names) = (failed.len(), names.join(", "));
            // Writing into a string does not fail.
            let _ = write!(text, "\n  {count} failed: {reason}\n    {names}{more}");
        }
        if is_interrupted {
            let rest = total - finished;
            let _ = write!(text, "\n  {rest} not finished");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> Host {
        Host::plain(name, name.parse().unwrap())
    }

    fn failure(code: u8, reason: &str) -> Result<(), HostFailure> {
        let reason = reason.to_owned();
        Err(HostFailure { code, reason })
    }

    #[test]
    fn hosts_are_grouped_by_reason_and_the_exit_code_is_theirs() {
        let hosts = ["a", "b", "c", "d"].map(host);
        let mut summary = Summary::new(4);
        summary.note(0, Ok(()));
        assert_eq!(
            (
                summary.exit_code(),
                summary.text(&hosts, Duration::ZERO, false)
            ),
            (0, String::new())
        );
        summary.note(1, failure(3, "no answer"));
        summary.note(2, failure(3, "no answer"));
        assert_eq!(summary.exit_code(), 3);
        summary.note(3, failure(2, "wrong digest"));
        assert_eq!(summary.exit_code(), MIXED);
        assert_eq!(
            summary.text(&hosts, Duration::from_millis(1250), false),
            "varbind: 1 of 4 hosts succeeded in 1.2 s\n  2 failed: no answer\n    b, c\n  1 failed: wrong digest\n    d"
        );
    }

    #[test]
    fn an_interrupted_run_says_how_many_are_missing() {
        let mut summary = Summary::new(3);
        summary.note(0, Ok(()));
        let text = summary.text(&[], Duration::ZERO, true);
        assert_eq!(
            text,
            "varbind: interrupted: 1 of 3 hosts succeeded in 0.0 s\n  2 not finished"
        );
    }
}
