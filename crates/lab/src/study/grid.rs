//! The cells of an experiment as the file of a study has them: each entry of one list with each entry of the next.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

use super::file_error::CellFault;
use super::names::{SYS_NAME, get};
use super::observation::PERCENTILES;
use super::workload::{
    LinkTask, Method, NetconfQuestion, NetconfTask, Path, SessionTask, TwinTask, WebQuestion,
    WebTask,
};
use super::{At, Cell, Measure, Scope, Setting, SubjectName, Task};
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
    #[serde(default, deserialize_with = "started_agent")]
    only: Option<SubjectName>,
    over: Option<Operand>,
    less: Option<Operand>,
    #[serde(flatten)]
    fields: Table,
}

/// What the second task of a ratio or a difference has other than the first. One of another kind lacks fields of the first.
#[derive(Deserialize)]
struct Operand {
    task: Option<String>,
    measure: Option<Measure>,
    #[serde(flatten)]
    fields: Table,
}

/// How many requests a run across a link has: as many as take this time, in milliseconds, but neither fewer than these nor more than
/// it says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    time: f64,
    fewest: u32,
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

/// The entries of the list of this name.
pub(super) fn read_list(name: &str, lists: &Table, scope: Scope) -> Result<Vec<Table>, CellFault> {
    entries(&Value::from(name), lists, scope)
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
        Value::String(name) => {
            let own = lists.get(&name).map(|list| (list, lists));
            match own.or_else(|| in_study(&name, lists)) {
                Some((list, lists)) => entries(list, lists, scope),
                None => Err(CellFault::UnknownList(name)),
            }
        }
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

/// A list of another study by a name such as `pras2004/methods`, and all of its lists.
fn in_study<'a>(name: &str, lists: &'a Table) -> Option<(&'a Value, &'a Table)> {
    let (study, name) = name.split_once('/')?;
    let lists = lists.get(study)?.as_table()?;
    Some((lists.get(name)?, lists))
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

/// No study is about an agent that runs already.
fn started_agent<'de, D: Deserializer<'de>>(given: D) -> Result<Option<SubjectName>, D::Error> {
    let name = SubjectName::deserialize(given)?;
    match name.is_external() {
        true => Err(D::Error::custom(format!(
            "the laboratory starts no agent {name}: use varbind or net-snmp"
        ))),
        false => Ok(Some(name)),
    }
}

fn read_cell(draft: Table) -> Result<Cell, CellFault> {
    let place = draft.get("at").cloned();
    let draft = match place {
        Some(place) => with_place(Value::Table(draft), &place),
        None => Value::Table(draft),
    };
    let entry: Entry = draft.clone().try_into().map_err(|error| CellFault::Entry {
        entry: draft.to_string(),
        error: Box::new(error),
    })?;
    if let Measure::Percentile(thousandths) = entry.measure
        && !PERCENTILES.contains(&thousandths)
    {
        return Err(CellFault::Percentile(thousandths));
    }
    let operand = |operand: Option<Operand>| {
        let read = operand.map(|operand| {
            let kind = operand.task.as_deref().unwrap_or(&entry.task);
            let task = read_task(kind, &entry.fields, operand.fields, &draft)?;
            Ok((task, operand.measure.unwrap_or(entry.measure)))
        });
        read.transpose()
    };
    let (over, less) = (operand(entry.over)?, operand(entry.less)?);
    let task = read_task(&entry.task, &Table::new(), entry.fields, &draft)?;
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

/// An array in place of a table with `repeat` and `times`: a value again and again, or with `columns` the instances of a row object,
/// row by row.
fn repeated(table: Table) -> Value {
    let number = |key: &str| table.get(key).and_then(Value::as_integer);
    let times = number("times").and_then(|times| u16::try_from(times).ok());
    match (table.get("repeat"), number("columns"), times, table.len()) {
        (Some(value), None, Some(times), 2) => Value::Array(vec![value.clone(); times.into()]),
        (Some(Value::String(row)), Some(columns @ 1..), Some(times), 3) => {
            let name = |place: i64| {
                let (index, column) = (place / columns + 1, place % columns + 1);
                Value::String(format!("{row}.{column}.{index}"))
            };
            Value::Array((0..times.into()).map(name).collect())
        }
        _ => Value::Table(table),
    }
}

/// The task with these fields of its own, those of another that it has too, and all others as its constructor has them. `length` is
/// that of sessions, as many as are usual; `fit` limits the requests across a link.
fn read_task(kind: &str, others: &Table, own: Table, entry: &Value) -> Result<Task, CellFault> {
    let wrong = |error| CellFault::Entry {
        entry: entry.to_string(),
        error: Box::new(error),
    };
    let given: Vec<String> = own.keys().cloned().collect();
    let mut whole = usual_fields(kind);
    whole.extend(others.clone());
    whole.extend(own);
    let length = whole.remove("length").map(Value::try_into::<u32>);
    let length = length.transpose().map_err(wrong)?;
    let fit = whole.remove("fit").map(Value::try_into::<Fit>);
    let fit = fit.transpose().map_err(wrong)?;
    let whole = Table::from_iter([(kind.to_owned(), Value::Table(whole))]);
    let mut task: Task = Value::Table(whole).try_into().map_err(wrong)?;
    let known = fields_of(&task);
    let is_applied = |field: &str| match (field, &task) {
        ("length", Task::Sessions(_) | Task::Packets(_)) | ("fit", Task::Link(_)) => true,
        _ => known.contains_key(field),
    };
    if let Some(field) = given.into_iter().find(|field| !is_applied(field)) {
        let task = kind.to_owned();
        return Err(CellFault::UnknownField { field, task });
    }
    match (&mut task, length, fit) {
        (Task::Sessions(task) | Task::Packets(task), Some(length), _) => {
            *task = task.clone().sessions_of(length);
        }
        (Task::Link(task), _, Some(fit)) => task.fit(fit.time, fit.fewest),
        _ => {}
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
        "netconf" => (
            NetconfTask {
                setting: Setting::Host,
                question: NetconfQuestion::SysContact,
                sessions: 1,
                exchanges: 1,
            }
            .into(),
            &["question"],
        ),
        "link" => (
            LinkTask::new(Method::Adaptive, Path::new(0.0, 0.0), 1, 1).into(),
            &["method", "path", "requests", "limit"],
        ),
        "twin" => (
            TwinTask::new(Method::Adaptive, Path::new(0.0, 0.0), 1).into(),
            &["method", "path", "requests"],
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
    use varbind_codec::smi::Oid;

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
        let tls = |length| Cell {
            subject: Some(SubjectName::Varbind),
            ..cell("get TLS", Scheme::V3Transport, TransportKind::Tls, length)
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
        let expected = Cell {
            over: Some((task(TransportKind::Tcp).into(), Measure::SetUpTime)),
            repetitions: Some(3),
            ..Cell::new("UDP", "a", task(TransportKind::Udp), Measure::SessionTime)
        };
        assert_eq!(read[0], expected);
    }

    #[test]
    fn divisor_may_be_a_task_of_another_kind() {
        let grid = "{ series = 'a', at = 2, measure = 'octets', task = 'compressed', setting = 'host', compression = 'opc', objects = '{at}', exchanges = 20 }, { over = { task = 'sessions', scheme = 'v1', transport = 'udp', request = { get = { names = { repeat = '1.3.6', columns = 2, times = 3 } } } } }";
        let read = cells(grid, Scope::Full).unwrap();
        let Some((Task::Sessions(task), Measure::Octets)) = &read[0].over else {
            panic!("{:?}", read[0].over)
        };
        let names: Vec<String> = task.request.names().iter().map(Oid::to_string).collect();
        assert_eq!(names, ["1.3.6.1.1", "1.3.6.2.1", "1.3.6.1.2"]);
        assert_eq!((task.scheme, task.exchanges), (Scheme::V1, 20));
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
        assert!(fault_of("only = 'other'").contains("net-snmp"));
        assert!(fault_of("client = 'other'").contains("client = \"other\""));
        assert!(fault_of("each = 5").contains("\"each\""));
        let negative = "request = { get = { names = { repeat = '1.3', times = -1 } } }";
        assert!(fault_of(negative).contains("times = -1"));
        assert!(fault_of(&negative.replace("-1", "1, columns = 0")).contains("columns = 0"));
        assert!(fault_of("over = { exchange = 5 }").contains("\"exchange\""));
        assert!(fault_of("task = 'walks'").contains("walks"));
        assert!(fault_of("task = 'memory'").contains("missing field"));
        assert!(fault("'ways', { at = 'a', measure = 'session-time' }").contains("request"));
        assert!(fault("'ways', 'system', { at = 'a' }").contains("measure"));
    }
}
