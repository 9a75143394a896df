//! ENTITY-MIB and ENTITY-SENSOR-MIB (RFC 6933, 3433): the machine, the devices on its PCI buses, its sensors.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, integer, object_identifier, text};
use crate::managed_objects::{FALSE, TRUE};
use crate::operating_system::{HostRoot, Quantity, Sensor, sensors};

pub(super) const ROOTS: &[&[u32]] = &[ENT_PHYSICAL_TABLE, ENT_PHY_SENSOR_TABLE];

const ENT_PHYSICAL_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1];
const ENT_PHYSICAL_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1];
const ENT_PHY_SENSOR_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 99, 1, 1];
const ENT_PHY_SENSOR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 99, 1, 1, 1];

/// entPhysicalIndex: of the machine, of its first sensor, and of the first place on its first PCI bus.
const CHASSIS: u32 = 1;
const FIRST_SENSOR: u32 = 1001;
pub(super) const FIRST_PCI: u32 = 0x1_0000;
/// Where Linux has what the firmware says of the machine: PCs, and boards with a device tree.
const DMI: &str = "sys/class/dmi/id";
const DEVICE_TREE: &str = "sys/firmware/devicetree/base";
const PCI_DEVICES: &str = "sys/bus/pci/devices";
/// entPhySensorValue is between these.
const LARGEST_VALUE: i64 = 1_000_000_000;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    host.inventory.machine(&host.root).rows(instances);
    for entity in host.inventory.pci_devices(&host.root) {
        entity.rows(instances);
    }
    for (index, sensor) in (FIRST_SENSOR..FIRST_PCI).zip(sensors(&host.root)) {
        Entity::sensor(index, &sensor).rows(instances);
        sensor_row(instances, index, &sensor);
    }
}

/// Entities that stay the same: each is read once.
#[derive(Default)]
pub(super) struct Inventory {
    machine: OnceLock<Entity>,
    /// By their places, with the inodes of these: a device that replaces another one has its own.
    pci_devices: Mutex<BTreeMap<String, (u64, Entity)>>,
}

impl Inventory {
    fn machine(&self, root: &HostRoot) -> Entity {
        let known = self.machine.get().cloned();
        let machine = known.unwrap_or_else(|| {
            let machine = Entity::machine(root);
            // Firmware that could not be read may be read later.
            if !machine.model.is_empty() {
                let _ = self.machine.set(machine.clone());
            }
            machine
        });
        let name = root.line("proc/sys/kernel/hostname").unwrap_or_default();
        Entity { name, ..machine }
    }

    fn pci_devices(&self, root: &HostRoot) -> Vec<Entity> {
        let mut known = self
            .pci_devices
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let entries = root.entries(PCI_DEVICES).into_iter();
        let devices = entries.filter_map(|(place, inode)| {
            let known = known.get(&place).filter(|(other, _)| *other == inode);
            let known = known.map(|(_, device)| device.clone());
            let device = known.or_else(|| pci_device(root, &place))?;
            Some((place, (inode, device)))
        });
        *known = devices.collect();
        known.values().map(|(_, device)| device.clone()).collect()
    }
}

/// entPhysicalClass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Class {
    #[default]
    Chassis = 3,
    Sensor = 8,
    Module = 9,
}

/// A row of entPhysicalTable. Texts that are not known are empty, as the MIB has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entity {
    index: u32,
    class: Class,
    description: String,
    /// 0 for the machine.
    contained_in: u32,
    /// entPhysicalParentRelPos: -1 where there is no order.
    position: i32,
    name: String,
    hardware_revision: String,
    firmware_revision: String,
    serial_number: String,
    manufacturer: String,
    model: String,
    asset_id: String,
}

impl Entity {
    fn machine(root: &HostRoot) -> Self {
        // The serial number can be read by the superuser alone.
        let dmi = |file: &str| root.line(format!("{DMI}/{file}")).unwrap_or_default();
        let tree = |file: &str| {
            let line = root.line(format!("{DEVICE_TREE}/{file}"));
            line.map_or_else(String::new, |line| line.trim_end_matches('\0').to_owned())
        };
        let or_tree = |file: &str, of_tree: &str| {
            let line = dmi(file);
            if line.is_empty() { tree(of_tree) } else { line }
        };
        let (manufacturer, model) = (dmi("sys_vendor"), or_tree("product_name", "model"));
        let description = format!("{manufacturer} {model}").trim().to_owned();
        Self {
            index: CHASSIS,
            class: Class::Chassis,
            description: if description.is_empty() {
                "machine".to_owned()
            } else {
                description
            },
            position: -1,
            hardware_revision: dmi("product_version"),
            firmware_revision: dmi("bios_version"),
            serial_number: or_tree("product_serial", "serial-number"),
            manufacturer,
            model,
            asset_id: dmi("chassis_asset_tag"),
            ..Self::default()
        }
    }

