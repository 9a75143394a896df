//! File systems and memory as storage: hrStorageTable, hrFSTable (HOST-RESOURCES-MIB) and dskTable (UCD-SNMP-MIB). Indexes
//! are those of Net-SNMP's agent.

use varbind_codec::smi::Value;

use super::memory::Memory;
use super::readings::Instances;
use super::{Host, gauge, integer, object_identifier, text};
use crate::configuration::DiskMinimum;
use crate::operating_system::{Mount, Usage, parse_mounts};

pub(super) const ROOTS: &[&[u32]] = &[HR_STORAGE, HR_FS_TABLE, DSK_TABLE];

const HR_STORAGE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2];
const HR_MEMORY_SIZE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 2];
const HR_STORAGE_TYPES: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 1];
const HR_STORAGE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1];
const HR_FS_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 8];
const HR_FS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1];
const HR_FS_TYPES: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 9];
const DSK_TABLE: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 9];
const DSK_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 9, 1];

/// hrStorageTypes.
const OTHER: u32 = 1;
const RAM: u32 = 2;
const VIRTUAL_MEMORY: u32 = 3;
const FIXED_DISK: u32 = 4;
const NETWORK_DISK: u32 = 10;
/// hrStorageIndex of the first file system is one above.
const FIRST_FILE_SYSTEM: u32 = 30;
/// No date, where the last backup is not known (DateAndTime of RFC 2579, as RFC 2790 asks for).
const NEVER: [u8; 8] = [0, 0, 1, 1, 0, 0, 0, 0];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let memory = Memory::parse(&host.text("proc/meminfo"));
    instances.scalar(HR_MEMORY_SIZE, integer(memory.total));
    for row in memory_rows(&memory) {
        storage_row(instances, &row);
    }
    // In a container /proc/mounts is the agent's own; the host's first process has the host's.
    let file = if host.root.is_own() {
        "proc/self/mounts"
    } else {
        "proc/1/mounts"
    };
    let mut mounts = parse_mounts(&host.text(file));
    host.settings.number(&mut mounts);
    mounts.retain(|mount| host.settings.shows(mount));
    let paths: Vec<_> = mounts
        .iter()
        .map(|mount| host.root.path(mount.path.trim_start_matches('/')))
        .collect();
    for (mount, usage) in mounts.iter().zip(host.usages.read(&paths)) {
        // Without an answer ever, the file system is there, and nothing is known of it.
        let usage = usage.unwrap_or_default();
        storage_row(instances, &Storage::of(mount, &usage));
        file_system_row(instances, mount);
        disk_row(
            instances,
            mount,
            &usage,
            host.settings.minimum_of(&mount.path),
        );
    }
}

/// A row of hrStorageTable.
struct Storage<'a> {
    index: u32,
    kind: u32,
    description: &'a str,
    unit: u64,
    size: u64,
    used: u64,
}

impl<'a> Storage<'a> {
    fn of(mount: &'a Mount, usage: &Usage) -> Self {
        let is_remote = network_types().contains(&&*mount.kind);
        let mut storage = Self {
            index: FIRST_FILE_SYSTEM.saturating_add(mount.index),
            kind: if is_remote { NETWORK_DISK } else { FIXED_DISK },
            description: &mount.path,
            unit: usage.block,
            size: usage.blocks,
            used: usage.used(),
        };
        // Larger units where the number of blocks exceeds its type.
        while i32::try_from(storage.size).is_err() {
            storage.unit <<= 1;
            storage.size >>= 1;
            storage.used >>= 1;
        }
        storage
    }
}

fn memory_rows(memory: &Memory) -> [Storage<'static>; 7] {
    let row = |index, kind, description, size: u64, used: u64| Storage {
        index,
        kind,
        description,
        unit: 1024,
        size,
        used,
    };
    let used = memory.total.saturating_sub(memory.free);
    let swap_used = memory.swap_total.saturating_sub(memory.swap_free);
    let virtual_total = memory.total.saturating_add(memory.swap_total);
    [
        row(1, RAM, "Physical memory", memory.total, used),
        row(
            3,
            VIRTUAL_MEMORY,
            "Virtual memory",
            virtual_total,
            used + swap_used,
        ),
        row(6, OTHER, "Memory buffers", memory.total, memory.buffers),
        row(7, OTHER, "Cached memory", memory.cached, memory.cached),
        row(8, OTHER, "Shared memory", memory.shared, memory.shared),
        row(
            10,
            VIRTUAL_MEMORY,
            "Swap space",
            memory.swap_total,
            swap_used,
        ),
        row(11, OTHER, "Available memory", memory.available, 0),
    ]
}

