//! The cells of an experiment as the file of a study has them: each entry of one list with each entry of the next.

use serde::Deserialize;
use toml::{Table, Value};

use super::file_error::CellFault;
use super::names::{SYS_NAME, get};
use super::workload::{LinkTask, Method, Path, SessionTask, WebQuestion, WebTask};
use super::{At, Cell, Measure, Scope, SubjectName, Task};
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// Lists of entries, the first the outermost.
pub(super) type Grid = Vec<Value>;

/// In place of a value, the place of the cell.
const PLACE: &str = "{at}";

/// What entries say of a cell. All other keys are fields of its task.
#[derive(Deserialize)]
struct Entry {
    series: String,
    at: At,
    measure: Measure,
    #[serde(default = "sessions")]
    task: String,
    repetitions: Option<u32>,
    only: Option<SubjectName>,
    over: Option<Operand>,
    less: Option<Operand>,
    #[serde(flatten)]
    fields: Table,
}

/// What the second task of a ratio or a difference has other than the first.
#[derive(Deserialize)]
struct Operand {
    measure: Option<Measure>,
    #[serde(flatten)]
    fields: Table,
}

fn sessions() -> String {
    "sessions".to_owned()
}

/// The cells of these grids.
pub(super) fn read_cells(
    grids: &[Grid],
    lists: &Table,
    scope: Scope,
) -> Result<Vec<Cell>, CellFault> {
    let mut cells = Vec::new();
    for grid in grids {
        for draft in combinations(grid, lists, scope)? {
            cells.push(read_cell(draft)?);
        }
    }
    Ok(cells)
}

/// Each entry of one list with each entry of the next.
fn combinations(grid: &[Value], lists: &Table, scope: Scope) -> Result<Vec<Table>, CellFault> {
    let mut drafts = vec![Table::new()];
    for list in grid {
        let entries = entries(list, lists, scope)?;
        let with_each = |draft: &Table| -> Vec<Table> {
            let joined = entries.iter().map(|entry| join(draft.clone(), entry));
            joined.collect()
        };
        drafts = drafts.iter().flat_map(with_each).collect();
    }
    Ok(drafts)
}