    fn sensor(index: u32, sensor: &Sensor) -> Self {
        Self {
            index,
            class: Class::Sensor,
            description: sensor.name.clone(),
            contained_in: CHASSIS,
            position: -1,
            name: sensor.name.clone(),
            ..Self::default()
        }
    }

    fn rows(&self, instances: &mut Instances) {
        // Of the parts it is not known whether they can be replaced.
        let is_replaceable = if self.class == Class::Chassis {
            TRUE
        } else {
            FALSE
        };
        let columns = [
            // entPhysicalDescr, VendorType, ContainedIn, Class, ParentRelPos, Name
            (2, text(&self.description)),
            (3, object_identifier(ZERO_DOT_ZERO)),
            (4, integer(self.contained_in)),
            (5, Value::Integer(self.class as i32)),
            (6, Value::Integer(self.position)),
            (7, text(&self.name)),
            // entPhysicalHardwareRev, FirmwareRev, SoftwareRev, SerialNum, MfgName, ModelName, Alias, AssetID
            (8, text(&self.hardware_revision)),
            (9, text(&self.firmware_revision)),
            (10, text("")),
            (11, text(&self.serial_number)),
            (12, text(&self.manufacturer)),
            (13, text(&self.model)),
            (14, text("")),
            (15, text(&self.asset_id)),
            // entPhysicalIsFRU
            (16, Value::Integer(is_replaceable)),
        ];
        instances.row(ENT_PHYSICAL_ENTRY, &[self.index], columns);
    }
}

/// The device at a place on a PCI bus. Its index is its place, so that it stays what it is.
fn pci_device(root: &HostRoot, place: &str) -> Option<Entity> {
    let (index, position) = pci_index(place)?;
    let read = |file: &str| root.line(format!("{PCI_DEVICES}/{place}/{file}"));
    let number = |file: &str| read(file).map(|line| line.trim_start_matches("0x").to_owned());
    let (vendor, device) = (number("vendor")?, number("device")?);
    let class = number("class").unwrap_or_default();
    Some(Entity {
        index,
        class: Class::Module,
        description: format!("PCI device {vendor}:{device}, class {class}"),
        contained_in: CHASSIS,
        position,
        name: place.to_owned(),
        hardware_revision: number("revision").unwrap_or_default(),
        manufacturer: vendor,
        model: device,
        ..Entity::default()
    })
}

/// The index of a place as `0000:00:1f.3` (domain, bus, device and function), and its number on its bus.
pub(super) fn pci_index(place: &str) -> Option<(u32, i32)> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let (domain, rest) = place.split_once(':')?;
    let (bus, rest) = rest.split_once(':')?;
    let (device, function) = rest.split_once('.')?;
    // Virtual domains have more than 16 bits, and the index no room for them.
    let domain = number(domain).filter(|&domain| domain < 0x7fff)?;
    let bus = number(bus).filter(|&bus| bus <= 0xff)?;
    let device = number(device).filter(|&device| device <= 0x1f)?;
    let function = number(function).filter(|&function| function <= 7)?;
    let on_bus = (device << 3) | function;
    let index = FIRST_PCI + (domain << 16) + (bus << 8) + on_bus;
    Some((index, on_bus.cast_signed()))
}

fn sensor_row(instances: &mut Instances, index: u32, sensor: &Sensor) {
    // EntitySensorDataType, and units as people write them.
    let (kind, scale, units) = match sensor.quantity {
        Quantity::Temperature => (8, MILLI, "thousandths of a degree Celsius"),
        Quantity::Fan => (10, UNITS, "revolutions per minute"),
        Quantity::Voltage => (4, MILLI, "millivolts"),
        Quantity::Current => (5, MILLI, "milliamperes"),
        Quantity::Power => (6, MILLI, "milliwatts"),
    };
    // The kernel's microwatts would exceed the range of the value at 1000 watts.
    let divisor = if sensor.quantity == Quantity::Power {
        1000
    } else {
        1
    };
    let value = sensor.value.unwrap_or(0) / divisor;
    // entPhySensorOperStatus: ok(1), unavailable(2)
    let status = if sensor.value.is_some() { 1 } else { 2 };
    let columns = [
        // entPhySensorType, Scale, Precision, Value
        (1, Value::Integer(kind)),
        (2, Value::Integer(scale)),
        (3, Value::Integer(0)),
        (4, integer(value.clamp(-LARGEST_VALUE, LARGEST_VALUE))),
        // entPhySensorOperStatus, UnitsDisplay, ValueTimeStamp and ValueUpdateRate: not known
        (5, Value::Integer(status)),
        (6, text(units)),
        (7, Value::TimeTicks(0)),
        (8, Value::Gauge32(0)),
    ];
    instances.row(ENT_PHY_SENSOR_ENTRY, &[index], columns);
}

