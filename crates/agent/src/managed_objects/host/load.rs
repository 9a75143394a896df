//! laTable of UCD-SNMP-MIB: load averages.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, float, integer, text};
use crate::operating_system::parse_load_averages;

pub(super) const ROOTS: &[&[u32]] = &[LA_TABLE];

const LA_TABLE: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 10];
const LA_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 10, 1];
/// laNames, by which templates find the rows.
const NAMES: [&str; 3] = ["Load-1", "Load-5", "Load-15"];
/// laConfig where nothing is configured, as in Net-SNMP.
const THRESHOLD: &str = "12.00";

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let Some(averages) = parse_load_averages(&host.text("proc/loadavg")) else {
        return;
    };
    for ((index, name), hundredths) in (1..).zip(NAMES).zip(averages) {
        let columns = [
            // laIndex, laNames, laLoad, laConfig, laLoadInt, laLoadFloat
            (1, integer(index)),
            (2, text(name)),
            (
                3,
                text(&format!("{}.{:02}", hundredths / 100, hundredths % 100)),
            ),
            (4, text(THRESHOLD)),
            (5, integer(hundredths)),
            (6, float(hundredths as f32 / 100.0)),
            // laErrorFlag, laErrMessage
            (100, Value::Integer(0)),
            (101, text("")),
        ];
        instances.row(LA_ENTRY, &[index], columns);
    }
}
