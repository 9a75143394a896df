//! What the agent side of the engine costs, from the octets of a request to the octets of its response.
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "criterion's macros make undocumented items, and what a measurement relies on ends it"
)]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use varbind_codec::pdu::PduType;
use varbind_testkit::command_responder::{CommunityAgent, IF_NUMBER, IF_TABLE};
use varbind_testkit::message::Message;

/// Time per request; divided by the throughput it is the time per object.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    agent: &mut CommunityAgent,
    request: &Message,
) {
    let message = request.encode();
    let response = Message::decode_response(agent.handle(&message).expect("an answer"));
    let objects = response.bindings().len();
    group.throughput(Throughput::Elements(
        u64::try_from(objects).expect("few objects"),
    ));
    group.bench_function(name, |bencher| {
        bencher.iter(|| black_box(agent.handle(black_box(&message))).is_ok());
    });
}

fn command_responder(criterion: &mut Criterion) {
    let mut agent = CommunityAgent::host(500);
    let mut group = criterion.benchmark_group("command_responder");
    let scalar = format!("{IF_NUMBER}.0");
    let cell = |column: u32, row: u32| format!("{IF_TABLE}.1.{column}.{row}");
    let columns: Vec<String> = (1..=22)
        .map(|column| format!("{IF_TABLE}.1.{column}"))
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let ten: Vec<String> = (10..20).map(|column| cell(column, 250)).collect();
    let ten: Vec<&str> = ten.iter().map(String::as_str).collect();
    let requests = [
        (
            "get_1_scalar",
            Message::new(PduType::GetRequest, &[&scalar]),
        ),
        (
            "get_1_cell",
            Message::new(PduType::GetRequest, &[&cell(10, 250)]),
        ),
        ("get_10_cells", Message::new(PduType::GetRequest, &ten)),
        (
            "get_next_1",
            Message::new(PduType::GetNextRequest, &[&cell(10, 250)]),
        ),
        (
            "get_next_22_columns",
            Message::new(PduType::GetNextRequest, &columns),
        ),
        (
            "get_bulk_50_of_1_column",
            Message::get_bulk(0, 50, &[&cell(10, 250)]),
        ),
        (
            "get_bulk_50_of_22_columns",
            Message::get_bulk(0, 50, &columns),
        ),
    ];
    for (name, request) in &requests {
        measure(&mut group, name, &mut agent, request);
    }
    group.finish();
}

criterion_group!(benches, command_responder);
criterion_main!(benches);
