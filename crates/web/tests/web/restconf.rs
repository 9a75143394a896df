use std::sync::atomic::Ordering;

use serde_json::json;
use varbind_testkit::web::{LIMITED, ODD_NAME, READER, Served, WRITER};

const ENTRY_1: &str = "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1";
const CONTACT: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact";
const JSON: (&str, &str) = ("Content-Type", "application/yang-data+json");
const XML: (&str, &str) = ("Content-Type", "application/yang-data+xml");

#[test]
fn the_way_to_the_data_is_found() {
    let served = Served::start();
    let meta = served.send("GET", "/.well-known/host-meta", "", &[], b"");
    assert_eq!(meta.header("content-type"), "application/xrd+xml");
    assert!(meta.text().contains("rel=\"restconf\" href=\"/restconf\""));
    let root = served.get(READER, "/restconf").json();
    let root = &root["ietf-restconf:restconf"];
    assert_eq!(root["yang-library-version"], "2016-06-21");
    assert!(root["data"].is_object() && root["operations"].is_object());
    let library = served
        .get(READER, "/restconf/data/ietf-yang-library:modules-state")
        .json();
    let modules = library["ietf-yang-library:modules-state"]["module"]
        .as_array()
        .unwrap()
        .clone();
    let module = modules
        .iter()
        .find(|module| module["name"] == "IF-MIB")
        .unwrap();
    assert_eq!(
        module["namespace"],
        "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB"
    );
    assert_eq!(module["revision"], "2000-06-14");
    let one = "/restconf/data/ietf-yang-library:modules-state/module=IF-MIB,2000-06-14";
    let one = served.get(READER, one).json();
    assert_eq!(one["ietf-yang-library:module"][0]["name"], "IF-MIB");
    let state = served
        .get(
            READER,
            "/restconf/data/ietf-restconf-monitoring:restconf-state",
        )
        .json();
    let capabilities =
        &state["ietf-restconf-monitoring:restconf-state"]["capabilities"]["capability"];
    assert!(capabilities.as_array().unwrap().len() >= 3);
}

#[test]
fn a_row_has_its_own_columns_and_those_that_augment_it() {
    let served = Served::start();
    let response = served.get(READER, ENTRY_1);
    assert_eq!(
        response.header("content-type"),
        "application/yang-data+json"
    );
    let row = &response.json()["IF-MIB:ifEntry"][0];
    assert_eq!(row["ifIndex"], 1);
    assert_eq!(row["ifDescr"], "lo");
    assert_eq!(row["ifType"], "softwareLoopback");
    assert_eq!(row["ifMtu"], 1500);
    assert_eq!(row["ifAdminStatus"], "up");
    assert_eq!(row["ifInOctets"], 10);
    assert_eq!(row["ifName"], "lo");
    // RFC 7951 6.1
    assert_eq!(row["ifHCInOctets"], (u64::MAX - 6).to_string());
    assert_eq!(row.get("ifAlias"), None);
    let all = served
        .get(READER, "/restconf/data/IF-MIB:IF-MIB/ifTable")
        .json();
    let rows = all["IF-MIB:ifTable"]["ifEntry"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0], *row);
    assert_eq!(rows[1]["ifDescr"], ODD_NAME);
    assert_eq!(rows[1]["ifPhysAddress"], "02:00:00:ab:cd:ef");
    assert_eq!(rows[1]["ifAlias"], "uplink");
}

#[test]
fn leaves_and_keys_are_resources() {
    let served = Served::start();
    let value = |path: &str| served.get(READER, path).json();
    let path = format!("{ENTRY_1}/ifType");
    assert_eq!(value(&path), json!({"IF-MIB:ifType": "softwareLoopback"}));
    let path = format!("{ENTRY_1}/ifIndex");
    assert_eq!(value(&path), json!({"IF-MIB:ifIndex": 1}));
    assert_eq!(value(CONTACT), json!({"SNMPv2-MIB:sysContact": "admin"}));
    let number = value("/restconf/data/IF-MIB:IF-MIB/interfaces");
    assert_eq!(number, json!({"IF-MIB:interfaces": {"ifNumber": 2}}));
    let head = served.send("HEAD", CONTACT, READER, &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_ne!(head.header("etag"), "");
}

#[test]
fn xml_says_the_same() {
    let served = Served::start();
    let xml = "application/yang-data+xml";
    let row = served.get_as(
        READER,
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=3",
        xml,
    );
    assert_eq!(row.header("content-type"), xml);
    let text = row.text();
    let start = "<ifEntry xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><ifIndex>3</ifIndex>";
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.contains("<ifDescr>e&quot;&lt;&amp;&gt;\\0\u{e9}</ifDescr>"),
        "{text}"
    );
    assert!(text.ends_with("</ifEntry>"), "{text}");
    // A document has one outermost element (RFC 8040 4.3).
    let list = served.get_as(READER, "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry", xml);
    assert_eq!(list.status, 400);
    assert!(list.text().contains("<error-tag>invalid-value</error-tag>"));
    let all = served.get_as(READER, "/restconf/data", xml);
    let data = "<data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\">";
    assert!(all.text().starts_with(data), "{}", all.text());
}

