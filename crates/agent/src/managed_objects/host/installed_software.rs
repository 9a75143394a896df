//! hrSWInstalled of HOST-RESOURCES-MIB: packages, where they are asked for.

use rustix::time::Timespec;
use varbind_codec::smi::Value;

use super::host_resources::date_and_time;
use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, integer, object_identifier, text};
use crate::operating_system::Package;

pub(super) const ROOTS: &[&[u32]] = &[HR_SW_INSTALLED];

const HR_SW_INSTALLED: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 6];
const HR_SW_INSTALLED_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1];
/// hrSWInstalledType.
const OPERATING_SYSTEM: i32 = 2;
const APPLICATION: i32 = 4;
/// The longest hrSWInstalledName.
const LONGEST_NAME: usize = 64;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    if !host.settings.installed_software {
        return;
    }
    let packages = host.packages.read(&host.root);
    for (index, package) in (1..).zip(packages.iter()) {
        package_row(instances, index, package);
    }
}

fn package_row(instances: &mut Instances, index: u32, package: &Package) {
    let Package {
        name,
        version,
        architecture,
        ..
    } = package;
    let name: String = format!("{name}_{version}_{architecture}")
        .chars()
        .take(LONGEST_NAME)
        .collect();
    let kind = match package.is_essential {
        true => OPERATING_SYSTEM,
        false => APPLICATION,
    };
    let date = package.installed.map(|tv_sec| {
        let time = Timespec { tv_sec, tv_nsec: 0 };
        Value::OctetString(date_and_time(time))
    });
    let columns = [
        // hrSWInstalledIndex, hrSWInstalledName, hrSWInstalledID, hrSWInstalledType, hrSWInstalledDate
        (1, Some(integer(index))),
        (2, Some(text(&name))),
        (3, Some(object_identifier(ZERO_DOT_ZERO))),
        (4, Some(Value::Integer(kind))),
        (5, date),
    ];
    let there = columns
        .into_iter()
        .filter_map(|(column, value)| Some((column, value?)));
    instances.row(HR_SW_INSTALLED_ENTRY, &[index], there);
}
