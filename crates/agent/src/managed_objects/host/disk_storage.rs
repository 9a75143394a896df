//! The disks of HOST-RESOURCES-MIB (RFC 2790): hrDeviceTable and hrDiskStorageTable.

use varbind_codec::smi::Value;

use super::host_resources::{RUNNING, device, device_row};
use super::readings::Instances;
use super::{Host, integer};
use crate::operating_system::parse_disk_statistics;

pub(super) const ROOTS: &[&[u32]] = &[HR_DISK_STORAGE_TABLE];

const HR_DISK_STORAGE_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 6];
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

/// Adds hrDiskStorageTable.
pub(super) fn read(host: &Host, instances: &mut Instances) {
    for disk in disks(host) {
        let is_set = |name: &str| {
            let flag = host.root.number(file(&disk.name, name));
            flag.is_some_and(|flag| flag != 0)
        };
        storage(instances, &disk, is_set("ro"), is_set("removable"));
    }
}

/// Adds the disks of hrDeviceTable.
pub(super) fn devices(host: &Host, instances: &mut Instances) {
    for disk in disks(host) {
        let model = host.root.line(file(&disk.name, "device/model"));
        storage_device(instances, &disk, &model.unwrap_or_default());
    }
}

/// A whole disk.
struct Disk {
    /// In diskIOTable, which counts partitions, too.
    number: u32,
    name: String,
    /// In sectors.
    size: i64,
}

fn file(disk: &str, name: &str) -> String {
    format!("sys/block/{}/{name}", disk.replace('/', "!"))
}

fn disks(host: &Host) -> impl Iterator<Item = Disk> {
    let blocks = parse_disk_statistics(&host.text("proc/diskstats"));
    let shown = (1..)
        .zip(blocks)
        .filter(|(_, block)| host.settings.shows_disk(&block.name));
    shown.filter_map(|(number, block)| {
        // Partitions are not there.
        let size = host.root.number(file(&block.name, "size"))?;
        Some(Disk {
            number,
            name: block.name,
            size,
        })
    })
}

/// A row of hrDeviceTable; the model is empty where the disk does not tell.
fn storage_device(instances: &mut Instances, disk: &Disk, model: &str) {
    let index = device(DISK_STORAGE, disk.number);
    let kind = if model.is_empty() { "Disk" } else { model };
    let description = format!("{kind} (/dev/{})", disk.name);
    device_row(instances, index, DISK_STORAGE, &description, RUNNING, None);
}

/// A row of hrDiskStorageTable.
fn storage(instances: &mut Instances, disk: &Disk, is_read_only: bool, is_removable: bool) {
    let media = match &*disk.name {
        name if name.starts_with("sr") => OPTICAL_DISK,
        name if name.starts_with("ram") || name.starts_with("zram") => RAM_DISK,
        _ => HARD_DISK,
    };
    let is_read_only = is_read_only || media == OPTICAL_DISK;
    let columns = [
        // hrDiskStorageAccess, Media, Removeble, Capacity in KBytes
        (
            1,
            Value::Integer(if is_read_only { READ_ONLY } else { READ_WRITE }),
        ),
        (2, Value::Integer(media)),
        (3, Value::Integer(if is_removable { TRUE } else { FALSE })),
        (4, integer(disk.size.saturating_mul(SECTOR) / 1024)),
    ];
    let index = device(DISK_STORAGE, disk.number);
    instances.row(HR_DISK_STORAGE_ENTRY, &[index], columns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_a_device_with_its_size_in_kilobytes() {
        let disk = |number, name: &str, size| Disk {
            number,
            name: name.to_owned(),
            size,
        };
        let mut instances = Instances::default();
        let large = disk(2, "sda", 5_000_000_000);
        storage(&mut instances, &large, false, true);
        storage_device(&mut instances, &large, "");
        let optical = disk(1, "sr0", 4);
        storage(&mut instances, &optical, false, false);
        storage_device(&mut instances, &optical, "DVD-ROM");
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
        for (index, expected) in [
            (393_217, &b"DVD-ROM (/dev/sr0)"[..]),
            (393_218, b"Disk (/dev/sda)"),
        ] {
            let description = [1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 3, index];
            let expected = Value::OctetString(expected.to_vec());
            assert_eq!(instances.get(&description), Some(&expected));
        }
    }
}