/// The entries of a list, which may have the names of others within.
fn entries(list: &Value, lists: &Table, scope: Scope) -> Result<Vec<Table>, CellFault> {
    match in_scope(list, scope) {
        Value::String(name) => match lists.get(&name) {
            Some(list) => entries(list, lists, scope),
            None => Err(CellFault::UnknownList(name)),
        },
        Value::Array(values) => {
            let each = values.iter().map(|value| entries(value, lists, scope));
            Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Value::Table(entry) => match (entry.get("each"), entry.len()) {
            (Some(Value::Array(grid)), 1) => combinations(grid, lists, scope),
            _ => Ok(at_each_place(entry)),
        },
        other => Err(CellFault::NoEntry(other.to_string())),
    }
}

/// The value, with one of `quick` and `full` wherever it has both.
fn in_scope(value: &Value, scope: Scope) -> Value {
    match value {
        Value::Table(table) => match (table.get("quick"), table.get("full"), table.len()) {
            (Some(quick), Some(full), 2) => match scope {
                Scope::Quick => in_scope(quick, scope),
                Scope::Full => in_scope(full, scope),
            },
            _ => {
                let fields = table.iter();
                Value::Table(
                    fields
                        .map(|(key, value)| (key.clone(), in_scope(value, scope)))
                        .collect(),
                )
            }
        },
        Value::Array(values) => {
            Value::Array(values.iter().map(|value| in_scope(value, scope)).collect())
        }
        other => other.clone(),
    }
}

fn at_each_place(entry: Table) -> Vec<Table> {
    let Some(Value::Array(places)) = entry.get("at") else {
        return vec![entry];
    };
    let at_place = |place: &Value| {
        let mut entry = entry.clone();
        entry.insert("at".to_owned(), place.clone());
        entry
    };
    places.iter().map(at_place).collect()
}

/// Later entries have the last word, but that names of series follow each other.
fn join(mut draft: Table, entry: &Table) -> Table {
    for (key, value) in entry {
        let value = match (key.as_str(), draft.get(key), value) {
            ("series", Some(Value::String(first)), Value::String(second)) => {
                Value::String(format!("{first} {second}"))
            }
            _ => value.clone(),
        };
        draft.insert(key.clone(), value);
    }
    draft
}

fn read_cell(draft: Table) -> Result<Cell, CellFault> {
    let place = draft.get("at").cloned();
    let draft = match place {
        Some(place) => with_place(Value::Table(draft), &place),
        None => Value::Table(draft),
    };
    let name = draft.to_string();
    let entry: Entry = draft.try_into().map_err(|error| CellFault::Entry {
        entry: name.clone(),
        error: Box::new(error),
    })?;
    let operand = |operand: Option<Operand>| {
        let read = operand.map(|operand| {
            let mut fields = entry.fields.clone();
            fields.extend(operand.fields);
            let task = read_task(&entry.task, fields, &name)?;
            Ok((task, operand.measure.unwrap_or(entry.measure)))
        });
        read.transpose()
    };
    let (over, less) = (operand(entry.over)?, operand(entry.less)?);
    let task = read_task(&entry.task, entry.fields, &name)?;
    Ok(Cell {
        over,
        less,
        repetitions: entry.repetitions,
        subject: entry.only,
        ..Cell::new(&entry.series, entry.at, task, entry.measure)
    })
}

fn with_place(value: Value, place: &Value) -> Value {
    match value {
        Value::String(text) if text == PLACE => place.clone(),
        Value::Array(values) => {
            let values = values.into_iter();
            Value::Array(values.map(|value| with_place(value, place)).collect())
        }
        Value::Table(table) => {
            let fields = table.into_iter();
            let fields = fields.map(|(key, value)| (key, with_place(value, place)));
            repeated(fields.collect())
        }
        other => other,
    }
}

/// An array in place of a table with `repeat` and `times`.
fn repeated(table: Table) -> Value {
    let times = table.get("times").and_then(Value::as_integer);
    let times = times.and_then(|times| u16::try_from(times).ok());
    match (table.get("repeat"), times, table.len()) {
        (Some(value), Some(times), 2) => Value::Array(vec![value.clone(); times.into()]),
        _ => Value::Table(table),
    }
}

/// The task with these fields, and all others as its constructor has them. `length` is that of sessions, as many as are usual.
fn read_task(kind: &str, mut fields: Table, entry: &str) -> Result<Task, CellFault> {
    let wrong = |error| CellFault::Entry {
        entry: entry.to_owned(),
        error: Box::new(error),
    };
    let length = fields.remove("length").map(Value::try_into::<u32>);
    let length = length.transpose().map_err(wrong)?;
    let given: Vec<String> = fields.keys().cloned().collect();
    let mut whole = usual_fields(kind);
    whole.extend(fields);
    let whole = Table::from_iter([(kind.to_owned(), Value::Table(whole))]);
    let mut task: Task = Value::Table(whole).try_into().map_err(wrong)?;
    let known = fields_of(&task);
    if let Some(field) = given.into_iter().find(|field| !known.contains_key(field)) {
        let task = kind.to_owned();
        return Err(CellFault::UnknownField { field, task });
    }
    match (&mut task, length) {
        (_, None) => {}
        (Task::Sessions(task) | Task::Packets(task), Some(length)) => {
            *task = task.clone().sessions_of(length);
        }
        (_, Some(_)) => {
            return Err(CellFault::UnknownField {
                field: "length".to_owned(),
                task: kind.to_owned(),
            });
        }
    }
    Ok(task)
}

/// What a task of this kind has where nothing is said, without what has to be said.
fn usual_fields(kind: &str) -> Table {
    let (task, told): (Task, &[&str]) = match kind {
        "sessions" | "packets" => (
            SessionTask::new(Scheme::V1, TransportKind::Udp, get(SYS_NAME)).into(),
            &["scheme", "transport", "request"],
        ),
        "web" => (WebTask::new(WebQuestion::SoapTable).into(), &["question"]),
        "link" => (
            LinkTask::new(Method::Adaptive, Path::new(0.0, 0.0), 1, 1).into(),
            &["method", "path", "requests", "limit"],
        ),
        _ => return Table::new(),
    };
    let mut fields = fields_of(&task);
    fields.retain(|field, _| !told.contains(&field));
    fields
}

/// The fields of a task as they are written.
fn fields_of(task: &Task) -> Table {
    let Ok(Value::Table(kinds)) = Value::try_from(task) else {
        return Table::new();
    };
    let mut kinds = kinds.into_iter().map(|(_, fields)| fields);
    match kinds.next() {
        Some(Value::Table(fields)) => fields,
        _ => Table::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: &str = "
        system = { request = { get = { names = ['1.3.6.1.2.1.1.5.0'] } } }
        ways = [
          { series = 'UDP', scheme = 'v1', transport = 'udp' },
          { series = 'TLS', scheme = 'v3 TSM', transport = 'tls', only = 'varbind' },
        ]";

    fn cells(grid: &str, scope: Scope) -> Result<Vec<Cell>, CellFault> {
        let grid: Table = toml::from_str(&format!("grid = [{grid}]")).unwrap();
        let grid: Grid = grid["grid"].clone().try_into().unwrap();
        read_cells(&[grid], &toml::from_str(LISTS).unwrap(), scope)
    }

    fn fault(grid: &str) -> String {
        cells(grid, Scope::Full).unwrap_err().to_string()
    }

    #[test]
    fn each_entry_of_a_list_is_with_each_of_the_next() {
        let grid = "{ series = 'get', measure = 'session-time' }, 'ways', 'system', { at = { quick = [5], full = [5, 600] }, length = '{at}' }";
        let session = |scheme, transport, length| {
            SessionTask::new(scheme, transport, get(SYS_NAME)).sessions_of(length)
        };
        let cell = |series, scheme, transport, length| {
            let task = session(scheme, transport, length);
            Cell::new(series, length, task, Measure::SessionTime)
        };
        let udp = |length| cell("get UDP", Scheme::V1, TransportKind::Udp, length);
        let tls = |length| {
            let cell = cell("get TLS", Scheme::V3Transport, TransportKind::Tls, length);
            cell.only(SubjectName::Varbind)
        };
        let quick = cells(grid, Scope::Quick).unwrap();
        assert_eq!(quick, [udp(5), tls(5)]);
        let full = cells(grid, Scope::Full).unwrap();
        assert_eq!(full, [udp(5), udp(600), tls(5), tls(600)]);
    }

    #[test]
    fn divisor_has_the_fields_of_the_cell_but_for_its_own() {
        let grid = "'ways', 'system', { at = 'a', measure = 'session-time', repetitions = 3, over = { transport = 'tcp', measure = 'set-up-time' } }";
        let read = cells(grid, Scope::Full).unwrap();
        let task = |transport| SessionTask::new(Scheme::V1, transport, get(SYS_NAME));
        let cell = Cell::new("UDP", "a", task(TransportKind::Udp), Measure::SessionTime);
        let cell = cell.over(task(TransportKind::Tcp), Measure::SetUpTime);
        assert_eq!(read[0], cell.repeated(3));
    }

    #[test]
    fn combinations_of_some_lists_are_entries_of_another() {
        let grid = "{ at = [1, 2], measure = 'session-time' }, [{ each = ['ways', { series = 'get' }, 'system'] }, { series = 'other', scheme = 'v1', transport = 'tcp', request = { get = { names = { repeat = '1.3.6.1.2.1.1.5.0', times = '{at}' } } } }]";
        let read = cells(grid, Scope::Full).unwrap();
        let names = read.iter().map(|cell| {
            let Task::Sessions(task) = &cell.task else {
                panic!("{:?}", cell.task)
            };
            let names = task.request.names().len();
            (cell.series.as_str(), cell.at.to_string(), names)
        });
        let names: Vec<_> = names.collect();
        let cell = |series, at: u32, names| (series, at.to_string(), names);
        let of = |at, names| {
            [("UDP get", 1), ("TLS get", 1), ("other", names)].map(|(name, of)| cell(name, at, of))
        };
        assert_eq!(names, [of(1, 1), of(2, 2)].concat());
    }

    #[test]
    fn wrong_entries_are_named() {
        let rest = "'ways', 'system', { at = 'a', measure = 'session-time'";
        assert!(fault(&format!("{rest} }}, 'other'")).contains("\"other\""));
        assert!(fault(&format!("{rest} }}, 7")).contains('7'));
        let fault_of = |field: &str| fault(&format!("{rest}, {field} }}"));
        assert!(fault_of("exchange = 5").contains("\"exchange\""));
        assert!(fault_of("exchanges = 'five'").contains("exchanges = \"five\""));
        assert!(fault_of("each = 5").contains("\"each\""));
        let negative = "request = { get = { names = { repeat = '1.3', times = -1 } } }";
        assert!(fault_of(negative).contains("times = -1"));
        assert!(fault_of("task = 'walks'").contains("walks"));
        assert!(fault_of("task = 'memory'").contains("missing field"));
        assert!(fault("'ways', { at = 'a', measure = 'session-time' }").contains("request"));
        assert!(fault("'ways', 'system', { at = 'a' }").contains("measure"));
    }
}
