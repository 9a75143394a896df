//! One scrape of an agent.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Shared;
use super::query::Request;
use crate::agents::Subject;
use crate::exposition::{self, Part, describe};
use crate::module::Module;
use crate::poll::poll;
use crate::scrape::{Objects, Samples, samples};

/// The samples of a module, and what the poll took.
struct Scraped {
    samples: Samples,
    walk: Duration,
    total: Duration,
    messages: u64,
    retries: u64,
    objects: usize,
}

/// A metric of the scrape itself: name, help and value.
type Figure = (&'static str, &'static str, fn(&Scraped) -> f64);

const FIGURES: [Figure; 6] = [
    (
        "snmp_scrape_duration_seconds",
        "Time of the scrape: walk and processing.",
        |scraped| scraped.total.as_secs_f64(),
    ),
    (
        "snmp_scrape_packets_retried",
        "Packets that were sent again.",
        |scraped| count(scraped.retries),
    ),
    (
        "snmp_scrape_packets_sent",
        "Packets sent, those that were sent again included.",
        |scraped| count(scraped.messages),
    ),
    (
        "snmp_scrape_pdus_returned",
        "Variable bindings that the agent answered with.",
        |scraped| count(scraped.objects as u64),
    ),
    (
        "snmp_scrape_series_rejected",
        "Values that became no series: the same series twice, or no value of the type.",
        |scraped| count(scraped.samples.faults().1),
    ),
    (
        "snmp_scrape_walk_duration_seconds",
        "Time of get and walk.",
        |scraped| scraped.walk.as_secs_f64(),
    ),
];

#[allow(clippy::cast_precision_loss, reason = "one scrape does not reach 2^53")]
const fn count(number: u64) -> f64 {
    number as f64
}

/// Polls the modules of an agent and writes their series, or explains why there are none.
pub(super) async fn run(
    shared: &Arc<Shared>,
    request: Request,
    deadline: Duration,
) -> Result<String, String> {
    let request = Arc::new(request);
    let scraped = match timeout(deadline, scrape_all(shared, &request)).await {
        Ok(scraped) => scraped?,
        Err(_) => {
            return Err(format!(
                "{}: not finished within {deadline:?}: allow more time (scrape_timeout of Prometheus), or request less",
                request.target
            ));
        }
    };
    let mut text = String::new();
    let parts: Vec<_> = scraped
        .iter()
        .map(|scraped| Part {
            labels: &[],
            samples: &scraped.samples,
            timestamp: None,
        })
        .collect();
    exposition::write(&parts, shared.options.large_counters, &mut text);
    for (name, help, figure) in FIGURES {
        describe(name, "gauge", help, &mut text);
        for scraped in &scraped {
            let module = &scraped.samples.module().name;
            let mut label = String::new();
            exposition::escape(module, &mut label);
            let _ = writeln!(text, "{name}{{module=\"{label}\"}} {}", figure(scraped));
        }
    }
    Ok(text)
}

/// Polls all modules, several at a time, and returns their samples in the order of the request.
async fn scrape_all(shared: &Arc<Shared>, request: &Arc<Request>) -> Result<Vec<Scraped>, String> {
    let mut tasks = JoinSet::new();
    let mut waiting = request.modules.iter().cloned().enumerate();
    let mut scraped: Vec<(usize, Scraped)> = Vec::new();
    loop {
        while tasks.len() < shared.options.module_concurrency.max(1)
            && let Some((at, module)) = waiting.next()
        {
            let (shared, request) = (Arc::clone(shared), Arc::clone(request));
            tasks.spawn(async move { (at, scrape(&shared, &request, &module).await) });
        }
        match tasks.join_next().await {
            Some(Ok((at, found))) => scraped.push((at, found?)),
            Some(Err(_)) => return Err("the exporter is stopping".to_owned()),
            None => break,
        }
    }
    scraped.sort_by_key(|(at, _)| *at);
    Ok(scraped.into_iter().map(|(_, scraped)| scraped).collect())
}

async fn scrape(
    shared: &Shared,
    request: &Request,
    module: &Arc<Module>,
) -> Result<Scraped, String> {
    let started = Instant::now();
    let _in_flight = shared.metrics.in_flight();
    let scraped = scrape_module(shared, request, module, started).await;
    shared.metrics.observe(&module.name, started.elapsed());
    scraped.inspect_err(|why| log::info!("{why}"))
}

async fn scrape_module(
    shared: &Shared,
    request: &Request,
    module: &Arc<Module>,
    started: Instant,
) -> Result<Scraped, String> {
    let name = &module.name;
    let subject = Subject {
        auth_name: &request.auth_name,
        auth: &request.auth,
        context_name: request.context_name.as_deref(),
        context_engine: request.context_engine,
    };
    let target = shared
        .agents
        .target(&request.target, &subject, &module.parameters)
        .map_err(|error| format!("module {name}: {error}"))?;
    let answers = poll(&target, request.auth.is_v1(), module).await;
    let answers = answers.map_err(|error| format!("module {name}: {error}"))?;
    shared.metrics.count(answers.messages, answers.retries);
    for (name, status) in &answers.refusals {
        log::info!("{}: the agent answered {status} for {name}", request.target);
    }
    let count = answers.objects.len();
    let samples = samples(module, &Objects::new(answers.objects));
    for fault in samples.faults().0 {
        log::debug!("{}: {fault}", request.target);
    }
    Ok(Scraped {
        samples,
        walk: answers.duration,
        total: started.elapsed(),
        messages: answers.messages,
        retries: answers.retries,
        objects: count,
    })
}
