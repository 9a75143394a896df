//! Lines to InfluxDB itself.

use std::fs;
use std::net::SocketAddr;

use serde_json::json;
use varbind_testkit::http;
use varbind_testkit::peers;
use varbind_testkit::polls::{DESCRIPTION, LARGE, PATIENCE, failure, metric, poll, start, wait};

use crate::service::Service;

fn influxdb(directory: &std::path::Path) -> Service {
    let address: SocketAddr = ([127, 0, 0, 1], peers::free_port()).into();
    let internal: SocketAddr = ([127, 0, 0, 1], peers::free_port()).into();
    let configuration = directory.join("influxdb.conf");
    let at = |name: &str| directory.join(name).display().to_string();
    let text = format!(
        "reporting-disabled = true\nbind-address = \"{internal}\"\n[meta]\ndir = {:?}\n[data]\ndir = {:?}\nwal-dir = {:?}\n\
         [monitor]\nstore-enabled = false\n[http]\nbind-address = \"{address}\"\n",
        at("meta"),
        at("data"),
        at("wal"),
    );
    fs::write(&configuration, text).unwrap();
    Service::start(
        peers::command("influxd").arg("-config").arg(configuration),
        address,
        "/ping",
    )
}

#[test]
fn influxdb_has_what_was_written() {
    if !peers::is_installed("influxd") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let influxdb = influxdb(directory.path());
    let outputs = start(&format!(
        "type = \"influx\"\nurl = \"http://{}/write?db=snmp\"\nlinger = \"10ms\"\nmax-backoff = \"100ms\"",
        influxdb.address
    ));
    // What is not there yet may come: nothing is lost meanwhile.
    let polled = poll("router 1");
    outputs.send(&polled);
    wait("a failure", || {
        (metric(&outputs, "varbind_output_failing") == 1).then_some(())
    });
    let (status, body) = http::send(
        influxdb.address,
        "POST",
        "/query?q=CREATE+DATABASE+snmp",
        "",
    );
    assert_eq!(status, 200, "{body}");
    outputs.send(&failure("router2"));
    wait("two polls", || {
        (metric(&outputs, "varbind_output_delivered_polls_total") == 2).then_some(())
    });
    outputs.stop(PATIENCE);

    let query = "/query?db=snmp&epoch=ns&q=SELECT+ifHCInOctets,ifMtu,ifDescr,ifIndex,instance,site+FROM+if_mib+ORDER+BY+time";
    let answer = influxdb.json(query);
    let mut rows = answer["results"][0]["series"][0]["values"]
        .as_array()
        .unwrap()
        .clone();
    rows.sort_by_key(|row| row[4].to_string());
    let time = polled.nanoseconds();
    assert_eq!(
        rows,
        [
            json!([
                time,
                LARGE,
                1500,
                DESCRIPTION,
                "1",
                "router 1",
                "north hall"
            ]),
            json!([time, 17, null, "eth1", "2", "router 1", "north hall"]),
        ]
    );
    let answer = influxdb.json("/query?db=snmp&q=SELECT+up,instance,module+FROM+snmp_poll");
    let mut rows = answer["results"][0]["series"][0]["values"]
        .as_array()
        .unwrap()
        .clone();
    rows.iter_mut().for_each(|row| row[0] = json!(null));
    rows.sort_by_key(|row| row[2].to_string());
    assert_eq!(
        rows,
        [
            json!([null, 1, "router 1", "if_mib"]),
            json!([null, 0, "router2", "if_mib"])
        ]
    );
}
