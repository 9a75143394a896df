//! systemStats of UCD-SNMP-MIB: what processors, paging and interrupts did.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, counter, integer, text};
use crate::operating_system::ProcessorTimes;

pub(super) const ROOTS: &[&[u32]] = &[SYSTEM_STATS];

const SYSTEM_STATS: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 11];
/// Ticks of /proc/stat in a second.
const TICKS: u128 = 100;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let earlier = host.sampler.earlier();
    let now = host.sampler.sample();
    let (times, statistics) = (&now.processors.all, &now.processors);
    let [page_in, page_out, swap_in, swap_out] = now.paging;
    let [old_page_in, old_page_out, old_swap_in, old_swap_out] = earlier.paging;
    let processors = statistics.each.len();
    let period = Period {
        ticks: times.total().saturating_sub(earlier.processors.all.total()),
        processors,
    };
    let page = rustix::param::page_size() as u64;
    // The sum of all pages since the start fits: 2^64 octets are more than any disk has.
    let kilobytes = |pages: u64| pages.saturating_mul(page) / 1024;
    let per_cent = |part: fn(&ProcessorTimes) -> u64| {
        let share = times.per_cent_since(&earlier.processors.all, part);
        Value::Integer(share.into())
    };
    let scalars = [
        // ssIndex, ssErrorName
        (1, Value::Integer(1)),
        (2, text("systemStats")),
        // ssSwapIn, ssSwapOut: units of 1024 octets per second; this and the following over the last minute
        (3, period.rate(kilobytes(swap_in), kilobytes(old_swap_in))),
        (4, period.rate(kilobytes(swap_out), kilobytes(old_swap_out))),
        // ssIOSent, ssIOReceive: blocks of 512 octets per second
        (5, period.rate(blocks(page_out), blocks(old_page_out))),
        (6, period.rate(blocks(page_in), blocks(old_page_in))),
        // ssSysInterrupts, ssSysContext
        (
            7,
            period.rate(statistics.interrupts, earlier.processors.interrupts),
        ),
        (
            8,
            period.rate(
                statistics.context_switches,
                earlier.processors.context_switches,
            ),
        ),
        // ssCpuUser, ssCpuSystem, ssCpuIdle
        (9, per_cent(|times| times.user.saturating_add(times.nice))),
        (10, per_cent(|times| times.system)),
        (11, per_cent(|times| times.idle)),
        // ssCpuRawUser, Nice, System, Idle, Wait, Kernel, Interrupt
        (50, counter(times.user)),
        (51, counter(times.nice)),
        (52, counter(times.system)),
        (53, counter(times.idle)),
        (54, counter(times.wait)),
        (55, counter(0)),
        (56, counter(times.interrupt)),
        // ssIORawSent, ssIORawReceived: blocks of 512 octets
        (57, counter(blocks(page_out))),
        (58, counter(blocks(page_in))),
        // ssRawInterrupts, ssRawContexts
        (59, counter(statistics.interrupts)),
        (60, counter(statistics.context_switches)),
        // ssCpuRawSoftIRQ, ssRawSwapIn, ssRawSwapOut
        (61, counter(times.soft_interrupt)),
        (62, counter(swap_in)),
        (63, counter(swap_out)),
        // ssCpuRawSteal, ssCpuRawGuest, ssCpuRawGuestNice, ssCpuNumCpus
        (64, counter(times.steal)),
        (65, counter(times.guest)),
        (66, counter(times.guest_nice)),
        (67, integer(processors)),
    ];
    instances.group(SYSTEM_STATS, scalars);
}

/// Blocks of 512 octets: the kernel counts units of 1024.
const fn blocks(kilobytes: u64) -> u64 {
    kilobytes.wrapping_mul(2)
}

/// The time between two samples.
struct Period {
    /// What all processors spent together.
    ticks: u64,
    processors: usize,
}

impl Period {
    /// How much a counter grew each second; 0 where no time has passed.
    fn rate(&self, now: u64, before: u64) -> Value {
        let growth = u128::from(now.saturating_sub(before));
        let seconds_inverse = TICKS.saturating_mul(self.processors as u128);
        let rate = growth
            .saturating_mul(seconds_inverse)
            .checked_div(self.ticks.into());
        integer(rate.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_per_second_whatever_the_number_of_processors() {
        let minute = Period {
            ticks: 4 * 60 * 100,
            processors: 4,
        };
        assert_eq!(minute.rate(7_000, 1_000), Value::Integer(100));
        assert_eq!(minute.rate(59, 0), Value::Integer(0));
        // A counter that began again, and one that exceeds its type.
        assert_eq!(minute.rate(5, 9), Value::Integer(0));
        assert_eq!(minute.rate(u64::MAX, 0), Value::Integer(i32::MAX));
        let none = Period {
            ticks: 0,
            processors: 4,
        };
        assert_eq!(none.rate(9, 5), Value::Integer(0));
    }
}
