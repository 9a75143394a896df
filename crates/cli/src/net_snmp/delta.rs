//! snmpdelta, without its files and its tables.

use std::thread;
use std::time::Duration;

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::Command;
use varbind_mib::format_name;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::{Session, print_error_status};
use super::tool::Call;
use super::{Ended, FAILED, Stop};

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let mut period = 1_u64;
    let line = CommandLine::read(call, console, &mut |letters, words, console| {
        let mut rest = letters.chars();
        match rest.next() {
            Some('p') => {
                let attached = rest.as_str().to_owned();
                let text = match attached.as_str() {
                    "" => words.take_word().unwrap_or_default(),
                    attached => attached.to_owned(),
                };
                let parsed = text.parse().ok().filter(|period| *period > 0);
                period = parsed.ok_or_else(|| {
                    Stop::Usage(format!("Bad -Cp option: {text} is no period in seconds\n"))
                })?;
            }
            // Errors are never fixed here, and no line has seconds to keep.
            Some('f' | 'k') | None => {}
            Some(letter) => return Err(unknown_own_letter(letter, console)),
        }
        Ok(())
    })?;
    if line.operands.is_empty() {
        return Err(Stop::Usage(String::new()));
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut wanted: Vec<Oid> = Vec::new();
    for text in &line.operands {
        match names.read_or_log(text, console) {
            Some(name) => wanted.push(name),
            None => return Ok(FAILED),
        }
    }
    let mut session = Session::open(call, &line, &mut names, console)?;
    let mut former: Option<Vec<u64>> = None;
    loop {
        let response = match session.request(Command::Get(&wanted)) {
            Ok(response) => response,
            Err(lost) => return Ok(session.print_lost(&lost, &mut names, console)),
        };
        if response.error_status != ErrorStatus::NoError {
            print_error_status(".", (&line.mib, &line.output), &response, console);
            return Ok(FAILED);
        }
        let values: Vec<u64> = response
            .var_binds
            .iter()
            .map(|object| number(&object.value))
            .collect();
        if let Some(former) = &former {
            for ((object, now), then) in response.var_binds.iter().zip(&values).zip(former) {
                let mut text = String::new();
                format_name(&line.mib, &line.output, object.name.arcs(), &mut text);
                let difference = match object.value {
                    Value::Counter64(_) => now.wrapping_sub(*then),
                    // As there: 32 bits, whatever the type.
                    _ => now.wrapping_sub(*then) & u64::from(u32::MAX),
                };
                console.print(&format!("{text} /{period} sec: {difference}\n"))?;
            }
            console.flush()?;
        }
        former = Some(values);
        thread::sleep(Duration::from_secs(period));
    }
}

fn number(value: &Value) -> u64 {
    match value {
        Value::Integer(number) => u64::from(number.cast_unsigned()),
        Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
            u64::from(*number)
        }
        Value::Counter64(number) => *number,
        _ => 0,
    }
}
