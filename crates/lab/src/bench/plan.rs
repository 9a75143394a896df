use serde::Serialize;
use toml::{Table, Value};
use varbind_codec::smi::{Oid, Value as SnmpValue};

use super::ways::{Way, ways};
use super::{BenchError, BenchOptions, RequestKind};
use crate::measurement::{Mode, Placement, TransportKind};
use crate::request::{Assignment, Request, WalkStep};
use crate::security::Scheme;
use crate::study::{BENCH, SessionTask, Study, file, read_own};

/// How the experiments begin that have the echo beside the agent, over UDP.
const WITH_ECHO: &str = "bursts";

const SYS_DESCR: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1, 0];
const SYS_DESCR_OBJECT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1];
const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
const IF_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2];

/// The study that these options ask for: the file of the study `bench`, with their lists in it.
///
/// # Errors
/// If the options leave nothing to ask, or a request cannot be made.
pub fn bench_study(options: &BenchOptions) -> Result<&'static Study, BenchError> {
    let wrong = |error: &dyn std::fmt::Display| BenchError::Options(error.to_string());
    let mut study: Table =
        toml::from_str(file(BENCH).unwrap_or_default()).map_err(|error| wrong(&error))?;
    let ways = ways(options);
    let requests = requests(options)?;
    if requests.iter().all(|one| one.request.needs_v2())
        && ways.iter().all(|(scheme, _)| *scheme == Scheme::V1)
    {
        return Err(BenchError::Options(
            "SNMPv1 has no GetBulkRequest: ask in version 2c or 3".to_owned(),
        ));
    }
    study.insert("question".into(), question(options, &ways).into());
    if let Some(Value::Table(lists)) = study.get_mut("lists") {
        for (_, list) in lists.iter_mut() {
            retain_transports(list, &options.transports);
        }
        let ways = ways.into_iter().map(way);
        lists.insert("ways".into(), Value::Array(ways.collect()));
        let requests = requests.iter().map(Asked::entry);
        let requests = requests.collect::<Result<Vec<_>, _>>()?;
        lists.insert("requests".into(), Value::Array(requests));
        let (usual, course) = (usual(options)?, course(options));
        lists.insert("usual".into(), usual.into());
        lists.insert("course".into(), course.into());
        match options.open_sessions {
            None => None,
            Some(0) => lists.insert("open_sessions".into(), Value::Array(Vec::new())),
            Some(count) => lists.insert("open_sessions".into(), table([("sessions", count)])?),
        };
    }
    let asks_over_udp = options.transports.contains(&TransportKind::Udp);
    if let Some(Value::Array(experiments)) = study.get_mut("experiments") {
        experiments.retain(|one| {
            let id = one.get("id").and_then(Value::as_str).unwrap_or_default();
            let is_of_requests = one.get("each").is_some();
            is_of_requests || options.has_figures && (asks_over_udp || !id.starts_with(WITH_ECHO))
        });
    }
    let text = toml::to_string(&study).map_err(|error| wrong(&error))?;
    read_own(&text).map_err(|error| wrong(&error))
}

/// Takes out what is over other transports.
fn retain_transports(value: &mut Value, transports: &[TransportKind]) {
    let is_over = |value: &Value| {
        let transport = value.get("transport").and_then(Value::as_str);
        transport.is_none_or(|name| transports.iter().any(|one| one.to_string() == name))
    };
    match value {
        Value::Array(values) => {
            values.retain(is_over);
            for value in values {
                retain_transports(value, transports);
            }
        }
        Value::Table(_) if !is_over(value) => *value = Value::Array(Vec::new()),
        Value::Table(table) => {
            for (_, value) in table.iter_mut() {
                retain_transports(value, transports);
            }
        }
        _ => {}
    }
}

fn value(value: impl Serialize) -> Result<Value, BenchError> {
    Value::try_from(value).map_err(|error| BenchError::Options(error.to_string()))
}

fn table<const N: usize>(fields: [(&str, impl Serialize); N]) -> Result<Value, BenchError> {
    let fields = fields.into_iter();
    let fields = fields.map(|(key, field)| Ok((key.to_owned(), value(field)?)));
    fields
        .collect::<Result<Table, BenchError>>()
        .map(Value::Table)
}

