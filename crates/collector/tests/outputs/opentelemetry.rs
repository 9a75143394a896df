//! OTLP, decoded by OpenTelemetry's own messages for Python.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use varbind_testkit::peers;
use varbind_testkit::polls::{DESCRIPTION, LARGE, PATIENCE, poll, start};

use crate::receiver::Receiver;

const PACKAGES: [&str; 1] = ["opentelemetry-proto==1.39.1"];

const DECODE: &str = "
import sys
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
print(MessageToJson(ExportMetricsServiceRequest.FromString(open(sys.argv[1], 'rb').read()), use_integers_for_enums=True))
";

/// Attributes as pairs.
fn attributes(of: &Value) -> Vec<(&str, &str)> {
    let attributes = of["attributes"].as_array().unwrap().iter();
    attributes
        .map(|attribute| {
            (
                attribute["key"].as_str().unwrap(),
                attribute["value"]["stringValue"].as_str().unwrap(),
            )
        })
        .collect()
}

/// A request, as OpenTelemetry's messages show it; `None` where they cannot be installed.
fn decoded(body: &[u8]) -> Option<Value> {
    let python = peers::python(Path::new(env!("CARGO_TARGET_TMPDIR")), &PACKAGES)?;
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, body).unwrap();
    let output = Command::new(python)
        .arg("-c")
        .arg(DECODE)
        .arg(file.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn opentelemetry_reads_what_was_written() {
    let token = tempfile::NamedTempFile::new().unwrap();
    fs::write(&token, "s3cret\n").unwrap();
    let receiver = Receiver::start(&["503 Busy\r\n"]);
    let outputs = start(&format!(
        "type = \"otlp\"\nurl = \"http://{}/v1/metrics\"\nlinger = \"10ms\"\nmax-backoff = \"20ms\"\n[http]\ntoken-file = {:?}",
        receiver.address,
        token.path().display().to_string()
    ));
    let polled = poll("router 1");
    outputs.send(&polled);
    outputs.stop(PATIENCE);
    let received = receiver.received();
    assert_eq!(received.len(), 2, "{received:?}");
    assert_eq!(received[0].body, received[1].body);
    assert!(
        received[1]
            .headers
            .contains(&"authorization: Bearer s3cret".to_owned())
    );
    assert!(
        received[1]
            .headers
            .contains(&"content-type: application/x-protobuf".to_owned())
    );

    let Some(request) = decoded(&received[1].body) else {
        return;
    };
    let resource = &request["resourceMetrics"][0];
    assert_eq!(
        attributes(&resource["resource"]),
        [
            ("service.name", "varbind"),
            ("service.instance.id", "router 1"),
            ("site", "north hall")
        ]
    );
    let metrics = resource["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let metric = |name: &str| {
        metrics
            .iter()
            .find(|metric| metric["name"] == name)
            .unwrap()
    };
    let octets = metric("ifHCInOctets");
    assert_eq!(octets["description"], "Octets received");
    assert_eq!(
        (
            &octets["sum"]["aggregationTemporality"],
            &octets["sum"]["isMonotonic"]
        ),
        (&json!(2), &json!(true))
    );
    let points = octets["sum"]["dataPoints"].as_array().unwrap();
    assert_eq!(
        attributes(&points[0]),
        [("ifDescr", DESCRIPTION), ("ifIndex", "1")]
    );
    assert_eq!(points[0]["asInt"], LARGE.to_string());
    assert_eq!(points[0]["timeUnixNano"], polled.nanoseconds().to_string());
    assert_eq!(points[1]["asInt"], "17");
    assert_eq!(metric("ifMtu")["gauge"]["dataPoints"][0]["asInt"], "1500");
    assert_eq!(metric("up")["gauge"]["dataPoints"][0]["asDouble"], 1.0);
}
