//! snmpwalk and snmpbulkwalk.

use std::time::Instant;

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{Command, Response};
use varbind_mib::format_name;

use super::bulk_get::Repetition;
use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{Lost, Session, print_error_status};
use super::tool::{Call, Tool};
use super::words::V2_IN_V1;
use super::{ERROR_STATUS, Ended, FAILED, Stop};
use crate::arguments::SnmpVersion;

/// What is walked where nothing is given: mib-2.
const DEFAULT_ROOT: &str = ".1.3.6.1.2.1";

/// The letters behind `-C`.
#[derive(Default)]
struct Letters {
    include_root: bool,
    no_root: bool,
    count: bool,
    any_order: bool,
    time: bool,
    time_each: bool,
    end: Option<String>,
    repetition: Repetition,
}

impl Letters {
    fn read(call: &Call, console: &mut Console) -> Result<(CommandLine, Self), Stop> {
        let mut own = Self::default();
        let is_bulk = call.tool == Tool::BulkWalk;
        let line = CommandLine::read(call, console, &mut |letters, words, console| {
            let mut rest = letters;
            while let Some(letter) = rest.chars().next() {
                if is_bulk && let Some(behind) = own.repetition.take(rest)? {
                    rest = behind;
                    continue;
                }
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
                let place = match letter {
                    'i' => &mut own.include_root,
                    'p' => &mut own.count,
                    'c' => &mut own.any_order,
                    'I' if !is_bulk => &mut own.no_root,
                    't' if !is_bulk => &mut own.time,
                    'T' if !is_bulk => &mut own.time_each,
                    'E' if !is_bulk => {
                        own.end = words.take_word();
                        continue;
                    }
                    letter => return Err(unknown_own_letter(letter, console)),
                };
                *place = !*place;
            }
            Ok(())
        })?;
        Ok((line, own))
    }
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let (line, letters) = Letters::read(call, console)?;
    let mut names = Names::new(&line.mib, &line.input);
    let root = line.operands.first().map_or(DEFAULT_ROOT, String::as_str);
    let Some(root) = names.read_or_log(root, console) else {
        return Ok(FAILED);
    };
    let mut end = None;
    if let Some(text) = &letters.end {
        end = names.read_or_log(text, console);
        if end.is_none() {
            return Ok(FAILED);
        }
    }
    let session = Session::open(call, &line, &mut names, console)?;
    if call.tool == Tool::BulkWalk && line.version == SnmpVersion::V1 {
        names.log_error(call.tool.name(), V2_IN_V1, console);
        return Ok(FAILED);
    }
    let is_bulk = call.tool == Tool::BulkWalk;
    let mut walk = Walk {
        line: &line,
        letters: &letters,
        session,
        names,
        console,
        is_bulk,
        end: end.map_or_else(|| behind(&root), |end| end.arcs().to_vec()),
        root,
        printed: 0,
    };
    walk.run()
}

/// The first name that is not below a root.
fn behind(root: &Oid) -> Vec<u32> {
    let mut arcs = root.arcs().to_vec();
    while let Some(last) = arcs.pop() {
        if let Some(next) = last.checked_add(1) {
            arcs.push(next);
            break;
        }
    }
    arcs
}

/// A walk under way.
struct Walk<'a> {
    line: &'a CommandLine,
    letters: &'a Letters,
    session: Session,
    names: Names<'a>,
    console: &'a mut Console,
    is_bulk: bool,
    root: Oid,
    end: Vec<u32>,
    printed: u64,
}

/// What a response leads to.
enum Next {
    Name(Oid),
    Done(u8),
}