/// As `v2c over UDP`.
fn way((scheme, transport): Way) -> Value {
    let scheme_name = match scheme {
        Scheme::V3Transport => scheme.version_name().to_owned(),
        other => other.to_string(),
    };
    let carrier = match transport {
        TransportKind::LegacyTls => "legacy TLS".to_owned(),
        other => other.to_string().to_uppercase(),
    };
    let fields = [
        ("series", format!("{scheme_name} over {carrier}")),
        ("scheme", scheme.to_string()),
        ("transport", transport.to_string()),
    ];
    let fields = fields.map(|(key, text)| (key.to_owned(), Value::String(text)));
    Value::Table(fields.into_iter().collect())
}

/// A request with what suits it.
struct Asked {
    request: Request,
    sessions: u32,
    exchanges: u32,
    mode: Mode,
}

/// Each request once.
fn requests(options: &BenchOptions) -> Result<Vec<Asked>, BenchError> {
    let mut all: Vec<Asked> = Vec::new();
    for &kind in &options.requests {
        let request = request(options, kind)?;
        // A Set may cost a disk write, a walk is many exchanges: fewer of them do.
        let (sessions, exchanges) = match request {
            Request::Set { .. } => (2, 5),
            Request::Walk { .. } => (2, 3),
            _ => (5, 40),
        };
        if all.iter().any(|one| one.request == request) {
            continue;
        }
        all.push(Asked {
            sessions: options.sessions.unwrap_or(sessions).max(1),
            exchanges: options.exchanges.unwrap_or(exchanges).max(1),
            mode: match request.is_walk() {
                true => Mode::Closed,
                false => options.mode,
            },
            request,
        });
    }
    Ok(all)
}

impl Asked {
    fn entry(&self) -> Result<Value, BenchError> {
        let mut entry = Table::new();
        entry.insert("name".into(), self.request.to_string().into());
        entry.insert("sessions".into(), i64::from(self.sessions).into());
        entry.insert("exchanges".into(), i64::from(self.exchanges).into());
        entry.insert("mode".into(), value(self.mode)?);
        let request = value(&self.request)?;
        if request.clone().try_into().ok() != Some(self.request.clone()) {
            return Err(BenchError::Options(
                "--set: a value of this type cannot be sent by bench: set an integer, a counter, a string, a name or an address"
                    .to_owned(),
            ));
        }
        entry.insert("request".into(), request);
        Ok(Value::Table(entry))
    }
}

/// Fields of all sessions whose values differ from those in the file of the study.
fn usual(options: &BenchOptions) -> Result<Table, BenchError> {
    let usual = SessionTask::new(
        Scheme::V2c,
        TransportKind::Udp,
        Request::Get { names: Vec::new() },
    );
    let mut fields = Table::new();
    let timeout = u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX);
    let timeout = timeout.max(1);
    if timeout != usual.timeout_milliseconds {
        fields.insert("timeout_milliseconds".into(), value(timeout)?);
    }
    if options.retries != usual.retries {
        fields.insert("retries".into(), value(options.retries)?);
    }
    if options.placement == Placement::Free {
        fields.insert("placement".into(), value(options.placement)?);
    }
    Ok(fields)
}

/// Further fields of the sessions that measure requests.
fn course(options: &BenchOptions) -> Table {
    let mut fields = Table::from_iter([("may_fail".to_owned(), true.into())]);
    if options.placement == Placement::SplitCores {
        fields.insert("placement".into(), "split-cores".into());
    }
    if options.derives_per_session {
        fields.insert("derives_per_session".into(), true.into());
    }
    fields
}

fn request(options: &BenchOptions, kind: RequestKind) -> Result<Request, BenchError> {
    let names = |default: &[u32]| {
        if options.names.is_empty() {
            oid(default).map(|name| vec![name])
        } else {
            Ok(options.names.clone())
        }
    };
    let root = || Ok(names(IF_TABLE)?.swap_remove(0));
    Ok(match kind {
        RequestKind::Get => Request::Get {
            names: names(SYS_DESCR)?,
        },
        RequestKind::GetNext => Request::GetNext {
            names: names(SYS_DESCR_OBJECT)?,
        },
        RequestKind::GetBulk => Request::GetBulk {
            names: names(IF_TABLE)?,
            non_repeaters: options.non_repeaters,
            max_repetitions: options.max_repetitions,
        },
        RequestKind::Set => Request::Set {
            alternatives: alternatives(options)?,
        },
        RequestKind::Walk => Request::Walk {
            root: root()?,
            step: WalkStep::GetNext,
        },
        RequestKind::BulkWalk => Request::Walk {
            root: root()?,
            step: WalkStep::GetBulk {
                max_repetitions: options.max_repetitions.max(1),
            },
        },
    })
}

