//! Whether dead targets delay the responses of the others.
//!
//! Windows with and without dead targets alternate in one process, with one client. Both windows of a pair send the same Gets to the
//! same living targets, at the same times after their begin; beside dead targets, a tenth as many Gets go to these in addition.
//! Only the Gets to living targets are timed, from the call of the client to its response, and p99 of one window is compared
//! with p99 of the other.
//!
//! A Get to a dead target takes part for as long as it is retransmitted, so each window has a lead that does not count:
//! - Beside dead targets, the lead is longer than such a Get takes until it times out. All timed Gets thus run beside as many
//!   retransmissions and timeouts.
//! - When the last timed Get has ended, the Gets to dead targets are given up, which ends their retransmissions. No window
//!   begins before, so none without dead targets overlaps their Gets.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use varbind::client::{Client, Error, Target};
use varbind_engine::applications::command_generator::{AdaptivePolicy, RetryPolicy};

use super::client::{SYS_UP_TIME, processor_time, retransmissions};
use super::{FIRST_DEAD, Load, Order, TargetsRun};
use crate::subject::READ_COMMUNITY;

/// Gets to living targets in a second.
const RATE: f64 = 10_000.0;
/// For each Get to a dead target, so many go to living ones.
const LIVING_PER_DEAD: usize = 10;
/// Pairs of windows in each run; an even number, so that both orders are as frequent.
const PAIRS: usize = 4;
/// The part of a window that does not count.
const LEAD: Duration = Duration::from_millis(200);
/// How much shorter all times of the default retry policy are for dead targets: a Get is sent as often as by default, but within
/// 0.1 s instead of 5 s.
const SPEED: u32 = 50;

/// The Gets to living targets, the same in both windows of a pair.
struct Schedule<'t> {
    living: &'t [Target],
    /// The number of Gets in all windows of one kind before.
    first: usize,
    lead: usize,
    timed: usize,
}

pub(super) async fn run(
    client: &Client,
    living: &[Target],
    order: &Order,
    memory: f64,
) -> io::Result<Vec<TargetsRun>> {
    // Input is discarded.
    let silent = UdpSocket::bind("0.0.0.0:0")?;
    let dead = dead(client, living.len(), silent.local_addr()?.port());
    let dead = dead.map_err(io::Error::other)?;
    let run = |load| TargetsRun {
        memory: Some(memory),
        ..TargetsRun::new(load, order.targets)
    };
    let (mut alone, mut beside) = (run(Load::Paced), run(Load::PacedBesideDead));
    let none: &[Target] = &[];
    let mut windows = [(none, &mut alone), (dead.as_slice(), &mut beside)];
    let (lead, timed) = (gets_in(LEAD), gets_in(order.window()));
    for pair in 0..PAIRS {
        let schedule = Schedule {
            living,
            first: pair * (lead + timed),
            lead,
            timed,
        };
        for (dead, run) in &mut windows {
            schedule.run_window(dead, run).await?;
        }
        // What drifts favours neither kind.
        windows.reverse();
    }
    Ok(vec![alone, beside])
}

/// A tenth as many targets, which never answer.
fn dead(client: &Client, living: usize, port: u16) -> Result<Vec<Target>, Error> {
    let count = u32::try_from(living / LIVING_PER_DEAD).unwrap_or(u32::MAX);
    let default = AdaptivePolicy::default();
    let policy = RetryPolicy::Adaptive(AdaptivePolicy {
        initial_timeout: default.initial_timeout / SPEED,
        max_timeout: default.max_timeout / SPEED,
        give_up_after: default.give_up_after / SPEED,
        ..default
    });
    (0..count)
        .map(|number| {
            let address = Ipv4Addr::from(u32::from(FIRST_DEAD) + number);
            let address = SocketAddr::from(SocketAddrV4::new(address, port));
            let target = client.target(&format!("udp:{address}"))?;
            Ok(target.community(READ_COMMUNITY).retry(policy))
        })
        .collect()
}

impl Schedule<'_> {
    /// Adds a window to a run. A Get that fails counts as one that took until then.
    async fn run_window(&self, dead: &[Target], run: &mut TargetsRun) -> io::Result<()> {
        let (retransmitted, sent_to_dead) = (retransmissions(self.living), messages(dead));
        let processor = processor_time();
        let begun = Instant::now();
        let (mut gets, mut to_dead) = (JoinSet::new(), JoinSet::new());
        let living = self.living.iter().cycle().skip(self.first);
        let mut dead_targets = dead.iter().cycle().skip(self.first / LIVING_PER_DEAD);
        for (number, target) in living.take(self.lead + self.timed).enumerate() {
            sleep_until(begun + Duration::from_secs_f64(number as f64 / RATE)).await;
            let (target, is_timed) = (target.clone(), number >= self.lead);
            gets.spawn(async move {
                let begun = Instant::now();
                let is_answered = target.get(SYS_UP_TIME).await.is_ok();
                (is_answered, is_timed.then(|| begun.elapsed()))
            });
            if number.is_multiple_of(LIVING_PER_DEAD)
                && let Some(target) = dead_targets.next().cloned()
            {
                to_dead.spawn(async move { target.get(SYS_UP_TIME).await });
            }
        }
        let mut times = Vec::with_capacity(self.timed);
        while let Some(get) = gets.join_next().await {
            let (is_answered, time) = get?;
            run.gets += u64::from(is_answered);
            run.failed += u64::from(!is_answered);
            times.extend(time);
        }
        run.cpu += processor_time() - processor;
        to_dead.shutdown().await;
        run.repeated += retransmissions(self.living) - retransmitted;
        run.dead_messages += messages(dead) - sent_to_dead;
        times.sort_unstable();
        let p99 = times.get(times.len() * 99 / 100);
        run.p99.extend(p99.map(|time| time.as_secs_f64() * 1e6));
        Ok(())
    }
}

/// How many messages were sent to targets.
fn messages(targets: &[Target]) -> u64 {
    let statistics = targets.iter().filter_map(Target::statistics);
    statistics.map(|statistics| statistics.attempts).sum()
}

fn gets_in(time: Duration) -> usize {
    (time.as_secs_f64() * RATE) as usize
}
