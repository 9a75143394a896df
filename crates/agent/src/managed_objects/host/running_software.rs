//! hrSWRun and hrSWRunPerf of HOST-RESOURCES-MIB: processes.

use varbind_codec::smi::Value;

use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, integer, object_identifier, text};
use crate::operating_system::{Process, processes, shortened};

pub(super) const ROOTS: &[&[u32]] = &[HR_SW_RUN, HR_SW_RUN_PERF];

const HR_SW_RUN: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 4];
const HR_SW_OS_INDEX: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 4, 1];
const HR_SW_RUN_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1];
const HR_SW_RUN_PERF: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 5];
const HR_SW_RUN_PERF_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 5, 1, 1];
/// hrSWRunType.
const OPERATING_SYSTEM: i32 = 2;
const APPLICATION: i32 = 4;
/// The names of processes are cut by the kernel at 15 octets, those of RFC 2790 at 64.
const LONGEST_NAME: usize = 64;

pub(super) fn read(host: &Host, instances: &mut Instances) {
    // The first process stands for the operating system.
    instances.scalar(HR_SW_OS_INDEX, Value::Integer(1));
    let page = rustix::param::page_size() as u64;
    for process in processes(&host.root) {
        process_row(instances, &process, host.settings.process_arguments);
        let columns = [
            // hrSWRunPerfCPU in hundredths of a second, hrSWRunPerfMem in units of 1024 octets
            (1, integer(process.processor_time)),
            (2, integer(process.pages.saturating_mul(page) / 1024)),
        ];
        instances.row(HR_SW_RUN_PERF_ENTRY, &[process.id], columns);
    }
}

fn process_row(instances: &mut Instances, process: &Process, shows_arguments: bool) {
    let kind = if process.is_of_kernel() {
        OPERATING_SYSTEM
    } else {
        APPLICATION
    };
    let arguments = if shows_arguments {
        shortened(&process.arguments)
    } else {
        ""
    };
    let name: String = process.name.chars().take(LONGEST_NAME).collect();
    let columns = [
        // hrSWRunIndex, hrSWRunName, hrSWRunID, hrSWRunPath, hrSWRunParameters, hrSWRunType, hrSWRunStatus
        (1, integer(process.id)),
        (2, text(&name)),
        (3, object_identifier(ZERO_DOT_ZERO)),
        (4, text(shortened(&process.path))),
        (5, text(arguments)),
        (6, Value::Integer(kind)),
        (7, Value::Integer(status(process.state))),
    ];
    instances.row(HR_SW_RUN_ENTRY, &[process.id], columns);
}

/// hrSWRunStatus: running(1), runnable(2), notRunnable(3), invalid(4).
const fn status(state: char) -> i32 {
    match state {
        'R' => 1,
        'S' | 'I' => 2,
        'D' | 'T' | 't' | 'P' => 3,
        _ => 4,
    }
}
