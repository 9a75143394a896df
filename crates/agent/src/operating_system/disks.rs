//! /proc/diskstats: what block devices did.

/// The octets of a sector of /proc/diskstats, whatever the disk has.
const SECTOR: u64 = 512;

/// The counters of a block device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskStatistics {
    pub(crate) name: String,
    pub(crate) reads: u64,
    /// In octets.
    pub(crate) read: u64,
    pub(crate) writes: u64,
    /// In octets.
    pub(crate) written: u64,
    /// Time in which something was to be done, in milliseconds.
    pub(crate) busy: u64,
}

/// The block devices in the order of the kernel.
pub(crate) fn parse_disk_statistics(text: &str) -> Vec<DiskStatistics> {
    let parse = |line: &str| {
        let fields: Vec<_> = line.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(DiskStatistics {
            name: (*fields.get(2)?).to_owned(),
            reads: number(3)?,
            read: number(5)?.wrapping_mul(SECTOR),
            writes: number(7)?,
            written: number(9)?.wrapping_mul(SECTOR),
            busy: number(12)?,
        })
    };
    text.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_read_and_damaged_lines_are_left_out() {
        let text = "   8       0 sda 10 1 20 3 40 5 60 7 0 80 90 1 2 3 4\n   8 1 sda1 1 2 3\n\nx\n\
                    259 0 nvme0n1 1 0 9007199254740993 0 1 0 1 0 0 5 0\n";
        let found = parse_disk_statistics(text);
        assert_eq!(found.len(), 2);
        let expected = DiskStatistics {
            name: "sda".to_owned(),
            reads: 10,
            read: 20 * 512,
            writes: 40,
            written: 60 * 512,
            busy: 80,
        };
        assert_eq!(found[0], expected);
        // Above 2^53 sectors the octets run on modulo 2^64.
        assert_eq!(found[1].read, 9_007_199_254_740_993_u64.wrapping_mul(512));
    }
}
