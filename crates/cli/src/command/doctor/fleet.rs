//! The doctor for many hosts: a thread examines each, and reports it when it is done.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use varbind::client::Error;
use varbind_inventory::{Host, Secret, SecretSource};
use varbind_terminal::Failure;

use super::{Arguments, examine as examine_one, findings};
use crate::arguments::SessionArguments;
use crate::fleet::{HostFailure, INTERRUPTED, Summary, fill};

/// An examination takes a thread.
const MOST_THREADS: usize = 64;

/// What was found of a host.
struct Examined {
    host: usize,
    document: Value,
    outcome: Result<(), HostFailure>,
}

/// Secrets that were read: those of many hosts are the same.
type Secrets = Mutex<HashMap<SecretSource, Secret>>;

/// Examines all hosts.
pub(super) fn examine(arguments: &Arguments, hosts: &[Host]) -> Result<(), Failure> {
    let limit = usize::from(arguments.parallel.limit).min(MOST_THREADS);
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limit)
        .build()
        .map_err(Error::Runtime)?;
    let mut summary = Summary::new(hosts.len());
    let is_interrupted = runtime.block_on(examine_all(arguments, hosts, limit, &mut summary));
    // Examinations that still go on are not waited for.
    runtime.shutdown_background();
    let is_interrupted = is_interrupted?;
    summary.print(hosts, is_interrupted);
    match (is_interrupted, summary.exit_code()) {
        (true, _) => Err(Failure::ReportedWith(INTERRUPTED)),
        (false, 0) => Ok(()),
        (false, code) => Err(Failure::ReportedWith(code)),
    }
}

async fn examine_all(
    arguments: &Arguments,
    hosts: &[Host],
    limit: usize,
    summary: &mut Summary,
) -> Result<bool, Failure> {
    let secrets = Arc::new(Secrets::default());
    let mut tasks = JoinSet::new();
    let mut waiting = hosts.iter().enumerate();
    loop {
        while tasks.len() < limit
            && let Some((number, host)) = waiting.next()
        {
            let (session, host) = (arguments.session.clone(), host.clone());
            let secrets = Arc::clone(&secrets);
            tasks.spawn_blocking(move || examine_host(session, &host, number, &secrets));
        }
        tokio::select! {
            biased;
            signal = tokio::signal::ctrl_c() => {
                signal?;
                return Ok(true);
            }
            examined = tasks.join_next() => {
                let Some(examined) = examined else {
                    return Ok(false);
                };
                let Ok(Examined { host, document, outcome }) = examined else {
                    continue;
                };
                let name = hosts.get(host).map_or("", |host| host.name.as_str());
                print_document(arguments.json, name, document)?;
                summary.note(host, outcome);
            }
        }
    }
}

fn examine_host(
    mut session: SessionArguments,
    host: &Host,
    number: usize,
    secrets: &Secrets,
) -> Examined {
    findings::keep();
    let read = |source: &SecretSource| {
        let mut known = secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(secret) = known.get(source) {
            return Ok(secret.clone());
        }
        let secret = source.read()?;
        known.insert(source.clone(), secret.clone());
        Ok(secret)
    };
    let filled = fill(&mut session, host, read);
    let result = filled.and_then(|()| examine_one(&session));
    let document = findings::document(&host.address, &result);
    let outcome = result.map_err(|failure| HostFailure {
        code: failure.exit_code(),
        reason: match failure.is_reported() {
            true => what_is_wrong(&document),
            false => failure.to_string(),
        },
    });
    Examined {
        host: number,
        document,
        outcome,
    }
}

/// The first step that failed.
fn what_is_wrong(document: &Value) -> String {
    let steps = document["steps"].as_array();
    let mut steps = steps.into_iter().flatten();
    let failed = steps.find(|step| step["verdict"] == "no");
    failed.map_or_else(
        || "the examination came to no good end".to_owned(),
        |step| format!("{}: {}", text(&step["step"]), text(&step["text"])),
    )
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Tells what was found of a host: an object of JSON in a line, or a line for each step.
fn print_document(is_json: bool, host: &str, mut document: Value) -> Result<(), Failure> {
    let mut out = String::new();
    if is_json {
        document["host"] = json!(host);
        out = format!("{document}\n");
    } else {
        let steps = document["steps"].as_array();
        for step in steps.into_iter().flatten() {
            let verdict = match text(&step["verdict"]) {
                "open" => "-",
                verdict => verdict,
            };
            let (name, text) = (text(&step["step"]), text(&step["text"]));
            out += &format!("{host}  {verdict:<3} {name:<15} {text}\n");
        }
        if let Some(error) = document["error"].as_str() {
            out += &format!("{host}  no  {error}\n");
        }
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(out.as_bytes())?;
    stdout.flush()?;
    Ok(())
}
