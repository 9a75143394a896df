//! What a command costs over loopback, manager and agent in one process: one that answers at once, and a whole walk.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "criterion's macros make undocumented items, and what a measurement relies on ends it"
)]
#![allow(dead_code, reason = "it needs a part of the fixture")]

use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use varbind::agent::AgentLimits;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{SYS_DESCR_0, TABLE, TestAgent, target};
use varbind_testkit::oid;

const ROWS: u32 = 500;

fn loopback(criterion: &mut Criterion) {
    let agent = TestAgent::with(ROWS, AgentLimits::default());
    let objects = agent.objects(TABLE).len();
    let mut group = criterion.benchmark_group("loopback");
    for transport in [Transport::Udp, Transport::Tcp] {
        let address = agent.listen(transport, "127.0.0.1");
        let options = ManagerOptions::v2c("public");
        let mut manager = Manager::open(&target(transport, address), options).expect("an agent");
        let names = [oid(SYS_DESCR_0)];
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("get_{transport}"), |bencher| {
            bencher.iter(|| manager.get(&names).expect("an answer"));
        });
        group.sample_size(20);
        group.throughput(Throughput::Elements(
            u64::try_from(objects).expect("few objects"),
        ));
        for sequential in [false, true] {
            let way = if sequential {
                "walk_sequential"
            } else {
                "walk"
            };
            let roots = [oid(TABLE)];
            group.bench_function(format!("{way}_{transport}"), |bencher| {
                bencher.iter(|| {
                    let options = WalkOptions {
                        sequential,
                        ..WalkOptions::default()
                    };
                    let summary = manager.walk(&roots, options, |_| ControlFlow::Continue(()));
                    let summary = summary.expect("a whole walk");
                    assert_eq!(
                        summary.objects,
                        u64::try_from(objects).expect("few objects")
                    );
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, loopback);
criterion_main!(benches);
