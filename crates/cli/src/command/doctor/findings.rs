//! The doctor's findings: line by line as they are found, or at the end as JSON.

use std::cell::RefCell;
use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};
use varbind::transport::TransportAddress;
use varbind_terminal::Failure;

/// The number of the form of the JSON, which docs/manager.md describes.
const SCHEMA: u32 = 1;

/// What a step found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    Bad,
    /// Neither, or not looked at.
    Open,
}

impl Verdict {
    const fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Bad => "no",
            Self::Open => "-",
        }
    }

    /// The sequence that begins its colour on a terminal.
    const fn colour(self) -> Option<&'static str> {
        match self {
            Self::Good => Some("\x1b[32m"),
            Self::Bad => Some("\x1b[31m"),
            Self::Open => None,
        }
    }

    const fn name_in_json(self) -> &'static str {
        match self {
            Self::Open => "open",
            other => other.name(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Ends a colour.
const PLAIN: &str = "\x1b[0m";

/// Whether standard output is a terminal that shows colours and the user wants them (no-color.org).
fn is_coloured() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// What is kept for the end.
#[derive(Default)]
struct Findings {
    steps: Vec<Value>,
    advice: Vec<Value>,
    command: Value,
    condition: Value,
}

thread_local! {
    /// The findings of this thread, which examines one agent; `None` where they are printed at once.
    static KEPT: RefCell<Option<Findings>> = const { RefCell::new(None) };
}

/// Keeps a finding, if findings are kept.
fn keep_if_wanted(keep: impl FnOnce(&mut Findings)) -> bool {
    KEPT.with_borrow_mut(|kept| kept.as_mut().map(keep).is_some())
}

/// From now on findings are kept for JSON.
pub(super) fn keep() {
    KEPT.set(Some(Findings::default()));
}

/// Tells what a step found; one without a name says more about the step before.
pub(super) fn report_step(verdict: Verdict, what: &str, text: &str) -> Result<(), Failure> {
    if keep_if_wanted(|findings| findings.add_step(verdict, what, text)) {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    match verdict.colour().filter(|_| is_coloured()) {
        Some(colour) => writeln!(output, "{colour}{verdict:<3}{PLAIN} {what:<15} {text}")?,
        None => writeln!(output, "{verdict:<3} {what:<15} {text}")?,
    }
    output.flush()?;
    Ok(())
}

/// Suggests a remedy, with an example such as a configuration.
pub(super) fn advise(text: &str, example: Option<&str>) -> Result<(), Failure> {
    let advice = || json!({ "text": text, "example": example });
    if keep_if_wanted(|findings| findings.advice.push(advice())) {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    match example {
        Some(example) => writeln!(output, "\n{text}:\n\n{example}")?,
        None => writeln!(output, "\n{text}")?,
    }
    Ok(())
}

/// Tells the command line that works, or would on a condition that only the user can look at.
pub(super) fn conclude(line: &str, condition: Option<&str>) -> Result<(), Failure> {
    let is_kept = keep_if_wanted(|findings| {
        findings.command = line.into();
        findings.condition = condition.into();
    });
    if is_kept {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    match condition {
        Some(condition) => writeln!(output, "\n{condition}:\n\n{line}")?,
        None => writeln!(output, "\n{line}")?,
    }
    Ok(())
}

impl Findings {
    fn add_step(&mut self, verdict: Verdict, what: &str, text: &str) {
        let verdict = verdict.name_in_json();
        if what.is_empty() {
            let details = self
                .steps
                .last_mut()
                .and_then(|step| step.get_mut("details"));
            if let Some(details) = details.and_then(Value::as_array_mut) {
                details.push(json!({ "verdict": verdict, "text": text }));
                return;
            }
        }
        let (step, subject) = match what.split_once(' ') {
            Some(("user", name)) => ("user".to_owned(), Some(name)),
            _ => (what.to_ascii_lowercase().replace(' ', "-"), None),
        };
        self.steps.push(json!({
            "step": step, "subject": subject, "verdict": verdict, "text": text, "details": [],
        }));
    }
}

/// Writes what was kept, as one object of JSON; the failure is the user's to be told on standard error, too.
pub(super) fn write(
    target: &TransportAddress,
    result: &Result<(), Failure>,
) -> Result<(), Failure> {
    writeln!(io::stdout(), "{}", document(target, result))?;
    Ok(())
}

/// What was kept, as one object of JSON.
pub(super) fn document(target: &TransportAddress, result: &Result<(), Failure>) -> Value {
    let findings = KEPT.take().unwrap_or_default();
    let (exit_code, error) = match result {
        Ok(()) => (0, None),
        Err(failure) => (
            failure.exit_code(),
            (!failure.is_reported()).then(|| failure.to_string()),
        ),
    };
    json!({
        "schema": SCHEMA,
        "target": target.to_string(),
        "exit_code": exit_code,
        "steps": findings.steps,
        "advice": findings.advice,
        "command": findings.command,
        "condition": findings.condition,
        "error": error,
    })
}
