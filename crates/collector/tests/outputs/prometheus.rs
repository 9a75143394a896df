//! Remote write to Prometheus itself.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;

use serde_json::Value;
use varbind_testkit::peers;
use varbind_testkit::polls::{DESCRIPTION, PATIENCE, failure, metric, poll, start, wait};

use crate::service::Service;

/// The series of a name, by their labels, with their values.
fn series(prometheus: &Service, query: &str) -> Vec<(BTreeMap<String, String>, String)> {
    let answer = prometheus.json(&format!("/api/v1/query?query={query}"));
    let series = answer["data"]["result"].as_array().unwrap().iter();
    let mut series: Vec<_> = series
        .map(|series| {
            let labels = serde_json::from_value(series["metric"].clone()).unwrap();
            (labels, series["value"][1].as_str().unwrap().to_owned())
        })
        .collect();
    series.sort();
    series
}

fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn prometheus_has_what_was_written() {
    if !peers::is_installed("prometheus") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let configuration = directory.path().join("prometheus.yml");
    fs::write(&configuration, "").unwrap();
    let address: SocketAddr = ([127, 0, 0, 1], peers::free_port()).into();
    let mut command = peers::command("prometheus");
    command
        .arg(format!("--config.file={}", configuration.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            directory.path().join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .arg("--web.enable-remote-write-receiver");
    let prometheus = Service::start(&mut command, address, "/-/ready");

    let outputs = start(&format!(
        "type = \"remote-write\"\nurl = \"http://{address}/api/v1/write\"\nlinger = \"10ms\""
    ));
    outputs.send(&poll("router 1"));
    outputs.send(&failure("router2"));
    wait("two polls", || {
        (metric(&outputs, "varbind_output_delivered_polls_total") == 2).then_some(())
    });
    outputs.stop(PATIENCE);

    let common = [("instance", "router 1"), ("site", "north hall")];
    let with = |more: &[(&str, &str)]| labels(&[&common[..], more].concat());
    let counter = ("__name__", "ifHCInOctets");
    assert_eq!(
        series(&prometheus, "ifHCInOctets"),
        [
            (
                with(&[counter, ("ifDescr", DESCRIPTION), ("ifIndex", "1")]),
                "5".to_owned()
            ),
            (
                with(&[counter, ("ifDescr", "eth1"), ("ifIndex", "2")]),
                "17".to_owned()
            ),
        ]
    );
    let up = |instance: &str, value: &str| {
        let labels = labels(&[
            ("__name__", "up"),
            ("instance", instance),
            ("module", "if_mib"),
            ("site", "north hall"),
        ]);
        (labels, value.to_owned())
    };
    assert_eq!(
        series(&prometheus, "up"),
        [up("router 1", "1"), up("router2", "0")]
    );
    let durations = series(&prometheus, "snmp_scrape_duration_seconds");
    assert_eq!(
        durations.first().map(|(_, value)| value.as_str()),
        Some("0.125")
    );
    let status: Value = prometheus.json("/api/v1/status/tsdb");
    assert_eq!(status["data"]["headStats"]["numSeries"], 3 + 2 * 3);
}
