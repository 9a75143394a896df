use std::io::Write;
use std::process::{Command, Stdio};

use varbind_testkit::peers::skip;
use varbind_testkit::web::{READER, Response, Served};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

fn metrics(served: &Served, accept: &str) -> Response {
    served.get_as(READER, "/metrics", accept)
}

#[test]
fn the_format_is_the_one_that_is_accepted() {
    let served = Served::start();
    // What Prometheus 2.42 sends.
    let of_prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                         text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
    for (accept, expected) in [
        (of_prometheus, OPEN_METRICS),
        ("application/openmetrics-text", OPEN_METRICS),
        ("text/plain;version=0.0.4", PROMETHEUS),
        ("application/openmetrics-text;q=0.5, text/plain", PROMETHEUS),
        ("application/openmetrics-text;q=0", PROMETHEUS),
        ("*/*", PROMETHEUS),
        ("application/json", PROMETHEUS),
    ] {
        let response = metrics(&served, accept);
        assert_eq!(
            (response.status, response.header("content-type")),
            (200, expected),
            "{accept}"
        );
    }
    let unnamed = served.get(READER, "/metrics");
    assert_eq!(unnamed.header("content-type"), PROMETHEUS);
    let head = served.send("HEAD", "/metrics", READER, &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-type"), PROMETHEUS);
}

#[test]
fn the_end_of_the_certificate_is_a_metric_if_there_is_one() {
    let served = Served::start();
    let name = "varbind_certificate_not_after_timestamp_seconds";
    let body = || String::from_utf8(metrics(&served, OPEN_METRICS).body).unwrap();
    assert!(!body().contains(name));
    served.replace_certificate_end(Some(1_900_000_000));
    let told = format!("# TYPE {name} gauge\n{name} 1900000000\n# EOF\n");
    assert!(body().ends_with(&told), "{}", body());
}

#[test]
fn numbers_are_shown_by_family_with_labels() {
    let served = Served::start();
    let odd = r#"ifIndex="3",ifDescr="e\"<&>\\0é",ifName="e\"<&>\\0é",ifAlias="uplink""#;
    let in_both = [
        "system_info{sysDescr=\"a test\",sysContact=\"admin\",sysLocation=\"here\"} 1",
        "# TYPE ifNumber gauge",
        "ifNumber 2",
        "ifInOctets_total{ifIndex=\"1\",ifDescr=\"lo\",ifName=\"lo\"} 10",
        &format!("ifInOctets_total{{{odd}}} 110"),
        &format!("ifHCOutOctets_total{{{odd}}} {}", u64::MAX - 110),
        "# HELP ifMtu IF-MIB::ifMtu",
    ];
    for (accept, own) in [
        (
            OPEN_METRICS,
            ["# TYPE system info", "# TYPE ifInOctets counter", "# EOF"],
        ),
        (
            PROMETHEUS,
            [
                "# TYPE system_info gauge",
                "# TYPE ifInOctets_total counter",
                "# HELP ifInOctets_total IF-MIB::ifInOctets",
            ],
        ),
    ] {
        let response = metrics(&served, accept);
        let lines: Vec<_> = response.text().lines().collect();
        for line in in_both.into_iter().chain(own) {
            assert!(lines.contains(&line), "{line}\n{}", response.text());
        }
        let end = lines.iter().position(|line| *line == "# EOF");
        let expected = (accept == OPEN_METRICS).then_some(lines.len() - 1);
        assert_eq!(end, expected);
    }
}

/// OpenMetrics 1.0: each family is in one piece, and each of its samples has another set of labels.
#[test]
fn no_family_is_divided_and_no_sample_doubled() {
    let served = Served::start();
    for accept in [OPEN_METRICS, PROMETHEUS] {
        let response = metrics(&served, accept);
        let mut families = std::collections::HashSet::new();
        let mut samples = std::collections::HashSet::new();
        let mut family = "";
        for line in response.text().lines() {
            if let Some(described) = line.strip_prefix("# TYPE ") {
                family = described.split(' ').next().unwrap();
                assert!(families.insert(family), "{family} twice");
            } else if !line.starts_with('#') {
                assert!(line.starts_with(family), "{line} in {family}");
                let (sample, value) = line.rsplit_once(' ').unwrap();
                assert!(samples.insert(sample), "{sample} twice");
                value.parse::<u64>().unwrap();
            }
        }
        assert!(families.len() > 15);
    }
}

/// promtool parses the text format, and warns of names that are no snake_case, as those of SNMP objects are not.
#[test]
fn promtool_reads_the_text_format() {
    let served = Served::start();
    let text = metrics(&served, PROMETHEUS).body;
    let promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut promtool = match promtool {
        Ok(promtool) => promtool,
        Err(error) => return skip(&format!("promtool cannot be run: {error}")),
    };
    promtool.stdin.take().unwrap().write_all(&text).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    // 3: it was parsed, and there are warnings.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{errors}");
    for line in errors.lines() {
        assert!(line.contains("'snake_case'"), "{line}");
    }
}
