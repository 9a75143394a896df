//! snmpstatus.

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::{Command, Response};

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::get::without_failed;
use super::names::Names;
use super::session::{Lost, Session, address, print_error_status};
use super::tool::Call;
use super::{ERROR_STATUS, Ended, FAILED};
use crate::command::uptime_text;

/// sysDescr.0, sysUpTime.0, ipInReceives.0, ipOutRequests.0.
const SCALARS: [&[u32]; 4] = [
    &[1, 3, 6, 1, 2, 1, 1, 1, 0],
    &[1, 3, 6, 1, 2, 1, 1, 3, 0],
    &[1, 3, 6, 1, 2, 1, 4, 3, 0],
    &[1, 3, 6, 1, 2, 1, 4, 10, 0],
];
const INTERFACE: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 2, 1];
/// ifOperStatus, then packets received and sent.
const STATE: u32 = 8;
const RECEIVED: [u32; 2] = [11, 12];
const SENT: [u32; 2] = [17, 18];
const UP: i32 = 1;
/// Of agents whose address has none.
const PORT: u16 = 161;

/// What the interfaces add up to. Sums wrap as there.
#[derive(Default)]
struct Interfaces {
    count: u32,
    down: u32,
    received: i32,
    sent: i32,
}

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
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let mut wanted: Vec<Oid> = SCALARS
        .iter()
        .filter_map(|arcs| Oid::new(arcs).ok())
        .collect();
    let response = loop {
        let response = match session.request(Command::Get(&wanted)) {
            Ok(response) => response,
            Err(lost) => {
                session.print_lost(&lost, &mut names, console);
                return Ok(match lost {
                    Lost::Timeout => FAILED,
                    Lost::Error(_) => ERROR_STATUS,
                });
            }
        };
        if response.error_status == ErrorStatus::NoError {
            break response;
        }
        print_error_status(".", (&line.mib, &line.output), &response, console);
        match without_failed(&response).filter(|_| fix) {
            Some(others) => wanted = others,
            None => break response,
        }
    };
    let value = |at: usize| {
        let name = SCALARS.get(at).copied().unwrap_or_default();
        let mut objects = response.var_binds.iter();
        objects
            .find(|object| object.name.arcs() == name)
            .map(|object| &object.value)
    };
    let description = match value(0) {
        Some(Value::OctetString(octets)) => String::from_utf8_lossy(octets).into_owned(),
        _ => "(null)".to_owned(),
    };
    let ticks = match value(1) {
        Some(Value::TimeTicks(ticks)) => *ticks,
        _ => 0,
    };
    let (transport, up) = (transport(&line), uptime_text(ticks));
    console.print(&format!("[{transport}]=>[{description}] Up: {up}\n"))?;
    let (interfaces, code) = interfaces(&line, &mut session, &mut names, console)?;
    console.print(&format!(
        "Interfaces: {}, Recv/Trans packets: {}/{} | IP: {}/{}\n",
        interfaces.count,
        interfaces.received,
        interfaces.sent,
        number(value(2)).cast_signed(),
        number(value(3)).cast_signed()
    ))?;
    match interfaces.down {
        0 => {}
        1 => console.print("1 interface is down!\n")?,
        down => console.print(&format!("{down} interfaces are down!\n"))?,
    }
    Ok(code)
}

fn number(value: Option<&Value>) -> u32 {
    match value {
        Some(Value::Counter32(number) | Value::Gauge32(number)) => *number,
        _ => 0,
    }
}

/// The address of the agent as the library writes it, without the address of this end.
fn transport(line: &CommandLine) -> String {
    let Some(address) = address(line) else {
        return line.host.clone();
    };
    let transport = address.transport.to_string().to_ascii_uppercase();
    match address
        .resolve(PORT)
        .ok()
        .and_then(|found| found.into_iter().next())
    {
        Some(found) => format!("{transport}: [{}]:{}", found.ip(), found.port()),
        None => format!("{transport}: [{}]", address.host),
    }
}

/// Asks for the next row until a column is missing.
fn interfaces(
    line: &CommandLine,
    session: &mut Session,
    names: &mut Names<'_>,
    console: &mut Console,
) -> Result<(Interfaces, u8), super::Stop> {
    let columns: Vec<u32> = [STATE].into_iter().chain(RECEIVED).chain(SENT).collect();
    let column = |column: &u32| Oid::new(&[&INTERFACE[..], &[*column]].concat()).ok();
    let mut wanted: Vec<Oid> = columns.iter().filter_map(column).collect();
    let mut sum = Interfaces::default();
    loop {
        let response: Response = match session.request(Command::GetNext(&wanted)) {
            Ok(response) => response,
            Err(lost) => {
                session.print_lost(&lost, names, console);
                return Ok((sum, FAILED));
            }
        };
        if response.error_status != ErrorStatus::NoError {
            print_error_status(".", (&line.mib, &line.output), &response, console);
            return Ok((sum, ERROR_STATUS));
        }
        wanted.clear();
        for object in &response.var_binds {
            if object.value.as_value_ref().is_exception() {
                console.print_var_bind(&line.mib, &line.output, object)?;
            } else if sum.add(object) {
                wanted.push(object.name.clone());
            }
        }
        if wanted.len() < columns.len() {
            return Ok((sum, 0));
        }
        sum.count += 1;
    }
}

impl Interfaces {
    /// Adds a cell of ifTable; `false` if it is none of the columns.
    fn add(&mut self, object: &VarBind) -> bool {
        let place = object.name.arcs().strip_prefix(&INTERFACE);
        let Some([column, ..]) = place else {
            return false;
        };
        match &object.value {
            Value::Integer(state) if *column == STATE => self.down += u32::from(*state != UP),
            Value::Counter32(count) if RECEIVED.contains(column) => {
                self.received = self.received.wrapping_add(count.cast_signed());
            }
            Value::Counter32(count) if SENT.contains(column) => {
                self.sent = self.sent.wrapping_add(count.cast_signed());
            }
            _ => return false,
        }
        true
    }
}
