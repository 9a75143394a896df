//! What tasks of several threads share: a client, its targets and sessions.
//! docs/testing.md says why this is no model for loom or shuttle. A lost wake-up shows here: nothing is sent again for a timeout, so
//! that an operation that is not woken never ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::client::{Client, Target};
use varbind::codec::smi::VarBind;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind_testkit::loopback::{Moment, PATIENCE, TABLE, TestAgent, abandon, pending};

use super::at;

/// Numbers that look random and come again with their seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % limit
    }
}

const SEEDS: u64 = 20;
const WORKERS: u64 = 8;
const STEPS: usize = 60;
/// Targets that all workers have.
const SHARED: usize = 4;

fn target(client: &Client, transport: &str, address: SocketAddr) -> Target {
    // An operation that nobody wakes ends too late; sessions are opened anew as often as others close them.
    let once = RetryPolicy::Fixed {
        timeout: PATIENCE * 10,
        retries: 1000,
    };
    let target = client.target(&at(transport, address)).unwrap();
    target.community("public").retry(once)
}

/// Does something with one of the targets.
async fn step(numbers: &mut Numbers, targets: &[Target], objects: &[VarBind]) {
    let target = &targets[numbers.below(targets.len())];
    let object = &objects[numbers.below(objects.len())];
    let moment = [Moment::Polled, Moment::Woken][numbers.below(2)];
    let polls = numbers.below(4);
    match numbers.below(8) {
        0..=2 => assert_eq!(target.get(&object.name).await.unwrap(), object.value),
        3 | 4 => {
            abandon(target.get(&object.name), polls, moment).await;
        }
        5 => assert_eq!(target.walk(TABLE).collect().await.unwrap(), objects),
        6 => {
            abandon(target.walk(TABLE).collect(), polls, moment).await;
        }
        _ => target.close().await,
    }
    for _ in 0..numbers.below(3) {
        tokio::task::yield_now().await;
    }
}

/// Workers in several threads, which all end; then the client holds nothing.
async fn work(seed: u64, addresses: [SocketAddr; 2], objects: Arc<Vec<VarBind>>) {
    // Fewer than there are workers, so that requests wait for each other's end.
    let client = Client::builder().max_in_flight(5).build().unwrap();
    let [udp, tcp] = addresses;
    let ways = [("udp", udp), ("tcp", tcp)];
    let shared: Vec<Target> = (0..SHARED)
        .map(|number| ways[number % 2])
        .map(|(transport, address)| target(&client, transport, address))
        .collect();
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..WORKERS {
        let (client, mut targets) = (client.clone(), shared.clone());
        let objects = Arc::clone(&objects);
        workers.spawn(async move {
            let mut numbers = Numbers(seed * WORKERS + worker);
            for _ in 0..STEPS {
                step(&mut numbers, &targets, &objects).await;
                if numbers.below(10) == 0 {
                    // One of its own, in place of the one before.
                    let (transport, address) = ways[numbers.below(2)];
                    targets.truncate(SHARED);
                    targets.push(target(&client, transport, address));
                }
            }
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker.unwrap();
    }
    let deadline = Instant::now() + PATIENCE;
    while pending(&client) != (0, 0) {
        assert!(Instant::now() < deadline, "{:?}", pending(&client));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[test]
fn operations_of_several_threads_all_end_whatever_is_dropped_meanwhile() {
    let agent = TestAgent::with(4, AgentLimits::default());
    let addresses = [agent.udp(), agent.tcp()];
    let objects = Arc::new(agent.objects(TABLE));
    for seed in 0..SEEDS {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(3)
            .enable_all()
            .build()
            .unwrap();
        let work = work(seed, addresses, Arc::clone(&objects));
        let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await });
        assert!(outcome.is_ok(), "seed {seed}: an operation never ends");
    }
}
