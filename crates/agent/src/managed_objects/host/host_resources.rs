//! HOST-RESOURCES-MIB (RFC 2790): the system and its devices. Indexes are those of Net-SNMP's agent.

use std::path::Path;

use rustix::fs::Timespec;
use rustix::time::{ClockId, clock_gettime};
use varbind_codec::smi::Value;

use super::disk_storage;
use super::readings::Instances;
use super::{Host, ZERO_DOT_ZERO, counter, gauge, integer, object_identifier, text};
use crate::operating_system::{HostRoot, OperationalState, ProcessorTimes, process_ids};

pub(super) const CLOCK: &[&[u32]] = &[HR_SYSTEM_UPTIME, HR_SYSTEM_DATE];
/// hrSystemInitialLoadDevice has no value.
pub(super) const SYSTEM: &[&[u32]] = &[
    &[1, 3, 6, 1, 2, 1, 25, 1, 3],
    HR_SYSTEM_INITIAL_LOAD_PARAMETERS,
    HR_SYSTEM_NUM_USERS,
    HR_SYSTEM_MAX_PROCESSES,
];
pub(super) const PROCESSES: &[&[u32]] = &[HR_SYSTEM_PROCESSES];
pub(super) const DEVICES: &[&[u32]] = &[HR_DEVICE_TABLE];
pub(super) const PROCESSORS: &[&[u32]] = &[HR_PROCESSOR_TABLE];
pub(super) const NETWORKS: &[&[u32]] = &[HR_NETWORK_TABLE];

const HR_SYSTEM_UPTIME: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 1];
const HR_SYSTEM_DATE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 2];
const HR_SYSTEM_INITIAL_LOAD_PARAMETERS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 4];
const HR_SYSTEM_NUM_USERS: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 5];
const HR_SYSTEM_PROCESSES: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 6];
const HR_SYSTEM_MAX_PROCESSES: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 7];
const HR_DEVICE_TYPES: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 1];
const HR_DEVICE_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 2];
const HR_DEVICE_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1];
const HR_PROCESSOR_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 3];
const HR_PROCESSOR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 3, 1];
const HR_NETWORK_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 4];
const HR_NETWORK_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 3, 4, 1];

/// hrDeviceProcessor and hrDeviceNetwork.
const PROCESSOR: u32 = 3;
const NETWORK: u32 = 4;
/// hrDeviceIndex: the kind of a device above its number.
const INDEX_SHIFT: u32 = 16;
/// hrDeviceStatus.
pub(super) const RUNNING: i32 = 2;
const DOWN: i32 = 5;
/// A record of utmp(5), and its type USER_PROCESS.
const UTMP_RECORD: usize = 384;
const USER_PROCESS: i16 = 7;
/// Where systemd-logind keeps sessions.
const SESSIONS: &str = "run/systemd/sessions";

pub(super) fn read_clock(host: &Host, instances: &mut Instances) {
    let up_time = up_time(&host.text("proc/uptime"));
    instances.scalar(HR_SYSTEM_UPTIME, Value::TimeTicks(up_time));
    let date = date_and_time(clock_gettime(ClockId::Realtime));
    instances.scalar(HR_SYSTEM_DATE, Value::OctetString(date));
}

pub(super) fn read_system(host: &Host, instances: &mut Instances) {
    let command_line = host.text("proc/cmdline");
    let parameters = text(command_line.trim_end());
    instances.scalar(HR_SYSTEM_INITIAL_LOAD_PARAMETERS, parameters);
    instances.scalar(HR_SYSTEM_NUM_USERS, gauge(logins(&host.root)));
    // No fixed maximum.
    instances.scalar(HR_SYSTEM_MAX_PROCESSES, Value::Integer(0));
}

pub(super) fn read_processes(host: &Host, instances: &mut Instances) {
    let number = process_ids(&host.root).len() as u64;
    instances.scalar(HR_SYSTEM_PROCESSES, gauge(number));
}

/// Adds hrDeviceTable.
pub(super) fn read_devices(host: &Host, instances: &mut Instances) {
    let model = host
        .processor_model
        .get_or_init(|| model(&host.text("proc/cpuinfo")));
    for (number, _) in (0..).zip(host.sampler.processors().each) {
        let index = device(PROCESSOR, number);
        device_row(instances, index, PROCESSOR, model, RUNNING, None);
    }
    network_devices(host, instances);
    disk_storage::devices(host, instances);
}

