//! Questions to a program and its answers, one after the other.

use std::io::{self, Write};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use varbind_codec::smi::Oid;

use super::answer::Answer;
use super::{PassProtocol, PassSubtree};
use crate::extensions::program::{Bounds, Launch, RunError, Running};
use crate::extensions::runner;

/// Answers of `pass_persist` that there is no such instance.
const NONE: &[u8] = b"NONE";

/// A program that is asked. One of `pass_persist` runs on between questions, and is started again when it has ended.
pub(super) struct Conversation<'a> {
    subtree: &'a PassSubtree,
    launch: Launch<'a>,
    running: Option<Running>,
}

/// A question, by the words of both protocols.
struct Question {
    is_next: bool,
    command: &'static str,
}

const GET: Question = Question {
    is_next: false,
    command: "get",
};
const GET_NEXT: Question = Question {
    is_next: true,
    command: "getnext",
};

impl<'a> Conversation<'a> {
    pub(super) const fn new(subtree: &'a PassSubtree, launch: Launch<'a>) -> Self {
        Self {
            subtree,
            launch,
            running: None,
        }
    }

    /// Ends the program, if it runs.
    pub(super) fn hang_up(&mut self) {
        self.running = None;
    }

    /// The instance of this name, if there is one.
    pub(super) fn get(
        &mut self,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<Answer>, RunError> {
        self.query(&GET, name, bounds)
    }

    /// The first instance behind this name, if there is one.
    pub(super) fn get_next(
        &mut self,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<Answer>, RunError> {
        self.query(&GET_NEXT, name, bounds)
    }

    fn query(
        &mut self,
        question: &Question,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<Answer>, RunError> {
        let lines = match self.subtree.protocol {
            PassProtocol::PassPersist => self.query_persistent(question, name, bounds)?,
            PassProtocol::Pass | PassProtocol::JsonLines => {
                self.query_once(question, name, bounds)?
            }
        };
        let Some([of_name, data_type, value]) = lines else {
            return Ok(None);
        };
        let wrong = |message| {
            let command = question.command;
            bounds.no_answer(format!(
                "its answer to {command} .{name} is wrong: {message}"
            ))
        };
        Answer::from_lines(&of_name, &data_type, &value)
            .map(Some)
            .map_err(wrong)
    }

    fn query_once(
        &self,
        question: &Question,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<[Vec<u8>; 3]>, RunError> {
        let asked = runner::Question {
            is_next: question.is_next,
            name: name.arcs().to_vec(),
        };
        let mut running = self.launch.start(Some(asked), false)?;
        while running.read(bounds)? {}
        let mut lines = running.output.split(|&octet| octet == b'\n');
        let mut line = || lines.next().map(without_return).map(<[u8]>::to_vec);
        let first = line().unwrap_or_default();
        if first.is_empty() || first == NONE {
            return Ok(None);
        }
        match (line(), line()) {
            (Some(data_type), Some(value)) => Ok(Some([first, data_type, value])),
            _ => {
                let shown = String::from_utf8_lossy(&first).into_owned();
                let message =
                    format!("expected a name, a type and a value in three lines, not {shown:?}");
                Err(bounds.no_answer(message))
            }
        }
    }

    /// Asks the program that runs. If it ends instead of answering, another one is asked.
    fn query_persistent(
        &mut self,
        question: &Question,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<[Vec<u8>; 3]>, RunError> {
        let has_run = self.running.is_some();
        let answer = self.exchange(question, name, bounds);
        if has_run && matches!(answer, Err(RunError::Ended { .. })) {
            self.hang_up();
            return self.exchange(question, name, bounds);
        }
        answer
    }

    fn exchange(
        &mut self,
        question: &Question,
        name: &Oid,
        bounds: &Bounds<'_>,
    ) -> Result<Option<[Vec<u8>; 3]>, RunError> {
        let running = self.connected(bounds)?;
        write_request(running, &format!("{}\n.{name}\n", question.command), bounds)?;
        let first = read_line(running, bounds)?;
        if first == NONE {
            return Ok(None);
        }
        let data_type = read_line(running, bounds)?;
        let value = read_line(running, bounds)?;
        Ok(Some([first, data_type, value]))
    }

    /// The program, which runs and answers. One that ended since the last question is started again.
    fn connected(&mut self, bounds: &Bounds<'_>) -> Result<&mut Running, RunError> {
        let has_ended = match &mut self.running {
            Some(running) => running.has_ended(bounds)?,
            None => true,
        };
        if has_ended {
            let mut running = self.launch.start(None, true)?;
            if let Some(stdin) = running.stdin() {
                // A program that does not read is not waited for.
                let flags = fcntl_getfl(&*stdin).map_err(|error| bounds.failed(error.into()))?;
                fcntl_setfl(&*stdin, flags | OFlags::NONBLOCK)
                    .map_err(|error| bounds.failed(error.into()))?;
            }
            write_request(&mut running, "PING\n", bounds)?;
            let response = read_line(&mut running, bounds)?;
            if response != b"PONG" {
                let response = String::from_utf8_lossy(&response).into_owned();
                return Err(bounds.no_answer(format!("answered PING with {response:?}, not PONG")));
            }
            self.running = Some(running);
        }
        self.running
            .as_mut()
            .ok_or_else(|| bounds.no_answer("does not run"))
    }
}

fn write_request(running: &mut Running, text: &str, bounds: &Bounds<'_>) -> Result<(), RunError> {
    let stdin = running.stdin().as_mut();
    let stdin = stdin.ok_or_else(|| bounds.no_answer("cannot be asked"))?;
    stdin
        .write_all(text.as_bytes())
        .map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => bounds.no_answer("does not read its requests"),
            io::ErrorKind::BrokenPipe => bounds.ended(),
            _ => bounds.failed(error),
        })
}

/// The next line, without its end.
fn read_line(running: &mut Running, bounds: &Bounds<'_>) -> Result<Vec<u8>, RunError> {
    loop {
        if let Some(end) = running.output.iter().position(|&octet| octet == b'\n') {
            let rest = running.output.split_off(end + 1);
            let line = std::mem::replace(&mut running.output, rest);
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            return Ok(without_return(line).to_vec());
        }
        if !running.read(bounds)? {
            return Err(bounds.ended());
        }
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