impl Walk<'_> {
    fn run(&mut self) -> Ended {
        if self.letters.include_root {
            self.request_root()?;
        }
        let start = Instant::now();
        let mut name = self.root.clone();
        let (code, has_response) = loop {
            let sent = Instant::now();
            match self.request(&name) {
                Ok(response) => match self.take(&name, &response, sent)? {
                    Next::Name(next) => name = next,
                    Next::Done(code) => break (code, true),
                },
                Err(lost) => {
                    let code = self
                        .session
                        .print_lost(&lost, &mut self.names, self.console);
                    break (code, false);
                }
            }
        };
        let elapsed = start.elapsed();
        if self.printed == 0 && has_response && !self.letters.no_root {
            self.request_root()?;
        }
        if self.letters.count {
            let count = self.printed;
            self.console.print(&format!("Variables found: {count}\n"))?;
        }
        if self.letters.time {
            let seconds = elapsed.as_secs_f64();
            self.console
                .error(&format!("Total traversal time = {seconds:.6} seconds\n"));
        }
        Ok(code)
    }

    fn request(&mut self, name: &Oid) -> Result<Response, Lost> {
        let names = std::slice::from_ref(name);
        let Repetition {
            non_repeaters,
            max_repetitions,
        } = self.letters.repetition;
        self.session.request(match self.is_bulk {
            false => Command::GetNext(names),
            true => Command::GetBulk {
                non_repeaters,
                max_repetitions,
                names,
            },
        })
    }

    /// Writes the objects of a response, and says what follows.
    fn take(&mut self, name: &Oid, response: &Response, sent: Instant) -> Result<Next, Stop> {
        match response.error_status {
            ErrorStatus::NoError => {}
            ErrorStatus::NoSuchName => {
                self.console.print("End of MIB\n")?;
                return Ok(Next::Done(0));
            }
            _ => {
                let shown = (&self.line.mib, &self.line.output);
                print_error_status(".", shown, response, self.console);
                return Ok(Next::Done(ERROR_STATUS));
            }
        }
        let mut next = Next::Done(0);
        let mut is_done = response.var_binds.is_empty();
        let mut code = 0;
        for (at, object) in response.var_binds.iter().enumerate() {
            if !self.is_wanted(&object.name) {
                is_done = true;
                continue;
            }
            self.printed += 1;
            if self.letters.time_each {
                let seconds = sent.elapsed().as_secs_f64();
                self.console.print(&format!("{seconds:.6} s: "))?;
            }
            self.print(object)?;
            if object.value.as_value_ref().is_exception() {
                is_done = true;
                continue;
            }
            if !self.letters.any_order && *name >= object.name {
                self.print_order(name, &object.name);
                is_done = true;
                code = FAILED;
            }
            if at + 1 == response.var_binds.len() {
                next = Next::Name(object.name.clone());
            }
        }
        Ok(if is_done { Next::Done(code) } else { next })
    }

    /// Whether a name is part of what is walked.
    fn is_wanted(&self, name: &Oid) -> bool {
        match self.is_bulk {
            true => self.root.is_prefix_of(name.arcs()),
            false => name.arcs() < self.end.as_slice(),
        }
    }

    fn print(&mut self, object: &VarBind) -> Result<(), Stop> {
        let (mib, options) = (&self.line.mib, &self.line.output);
        self.console.print_var_bind(mib, options, object)?;
        Ok(())
    }

    fn print_order(&mut self, before: &Oid, name: &Oid) {
        let (mib, options) = (&self.line.mib, &self.line.output);
        let mut text = "Error: OID not increasing: ".to_owned();
        format_name(mib, options, before.arcs(), &mut text);
        text.push_str("\n >= ");
        format_name(mib, options, name.arcs(), &mut text);
        text.push_str("\n\n");
        self.console.error(&text);
    }

    /// Asks for the root itself, which may be an instance.
    fn request_root(&mut self) -> Result<(), Stop> {
        let root = self.root.clone();
        let response = self
            .session
            .request(Command::Get(std::slice::from_ref(&root)));
        if let Ok(response) = response
            && response.error_status == ErrorStatus::NoError
        {
            for object in &response.var_binds {
                self.printed += 1;
                self.print(object)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_behind_a_subtree_is_found() {
        let behind = |arcs: &[u32]| behind(&Oid::new(arcs).unwrap());
        assert_eq!(behind(&[1, 3, 6]), [1, 3, 7]);
        assert_eq!(behind(&[1, 3, 6, u32::MAX]), [1, 3, 7]);
    }
}
