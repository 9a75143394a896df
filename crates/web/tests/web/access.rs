use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use varbind_testkit::web::{ELSEWHERE, LIMITED, NOBODY, READER, Served};

const PATHS: [&str; 4] = [
    "/metrics",
    "/restconf",
    "/restconf/data",
    "/restconf/data/ietf-yang-library:modules-state",
];

#[test]
fn unknown_clients_get_nothing() {
    let served = Served::start();
    let discards = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&discards);
    served.agent.observe_discards(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    for path in PATHS {
        for community in ["", "wrong", ELSEWHERE] {
            let response = served.get(community, path);
            assert_eq!(response.status, 401, "{community} {path}");
            assert!(response.header("www-authenticate").starts_with("Basic "));
            assert!(!response.text().contains("lo"), "{}", response.text());
        }
    }
    // What is a notification by SNMP is one by HTTP.
    assert_eq!(discards.load(Ordering::Relaxed), 2 * PATHS.len());
}

#[test]
fn clients_without_a_view_are_denied() {
    let served = Served::start();
    for path in ["/metrics", "/restconf/data"] {
        assert_eq!(served.get(NOBODY, path).status, 403, "{path}");
    }
}

#[test]
fn a_view_hides_objects() {
    let served = Served::start();
    let get = |path: &str| served.get(LIMITED, path);
    let module = get("/restconf/data/IF-MIB:IF-MIB").json();
    let rows = json!([{"ifIndex": 1, "ifDescr": "lo"}, {"ifIndex": 3, "ifDescr": varbind_testkit::web::ODD_NAME}]);
    assert_eq!(
        module,
        json!({"IF-MIB:IF-MIB": {"ifTable": {"ifEntry": rows}}})
    );
    for hidden in [
        "interfaces",
        "interfaces/ifNumber",
        "ifTable/ifEntry=1/ifMtu",
        "ifTable/ifEntry=1/ifName",
    ] {
        let response = get(&format!("/restconf/data/IF-MIB:IF-MIB/{hidden}"));
        assert_eq!(response.status, 404, "{hidden}");
    }
    let metrics = get("/metrics");
    assert!(metrics.text().contains("system_info{sysDescr=\"a test\""));
    assert!(!metrics.text().contains("ifInOctets"), "{}", metrics.text());
}

#[test]
fn the_counters_of_snmp_do_not_count_the_web() {
    let served = Served::start();
    served.get(READER, "/restconf/data");
    let statistics = served.agent.statistics();
    let counted = statistics.value(varbind_engine::statistics::Counter::SnmpInPkts);
    assert_eq!(counted, 0);
}
