//! Where this runs: what a reader needs to judge whether two reports may be compared.

use std::{
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::measurement::Environment;
use crate::process::Cores;

/// Reads the environment; what cannot be read is left empty.
#[must_use]
pub fn environment(cores: &Cores, seed: u64) -> Environment {
    let load = load_average();
    Environment {
        date: iso_8601(SystemTime::now()),
        processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into()),
        cores: u32::try_from(cores.count()).unwrap_or(u32::MAX),
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        kernel: ["ostype", "osrelease"]
            .iter()
            .filter_map(|name| line(&format!("/proc/sys/kernel/{name}")))
            .collect::<Vec<_>>()
            .join(" "),
        congestion_control: line("/proc/sys/net/ipv4/tcp_congestion_control"),
        memory: memory(),
        varbind: env!("CARGO_PKG_VERSION").into(),
        optimised: !cfg!(debug_assertions),
        features: features(),
        rustc: env!("VARBIND_LAB_RUSTC").into(),
        load_at_start: load,
        load_at_end: load,
        interfaces: interfaces(),
        seed,
        duration: 0.0,
        subjects: Vec::new(),
    }
}

fn features() -> Vec<String> {
    let all = [
        ("experiments", cfg!(feature = "experiments")),
        ("openssl-tls", cfg!(feature = "openssl-tls")),
    ];
    let built = all.into_iter().filter(|(_, is_built)| *is_built);
    built.map(|(name, _)| name.to_owned()).collect()
}

/// The load average over the last minute; 0 if the kernel does not tell.
#[must_use]
pub fn load_average() -> f64 {
    line("/proc/loadavg")
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn memory() -> u64 {
    field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or_default()
        * 1024
}

/// /proc/net/dev has two lines of headings; /sys may show another network namespace than ours.
fn interfaces() -> u32 {
    fs::read_to_string("/proc/net/dev")
        .map_or(0, |text| text.lines().count().saturating_sub(2) as u32)
}

/// Date and time in UTC, to the second (ISO 8601).
#[must_use]
pub fn iso_8601(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days from the civil calendar, counted from 0000-03-01, so that leap days end a year (H. Hinnant).
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_around_leap_days_are_right() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(iso_8601(UNIX_EPOCH + Duration::from_secs(seconds)), date);
        }
    }

    #[test]
    fn the_environment_of_this_machine_is_read() {
        let cores = Cores::available().unwrap();
        let environment = environment(&cores, 5);
        assert!(environment.kernel.starts_with("Linux "));
        assert!(environment.rustc.starts_with("rustc "));
        assert!(environment.memory > 1 << 20);
        assert!(environment.interfaces >= 1);
    }
}
