//! snmpbulkget.

use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::Command;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{Session, print_error_status};
use super::tool::Call;
use super::words::V2_IN_V1;
use super::{ERROR_STATUS, Ended, FAILED, Stop};
use crate::arguments::SnmpVersion;

/// How many objects a GetBulkRequest asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    pub(super) non_repeaters: u16,
    pub(super) max_repetitions: u16,
}

impl Default for Repetition {
    fn default() -> Self {
        Self {
            non_repeaters: 0,
            max_repetitions: 10,
        }
    }
}

impl Repetition {
    /// Takes `nN` or `rN` from the front of letters behind `-C`, and returns the rest; `None` if they are others.
    pub(super) fn take<'l>(&mut self, letters: &'l str) -> Result<Option<&'l str>, Stop> {
        let place = match letters.as_bytes().first() {
            Some(b'n') => &mut self.non_repeaters,
            Some(b'r') => &mut self.max_repetitions,
            _ => return Ok(None),
        };
        let rest = letters.get(1..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = rest.split_at(end.unwrap_or(rest.len()));
        *place = number.parse().map_err(|_| Stop::Usage(String::new()))?;
        Ok(Some(rest))
    }
}

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut repetition = Repetition::default();
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            rest = match repetition.take(rest)? {
                Some(rest) => rest,
                None => return Err(unknown_own_letter(letter, console)),
            };
        }
        Ok(())
    })?;
    if line.operands.len() < usize::from(repetition.non_repeaters) {
        console.error("snmpbulkget: need more objects than <nonrep>\n");
        return Ok(FAILED);
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut wanted = Vec::new();
    for text in &line.operands {
        match names.read_or_log(text, console) {
            Some(name) => wanted.push(name),
            None => return Ok(FAILED),
        }
    }
    let mut session = Session::open(call, &line, &mut names, console)?;
    if line.version == SnmpVersion::V1 {
        names.log_error(call.tool.name(), V2_IN_V1, console);
        return Ok(FAILED);
    }
    let response = session.request(Command::GetBulk {
        non_repeaters: repetition.non_repeaters,
        max_repetitions: repetition.max_repetitions,
        names: &wanted,
    });
    let response = match response {
        Ok(response) => response,
        Err(lost) => return Ok(session.print_lost(&lost, &mut names, console)),
    };
    match response.error_status {
        ErrorStatus::NoError => {
            for object in &response.var_binds {
                console.print_var_bind(&line.mib, &line.output, object)?;
            }
            Ok(0)
        }
        ErrorStatus::NoSuchName => {
            console.print("End of MIB.\n")?;
            Ok(0)
        }
        _ => {
            print_error_status(".", (&line.mib, &line.output), &response, console);
            Ok(ERROR_STATUS)
        }
    }
}
