//! The series of snmp_exporter's stock modules, as snmp_exporter gives them.
//!
//! `tests/data/stock/snmp.yml` is a part of the stock file of snmp_exporter 0.30.1 (Apache License 2.0, beside it).
//! `tests/data/stock/series` has what that program gave for devices that [`device`](crate::device) makes. They were recorded by
//!
//! ```sh
//! VARBIND_SNMP_EXPORTER=/path/to/snmp_exporter VARBIND_RECORD_SERIES=1 cargo test -p varbind-collector --test exporter comparison
//! ```
//!
//! With `VARBIND_SNMP_YML` all modules of another file are compared too.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use varbind_collector::exposition::{LargeCounters, Part, write};
use varbind_collector::module::ModuleConfiguration;
use varbind_collector::scrape::{Objects, samples};
use varbind_testkit::http::get;
use varbind_testkit::peers::{Running, free_port, skip};

use crate::agent::{serve, var_binds};
use crate::device::{File, Module};

/// A program that gives the series of a device.
type Exporter<'e> = &'e dyn Fn(&str, &Module) -> (u16, String);

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/stock")
        .join(name)
}

fn modules(text: &str) -> File {
    let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_nodes: 10_000_000, max_events: 50_000_000 } };
    serde_saphyr::from_str_with_options(text, options).unwrap()
}

/// Samples, descriptions and types of an exposition; those about the scrape itself are another matter. Descriptions are those of
/// the modules, so they need not be recorded.
fn series(text: &str) -> BTreeSet<String> {
    let lines = text
        .lines()
        .filter(|line| !line.contains("snmp_scrape_") && !line.starts_with("# HELP"));
    lines.map(normal).collect()
}

/// A line with the labels in order and the value as this program writes it.
fn normal(line: &str) -> String {
    if line.starts_with('#') {
        return line.to_owned();
    }
    let (series, value) = line.rsplit_once(' ').unwrap();
    let value: f64 = value.parse().unwrap();
    let Some((name, labels)) = series.split_once('{') else {
        return format!("{series} {value}");
    };
    let mut sorted = BTreeSet::new();
    let mut rest = labels.strip_suffix('}').unwrap();
    while !rest.is_empty() {
        let start = rest.find('"').unwrap() + 1;
        let mut end = start;
        while rest.as_bytes()[end] != b'"' {
            end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
        }
        sorted.insert(rest[..=end].to_owned());
        rest = rest[end + 1..].trim_start_matches(',');
    }
    let sorted: Vec<_> = sorted.into_iter().collect();
    format!("{name}{{{}}} {value}", sorted.join(","))
}

/// Our series of a device.
fn ours(configuration: &ModuleConfiguration, name: &str, module: &Module) -> BTreeSet<String> {
    let compiled = Arc::clone(&configuration.modules[name]);
    let mut objects = var_binds(&module.device());
    objects.retain(|object| {
        let is_below = |root: &&varbind::Oid| root.is_prefix_of(object.name.arcs());
        compiled
            .walk
            .iter()
            .chain(&compiled.get)
            .any(|root| is_below(&root))
    });
    let samples = samples(&compiled, &Objects::new(objects));
    let part = Part {
        labels: &[],
        samples: &samples,
        timestamp: None,
    };
    let mut text = String::new();
    write(&[part], LargeCounters::Wrap, &mut text);
    series(&text)
}

#[test]
fn stock_modules_give_the_series_that_snmp_exporter_gave() {
    let text = fs::read_to_string(data("snmp.yml")).unwrap();
    let configuration = ModuleConfiguration::parse(&text).unwrap();
    let file = modules(&text);
    assert!(file.modules.len() >= 20);
    for (name, module) in &file.modules {
        let recorded = fs::read_to_string(data("series").join(format!("{name}.txt"))).unwrap();
        let theirs: BTreeSet<String> = recorded.lines().map(str::to_owned).collect();
        assert!(!theirs.is_empty(), "{name}");
        assert_same(name, &theirs, &ours(&configuration, name, module));
    }
}

#[track_caller]
fn assert_same(name: &str, theirs: &BTreeSet<String>, ours: &BTreeSet<String>) {
    let missing: Vec<_> = theirs.difference(ours).take(5).collect();
    let more: Vec<_> = ours.difference(theirs).take(5).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "{name}: missing {missing:#?}, not theirs {more:#?}"
    );
}

/// Starts snmp_exporter, and hands over where it listens.
fn with_snmp_exporter<R>(file: &Path, run: impl FnOnce(SocketAddr) -> R) -> Option<R> {
    let Some(program) = env::var_os("VARBIND_SNMP_EXPORTER") else {
        skip("VARBIND_SNMP_EXPORTER names no snmp_exporter");
        return None;
    };
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let process = Command::new(program)
        .arg(format!("--config.file={}", file.display()))
        .arg(format!("--web.listen-address={address}"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _running = Running(process);
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "snmp_exporter does not listen"
        );
        thread::sleep(Duration::from_millis(20));
    }
    Some(run(address))
}

#[test]
fn stock_modules_give_the_series_of_snmp_exporter_itself() {
    let records = env::var_os("VARBIND_RECORD_SERIES").is_some();
    compare(&data("snmp.yml"), &|name, theirs| {
        if records {
            let lines: Vec<_> = theirs.iter().map(String::as_str).collect();
            fs::create_dir_all(data("series")).unwrap();
            fs::write(
                data("series").join(format!("{name}.txt")),
                lines.join("\n") + "\n",
            )
            .unwrap();
        }
    });
    match env::var_os("VARBIND_SNMP_YML") {
        None => skip("VARBIND_SNMP_YML names no other file of modules"),
        Some(file) => compare(Path::new(&file), &|_, _| {}),
    }
}

/// Compares all modules of a file. A scrape that snmp_exporter refuses has nothing to be compared with, and is told.
fn compare(file: &Path, record: &dyn Fn(&str, &BTreeSet<String>)) {
    let text = fs::read_to_string(file).unwrap();
    let configuration = ModuleConfiguration::parse(&text).unwrap();
    with_snmp_exporter(file, |exporter| {
        let scrape: Exporter<'_> = &|name, module| {
            let (_agent, address) = serve(&module.device());
            get(exporter, &format!("/snmp?target={address}&module={name}"))
        };
        for (name, module) in &modules(&text).modules {
            let (status, body) = scrape(name, module);
            if status != 200 {
                eprintln!(
                    "{name}: snmp_exporter answered {status}: {}",
                    body.lines().nth(2).unwrap_or_default()
                );
                continue;
            }
            let theirs = series(&body);
            record(name, &theirs);
            assert_same(name, &theirs, &ours(&configuration, name, module));
        }
    });
}