#[test]
fn fields_and_depth_say_how_much() {
    let served = Served::start();
    let get = |query: &str| {
        served
            .get(READER, &format!("/restconf/data/IF-MIB:IF-MIB{query}"))
            .json()
    };
    let some = get("?fields=ifTable/ifEntry(ifDescr;ifName);interfaces");
    let expected = json!({"IF-MIB:IF-MIB": {
        "interfaces": {"ifNumber": 2},
        "ifTable": {"ifEntry": [
            {"ifIndex": 1, "ifDescr": "lo", "ifName": "lo"},
            {"ifIndex": 3, "ifDescr": ODD_NAME, "ifName": ODD_NAME},
        ]},
    }});
    assert_eq!(some, expected);
    assert_eq!(get("?depth=1"), json!({"IF-MIB:IF-MIB": {}}));
    let two = json!({"IF-MIB:IF-MIB": {"interfaces": {}, "ifTable": {}}});
    assert_eq!(get("?depth=2"), two);
    let keys = json!([{"ifIndex": 1}, {"ifIndex": 3}]);
    assert_eq!(get("?depth=3")["IF-MIB:IF-MIB"]["ifTable"]["ifEntry"], keys);
    let system = served
        .get(
            READER,
            "/restconf/data/SNMPv2-MIB:SNMPv2-MIB?content=config",
        )
        .json();
    let config = json!({"SNMPv2-MIB:SNMPv2-MIB": {
        "system": {"sysContact": "admin", "sysLocation": "here"},
        "snmp": {"snmpEnableAuthenTraps": "disabled"},
        "snmpSet": {"snmpSetSerialNo": 1},
    }});
    assert_eq!(system, config);
    let unknown = [
        "fields=nosuch",
        "fields=IF-MIB:IF-MIB/ifTable/ifEntry/nosuch",
        "fields=IF-MIB/ifTable(ifEntry(ifDescr/x))",
        "fields=SNMPv2-MIB:IF-MIB",
        "fields=modules-state/module/nosuch",
    ];
    let wrong = ["depth=0", "fields=", "x=1", "content=none"];
    let known = served.get(
        READER,
        "/restconf/data?fields=modules-state/module(name);IF-MIB:IF-MIB/interfaces",
    );
    assert_eq!(known.status, 200, "{known:?}");
    for query in wrong.into_iter().chain(unknown) {
        let refused = served.get(READER, &format!("/restconf/data?{query}"));
        assert_eq!(
            (refused.status, refused.error_tag()),
            (400, "invalid-value".to_owned())
        );
    }
}

#[test]
fn unknown_paths_are_not_found() {
    let served = Served::start();
    let all = [
        "/restconf/x",
        "/restconf/data/IF-MIB:x",
        "/restconf/data/X-MIB:X-MIB",
        "/restconf/data/IF-MIB:IF-MIB/x",
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=2",
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/x",
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/SNMPv2-MIB:ifDescr",
        "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAlias",
        "/restconf/data/IF-MIB:IF-MIB/interfaces/ifNumber/x",
        "/restconf/data/IF-MIB:IF-MIB/interfaces=1",
    ];
    for path in all {
        let response = served.get(READER, path);
        assert_eq!(
            (response.status, response.error_tag()),
            (404, "invalid-value".to_owned()),
            "{path}"
        );
    }
    for path in [
        "IF-MIB",
        "IF-MIB:IF-MIB/ifTable/ifEntry=x",
        "IF-MIB:IF-MIB/ifTable/ifEntry=1,2",
        "%zz",
        "IF-MIB:IF-MIB//x",
    ] {
        let response = served.get(READER, &format!("/restconf/data/{path}"));
        assert_eq!(response.status, 400, "{path}");
    }
    assert_eq!(served.get(READER, "/x").status, 404);
}

