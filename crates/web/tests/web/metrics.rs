use crate::fixture::{READER, Served};

#[test]
fn numbers_are_shown_by_family_with_labels() {
    let served = Served::start();
    let response = served.get(READER, "/metrics");
    assert_eq!(
        response.header("content-type"),
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    let text = response.text();
    assert!(text.ends_with("# EOF\n"));
    let odd = r#"ifIndex="3",ifDescr="e\"<&>\\0é",ifName="e\"<&>\\0é",ifAlias="uplink""#;
    let expected = [
        "# TYPE system info",
        "system_info{sysDescr=\"a test\",sysContact=\"admin\",sysLocation=\"here\"} 1",
        "# TYPE ifNumber gauge",
        "ifNumber 2",
        "# TYPE ifInOctets counter",
        "ifInOctets_total{ifIndex=\"1\",ifDescr=\"lo\",ifName=\"lo\"} 10",
        &format!("ifInOctets_total{{{odd}}} 110"),
        &format!("ifHCOutOctets_total{{{odd}}} {}", u64::MAX - 110),
        "# HELP ifMtu IF-MIB::ifMtu",
    ];
    for line in expected {
        assert!(
            text.lines().any(|written| written == line),
            "{line}\n{text}"
        );
    }
}

/// OpenMetrics 1.0: each family is in one piece, and each of its samples has another set of labels.
#[test]
fn no_family_is_divided_and_no_sample_doubled() {
    let served = Served::start();
    let response = served.get(READER, "/metrics");
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
