//! /proc/stat and /proc/loadavg: what processors did.

/// Time that a processor spent since the start of the host, in ticks of 1/100 s, in the order of /proc/stat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessorTimes {
    pub(crate) user: u64,
    pub(crate) nice: u64,
    pub(crate) system: u64,
    pub(crate) idle: u64,
    pub(crate) wait: u64,
    pub(crate) interrupt: u64,
    pub(crate) soft_interrupt: u64,
    pub(crate) steal: u64,
    pub(crate) guest: u64,
    pub(crate) guest_nice: u64,
}

impl ProcessorTimes {
    fn parse<'a>(fields: impl Iterator<Item = &'a str>) -> Self {
        let mut fields = fields.map(|field| field.parse().unwrap_or(0));
        let mut next = || fields.next().unwrap_or(0);
        Self {
            user: next(),
            nice: next(),
            system: next(),
            idle: next(),
            wait: next(),
            interrupt: next(),
            soft_interrupt: next(),
            steal: next(),
            guest: next(),
            guest_nice: next(),
        }
    }

    /// All of it: guests are part of user and nice.
    pub(crate) const fn total(&self) -> u64 {
        self.user
            .saturating_add(self.nice)
            .saturating_add(self.system)
            .saturating_add(self.idle)
            .saturating_add(self.wait)
            .saturating_add(self.interrupt)
            .saturating_add(self.soft_interrupt)
            .saturating_add(self.steal)
    }

    /// The share of time since `before` that `part` took, in whole per cent; 0 where no time has passed.
    pub(crate) fn per_cent_since(&self, before: &Self, part: impl Fn(&Self) -> u64) -> u8 {
        let total = self.total().saturating_sub(before.total());
        let part = part(self).saturating_sub(part(before)).min(total);
        let per_cent = part.saturating_mul(100).checked_div(total);
        u8::try_from(per_cent.unwrap_or(0)).unwrap_or(100)
    }

    /// Time in which something ran.
    pub(crate) const fn busy(&self) -> u64 {
        self.total()
            .saturating_sub(self.idle)
            .saturating_sub(self.wait)
    }
}

/// What /proc/stat says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessorStatistics {
    /// All processors together.
    pub(crate) all: ProcessorTimes,
    /// Each processor that is on line.
    pub(crate) each: Vec<ProcessorTimes>,
    pub(crate) interrupts: u64,
    pub(crate) context_switches: u64,
}

impl ProcessorStatistics {
    pub(crate) fn parse(text: &str) -> Self {
        let mut statistics = Self::default();
        for line in text.lines() {
            let mut fields = line.split_ascii_whitespace();
            let Some(name) = fields.next() else { continue };
            let mut number = || fields.next().and_then(|field| field.parse().ok());
            match name {
                "cpu" => statistics.all = ProcessorTimes::parse(fields),
                "intr" => statistics.interrupts = number().unwrap_or(0),
                "ctxt" => statistics.context_switches = number().unwrap_or(0),
                _ if name.starts_with("cpu") => {
                    statistics.each.push(ProcessorTimes::parse(fields));
                }
                _ => {}
            }
        }
        statistics
    }
}

/// The load averages over 1, 5 and 15 minutes, in hundredths.
pub(crate) fn parse_load_averages(text: &str) -> Option<[u32; 3]> {
    let mut fields = text.split_ascii_whitespace();
    let mut next = || {
        let (whole, hundredths) = fields.next()?.split_once('.')?;
        let whole: u32 = whole.parse().ok()?;
        let hundredths: u32 = hundredths.get(..2)?.parse().ok()?;
        whole.checked_mul(100)?.checked_add(hundredths)
    };
    Some([next()?, next()?, next()?])
}

/// The numbers of a file with lines of `name value`, as /proc/meminfo and /proc/vmstat; a colon behind the name and a unit
/// behind the value are left out.
pub(crate) fn parse_named_numbers(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().filter_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next()?.trim_end_matches(':');
        Some((name, fields.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_and_each_processor_are_read() {
        let text = "cpu  10 1 5 100 4 1 2 3 0 0\ncpu0 6 1 3 50 2 1 1 2 0 0\ncpu2 4 0 2 50 2 0 1 1\n\
                    intr 123456 1 2 3\nctxt 789\nbtime 1\nprocs_running 2\n";
        let found = ProcessorStatistics::parse(text);
        assert_eq!(found.all.total(), 126);
        assert_eq!(found.each.len(), 2);
        assert_eq!((found.interrupts, found.context_switches), (123_456, 789));
        let later = ProcessorTimes {
            user: 35,
            idle: 175,
            ..found.all
        };
        assert_eq!(later.per_cent_since(&found.all, |times| times.user), 25);
        assert_eq!(found.all.per_cent_since(&found.all, |times| times.user), 0);
        // A counter that went backwards, as idle does now and then.
        assert_eq!(found.all.per_cent_since(&later, |times| times.idle), 0);
    }

    #[test]
    fn odd_text_is_no_panic() {
        for text in [
            "",
            "cpu",
            "cpu x y",
            "cpu 99999999999999999999 1",
            "intr\nctxt x\n\n",
            "cpu0\u{fffd}",
        ] {
            let _ = ProcessorStatistics::parse(text).all.busy();
            let _ = parse_load_averages(text);
            let _ = parse_named_numbers(text).count();
        }
        assert_eq!(
            parse_load_averages("0.52 12.05 0.99 1/83 5\n"),
            Some([52, 1205, 99])
        );
        assert_eq!(parse_load_averages("0.5 x"), None);
        let named: Vec<_> = parse_named_numbers("MemTotal:  24 kB\nbroken\npgpgin 7\n").collect();
        assert_eq!(named, [("MemTotal", 24), ("pgpgin", 7)]);
    }
}
