//! Output of the command: text for people, or a JSON object for each event.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};
use varbind_simulator::{Player, SimulationReport};
use varbind_terminal::{Failure, messages};

/// Writes to standard output, and in text form what is wrong to standard error.
#[derive(Clone, Copy)]
pub(super) struct Report {
    pub(super) is_json: bool,
}

impl Report {
    /// The recordings and the configuration were read.
    pub(super) fn loaded(self, found: &SimulationReport) -> Result<(), Failure> {
        match self.is_json {
            true => self.event("loaded", found),
            false => self.line(&found.to_string()),
        }
    }

    /// They were read again, and are played.
    pub(super) fn replaced(self, found: &SimulationReport) -> Result<(), Failure> {
        match self.is_json {
            true => self.event("replaced", found),
            false => self.line(&format!("read again: {found}")),
        }
    }

    /// They cannot be played: the old simulation stays.
    pub(super) fn kept(self, error: &str) -> Result<(), Failure> {
        match self.is_json {
            true => self.event("kept", json!({ "error": error })),
            false => {
                messages::report(format_args!("the old simulation stays: {error}"));
                Ok(())
            }
        }
    }

    /// Requests are answered.
    pub(super) fn listening(self, player: &Player) -> Result<(), Failure> {
        for address in player.addresses() {
            let address = address.to_string();
            match self.is_json {
                true => self.event("listening", json!({ "address": address }))?,
                false => self.line(&format!("listening on {address}"))?,
            }
        }
        Ok(())
    }

    /// A signal has ended the simulation.
    pub(super) fn ended(self, player: &Player) -> Result<(), Failure> {
        let counts = player.counts();
        match self.is_json {
            true => self.event("ended", counts),
            false => self.line(&counts.to_string()),
        }
    }

    fn event(self, name: &str, content: impl Serialize) -> Result<(), Failure> {
        let mut event = json!({ "event": name });
        let content = serde_json::to_value(content).map_err(io::Error::from)?;
        if let (Value::Object(event), Value::Object(content)) = (&mut event, content) {
            event.extend(content);
        }
        self.line(&event.to_string())
    }

    fn line(self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        if self.is_json {
            writeln!(stdout, "{text}")?;
        } else {
            // Names of files and lines of recordings may have control characters.
            for line in text.lines() {
                writeln!(stdout, "{}", varbind_mib::escape_controls(line))?;
            }
        }
        stdout.flush()?;
        Ok(())
    }
}
