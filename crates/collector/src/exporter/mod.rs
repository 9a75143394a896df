//! The HTTP interface of snmp_exporter: a scrape of Prometheus polls an agent.

mod metrics;
mod query;
mod scrape;

use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::{any, get};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use varbind_web::{Answer, HostName, Limits, Listen, WebServer};

use crate::agents::Agents;
use crate::exposition::{CONTENT_TYPE, LargeCounters};
use crate::module::{Error, ModuleConfiguration};
use metrics::Metrics;

/// Reads the configuration, at the start and at each reload.
pub type Load = Box<dyn Fn() -> Result<ModuleConfiguration, Error> + Send + Sync>;

/// Settings of an [`Exporter`].
#[derive(Clone, Copy, Debug)]
pub struct ExporterOptions {
    /// How many modules of an agent are polled at the same time.
    pub module_concurrency: usize,
    /// How large counters are written.
    pub large_counters: LargeCounters,
}

impl Default for ExporterOptions {
    fn default() -> Self {
        Self {
            module_concurrency: 1,
            large_counters: LargeCounters::Wrap,
        }
    }
}

/// Answers scrapes of Prometheus. It is a handle: clones share everything.
#[derive(Clone)]
pub struct Exporter {
    shared: Arc<Shared>,
}

struct Shared {
    configuration: ArcSwap<ModuleConfiguration>,
    load: Load,
    agents: Arc<Agents>,
    options: ExporterOptions,
    metrics: Metrics,
    runtime: Handle,
}

impl Exporter {
    /// Reads the configuration. Agents are polled in this runtime, by the client of `agents`.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub fn new(
        load: Load,
        agents: impl Into<Arc<Agents>>,
        options: ExporterOptions,
        runtime: Handle,
    ) -> Result<Self, Error> {
        let configuration = load()?;
        Ok(Self {
            shared: Arc::new(Shared {
                configuration: ArcSwap::from_pointee(configuration),
                load,
                agents: agents.into(),
                options,
                metrics: Metrics::new(),
                runtime,
            }),
        })
    }

    /// The configuration.
    #[must_use]
    pub fn configuration(&self) -> Arc<ModuleConfiguration> {
        self.shared.configuration.load_full()
    }

    /// Reads the configuration again. After an error the old configuration stays in force.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn reload(&self) -> Result<(), Error> {
        let configuration = (self.shared.load)()?;
        self.shared.configuration.store(Arc::new(configuration));
        self.shared.agents.forget();
        Ok(())
    }

    /// Serves requests until the server is dropped.
    ///
    /// # Errors
    /// When an address cannot be bound.
    pub fn serve(&self, listen: &[Listen], hosts: Vec<HostName>) -> io::Result<WebServer> {
        WebServer::serve(self.routes(), listen, limits(), hosts)
    }

    /// The HTTP resources.
    pub fn routes(&self) -> Router {
        Router::new()
            .route("/", get(landing_page))
            .route("/snmp", get(scrape_agent))
            .route("/metrics", get(own_metrics))
            .route("/config", get(show_configuration))
            .route("/-/reload", any(reload))
            .route("/-/healthy", get(healthy))
            .with_state(self.clone())
    }
}

impl std::fmt::Debug for Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exporter")
            .field("agents", &self.shared.agents)
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}

/// Prometheus opens a connection for each agent, all from one address.
fn limits() -> Limits {
    let connections = 20_000;
    Limits {
        connections,
        connections_per_source: connections,
        connections_per_block: connections,
        header: std::time::Duration::from_secs(300),
        ..Limits::default()
    }
}

const TEXT: &str = "text/plain; charset=utf-8";

/// Aborts a task when its HTTP request ends.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn scrape_agent(
    State(exporter): State<Exporter>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let configuration = exporter.configuration();
    let request = query::Request::new(query.as_deref().unwrap_or_default(), &configuration);
    let request = match request {
        Ok(request) => request,
        Err(why) => {
            exporter.shared.metrics.count_wrong_request();
            return Answer::refusal(StatusCode::BAD_REQUEST, &why).into_response(&headers);
        }
    };
    let deadline = query::deadline(&headers);
    let shared = Arc::clone(&exporter.shared);
    let task = exporter
        .shared
        .runtime
        .spawn(async move { scrape::run(&shared, request, deadline).await });
    let _abort = AbortOnDrop(task.abort_handle());
    let answer = match task.await {
        Ok(Ok(text)) => Answer::ok(CONTENT_TYPE, text.into()),
        Ok(Err(why)) => Answer::refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            &format!("An error has occurred while serving metrics:\n\n{why}"),
        ),
        Err(_) => Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the exporter is stopping"),
    };
    answer.into_response(&headers)
}

async fn own_metrics(State(exporter): State<Exporter>, headers: HeaderMap) -> Response {
    let text = exporter.shared.metrics.text();
    Answer::ok(CONTENT_TYPE, text.into()).into_response(&headers)
}

async fn show_configuration(State(exporter): State<Exporter>, headers: HeaderMap) -> Response {
    let text = exporter.configuration().shown();
    Answer::ok(TEXT, text.into()).into_response(&headers)
}

async fn healthy(headers: HeaderMap) -> Response {
    Answer::ok(TEXT, b"Healthy".to_vec()).into_response(&headers)
}

async fn reload(State(exporter): State<Exporter>, method: Method, headers: HeaderMap) -> Response {
    if method != Method::POST {
        return Answer::refusal(StatusCode::BAD_REQUEST, "POST method expected")
            .into_response(&headers);
    }
    // Slow files must not delay other requests.
    let reloaded = exporter.shared.runtime.spawn_blocking({
        let exporter = exporter.clone();
        move || exporter.reload()
    });
    let answer = match reloaded.await {
        Ok(Ok(())) => Answer::empty(StatusCode::OK),
        Ok(Err(error)) => {
            log::warn!("the configuration stays as it was: {error}");
            let why = format!("failed to reload config: {error}");
            Answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, &why)
        }
        Err(_) => Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "the exporter is stopping"),
    };
    answer.into_response(&headers)
}

const LANDING_PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>varbind collector</title></head>
<body>
<h1>varbind collector</h1>
<p>Metrics of SNMP agents for Prometheus, with the modules of snmp_exporter.</p>
<form action="/snmp">
<p><label>Target <input name="target" placeholder="router1, tls:router1 or tcp:192.0.2.1:1161"></label></p>
<p><label>Auth <input name="auth" value="public_v2"></label></p>
<p><label>Module <input name="module" value="if_mib"></label></p>
<p><button>Submit</button></p>
</form>
<ul>
<li><a href="/config">Config</a></li>
<li><a href="/metrics">Metrics</a></li>
</ul>
</body>
</html>
"#;

async fn landing_page(headers: HeaderMap) -> Response {
    Answer::ok("text/html; charset=utf-8", LANDING_PAGE.into()).into_response(&headers)
}
