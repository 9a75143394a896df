use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use tokio::task::JoinSet;
use varbind::client::{Client, Error, Target, User};
use varbind::{Oid, oid};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{IN_FLIGHT, Load, Order, TargetsRun, USER, paced};
use crate::subject::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, READ_COMMUNITY, user_name};

pub(super) const SYS_UP_TIME: Oid = oid!("1.3.6.1.2.1.1.3.0");
/// Gets of a target before its memory counts: it then knows its agent.
const ACQUAINTANCE: usize = 5;

/// What the tasks of all targets found.
#[derive(Default)]
struct Found {
    gets: u64,
    failed: u64,
}

/// Asks all targets by the client of the library, in a runtime with one thread.
pub(super) fn run(order: &Order) -> io::Result<Vec<TargetsRun>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = match order.load {
            // Gets to dead targets stay in flight until they time out.
            Load::Paced | Load::PacedBesideDead => Client::builder(),
            _ => Client::builder().max_in_flight(IN_FLIGHT),
        };
        let client = client.build().map_err(io::Error::other)?;
        let (targets, memory) = open(&client, order).await.map_err(io::Error::other)?;
        let run = match order.load {
            Load::Paced | Load::PacedBesideDead => {
                return paced::run(&client, &targets, order, memory).await;
            }
            Load::V2cPool => pool(&targets, order, memory).await,
            _ => full(&targets, order, memory).await,
        };
        Ok(vec![run?])
    })
}

/// The targets, each of which has answered, and what memory one takes.
async fn open(client: &Client, order: &Order) -> Result<(Vec<Target>, f64), Error> {
    let user = User::new(user_name(USER))
        .authentication(AuthenticationProtocol::Sha1, AUTHENTICATION_PASSWORD)
        .privacy(PrivacyProtocol::Aes128, PRIVACY_PASSWORD);
    let mut targets = Vec::with_capacity(order.targets as usize);
    // The first ones bring code and tables into memory.
    let (skipped, mut before) = (order.targets / 10, 0.0);
    for number in 0..order.targets {
        if number == skipped {
            before = private_memory();
        }
        let target = client.target(&format!("udp:{}", order.target(number)))?;
        let target = match order.load {
            Load::User => target.user(&user)?,
            _ => target.community(READ_COMMUNITY),
        };
        for _ in 0..ACQUAINTANCE {
            target.get(SYS_UP_TIME).await?;
        }
        targets.push(target);
    }
    let each = (private_memory() - before) / f64::from(order.targets - skipped);
    Ok((targets, each))
}

/// One Get after the other from each target.
async fn full(targets: &[Target], order: &Order, memory: f64) -> io::Result<TargetsRun> {
    let before = processor_time();
    let end = Instant::now() + order.duration();
    let mut tasks = JoinSet::new();
    for target in targets {
        let target = target.clone();
        tasks.spawn(async move {
            let mut found = Found::default();
            while Instant::now() < end {
                match target.get(SYS_UP_TIME).await {
                    Ok(_) => found.gets += 1,
                    Err(_) => found.failed += 1,
                }
            }
            found
        });
    }
    finish(tasks, targets, order, (memory, before)).await
}

/// One Get after the other from all targets, by as many tasks as may have a request in flight.
async fn pool(targets: &[Target], order: &Order, memory: f64) -> io::Result<TargetsRun> {
    let before = processor_time();
    let end = Instant::now() + order.duration();
    let queue: Arc<[Target]> = targets.into();
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let (queue, next) = (Arc::clone(&queue), Arc::clone(&next));
        tasks.spawn(async move {
            let mut found = Found::default();
            while Instant::now() < end {
                let at = next.fetch_add(1, Ordering::Relaxed) % queue.len();
                let Some(target) = queue.get(at) else {
                    break;
                };
                match target.get(SYS_UP_TIME).await {
                    Ok(_) => found.gets += 1,
                    Err(_) => found.failed += 1,
                }
            }
            found
        });
    }
    finish(tasks, targets, order, (memory, before)).await
}

async fn finish(
    mut tasks: JoinSet<Found>,
    targets: &[Target],
    order: &Order,
    (memory, before): (f64, f64),
) -> io::Result<TargetsRun> {
    let mut all = Found::default();
    while let Some(found) = tasks.join_next().await {
        let Found { gets, failed } = found?;
        all.gets += gets;
        all.failed += failed;
    }
    Ok(TargetsRun {
        gets: all.gets,
        cpu: processor_time() - before,
        repeated: retransmissions(targets),
        failed: all.failed,
        memory: Some(memory),
        ..TargetsRun::new(order.load, order.targets)
    })
}

/// How many messages to targets were retransmissions.
pub(super) fn retransmissions(targets: &[Target]) -> u64 {
    let statistics = targets.iter().filter_map(Target::statistics);
    statistics.map(|statistics| statistics.retries).sum()
}

/// Octets of memory that this process shares with no other.
fn private_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("Private_Dirty:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}

/// Seconds of the processor that this process took.
pub(super) fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
