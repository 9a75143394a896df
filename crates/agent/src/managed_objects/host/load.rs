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
/// The minutes of each.
const MINUTES: [u32; 3] = [1, 5, 15];

pub(super) fn read(host: &Host, instances: &mut Instances) {
    let Some(averages) = parse_load_averages(&host.text("proc/loadavg")) else {
        return;
    };
    let limits = host.settings.load_limits.0;
    let rows = NAMES.into_iter().zip(MINUTES).zip(limits).zip(averages);
    for (index, (((name, minutes), limit), load)) in (1..).zip(rows) {
        let error = (limit > 0 && load >= limit).then(|| {
            let load = decimal(load);
            format!("{minutes} min Load Average too high (= {load})")
        });
        let columns = [
            // laIndex, laNames, laLoad, laConfig, laLoadInt, laLoadFloat
            (1, integer(index)),
            (2, text(name)),
            (3, text(&decimal(load))),
            (4, text(&decimal(limit))),
            (5, integer(load)),
            (6, float(load as f32 / 100.0)),
            // laErrorFlag, laErrMessage: as Net-SNMP words it
            (100, Value::Integer(error.is_some().into())),
            (101, text(&error.unwrap_or_default())),
        ];
        instances.row(LA_ENTRY, &[index], columns);
    }
}

/// Hundredths as a number with two decimals.
fn decimal(hundredths: u32) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