fn storage_row(instances: &mut Instances, storage: &Storage<'_>) {
    let columns = [
        // hrStorageIndex, hrStorageType, hrStorageDescr, hrStorageAllocationUnits, hrStorageSize, hrStorageUsed
        (1, integer(storage.index)),
        (
            2,
            object_identifier(&[HR_STORAGE_TYPES, &[storage.kind]].concat()),
        ),
        (3, text(storage.description)),
        (4, integer(storage.unit)),
        (5, integer(storage.size)),
        (6, integer(storage.used)),
    ];
    instances.row(HR_STORAGE_ENTRY, &[storage.index], columns);
}

const fn network_types() -> &'static [&'static str] {
    &[
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "ceph",
        "glusterfs",
        "9p",
        "afs",
        "fuse.sshfs",
    ]
}

/// The last sub-identifier of hrFSType; hrFSOther for those that RFC 2790 does not know.
fn file_system_type(kind: &str) -> u32 {
    const TYPES: [(&str, u32); 10] = [
        ("ext2", 23),
        ("ext3", 23),
        ("ext4", 23),
        ("iso9660", 12),
        ("vfat", 22),
        ("msdos", 5),
        ("hpfs", 6),
        ("ntfs", 9),
        ("nfs", 14),
        ("nfs4", 14),
    ];
    let found = TYPES.iter().find(|(name, _)| *name == kind);
    found.map_or(1, |(_, number)| *number)
}

fn file_system_row(instances: &mut Instances, mount: &Mount) {
    let is_remote = network_types().contains(&&*mount.kind);
    let columns = [
        // hrFSIndex, hrFSMountPoint, hrFSRemoteMountPoint
        (1, integer(mount.index)),
        (2, text(&mount.path)),
        (3, text(if is_remote { &mount.device } else { "" })),
        // hrFSType, hrFSAccess, hrFSBootable, hrFSStorageIndex
        (
            4,
            object_identifier(&[HR_FS_TYPES, &[file_system_type(&mount.kind)]].concat()),
        ),
        (5, Value::Integer(if mount.is_read_only { 2 } else { 1 })),
        (
            6,
            Value::Integer(if mount.path == "/" {
                super::super::TRUE
            } else {
                super::super::FALSE
            }),
        ),
        (7, integer(FIRST_FILE_SYSTEM.saturating_add(mount.index))),
        // hrFSLastFullBackupDate, hrFSLastPartialBackupDate
        (8, Value::OctetString(NEVER.to_vec())),
        (9, Value::OctetString(NEVER.to_vec())),
    ];
    instances.row(HR_FS_ENTRY, &[mount.index], columns);
}

/// A row of dskTable, in units of 1024 octets.
fn disk_row(instances: &mut Instances, mount: &Mount, usage: &Usage, minimum: Option<DiskMinimum>) {
    let kilobytes = |blocks: u64| {
        let octets = u128::from(blocks) * u128::from(usage.block);
        u64::try_from(octets / 1024).unwrap_or(u64::MAX)
    };
    let (total, available, used) = (
        kilobytes(usage.blocks),
        kilobytes(usage.available),
        kilobytes(usage.used()),
    );
    let (least, least_share) = match minimum {
        None => (-1, -1),
        Some(DiskMinimum::Kilobytes(size)) => (i32::try_from(size).unwrap_or(i32::MAX), -1),
        Some(DiskMinimum::PerCent(share)) => (-1, share.into()),
    };
    let error = minimum.and_then(|minimum| shortage(&mount.path, minimum, available, total));
    let used_files = usage.files.saturating_sub(usage.free_files);
    let columns = [
        // dskIndex, dskPath, dskDevice
        (1, integer(mount.index)),
        (2, text(&mount.path)),
        (3, text(&mount.device)),
        // dskMinimum and dskMinPercent: -1 where there is no such limit
        (4, Value::Integer(least)),
        (5, Value::Integer(least_share)),
        // dskTotal, dskAvail, dskUsed, dskPercent, dskPercentNode
        (6, integer(total)),
        (7, integer(available)),
        (8, integer(used)),
        (9, Value::Integer(per_cent(used, total))),
        (10, Value::Integer(per_cent(used_files, usage.files))),
        // dskErrorFlag, dskErrorMsg
        (100, Value::Integer(error.is_some().into())),
        (101, text(&error.unwrap_or_default())),
    ];
    instances.row(DSK_ENTRY, &[mount.index], columns);
    // dskTotalLow, dskTotalHigh and so on
    for (column, number) in [(11, total), (13, available), (15, used)] {
        let halves = [
            (column, gauge(number & 0xffff_ffff)),
            (column + 1, gauge(number >> 32)),
        ];
        instances.row(DSK_ENTRY, &[mount.index], halves);
    }
}

