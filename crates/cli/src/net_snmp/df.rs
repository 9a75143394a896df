//! snmpdf.

use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::Command;

use super::command_line::{CommandLine, unknown_own_letter};
use super::console::Console;
use super::names::Names;
use super::session::Session;
use super::tool::Call;
use super::{Ended, FAILED, Stop, words};

/// A table of storages, by its columns.
struct Table {
    entry: &'static [u32],
    index: u32,
    description: u32,
    /// The column of the size of a unit; none where units are kB.
    units: Option<u32>,
    size: u32,
    used: u32,
}

/// hrStorageTable (RFC 2790).
const STORAGE: Table = Table {
    entry: &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1],
    index: 1,
    description: 3,
    units: Some(4),
    size: 5,
    used: 6,
};

/// dskTable of UCD-SNMP-MIB.
const DISKS: Table = Table {
    entry: &[1, 3, 6, 1, 4, 1, 2021, 9, 1],
    index: 1,
    description: 2,
    units: None,
    size: 6,
    used: 8,
};

pub(super) fn run(call: &Call, console: &mut Console) -> Ended {
    let (mut ucd, mut scale) = (false, None);
    let line = CommandLine::read(call, console, &mut |letters, _, console| {
        for letter in letters.chars() {
            match letter {
                'u' => ucd = true,
                'h' => scale = Some(1024),
                'H' => scale = Some(1000),
                letter => return Err(unknown_own_letter(letter, console)),
            }
        }
        Ok(())
    })?;
    if let Some(extra) = line.operands.first() {
        console.error(&format!("snmpdf: extra argument: {extra}\n"));
        return Ok(FAILED);
    }
    let mut names = Names::new(&line.mib, &line.input);
    let mut session = Session::open(call, &line, &mut names, console)?;
    let (size, width) = match scale {
        Some(_) => ("Size", 10),
        None => ("Size (kB)", 15),
    };
    console.print(&format!(
        "{:<18} {size:>width$} {:>width$} {:>width$} {:>5}\n",
        "Description", "Used", "Available", "Used%"
    ))?;
    let mut tables = vec![&STORAGE, &DISKS];
    if ucd {
        tables.remove(0);
    }
    for table in tables {
        let Some(count) = rows(table, scale, &mut session, &mut names, console)? else {
            return Ok(FAILED);
        };
        if count > 0 {
            return Ok(0);
        }
    }
    console.error("Failed to locate any partitions.\n");
    Ok(FAILED)
}

/// Prints the rows of a table, and returns their number; `None` after an error that was told.
fn rows(
    table: &Table,
    scale: Option<u64>,
    session: &mut Session,
    names: &mut Names<'_>,
    console: &mut Console,
) -> Result<Option<usize>, Stop> {
    let column = |column: u32, index: &[u32]| Oid::new(&[table.entry, &[column], index].concat());
    let Ok(root) = column(table.index, &[]) else {
        return Ok(None);
    };
    let (mut next, mut count) = (root.clone(), 0);
    loop {
        let Some(found) = request(Command::GetNext(&[next]), session, names, console) else {
            return Ok(None);
        };
        let Some(object) = found.into_iter().next() else {
            return Ok(Some(count));
        };
        let Some(index) = object.name.arcs().strip_prefix(root.arcs()) else {
            return Ok(Some(count));
        };
        if object.value.as_value_ref().is_exception() {
            return Ok(Some(count));
        }
        let cells = [
            Some(table.description),
            table.units,
            Some(table.size),
            Some(table.used),
        ];
        let cells = cells.into_iter().flatten();
        let wanted: Vec<Oid> = cells.filter_map(|cell| column(cell, index).ok()).collect();
        let Some(values) = request(Command::Get(&wanted), session, names, console) else {
            return Ok(None);
        };
        let values: Vec<&Value> = values.iter().map(|object| &object.value).collect();
        let shown = match *values.as_slice() {
            [description, units, size, used] => Some((description, number(units), size, used)),
            [description, size, used] => Some((description, 1024, size, used)),
            _ => None,
        };
        if let Some((Value::OctetString(description), units, size, used)) = shown {
            let description = String::from_utf8_lossy(description);
            console.print(&row(
                &description,
                scale,
                (units, number(size), number(used)),
            ))?;
        }
        count += 1;
        next = object.name.clone();
    }
}

/// The objects of a response, or nothing after an error that was told.
fn request(
    command: Command<'_>,
    session: &mut Session,
    names: &mut Names<'_>,
    console: &mut Console,
) -> Option<Vec<VarBind>> {
    match session.request(command) {
        Ok(response) if response.error_status == ErrorStatus::NoError => Some(response.var_binds),
        Ok(response) if response.error_status == ErrorStatus::NoSuchName => Some(Vec::new()),
        Ok(response) => {
            let reason = words::error_status(response.error_status);
            console.error(&format!("snmpdf: Error in packet: {reason}\n"));
            None
        }
        Err(lost) => {
            session.print_lost(&lost, names, console);
            None
        }
    }
}

fn number(value: &Value) -> u64 {
    match value {
        Value::Integer(number) => u64::from(number.cast_unsigned()),
        Value::Gauge32(number) | Value::Counter32(number) => u64::from(*number),
        _ => 0,
    }
}

fn row(description: &str, scale: Option<u64>, (units, size, used): (u64, u64, u64)) -> String {
    let available = size.wrapping_sub(used);
    let kilobytes = |count: u64| match units {
        0 => count,
        units => u64::try_from(u128::from(count) * u128::from(units) / 1024).unwrap_or(u64::MAX),
    };
    let percent = match size {
        0 => used,
        size => u64::try_from(u128::from(used) * 100 / u128::from(size)).unwrap_or(u64::MAX),
    };
    let [size, used, available] = [size, used, available].map(kilobytes);
    match scale {
        None => format!("{description:<18} {size:>15} {used:>15} {available:>15} {percent:>4}%\n"),
        Some(scale) => {
            let [size, used, available] = [size, used, available].map(|it| readable(it, scale));
            format!("{description:<18} {size:>10} {used:>10} {available:>10} {percent:>4}%\n")
        }
    }
}

/// kB with the unit that fits.
fn readable(kilobytes: u64, scale: u64) -> String {
    let binary = if scale == 1024 { "i" } else { "" };
    let (mut unit, mut divisor) = (String::from("kB"), 1_u64);
    for letter in ["M", "G", "T", "P"] {
        let next = divisor.saturating_mul(scale);
        if kilobytes < next {
            break;
        }
        (unit, divisor) = (format!("{letter}{binary}B"), next);
    }
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let number = kilobytes as f64 / divisor as f64;
    format!("{number:4.2}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_widths_of_the_tool() {
        for (scale, numbers, expected) in [
            (
                None,
                (4096, 1000, 250),
                "/                             4000            1000            3000   25%\n",
            ),
            (
                Some(1024),
                (1024, 2048, 512),
                "/                     2.00MiB   512.00kB    1.50MiB   25%\n",
            ),
            (
                Some(1000),
                (0, 0, 0),
                "/                      0.00kB     0.00kB     0.00kB    0%\n",
            ),
        ] {
            assert_eq!(row("/", scale, numbers), expected);
        }
    }
}