/// Adds hrProcessorTable.
pub(super) fn read_processors(host: &Host, instances: &mut Instances) {
    let earlier = host.sampler.earlier().processors.each;
    let processors = host.sampler.processors().each;
    for (number, times) in (0..).zip(&processors) {
        let before = usize::try_from(number).ok().and_then(|at| earlier.get(at));
        let before = before.copied().unwrap_or_default();
        let load = times.per_cent_since(&before, ProcessorTimes::busy);
        let columns = [
            // hrProcessorFrwID
            (1, object_identifier(ZERO_DOT_ZERO)),
            // hrProcessorLoad: over the last minute
            (2, Value::Integer(load.into())),
        ];
        instances.row(HR_PROCESSOR_ENTRY, &[device(PROCESSOR, number)], columns);
    }
}

/// Adds hrNetworkTable.
pub(super) fn read_networks(host: &Host, instances: &mut Instances) {
    for interface in host.interfaces.snapshot().table.interfaces() {
        let number = interface.link.index;
        // hrNetworkIfIndex
        let columns = [(1, integer(number))];
        instances.row(HR_NETWORK_ENTRY, &[device(NETWORK, number)], columns);
    }
}

pub(super) fn device(kind: u32, number: u32) -> u32 {
    (kind << INDEX_SHIFT).saturating_add(number)
}

fn network_devices(host: &Host, instances: &mut Instances) {
    let snapshot = host.interfaces.snapshot();
    for interface in snapshot.table.interfaces() {
        let link = &interface.link;
        let index = device(NETWORK, link.index);
        let status = match link.operational_state {
            OperationalState::Up => RUNNING,
            _ => DOWN,
        };
        let description = format!("network interface {}", link.name);
        let row = snapshot.table.row(link.index);
        let counters = row.and_then(|row| snapshot.table.counters(row));
        let errors = counters.map_or(0, |counters| {
            counters.rx_errors.wrapping_add(counters.tx_errors)
        });
        device_row(
            instances,
            index,
            NETWORK,
            &description,
            status,
            Some(errors),
        );
    }
}

pub(super) fn device_row(
    instances: &mut Instances,
    index: u32,
    kind: u32,
    description: &str,
    status: i32,
    errors: Option<u64>,
) {
    let columns = [
        // hrDeviceIndex, hrDeviceType, hrDeviceDescr, hrDeviceID, hrDeviceStatus
        (1, integer(index)),
        (2, object_identifier(&[HR_DEVICE_TYPES, &[kind]].concat())),
        (3, text(description)),
        (4, object_identifier(ZERO_DOT_ZERO)),
        (5, Value::Integer(status)),
    ];
    instances.row(HR_DEVICE_ENTRY, &[index], columns);
    // hrDeviceErrors
    let errors = errors.map(|errors| (6, counter(errors)));
    instances.row(HR_DEVICE_ENTRY, &[index], errors);
}

/// Seconds and hundredths of /proc/uptime, in hundredths.
pub(super) fn up_time(text: &str) -> u32 {
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    let (seconds, hundredths) = first.split_once('.').unwrap_or((first, "0"));
    let number = |digits: &str| digits.parse::<u64>().unwrap_or(0);
    let ticks = number(seconds)
        .wrapping_mul(100)
        .wrapping_add(number(hundredths));
    super::low_half(ticks)
}

/// The manufacturer and model of the first processor.
pub(super) fn model(text: &str) -> String {
    let find = |name| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(other, _)| other.trim_end() == name)
            .map(|(_, value)| value.trim())
    };
    match (find("vendor_id"), find("model name")) {
        (Some(vendor), Some(model)) => format!("{vendor}: {model}"),
        (_, Some(model)) => model.to_owned(),
        _ => "An electronic chip that makes the computer work.".to_owned(),
    }
}

/// The logins that utmp holds, or logind on hosts without utmp.
fn logins(root: &HostRoot) -> u64 {
    let utmp = ["run/utmp", "var/run/utmp"];
    match utmp.into_iter().find_map(|file| root.octets(file)) {
        Some(utmp) => users(&utmp),
        None => sessions(root),
    }
}

