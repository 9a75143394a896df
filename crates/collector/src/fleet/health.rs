//! What the process itself takes.

use std::fmt::Write;
use std::fs;

use crate::exposition::describe;

/// Clock ticks of `/proc` in a second, on all Linux systems of today.
const TICKS: f64 = 100.0;
/// Fields of `/proc/self/stat` behind the name of the program: user and system time.
const TIMES: [usize; 2] = [11, 12];

/// Processor time and memory of the process, as far as the system tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Health {
    /// Processor seconds of all threads.
    pub(super) cpu: f64,
    /// Memory in use.
    pub(super) resident: u64,
}

impl Health {
    /// What it is at present.
    pub(super) fn read() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            cpu: cpu(&stat),
            resident: resident(&status),
        }
    }

    /// Appends it under the names that all clients of Prometheus use.
    pub(super) fn write(self, text: &mut String) {
        let name = "process_cpu_seconds_total";
        describe(name, "counter", "Processor time of the collector.", text);
        let _ = writeln!(text, "{name} {}", self.cpu);
        let name = "process_resident_memory_bytes";
        describe(name, "gauge", "Memory of the collector.", text);
        let _ = writeln!(text, "{name} {}", self.resident);
    }
}

fn cpu(stat: &str) -> f64 {
    // The name of the program may have blanks and parentheses.
    let fields: Vec<&str> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .collect();
    let ticks = TIMES
        .iter()
        .filter_map(|at| fields.get(*at)?.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

fn resident(status: &str) -> u64 {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_and_memory_are_read() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0";
        assert!((cpu(stat) - 2.0).abs() < 1e-9);
        assert_eq!(resident("VmPeak:\t9 kB\nVmRSS:\t   12 kB\n"), 12 * 1024);
        assert!(Health::read().resident > 0);
    }
}
