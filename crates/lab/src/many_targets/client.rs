use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval_at};
use varbind::client::{Client, Error, Target, User};
use varbind::{Oid, oid};
use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{FIRST_DEAD, IN_FLIGHT, Load, Order, TargetsRun, USER};
use crate::subject::{AUTHENTICATION_PASSWORD, PRIVACY_PASSWORD, READ_COMMUNITY, user_name};

pub(super) const SYS_UP_TIME: Oid = oid!("1.3.6.1.2.1.1.3.0");
/// Gets of a target before its memory counts: it then knows its agent.
const ACQUAINTANCE: usize = 5;
/// Gets in a second where they are paced.
const PACED: f64 = 10_000.0;

/// What the tasks of all targets found.
#[derive(Default)]
struct Found {
    gets: u64,
    failed: u64,
    latencies: Vec<Duration>,
}

/// Asks all targets by the client of the library, in a runtime with one thread.
pub(super) fn run(order: &Order) -> io::Result<TargetsRun> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let client = match order.load {
            // Those that never answer stay in flight for seconds.
            Load::Paced | Load::PacedBesideDead => Client::builder(),
            _ => Client::builder().max_in_flight(IN_FLIGHT),
        };
        let client = client.build().map_err(io::Error::other)?;
        let (targets, memory) = open(&client, order).await.map_err(io::Error::other)?;
        match order.load {
            Load::Paced => paced(&targets, &[], order, memory).await,
            Load::PacedBesideDead => {
                // Input is discarded.
                let silent = UdpSocket::bind("0.0.0.0:0")?;
                let dead = dead(&client, &targets, silent.local_addr()?.port());
                let dead = dead.map_err(io::Error::other)?;
                paced(&targets, &dead, order, memory).await
            }
            _ => full(&targets, order, memory).await,
        }
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

/// A tenth as many targets more, which never answer.
fn dead(client: &Client, targets: &[Target], port: u16) -> Result<Vec<Target>, Error> {
    let count = u32::try_from(targets.len() / 10).unwrap_or(u32::MAX);
    let address = |number: u32| {
        let address = Ipv4Addr::from(u32::from(FIRST_DEAD) + number);
        SocketAddrV4::new(address, port)
    };
    (0..count)
        .map(|number| {
            let address = SocketAddr::from(address(number));
            let target = client.target(&format!("udp:{address}"))?;
            Ok(target.community(READ_COMMUNITY))
        })
        .collect()
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

/// A Get from each target in each period, all spread over it; meanwhile the dead ones are asked without a pause.
async fn paced(
    targets: &[Target],
    dead: &[Target],
    order: &Order,
    memory: f64,
) -> io::Result<TargetsRun> {
    let before = processor_time();
    let begun = tokio::time::Instant::now();
    let end = begun + order.duration();
    let period = targets.len() as f64 / PACED;
    let mut others = JoinSet::new();
    for (number, target) in dead.iter().enumerate() {
        let target = target.clone();
        // Spread as the others are: no poller begins with all of them at one moment.
        let first = begun + Duration::from_secs_f64(period * number as f64 / dead.len() as f64);
        others.spawn(async move {
            tokio::time::sleep_until(first).await;
            while tokio::time::Instant::now() < end {
                let _never = target.get(SYS_UP_TIME).await;
            }
        });
    }
    let mut tasks = JoinSet::new();
    for (number, target) in targets.iter().enumerate() {
        let target = target.clone();
        let first = begun + Duration::from_secs_f64(number as f64 / PACED);
        tasks.spawn(async move {
            let mut found = Found::default();
            let mut ticks = interval_at(first, Duration::from_secs_f64(period));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            while ticks.tick().await < end {
                let asked = Instant::now();
                match target.get(SYS_UP_TIME).await {
                    Ok(_) => {
                        found.gets += 1;
                        found.latencies.push(asked.elapsed());
                    }
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
        let Found {
            gets,
            failed,
            latencies,
        } = found?;
        all.gets += gets;
        all.failed += failed;
        all.latencies.extend(latencies);
    }
    let cpu = processor_time() - before;
    let statistics = targets.iter().filter_map(Target::statistics);
    all.latencies.sort_unstable();
    let p99 = all.latencies.get(all.latencies.len() * 99 / 100);
    Ok(TargetsRun {
        load: order.load,
        targets: order.targets,
        gets: all.gets,
        cpu,
        repeated: statistics.map(|statistics| statistics.retries).sum(),
        failed: all.failed,
        memory: Some(memory),
        p99: p99.map(|latency| latency.as_secs_f64() * 1e6),
    })
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