/// The sessions of users in logind's files. Those with a suffix are pipes.
fn sessions(root: &HostRoot) -> u64 {
    let names = root.names(SESSIONS).into_iter();
    let names = names.filter(|name| !name.contains('.'));
    let texts = names.filter_map(|name| root.text(Path::new(SESSIONS).join(name)));
    texts.filter(|text| is_login(text)).count() as u64
}

/// Whether a session is a user's, neither ending nor a service.
pub(super) fn is_login(session: &str) -> bool {
    let value = |key: &str| {
        let mut lines = session.lines();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
    };
    let class = value("CLASS").unwrap_or_default();
    (class == "user" || class.starts_with("user-")) && value("STATE") != Some("closing")
}

/// The logins that utmp holds.
pub(super) fn users(utmp: &[u8]) -> u64 {
    let records = utmp.chunks_exact(UTMP_RECORD);
    let types = records.filter_map(|record| record.first_chunk().copied());
    types
        .filter(|kind| i16::from_ne_bytes(*kind) == USER_PROCESS)
        .count() as u64
}

/// DateAndTime (RFC 2579) in UTC.
pub(super) fn date_and_time(now: Timespec) -> Vec<u8> {
    const DAY: i64 = 86_400;
    let (days, second) = (now.tv_sec.div_euclid(DAY), now.tv_sec.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let [high, low] = u16::try_from(year).unwrap_or(0).to_be_bytes();
    let tenths = now.tv_nsec / 100_000_000;
    let octet = |number: i64| u8::try_from(number).unwrap_or(0);
    let (hour, minute) = (octet(second / 3600), octet(second / 60 % 60));
    let time = [hour, minute, octet(second % 60), octet(tenths)];
    [&[high, low, octet(month), octet(day)][..], &time, b"+\0\0"].concat()
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
const fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March, so that leap days are at their end; 400 of them have 146097 days.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_780, (2026, 11, 23)),
        ] {
            assert_eq!(civil(days), expected);
        }
        let now = Timespec {
            tv_sec: 20_780 * 86_400 + 3661,
            tv_nsec: 950_000_000,
        };
        assert_eq!(date_and_time(now), [7, 234, 11, 23, 1, 1, 1, 9, b'+', 0, 0]);
    }

    #[test]
    fn up_time_runs_on_after_497_days() {
        assert_eq!(up_time("4904.13 9000.00\n"), 490_413);
        assert_eq!(up_time("42949672.97 1\n"), 1);
        assert_eq!(up_time(""), 0);
    }

    #[test]
    fn users_are_logins_alone() {
        let mut utmp = vec![0; 3 * UTMP_RECORD + 5];
        utmp[..2].copy_from_slice(&USER_PROCESS.to_ne_bytes());
        utmp[UTMP_RECORD..UTMP_RECORD + 2].copy_from_slice(&8_i16.to_ne_bytes());
        assert_eq!(users(&utmp), 1);
        assert_eq!(users(&[]), 0);
    }

    #[test]
    fn hosts_without_utmp_have_the_sessions_of_logind() {
        let directory = tempfile::tempdir().unwrap();
        let root = HostRoot::new(directory.path().to_owned());
        assert_eq!(logins(&root), 0);
        let sessions = directory.path().join(SESSIONS);
        std::fs::create_dir_all(&sessions).unwrap();
        for (name, text) in [
            ("1", "# private\nUID=0\nSTATE=active\nCLASS=user\n"),
            ("2", "CLASS=user-early\n"),
            ("3", "CLASS=manager\nSTATE=active\n"),
            ("4", "CLASS=user\nSTATE=closing\n"),
            ("5.ref", "CLASS=user\n"),
        ] {
            std::fs::write(sessions.join(name), text).unwrap();
        }
        assert_eq!(logins(&root), 2);
        std::fs::write(directory.path().join("run/utmp"), "").unwrap();
        assert_eq!(logins(&root), 0);
    }

    #[test]
    fn processors_are_named_as_far_as_they_are_known() {
        assert_eq!(model("vendor_id\t: A\nmodel name\t: B C \n"), "A: B C");
        assert_eq!(model("model name : B\n"), "B");
        assert!(model("odd").starts_with("An electronic chip"));
    }
}