/// What is wrong where less is free for users other than root than should be, as Net-SNMP words it.
fn shortage(path: &str, minimum: DiskMinimum, available: u64, total: u64) -> Option<String> {
    match minimum {
        DiskMinimum::Kilobytes(least) if available < least.into() => {
            Some(format!("{path}: less than {least} free (= {available})"))
        }
        DiskMinimum::PerCent(least) => {
            let free = per_cent(available, total);
            let is_short = free < i32::from(least);
            is_short.then(|| format!("{path}: less than {least}% free (= {free}%)"))
        }
        DiskMinimum::Kilobytes(_) => None,
    }
}

/// Rounded to the nearest per cent.
fn per_cent(part: u64, whole: u64) -> i32 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let per_cent = (part * 200 + whole).checked_div(whole * 2);
    i32::try_from(per_cent.unwrap_or(0)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_file_systems_have_larger_units() {
        let mount = Mount {
            index: 4,
            device: "/dev/x".to_owned(),
            path: "/".to_owned(),
            kind: "xfs".to_owned(),
            is_read_only: false,
        };
        let usage = Usage {
            block: 4096,
            blocks: 1 << 33,
            free: 1 << 32,
            ..Usage::default()
        };
        let storage = Storage::of(&mount, &usage);
        assert_eq!((storage.index, storage.unit), (34, 4096 * 8));
        assert_eq!((storage.size, storage.used), (1 << 30, 1 << 29));
        assert_eq!(storage.unit * storage.size, usage.block * usage.blocks);
    }

    #[test]
    fn a_shortage_is_worded_as_by_net_snmp() {
        let of = |minimum, available| shortage("/", minimum, available, 1000);
        let share = DiskMinimum::PerCent(10);
        let expected = "/: less than 10% free (= 5%)".to_owned();
        assert_eq!(of(share, 50), Some(expected));
        // Rounded to 10 per cent.
        assert_eq!(of(share, 95), None);
        let size = DiskMinimum::Kilobytes(51);
        let expected = "/: less than 51 free (= 50)".to_owned();
        assert_eq!(of(size, 50), Some(expected));
        assert_eq!(of(DiskMinimum::Kilobytes(50), 50), None);
    }

    /// Blocks that only root may use are neither used nor free.
    #[test]
    fn blocks_reserved_for_root_are_not_free() {
        let mount = Mount {
            index: 4,
            device: "/dev/x".to_owned(),
            path: "/".to_owned(),
            kind: "ext4".to_owned(),
            is_read_only: false,
        };
        let usage = Usage {
            block: 1024,
            blocks: 1000,
            free: 100,
            available: 50,
            ..Usage::default()
        };
        let mut instances = Instances::default();
        disk_row(
            &mut instances,
            &mount,
            &usage,
            Some(DiskMinimum::PerCent(10)),
        );
        instances.sort();
        let column = |number| instances.get(&[DSK_ENTRY, &[number, 4]].concat()).cloned();
        assert_eq!(column(9), Some(Value::Integer(90)));
        assert_eq!(column(100), Some(Value::Integer(1)));
        assert_eq!(column(101), Some(text("/: less than 10% free (= 5%)")));
    }

    #[test]
    fn shares_are_rounded() {
        for (part, whole, expected) in [
            (0, 0, 0),
            (1, 3, 33),
            (2, 3, 67),
            (5, 5, 100),
            (1, 200, 1),
            (u64::MAX, 1, 100),
        ] {
            assert_eq!(per_cent(part, whole), expected, "{part} of {whole}");
        }
    }

    #[test]
    fn a_host_without_swap_has_a_row_for_it() {
        let memory = Memory::parse("MemTotal: 100 kB\nMemFree: 40 kB\n");
        let rows = memory_rows(&memory);
        let swap = rows.iter().find(|row| row.index == 10).unwrap();
        assert_eq!((swap.size, swap.used), (0, 0));
        assert_eq!((rows[0].size, rows[0].used), (100, 60));
    }
}
