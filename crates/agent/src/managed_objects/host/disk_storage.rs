//! The disks of HOST-RESOURCES-MIB (RFC 2790): hrDeviceTable and hrDiskStorageTable.

use varbind_codec::smi::Value;

use super::host_resources::{RUNNING, device, device_row};
use super::readings::Instances;
use super::{Host, integer};
use crate::operating_system::parse_disk_statistics;

pub(super) const HR_DISK_STORAGE_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 6];
const HR_DISK_STORAGE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1];

/// hrDeviceDiskStorage.
const DISK_STORAGE: u32 = 6;
/// hrDiskStorageAccess.
const READ_WRITE: i32 = 1;
const READ_ONLY: i32 = 2;
/// hrDiskStorageMedia: hardDisk(3), opticalDiskROM(5), ramDisk(8).
const HARD_DISK: i32 = 3;
const OPTICAL_DISK: i32 = 5;
const RAM_DISK: i32 = 8;
/// TruthValue.
const TRUE: i32 = 1;
const FALSE: i32 = 2;
/// The octets of a sector of /sys/block, whatever the disk has.
const SECTOR: i64 = 512;

/// Adds the rows of whole disks. Their numbers are those of diskIOTable, which counts partitions, too.
pub(super) fn read(host: &Host, instances: &mut Instances) {
    let blocks = parse_disk_statistics(&host.text("proc/diskstats"));
    for (number, block) in (1..).zip(&blocks) {
        let file = |name: &str| format!("sys/block/{}/{name}", block.name.replace('/', "!"));
        // Partitions are not there.
        let Some(size) = host.root.number(file("size")) else {
            continue;
        };
        if host.settings.shows_disk(&block.name) {
            let is_set = |name: &str| host.root.number(file(name)).is_some_and(|flag| flag != 0);
            let model = host.root.line(file("device/model"));
            let disk = Disk {
                name: &block.name,
                model: model.as_deref().map_or("", str::trim),
                size,
                is_read_only: is_set("ro"),
                is_removable: is_set("removable"),
            };
            rows(instances, number, &disk);
        }
    }
}

/// A whole disk.
struct Disk<'a> {
    name: &'a str,
    /// Empty where the disk does not tell.
    model: &'a str,
    /// In sectors.
    size: i64,
    is_read_only: bool,
    is_removable: bool,
}

fn rows(instances: &mut Instances, number: u32, disk: &Disk<'_>) {
    let index = device(DISK_STORAGE, number);
    let kind = match disk.model {
        "" => "Disk",
        model => model,
    };
    let description = format!("{kind} (/dev/{})", disk.name);
    device_row(instances, index, DISK_STORAGE, &description, RUNNING, None);
    let media = match disk.name {
        name if name.starts_with("sr") => OPTICAL_DISK,
        name if name.starts_with("ram") || name.starts_with("zram") => RAM_DISK,
        _ => HARD_DISK,
    };
    let is_read_only = disk.is_read_only || media == OPTICAL_DISK;
    let columns = [
        // hrDiskStorageAccess, Media, Removeble, Capacity in KBytes
        (
            1,
            Value::Integer(if is_read_only { READ_ONLY } else { READ_WRITE }),
        ),
        (2, Value::Integer(media)),
        (
            3,
            Value::Integer(if disk.is_removable { TRUE } else { FALSE }),
        ),
        (4, integer(disk.size.saturating_mul(SECTOR) / 1024)),
    ];
    instances.row(HR_DISK_STORAGE_ENTRY, &[index], columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_a_device_with_its_size_in_kilobytes() {
        let mut instances = Instances::default();
        let large = Disk {
            name: "sda",
            model: "",
            size: 5_000_000_000,
            is_read_only: false,
            is_removable: true,
        };
        rows(&mut instances, 2, &large);
        let optical = Disk {
            name: "sr0",
            model: "DVD-ROM",
            size: 4,
            is_removable: false,
            ..large
        };
        rows(&mut instances, 1, &optical);
        instances.sort();
        let row = |index| {
            [1, 2, 3, 4].map(|column| {
                let name = [HR_DISK_STORAGE_ENTRY, &[column, index]].concat();
                instances.get(&name).cloned()
            })
        };
        let integers = |values: [i32; 4]| values.map(|value| Some(Value::Integer(value)));
        // INTEGER ends at 2^31 - 1, which RFC 2790 did not foresee.
        assert_eq!(row(393_218), integers([1, 3, 1, i32::MAX]));
        assert_eq!(row(393_217), integers([2, 5, 2, 2]));
        let description = [1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 3, 393_217];
        let expected = Value::OctetString(b"DVD-ROM (/dev/sr0)".to_vec());
        assert_eq!(instances.get(&description), Some(&expected));
    }
}
