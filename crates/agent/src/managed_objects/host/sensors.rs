//! LM-SENSORS-MIB: temperatures, fans and voltages.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, gauge, integer, text};
use crate::operating_system::{Quantity, sensors};

pub(super) const ROOTS: &[&[u32]] = &[LM_SENSORS];

const LM_SENSORS: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 13, 16];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let sensors = sensors(&host.root);
    // lmTempSensorsTable in thousandths of a degree, lmFanSensorsTable in revolutions a minute, lmVoltSensorsTable in
    // millivolts, lmMiscSensorsTable
    for (table, quantities) in [
        (2, &[Quantity::Temperature][..]),
        (3, &[Quantity::Fan]),
        (4, &[Quantity::Voltage]),
        (5, &[Quantity::Current, Quantity::Power]),
    ] {
        let entry = [LM_SENSORS, &[table, 1]].concat();
        let of_table = sensors
            .iter()
            .filter(|sensor| quantities.contains(&sensor.quantity));
        for (index, sensor) in (1_u32..).zip(of_table) {
            // The value is a Gauge32, so that temperatures below zero cannot be told.
            let value = sensor.value.map(|value| u64::try_from(value).unwrap_or(0));
            let columns: [(u32, Value); 2] = [(1, integer(index)), (2, text(&sensor.name))];
            instances.row(&entry, &[index], columns);
            instances.row(&entry, &[index], value.map(|value| (3, gauge(value))));
        }
    }
}