#[test]
fn an_unchanged_resource_is_not_sent_again() {
    let served = Served::start();
    let first = served.get(READER, CONTACT);
    let tag = first.header("etag");
    assert!(!first.header("last-modified").is_empty());
    let again = served.send("GET", CONTACT, READER, &[("If-None-Match", tag)], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let json = br#"{"SNMPv2-MIB:sysContact": "bob"}"#;
    let write = |tag: &str| served.send("PUT", CONTACT, WRITER, &[JSON, ("If-Match", tag)], json);
    assert_eq!(write(tag).status, 204);
    let changed = served.send("GET", CONTACT, READER, &[("If-None-Match", tag)], b"");
    assert_eq!(changed.status, 200);
    let refused = write(tag);
    assert_eq!(
        (refused.status, refused.error_tag()),
        (412, "operation-failed".to_owned())
    );
}

#[test]
fn writable_leaves_are_set_and_stored() {
    let served = Served::start();
    let contact = || served.get(READER, CONTACT).json()["SNMPv2-MIB:sysContact"].clone();
    let json = br#"{"SNMPv2-MIB:sysContact": "bob"}"#;
    let put = served.send("PUT", CONTACT, WRITER, &[JSON], json);
    assert_eq!((put.status, contact()), (204, json!("bob")));
    assert_eq!(served.storage.stored.load(Ordering::Relaxed), 1);
    let xml = b"<sysContact xmlns='urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB'>carol &amp; dave</sysContact>";
    let put = served.send("PATCH", CONTACT, WRITER, &[XML], xml);
    assert_eq!((put.status, contact()), (204, json!("carol & dave")));
    let both = br#"{"SNMPv2-MIB:system": {"sysContact": "eve", "sysLocation": "there"}}"#;
    let system = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system";
    let patch = served.send("PATCH", system, WRITER, &[JSON], both);
    assert_eq!((patch.status, contact()), (204, json!("eve")));
    assert_eq!(served.storage.stored.load(Ordering::Relaxed), 3);
    // All or nothing, and not before it is stored.
    served.storage.is_broken.store(true, Ordering::Relaxed);
    let refused = served.send(
        "PATCH",
        system,
        WRITER,
        &[JSON],
        &both.to_ascii_uppercase()[..0],
    );
    assert_eq!(refused.status, 400);
    let refused = served.send("PUT", CONTACT, WRITER, &[JSON], json);
    assert_eq!(
        (refused.status, refused.error_tag()),
        (500, "operation-failed".to_owned())
    );
    assert_eq!(contact(), json!("eve"));
}

#[test]
fn edits_without_access_are_refused() {
    let served = Served::start();
    let put = |community: &str, path: &str, body: &str| {
        let response = served.send("PUT", path, community, &[JSON], body.as_bytes());
        (response.status, response.error_tag())
    };
    let json = r#"{"SNMPv2-MIB:sysContact": "bob"}"#;
    let denied = (403, "access-denied".to_owned());
    assert_eq!(put(READER, CONTACT, json), denied);
    let mtu = format!("{ENTRY_1}/ifMtu");
    let not_supported = (405, "operation-not-supported".to_owned());
    assert_eq!(put(WRITER, &mtu, r#"{"IF-MIB:ifMtu": 1}"#), not_supported);
    assert_eq!(put(WRITER, ENTRY_1, "{}"), not_supported);
    let invalid = (400, "invalid-value".to_owned());
    assert_eq!(
        put(WRITER, CONTACT, r#"{"SNMPv2-MIB:sysName": "x"}"#),
        invalid
    );
    assert_eq!(
        put(WRITER, CONTACT, r#"{"SNMPv2-MIB:sysContact": null}"#),
        invalid
    );
    let malformed = (400, "malformed-message".to_owned());
    assert_eq!(
        put(WRITER, CONTACT, r#"{"SNMPv2-MIB:sysContact": "#),
        malformed
    );
    let status = format!("{ENTRY_1}/ifAdminStatus");
    let down = r#"{"IF-MIB:ifAdminStatus": "down"}"#;
    assert_eq!(put(WRITER, &status, down), not_supported);
    let traps = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/snmp/snmpEnableAuthenTraps";
    let enabled = r#"{"SNMPv2-MIB:snmpEnableAuthenTraps": "enabled"}"#;
    assert_eq!(put(LIMITED, traps, enabled), denied);
    for method in ["POST", "DELETE"] {
        let response = served.send(method, CONTACT, WRITER, &[JSON], json.as_bytes());
        assert_eq!((response.status, response.error_tag()), not_supported);
    }
    let response = served.send(
        "PUT",
        CONTACT,
        WRITER,
        &[("Content-Type", "text/plain")],
        json.as_bytes(),
    );
    assert_eq!(response.status, 415);
}

#[test]
fn allow_lists_what_the_resource_supports() {
    let served = Served::start();
    let system = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system";
    let read = "GET, HEAD, OPTIONS";
    let patch = "GET, HEAD, OPTIONS, PATCH";
    let put = "GET, HEAD, OPTIONS, PUT, PATCH";
    let resources = [
        ("/restconf".to_owned(), read),
        ("/restconf/data".to_owned(), patch),
        (system.to_owned(), patch),
        (CONTACT.to_owned(), put),
        (format!("{system}/sysUpTime"), read),
        (ENTRY_1.to_owned(), read),
        (format!("{ENTRY_1}/ifAdminStatus"), read),
        (
            "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry".to_owned(),
            read,
        ),
        (
            "/restconf/data/ietf-yang-library:modules-state".to_owned(),
            read,
        ),
    ];
    for (path, allowed) in &resources {
        let options = served.send("OPTIONS", path, WRITER, &[], b"");
        assert_eq!(
            (options.status, options.header("allow")),
            (200, *allowed),
            "{path}"
        );
        assert_eq!(
            options.header("accept-patch").is_empty(),
            *allowed == read,
            "{path}"
        );
        for method in ["GET", "PUT", "PATCH", "POST", "DELETE"] {
            let response = served.send(method, path, WRITER, &[JSON], b"{}");
            let is_allowed = allowed.split(", ").any(|allowed| allowed == method);
            assert_eq!(response.status != 405, is_allowed, "{method} {path}");
            if !is_allowed {
                assert_eq!(response.error_tag(), "operation-not-supported");
                assert_eq!(response.header("allow"), *allowed, "{method} {path}");
            }
        }
    }
    let unknown = served.send("OPTIONS", "/restconf/data/X-MIB:x", WRITER, &[], b"");
    assert_eq!(unknown.status, 404);
}

#[test]
fn a_patch_with_a_leaf_that_is_read_only_changes_nothing() {
    let served = Served::start();
    let system = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system";
    let body = br#"{"SNMPv2-MIB:system": {"sysContact": "eve", "sysUpTime": 5}}"#;
    let refused = served.send("PATCH", system, WRITER, &[JSON], body);
    assert_eq!(
        (refused.status, refused.error_tag()),
        (400, "invalid-value".to_owned())
    );
    assert!(refused.text().contains("sysUpTime is read-only"));
    assert_eq!(
        served.get(READER, CONTACT).json()["SNMPv2-MIB:sysContact"],
        "admin"
    );
}

/// RFC 7951 section 6
#[test]
fn values_of_another_json_type_are_refused() {
    let served = Served::start();
    let traps = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/snmp/snmpEnableAuthenTraps";
    let serial = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/snmpSet/snmpSetSerialNo";
    let bodies = [
        (CONTACT, r#"{"SNMPv2-MIB:sysContact": "5"}"#, 204),
        (CONTACT, r#"{"SNMPv2-MIB:sysContact": 5}"#, 400),
        (CONTACT, r#"{"SNMPv2-MIB:sysContact": true}"#, 400),
        (CONTACT, r#"{"SNMPv2-MIB:sysContact": ["a", "b"]}"#, 400),
        (
            traps,
            r#"{"SNMPv2-MIB:snmpEnableAuthenTraps": "enabled"}"#,
            204,
        ),
        (traps, r#"{"SNMPv2-MIB:snmpEnableAuthenTraps": 1}"#, 400),
        (traps, r#"{"SNMPv2-MIB:snmpEnableAuthenTraps": "1"}"#, 400),
        (serial, r#"{"SNMPv2-MIB:snmpSetSerialNo": 7}"#, 204),
        (serial, r#"{"SNMPv2-MIB:snmpSetSerialNo": "7"}"#, 400),
        (serial, r#"{"SNMPv2-MIB:snmpSetSerialNo": 7.5}"#, 400),
    ];
    for (path, body, status) in bodies {
        let response = served.send("PUT", path, WRITER, &[JSON], body.as_bytes());
        assert_eq!(response.status, status, "{body}");
        if status == 400 {
            assert_eq!(response.error_tag(), "invalid-value", "{body}");
        }
    }
    let name = "urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB";
    let xml = format!("<snmpSetSerialNo xmlns='{name}'>8</snmpSetSerialNo>");
    let response = served.send("PUT", serial, WRITER, &[XML], xml.as_bytes());
    assert_eq!(response.status, 204);
}
