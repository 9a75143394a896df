//! Conditional requests (RFC 9110 section 13) on configuration beside counters that move.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use varbind_testkit::web::{READER, Response, Served, WRITER};

const DATA: &str = "/restconf/data";
const SYSTEM: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system";
const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";
const UP_TIME: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime";
const JSON: (&str, &str) = ("Content-Type", "application/yang-data+json");
const LONG_AGO: &str = "Sat, 01 Jan 2000 00:00:00 GMT";

fn get(served: &Served, path: &str, header: (&str, &str)) -> Response {
    served.send("GET", path, READER, &[header], b"")
}

fn put(served: &Served, contact: &str, header: (&str, &str)) -> u16 {
    let body = format!(r#"{{"SNMPv2-MIB:sysContact": "{contact}"}}"#);
    let headers = [JSON, header];
    let response = served.send("PUT", CONTACT, WRITER, &headers, body.as_bytes());
    if response.status != 204 {
        assert_eq!(response.error_tag(), "operation-failed");
    }
    response.status
}

fn patch(served: &Served, header: (&str, &str)) -> u16 {
    let body = br#"{"SNMPv2-MIB:system": {"sysLocation": "there"}}"#;
    served
        .send("PATCH", SYSTEM, WRITER, &[JSON, header], body)
        .status
}

/// RFC 8040 sections 3.4.1.2 and 3.5.2
#[test]
fn entity_tags_stand_for_the_configuration_alone() {
    let served = Served::start();
    let tag = |path: &str| served.get(READER, path).header("etag").to_owned();
    for path in [DATA, SYSTEM, "/restconf/data/SNMPv2-MIB:SNMPv2-MIB"] {
        let (before, body) = (tag(path), served.get(READER, path).body);
        assert_ne!(body, served.get(READER, path).body, "{path}");
        assert_eq!(tag(path), before, "{path}");
        for query in [
            "?content=config",
            "?depth=1",
            "?fields=SNMPv2-MIB:SNMPv2-MIB",
        ] {
            let found = served.get(READER, &format!("{path}{query}"));
            if found.status == 200 {
                assert_eq!(found.header("etag"), before, "{path}{query}");
            }
        }
    }
    let before = [DATA, SYSTEM, CONTACT].map(tag);
    assert_eq!(put(&served, "bob", ("If-Match", &before[2])), 204);
    for (path, before) in [DATA, SYSTEM, CONTACT].into_iter().zip(before) {
        assert_ne!(tag(path), before, "{path}");
    }
    // What cannot be set has a tag for what was shown.
    assert_ne!(tag(UP_TIME), tag(UP_TIME));
    let number = "/restconf/data/IF-MIB:IF-MIB/interfaces/ifNumber";
    assert_eq!(
        get(&served, number, ("If-None-Match", &tag(number))).status,
        304
    );
}

#[test]
fn a_container_with_counters_is_edited_if_its_configuration_is_known() {
    let served = Served::start();
    let json = served.get(READER, SYSTEM).header("etag").to_owned();
    let xml = served.get_as(READER, SYSTEM, "application/yang-data+xml");
    assert_ne!(xml.header("etag"), json);
    assert_eq!(patch(&served, ("If-Match", xml.header("etag"))), 204);
    assert_eq!(patch(&served, ("If-Match", &json)), 412);
    assert_eq!(patch(&served, ("If-Match", &format!("W/{json}"))), 412);
    let now = served.get(READER, SYSTEM).header("etag").to_owned();
    assert_eq!(patch(&served, ("If-Match", &format!("W/{now}"))), 412);
    assert_eq!(patch(&served, ("If-Match", &format!("{json}, {now}"))), 204);
    assert_eq!(patch(&served, ("If-Match", "*")), 204);
    assert_eq!(patch(&served, ("If-None-Match", "*")), 412);
}

#[test]
fn last_modified_is_the_time_of_the_last_change() {
    let served = Served::start();
    let changed = |path: &str| served.get(READER, path).header("last-modified").to_owned();
    let at_start = changed(DATA);
    let time = httpdate(&at_start);
    assert!(time <= SystemTime::now());
    for path in [SYSTEM, CONTACT] {
        assert_eq!(changed(path), at_start, "{path}");
    }
    // A counter is not a configuration.
    assert_eq!(changed(UP_TIME), "");
    let unmodified = ("If-Unmodified-Since", at_start.as_str());
    let modified = ("If-Modified-Since", at_start.as_str());
    assert_eq!(get(&served, CONTACT, modified).status, 304);
    assert_eq!(get(&served, UP_TIME, modified).status, 200);
    assert_eq!(put(&served, "bob", unmodified), 204);
    // Another change in the same second is known to be one.
    assert_eq!(put(&served, "carol", unmodified), 412);
    assert_eq!(patch(&served, unmodified), 412);
    assert_eq!(get(&served, CONTACT, modified).status, 200);
    let after = wait_for(|| Some(changed(DATA)).filter(|changed| !changed.is_empty()));
    assert!(httpdate(&after) > time);
    assert_eq!(put(&served, "carol", ("If-Unmodified-Since", &after)), 204);
}

#[test]
fn dates_count_as_the_standard_says() {
    let served = Served::start();
    assert_eq!(put(&served, "a", ("If-Unmodified-Since", LONG_AGO)), 412);
    assert_eq!(put(&served, "a", ("If-Unmodified-Since", "soon")), 204);
    let read = |header| get(&served, CONTACT, header).status;
    assert_eq!(read(("If-Modified-Since", LONG_AGO)), 200);
    assert_eq!(read(("If-Unmodified-Since", LONG_AGO)), 412);
    assert_eq!(read(("If-Match", "\"x\"")), 412);
    // RFC 9110 13.2.2: tags count before dates.
    let tag = served.get(READER, CONTACT).header("etag").to_owned();
    let headers = [
        JSON,
        ("If-Match", tag.as_str()),
        ("If-Unmodified-Since", LONG_AGO),
    ];
    let body = br#"{"SNMPv2-MIB:sysContact": "b"}"#;
    let put = served.send("PUT", CONTACT, WRITER, &headers, body);
    assert_eq!(put.status, 204);
}

/// Each client reads a number and writes the next one, if it is still the one that it read: none may be lost.
#[test]
fn concurrent_edits_lose_nothing() {
    let served = Served::start();
    let start = br#"{"SNMPv2-MIB:sysContact": "0"}"#;
    let put = served.send("PUT", CONTACT, WRITER, &[JSON], start);
    assert_eq!(put.status, 204);
    let accepted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let read = served.get(READER, CONTACT);
                    let json = read.json();
                    let number = json["SNMPv2-MIB:sysContact"].as_str().unwrap();
                    let number: usize = number.parse().unwrap();
                    let body = format!(r#"{{"SNMPv2-MIB:sysContact": "{}"}}"#, number + 1);
                    let headers = [JSON, ("If-Match", read.header("etag"))];
                    let put = served.send("PUT", CONTACT, WRITER, &headers, body.as_bytes());
                    match put.status {
                        204 => drop(accepted.fetch_add(1, Ordering::Relaxed)),
                        status => assert!(matches!(status, 409 | 412), "{put:?}"),
                    }
                }
            });
        }
    });
    let json = served.get(READER, CONTACT).json();
    let accepted = accepted.into_inner().to_string();
    assert_eq!(json["SNMPv2-MIB:sysContact"], accepted);
}

fn httpdate(text: &str) -> SystemTime {
    httpdate::parse_http_date(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
}
