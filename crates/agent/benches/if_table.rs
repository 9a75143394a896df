//! What the agent spends on ifTable, sockets apart: on each object of a GetBulkRequest, and on reading the counters.
//!
//! It measures the interfaces of the network namespace in which it runs.

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use varbind::clock::Clock;
use varbind_agent::Instrumentation;
use varbind_agent::configuration::AgentConfiguration;
use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_codec::smi::ValueRef;
use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::{DispatchOutcome, Dispatcher, response_buffer_length};
use varbind_engine::transport::{Received, ResponseLimits, WaitHandling};

/// ifDescr.
const NAME: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 2];
const LIMITS: ResponseLimits = ResponseLimits {
    message: 65_507,
    bulk: 65_507,
};

fn get_bulk(repetitions: i32, buffer: &mut [u8]) -> Option<&[u8]> {
    let mut writer = Writer::new(buffer, 64).ok()?;
    writer.append_var_bind(&NAME, ValueRef::Null).ok()?;
    writer
        .prepend_pdu(PduType::GetBulkRequest, 1, 0, repetitions)
        .ok()?;
    writer
        .prepend_community_header(Version::V2c, b"public")
        .ok()?;
    let range = writer.range();
    buffer.get(range)
}

fn if_table(criterion: &mut Criterion) {
    let Ok(configuration) = AgentConfiguration::without_file() else {
        return;
    };
    let Ok(instrumentation) = Instrumentation::open(&configuration, Clock::start()) else {
        return;
    };
    let Ok(local) = instrumentation.local_configuration(configuration) else {
        return;
    };
    let dispatcher = Dispatcher::new(
        Arc::clone(instrumentation.statistics()),
        Arc::clone(instrumentation.store()) as _,
    );
    let mut workspace = Workspace::default();
    let mut response = vec![0; response_buffer_length(LIMITS.message)];
    let mut request = [0; 128];
    let mut group = criterion.benchmark_group("if-table");
    let mut now = Instant::ORIGIN;
    for (what, repetitions, step) in [
        ("get-bulk-50", 50, Duration::ZERO),
        ("get-bulk-1", 1, Duration::ZERO),
        ("get-bulk-1-with-refresh", 1, Duration::from_secs(1)),
    ] {
        let Some(message) = get_bulk(repetitions, &mut request) else {
            return;
        };
        group.throughput(Throughput::Elements(u64::from(repetitions.unsigned_abs())));
        group.bench_function(what, |bencher| {
            bencher.iter(|| {
                now = now + step;
                let received = Received {
                    now,
                    remote: ([127, 0, 0, 1], 1024).into(),
                    message,
                    limits: LIMITS,
                    waits: WaitHandling::Defer,
                    transport_state: None,
                };
                let outcome =
                    dispatcher.handle_message(&local, &received, &mut workspace, &mut response);
                assert!(
                    matches!(outcome, DispatchOutcome::Respond(_)),
                    "{outcome:?}"
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, if_table);
criterion_main!(benches);