/// EntitySensorDataScale: milli(8), units(9).
const MILLI: i32 = 8;
const UNITS: i32 = 9;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn root(files: &[(&str, &str)]) -> (tempfile::TempDir, HostRoot) {
        let directory = tempfile::tempdir().unwrap();
        for (file, content) in files {
            let path = directory.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let root = HostRoot::new(directory.path().to_owned());
        (directory, root)
    }

    #[test]
    fn a_machine_is_described_by_its_firmware() {
        let (_directory, pc) = root(&[
            ("sys/class/dmi/id/sys_vendor", "Maker AG\n"),
            ("sys/class/dmi/id/product_name", "Modell Ü\n"),
            ("sys/class/dmi/id/product_serial", "S 1\n"),
        ]);
        let machine = Entity::machine(&pc);
        assert_eq!(machine.description, "Maker AG Modell Ü");
        assert_eq!(machine.serial_number, "S 1");
        let (_directory, board) = root(&[("sys/firmware/devicetree/base/model", "Board 4\0")]);
        assert_eq!(Entity::machine(&board).model, "Board 4");
        let (_directory, nothing) = root(&[]);
        assert_eq!(Entity::machine(&nothing).description, "machine");
    }

    #[test]
    fn indexes_of_pci_devices_are_their_places() {
        assert_eq!(pci_index("0000:00:1f.3"), Some((0x1_00fb, 0xfb)));
        assert_eq!(pci_index("0001:02:00.0"), Some((0x2_0200, 0)));
        for odd in [
            "",
            "0000",
            "0000:00:20.0",
            "0000:00:00.8",
            "10000:00:00.0",
            "0:100:0.0",
            "x:y:z.0",
        ] {
            assert_eq!(pci_index(odd), None, "{odd}");
        }
    }

    #[test]
    fn pci_devices_that_vanish_are_left_out_and_others_are_read_once() {
        let (directory, host) = root(&[
            ("sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n"),
            ("sys/bus/pci/devices/0000:00:02.0/device", "0x1237\n"),
            ("sys/bus/pci/devices/0000:00:03.0/vendor", "0x8086\n"),
        ]);
        let inventory = Inventory::default();
        let read = || -> Vec<_> {
            let devices = inventory.pci_devices(&host).into_iter();
            devices.map(|device| (device.name, device.model)).collect()
        };
        let told = |place: &str, model: &str| (place.to_owned(), model.to_owned());
        assert_eq!(read(), [told("0000:00:02.0", "1237")]);
        let devices = directory.path().join(PCI_DEVICES);
        fs::write(devices.join("0000:00:03.0/device"), "0x2\n").unwrap();
        fs::remove_file(devices.join("0000:00:02.0/device")).unwrap();
        let both = [told("0000:00:02.0", "1237"), told("0000:00:03.0", "2")];
        assert_eq!(read(), both);
        fs::remove_dir_all(devices.join("0000:00:02.0")).unwrap();
        assert_eq!(read(), [told("0000:00:03.0", "2")]);
    }

    #[test]
    fn values_of_sensors_stay_in_their_range() {
        let mut instances = Instances::default();
        for (index, (quantity, value)) in (1..).zip([
            (Quantity::Power, Some(2_000_000_000)),
            (Quantity::Temperature, Some(-40_000)),
            (Quantity::Voltage, Some(i64::MIN)),
            (Quantity::Fan, None),
        ]) {
            let sensor = Sensor {
                quantity,
                name: String::new(),
                value,
            };
            sensor_row(&mut instances, index, &sensor);
        }
        instances.sort();
        let value = |column, index| {
            let name = [ENT_PHY_SENSOR_ENTRY, &[column, index]].concat();
            instances.get(&name).cloned()
        };
        let values = [1, 2, 3, 4].map(|index| value(4, index));
        let expected = [2_000_000, -40_000, -1_000_000_000, 0];
        assert_eq!(values, expected.map(|value| Some(Value::Integer(value))));
        assert_eq!(value(5, 4), Some(Value::Integer(2)));
    }
}
