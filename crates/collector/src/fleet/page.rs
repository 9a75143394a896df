//! Pages of a collector: metrics for Prometheus, and the state of all targets for people.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use varbind_web::{Answer, HostName, Limits, Listen, WebServer};

use super::board::{Board, Status};
use super::health::Health;
use super::metrics::{self, Selection};
use super::report::Report;
use super::run::Collector;
use super::traffic::Traffic;
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
    begun: Instant,
    reloads: mpsc::UnboundedSender<Reload>,
}

/// A request to read the configuration again.
#[derive(Debug)]
pub struct Reload(oneshot::Sender<Result<(), String>>);

impl Reload {
    /// Says how it went.
    pub fn answer(self, result: Result<(), String>) {
        // A client that has gone needs no answer.
        let _ = self.0.send(result);
    }
}

impl Pages {
    /// The pages of a collector, and the requests to read the configuration again that come by way of them.
    #[must_use]
    pub fn of(collector: &Collector) -> (Self, mpsc::UnboundedReceiver<Reload>) {
        let (reloads, requests) = mpsc::unbounded_channel();
        let pages = Self {
            board: Arc::clone(collector.board()),
            outputs: Arc::clone(collector.outputs()),
            begun: Instant::now(),
            reloads,
        };
        (pages, requests)
    }

    pub(super) fn write_output_metrics(&self, text: &mut String) {
        // Nothing panics while it holds the lock.
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        outputs.write_metrics(text);
    }

    /// What a person wants to know at present.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::of(&self.board, now())
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
            .route("/api/interfaces", get(show_interfaces))
            .route("/-/healthy", get(healthy))
            .route("/-/reload", any(reload))
            .with_state(self.clone())
    }
}

async fn healthy(headers: HeaderMap) -> Response {
    Answer::ok("text/plain; charset=utf-8", b"Healthy".to_vec()).into_response(&headers)
}

async fn reload(State(pages): State<Pages>, method: Method, headers: HeaderMap) -> Response {
    if method != Method::POST {
        return Answer::refusal(StatusCode::BAD_REQUEST, "POST method expected")
            .into_response(&headers);
    }
    let (sender, answer) = oneshot::channel();
    // Without a receiver there is no answer either.
    let _ = pages.reloads.send(Reload(sender));
    let answer = match answer.await {
        Ok(Ok(())) => Answer::empty(StatusCode::OK),
        Ok(Err(error)) => {
            let why = format!("failed to reload config: {error}");
            Answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, &why)
        }
        Err(_) => Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the collector is stopping"),
    };
    answer.into_response(&headers)
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
    let (target, module) = (parameter(&query, "target"), parameter(&query, "module"));
    if let Some(name) = &target
        && !pages.board.lock().targets.contains_key(name.as_str())
    {
        return no_target(name, &headers);
    }
    let selection = Selection {
        target: target.as_deref(),
        module: module.as_deref(),
    };
    let text = {
        let mut of_outputs = String::new();
        pages.write_output_metrics(&mut of_outputs);
        metrics::text(&pages.board, &of_outputs, selection, now())
    };
    Answer::ok(CONTENT_TYPE, text.into()).into_response(&headers)
}

fn parameter(query: &str, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find_map(|(known, value)| (known == name).then(|| value.into_owned()))
}

fn no_target(name: &str, headers: &HeaderMap) -> Response {
    let why = format!("there is no target {name:?}: /api/targets lists them");
    Answer::refusal(StatusCode::NOT_FOUND, &why).into_response(headers)
}

/// Bits a second of the interfaces of a target.
async fn show_interfaces(
    State(pages): State<Pages>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let name = parameter(&query.unwrap_or_default(), "target").unwrap_or_default();
    let value = {
        let board = pages.board.lock();
        if !board.targets.contains_key(name.as_str()) {
            return no_target(&name, &headers);
        }
        let traffic = board.traffic(&name);
        traffic.map_or_else(|| json!({"times": [], "interfaces": []}), Traffic::shown)
    };
    Answer::ok("application/json", value.to_string().into()).into_response(&headers)
}

async fn show_targets(State(pages): State<Pages>, headers: HeaderMap) -> Response {
    let now = now();
    let health = Health::read();
    let mut of_outputs = String::new();
    pages.write_output_metrics(&mut of_outputs);
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
            "lateness": board.statistics.lateness.as_secs_f64(),
            "notifications": board.notifications,
            "uptime": pages.begun.elapsed().as_secs(),
            "cpu_seconds": health.cpu,
            "resident_bytes": health.resident,
            "version": env!("CARGO_PKG_VERSION"),
            "outputs": of_outputs,
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
        "state": status.state(now).as_str(),
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

pub(super) fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
