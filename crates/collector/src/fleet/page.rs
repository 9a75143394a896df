//! Pages of a collector: metrics for Prometheus, and the state of all targets for people.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use varbind_web::{Answer, HostName, Limits, Listen, WebServer};

use super::board::{Board, Status};
use super::metrics::{self, Selection};
use super::run::Collector;
use crate::exposition::CONTENT_TYPE;
use crate::output::{Outcome, Outputs};

/// The page for people.
const STATUS_PAGE: &str = include_str!("status.html");
/// The largest response: the values of ten thousand devices.
const LARGEST: usize = 2 << 30;

/// Pages of a collector. It is a handle: clones share everything.
#[derive(Clone, Debug)]
pub struct Pages {
    board: Arc<Board>,
    outputs: Arc<Mutex<Outputs>>,
}

impl Pages {
    /// The pages of a collector.
    #[must_use]
    pub fn of(collector: &Collector) -> Self {
        Self {
            board: Arc::clone(collector.board()),
            outputs: Arc::clone(collector.outputs()),
        }
    }

    /// Serves them until the server is dropped.
    ///
    /// # Errors
    /// When an address cannot be bound.
    pub fn serve(&self, listen: &[Listen], hosts: Vec<HostName>) -> io::Result<WebServer> {
        let limits = Limits {
            response: LARGEST,
            ..Limits::default()
        };
        WebServer::serve(self.routes(), listen, limits, hosts)
    }

    fn routes(&self) -> Router {
        Router::new()
            .route("/", get(status_page))
            .route("/metrics", get(show_metrics))
            .route("/api/targets", get(show_targets))
            .route("/-/healthy", get(healthy))
            .with_state(self.clone())
    }
}

async fn healthy(headers: HeaderMap) -> Response {
    Answer::ok("text/plain; charset=utf-8", b"Healthy".to_vec()).into_response(&headers)
}

async fn status_page(headers: HeaderMap) -> Response {
    Answer::ok("text/html; charset=utf-8", STATUS_PAGE.into()).into_response(&headers)
}

async fn show_metrics(
    State(pages): State<Pages>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    let parameter = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find_map(|(known, value)| (known == name).then(|| value.into_owned()))
    };
    let (target, module) = (parameter("target"), parameter("module"));
    if let Some(name) = &target
        && !pages.board.lock().targets.contains_key(name.as_str())
    {
        let why = format!("there is no target {name:?}: /api/targets lists them");
        return Answer::refusal(StatusCode::NOT_FOUND, &why).into_response(&headers);
    }
    let selection = Selection {
        target: target.as_deref(),
        module: module.as_deref(),
    };
    let text = {
        // Nothing panics while it holds the lock.
        let mut of_outputs = String::new();
        let outputs = pages.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.write_metrics(&mut of_outputs);
        drop(outputs);
        metrics::text(&pages.board, &of_outputs, selection, now())
    };
    Answer::ok(CONTENT_TYPE, text.into()).into_response(&headers)
}

async fn show_targets(State(pages): State<Pages>, headers: HeaderMap) -> Response {
    let now = now();
    let value = {
        let board = pages.board.lock();
        let targets: Vec<Value> = board
            .targets
            .values()
            .map(|status| target(status, now))
            .collect();
        json!({
            "now": milliseconds(now),
            "running": board.running,
            "started": board.statistics.started,
            "late": board.statistics.late,
            "overrun": board.statistics.overrun,
            "backed_off": board.statistics.backed_off,
            "targets": targets,
        })
    };
    Answer::ok("application/json", value.to_string().into()).into_response(&headers)
}

/// What is known of a target.
fn target(status: &Status, now: Duration) -> Value {
    let polls: Vec<Value> = status
        .polls
        .iter()
        .map(|last| {
            let poll = &last.poll;
            let (reason, why) = match &poll.outcome {
                Outcome::Success => (Value::Null, Value::Null),
                Outcome::Failure { reason, message } => (json!(reason), json!(message)),
            };
            json!({
                "module": &*poll.module,
                "time": poll.time,
                "duration": poll.duration.as_secs_f64(),
                "interval": last.interval.as_secs_f64(),
                "objects": last.objects,
                "reason": reason,
                "error": why,
            })
        })
        .collect();
    let labels = status.name.labels.iter();
    let labels = labels.map(|(name, value)| (name.clone(), json!(value)));
    json!({
        "name": &*status.name.name,
        "labels": Value::Object(labels.collect()),
        "state": state(status, now),
        "failures": status.failures,
        "retry_at": (status.not_before > now).then(|| milliseconds(status.not_before)),
        "restarts": status.restarts,
        "wraps": status.wraps,
        "packets": status.messages,
        "retries": status.retries,
        "note": status.note,
        "polls": polls,
    })
}

/// The state of a target in a word.
fn state(status: &Status, now: Duration) -> &'static str {
    let failed = |reason: &str| {
        status.polls.iter().any(|last| match &last.poll.outcome {
            Outcome::Failure { reason: known, .. } => *known == reason,
            Outcome::Success => false,
        })
    };
    let fails = status
        .polls
        .iter()
        .any(|last| !last.poll.outcome.is_success());
    match () {
        () if status.failures > 0 => "silent",
        () if status.polls.is_empty() => "waiting",
        () if failed("deadline") => "slow",
        () if fails => "failing",
        () if status.polls.iter().any(|last| last.is_stale(now)) => "stale",
        () => "ok",
    }
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