/// Two values of 32 characters, as long as those of Gamess and Hernandez (2021).
fn alternatives(options: &BenchOptions) -> Result<Vec<Vec<Assignment>>, BenchError> {
    if !options.assignments.is_empty() {
        return Ok(vec![options.assignments.clone()]);
    }
    [
        "operator on duty, room 1, tel. 1",
        "operator on duty, room 2, tel. 2",
    ]
    .iter()
    .map(|value| {
        Ok(vec![Assignment {
            name: oid(SYS_CONTACT)?,
            value: SnmpValue::OctetString(value.as_bytes().to_vec()),
        }])
    })
    .collect()
}

fn oid(arcs: &[u32]) -> Result<Oid, BenchError> {
    Oid::new(arcs).map_err(|error| BenchError::Options(error.to_string()))
}

fn question(options: &BenchOptions, ways: &[Way]) -> String {
    let mut versions: Vec<&str> = ways.iter().map(|(way, _)| way.version_name()).collect();
    versions.dedup();
    let transports = options.transports.iter().map(ToString::to_string);
    let requests = options.requests.iter().map(ToString::to_string);
    format!(
        "How long does an agent take to answer {} over {} in SNMP {}, and what does it cost?",
        requests.collect::<Vec<_>>().join(", "),
        transports.collect::<Vec<_>>().join(", "),
        versions.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Experiment, Scope, Task};

    fn experiments(options: &BenchOptions) -> Vec<Experiment> {
        bench_study(options).unwrap().experiments(Scope::Full)
    }

    fn tasks(experiments: &[Experiment], id: &str) -> Vec<SessionTask> {
        let one = experiments.iter().find(|one| one.id == id).unwrap();
        let tasks = one.cells.iter().map(|cell| match &cell.task {
            Task::Sessions(task) => task.clone(),
            other => panic!("{other:?}"),
        });
        tasks.collect()
    }

    #[test]
    fn options_are_lists_of_the_file() {
        let options = BenchOptions {
            transports: vec![TransportKind::Udp, TransportKind::Dtls],
            requests: vec![RequestKind::GetBulk, RequestKind::Walk],
            exchanges: Some(7),
            mode: Mode::Window { size: 2 },
            retries: 1,
            ..BenchOptions::default()
        };
        let all = experiments(&options);
        let bulk = tasks(&all, "getbulk(0,10)-rate");
        let ways: Vec<String> = bulk.iter().map(|one| one.scheme.to_string()).collect();
        assert_eq!(ways, ["v2c", "v1", "v3 TSM", "v3 authPriv SHA AES"]);
        for task in &bulk {
            assert_eq!((task.exchanges, task.retries), (7, 1));
            assert_eq!((task.mode, task.may_fail), (options.mode, true));
        }
        assert_eq!(tasks(&all, "walk-rate")[0].mode, Mode::Closed);
        let over = |one: &Experiment| -> Vec<String> {
            one.cells.iter().map(|cell| cell.series.clone()).collect()
        };
        let commands = all.iter().find(|one| one.id == "command").unwrap();
        assert_eq!(over(commands), ["v2c", "v3, SHA and AES", "over DTLS"]);
    }

    #[test]
    fn figures_and_memory_can_be_left_out() {
        let requests = vec![RequestKind::Get];
        let cells = |id: &str, options: &BenchOptions| {
            let all = experiments(options);
            let one = all.iter().find(|one| one.id == id);
            one.map(|one| one.cells.len())
        };
        let without = BenchOptions {
            requests: requests.clone(),
            has_figures: false,
            ..BenchOptions::default()
        };
        assert_eq!(cells("command", &without), None);
        assert!(cells("get", &without).is_some_and(|count| count > 0));
        let no_sessions = BenchOptions {
            requests,
            open_sessions: Some(0),
            ..BenchOptions::default()
        };
        assert_eq!(cells("memory", &no_sessions), Some(0));
        assert_eq!(cells("memory", &BenchOptions::default()), Some(4));
    }

    #[test]
    fn the_file_alone_asks_what_the_options_do_by_themselves() {
        let file = read_own(file(BENCH).unwrap()).unwrap();
        let of_file = file.experiments(Scope::Full);
        let of_options = experiments(&BenchOptions::default());
        let ids = |all: &[Experiment]| all.iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids(&of_file), ids(&of_options));
        for (one, other) in of_file.iter().zip(&of_options) {
            assert_eq!(one.cells, other.cells, "{}", one.id);
        }
    }
}
