//! snmpget and snmpgetnext.

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{Command, Response};

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{Session, print_error_status};
use super::tool::{Call, Tool};
use super::{ERROR_STATUS, Ended, FAILED, Stop};

/// The most names that one request may have.
const MAX_NAMES: usize = 128;

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut fix = true;
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        for letter in letters.chars() {
            match letter {
                'f' => fix = !fix,
                letter => return Err(unknown_own_letter(letter, console)),
            }
        }
        Ok(())
    })?;
    if line.operands.is_empty() {
        return Err(Stop::Usage("Missing object name\n".to_owned()));
    }
    if line.operands.len() > MAX_NAMES {
        return Err(Stop::Usage(format!(
            "Too many object identifiers specified. Only {MAX_NAMES} allowed in one request.\n"
        )));
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let wanted = line
        .operands
        .iter()
        .map(|text| names.read_or_log(text, console));
    let wanted: Vec<Option<Oid>> = wanted.collect();
    let Some(mut wanted) = wanted.into_iter().collect::<Option<Vec<Oid>>>() else {
        return Ok(FAILED);
    };
    let mut code = 0;
    loop {
        let response = session.request(match call.tool {
            Tool::GetNext => Command::GetNext(&wanted),
            _ => Command::Get(&wanted),
        });
        let response = match response {
            Ok(response) => response,
            Err(lost) => return Ok(session.print_lost(&lost, &mut names, console)),
        };
        if response.error_status == ErrorStatus::NoError {
            for object in &response.var_binds {
                console.print_var_bind(&line.mib, &line.output, object)?;
            }
            return Ok(code);
        }
        let end = if call.tool == Tool::Get { "" } else { "." };
        print_error_status(end, (&line.mib, &line.output), &response, console);
        if call.tool == Tool::Get || response.error_index != 0 {
            code = ERROR_STATUS;
        }
        match without_failed(&response).filter(|_| fix) {
            Some(others) => wanted = others,
            None => return Ok(code),
        }
    }
}

/// The names of a request without the one that failed, if others are left.
pub(super) fn without_failed(response: &Response) -> Option<Vec<Oid>> {
    let at = usize::try_from(response.error_index).ok()?.checked_sub(1)?;
    response.var_binds.get(at)?;
    let others = response.var_binds.iter().enumerate();
    let others = others.filter(|(place, _)| *place != at);
    let names: Vec<Oid> = others
        .map(|(_, VarBind { name, .. })| name.clone())
        .collect();
    (!names.is_empty()).then_some(names)
}
