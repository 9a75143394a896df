//! The memory group of UCD-SNMP-MIB, in units of 1024 octets.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, integer, text};
use crate::operating_system::parse_named_numbers;

pub(super) const ROOTS: &[&[u32]] = &[MEMORY];

const MEMORY: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 4];
/// memMinimumSwap where nothing else is configured, as in Net-SNMP.
const MINIMUM_SWAP: u64 = 16_000;

/// What /proc/meminfo says, in its units of 1024 octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) free: u64,
    pub(super) available: u64,
    pub(super) buffers: u64,
    /// With the slabs that can be given back.
    pub(super) cached: u64,
    pub(super) shared: u64,
    pub(super) swap_total: u64,
    pub(super) swap_free: u64,
}

impl Memory {
    pub(super) fn parse(text: &str) -> Self {
        let mut memory = Self::default();
        let mut available = None;
        for (name, value) in parse_named_numbers(text) {
            match name {
                "MemTotal" => memory.total = value,
                "MemFree" => memory.free = value,
                "MemAvailable" => available = Some(value),
                "Buffers" => memory.buffers = value,
                "Cached" | "SReclaimable" => memory.cached = memory.cached.saturating_add(value),
                "Shmem" => memory.shared = value,
                "SwapTotal" => memory.swap_total = value,
                "SwapFree" => memory.swap_free = value,
                _ => {}
            }
        }
        // Kernels before 3.14 do not estimate it.
        memory.available = available.unwrap_or_else(|| {
            memory
                .free
                .saturating_add(memory.buffers)
                .saturating_add(memory.cached)
        });
        memory
    }
}

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let memory = Memory::parse(&host.text("proc/meminfo"));
    let is_short = memory.swap_total > 0 && memory.swap_free < MINIMUM_SWAP;
    let message = if is_short {
        format!("Running out of swap space ({})", memory.swap_free)
    } else {
        String::new()
    };
    let scalars = [
        // memIndex, memErrorName
        (1, Value::Integer(0)),
        (2, text("swap")),
        // memSwapError, memSwapErrorMsg
        (100, Value::Integer(is_short.into())),
        (101, text(&message)),
    ];
    instances.group(MEMORY, scalars);
    let total_free = memory.free.saturating_add(memory.swap_free);
    // Each has 32 bits under one number, and 64 bits under another.
    for (narrow, wide, value) in [
        // memTotalSwap, memAvailSwap, memTotalReal, memAvailReal, memTotalFree, memMinimumSwap
        (Some(3), 18, memory.swap_total),
        (Some(4), 19, memory.swap_free),
        (Some(5), 20, memory.total),
        (Some(6), 21, memory.free),
        (Some(11), 22, total_free),
        (Some(12), 23, MINIMUM_SWAP),
        // memShared, memBuffer, memCached, memSysAvail
        (Some(13), 24, memory.shared),
        (Some(14), 25, memory.buffers),
        (Some(15), 26, memory.cached),
        (None, 27, memory.available),
    ] {
        instances.group(MEMORY, narrow.map(|number| (number, integer(value))));
        instances.group(MEMORY, [(wide, Value::Counter64(value))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_kernels_tell_no_available_memory() {
        let text = "MemTotal: 1000 kB\nMemFree: 10 kB\nBuffers: 5 kB\nCached: 100 kB\nSReclaimable: 20 kB\n";
        let memory = Memory::parse(text);
        assert_eq!((memory.cached, memory.available), (120, 135));
        let memory = Memory::parse("MemAvailable: 7 kB\nMemFree: x\n");
        assert_eq!((memory.available, memory.free), (7, 0));
    }
}
