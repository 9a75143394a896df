//! systemStats of UCD-SNMP-MIB: what processors, paging and interrupts did.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, counter, integer, text};
use crate::operating_system::ProcessorTimes;

pub(super) const ROOTS: &[&[u32]] = &[SYSTEM_STATS];

const SYSTEM_STATS: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 11];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let earlier = host.sampler.earlier();
    let now = host.sampler.sample();
    let (times, statistics) = (&now.processors.all, &now.processors);
    let [page_in, page_out, swap_in, swap_out] = now.paging;
    let processors = statistics.each.len();
    let per_cent = |part: fn(&ProcessorTimes) -> u64| {
        let share = times.per_cent_since(&earlier.processors.all, part);
        Value::Integer(share.into())
    };
    let scalars = [
        // ssIndex, ssErrorName
        (1, Value::Integer(1)),
        (2, text("systemStats")),
        // ssCpuUser, ssCpuSystem, ssCpuIdle: over the last minute
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
        (57, counter(page_out.wrapping_mul(2))),
        (58, counter(page_in.wrapping_mul(2))),
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
