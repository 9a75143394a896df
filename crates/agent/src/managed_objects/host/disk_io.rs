//! UCD-DISKIO-MIB: what block devices did.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, counter, integer, text};
use crate::operating_system::parse_disk_statistics;

pub(super) const ROOTS: &[&[u32]] = &[DISK_IO_TABLE];

const DISK_IO_TABLE: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1];
const DISK_IO_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let disks = parse_disk_statistics(&host.text("proc/diskstats"));
    // Numbers are those of the kernel's list: a filter leaves gaps.
    for (index, disk) in (1_u32..).zip(&disks) {
        if !host.settings.shows_disk(&disk.name) {
            continue;
        }
        let [one, five, fifteen] = host.sampler.disk_load(&disk.name);
        let columns = [
            // diskIOIndex, diskIODevice, diskIONRead, diskIONWritten, diskIOReads, diskIOWrites
            (1, integer(index)),
            (2, text(&disk.name)),
            (3, counter(disk.read)),
            (4, counter(disk.written)),
            (5, counter(disk.reads)),
            (6, counter(disk.writes)),
            // diskIOLA1, diskIOLA5, diskIOLA15
            (9, Value::Integer(one.into())),
            (10, Value::Integer(five.into())),
            (11, Value::Integer(fifteen.into())),
            // diskIONReadX, diskIONWrittenX, diskIOBusyTime in microseconds
            (12, Value::Counter64(disk.read)),
            (13, Value::Counter64(disk.written)),
            (14, Value::Counter64(disk.busy.wrapping_mul(1000))),
        ];
        instances.row(DISK_IO_ENTRY, &[index], columns);
    }
}
