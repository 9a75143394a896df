use varbind_engine::clock::Instant;

/// A point of time as TimeStamp and sysUpTime have it: hundredths of a second since the agent started, which is the
/// origin of its clock, modulo 2^32 (RFC 2578 section 7.1.8).
pub(crate) fn time_ticks(at: Instant) -> u32 {
    let hundredths = at.as_nanos() / 10_000_000;
    u32::try_from(hundredths & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_ticks_wrap_after_497_days() {
        assert_eq!(time_ticks(Instant::from_nanos(10_000_000)), 1);
        assert_eq!(time_ticks(Instant::from_nanos((1 << 32) * 10_000_000)), 0);
    }
}
