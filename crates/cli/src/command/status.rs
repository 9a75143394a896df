//! A host in three lines, as snmpstatus shows it.

use std::fmt::Write;

use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::Command;
use varbind_mib::{Mib, OutputOptions, escape_controls};
use varbind_terminal::{Failure, object_names};

use super::packets::{PACKET_COLUMNS, received, sent};
use crate::arguments::SessionArguments;
use crate::output::Sink;
use crate::session::Row;
use crate::{fleet, session};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,
}

const SCALARS: [&str; 4] = [
    "sysDescr.0",
    "sysUpTime.0",
    "ipSystemStatsHCInReceives.ipv4",
    "ipSystemStatsHCOutRequests.ipv4",
];

/// ifOperStatus.
const UP: u64 = 1;

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(&mut self.session)
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = Mib::builtin();
        let mut session = session::open(&self.session)?;
        let names: Result<Vec<Oid>, Failure> = SCALARS
            .iter()
            .map(|name| object_names::name(&mib, name))
            .collect();
        let response = session.request(Command::Get(&names?))?;
        if response.error_status != ErrorStatus::NoError {
            let options = OutputOptions::default();
            let none = std::iter::empty();
            let text = session::error_text(&self.session, &mib, &options, &response, none);
            return Err(Failure::ErrorStatus(text));
        }
        let mut sink = Sink::new();
        let out = &mut sink.text;
        let target = &self.session.target;
        let mut values = response.var_binds.iter().map(|object| &object.value);
        let description = match values.next() {
            Some(Value::OctetString(octets)) => String::from_utf8_lossy(octets).into_owned(),
            _ => "no description".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = write!(out, "{target}: {}, up ", escape_controls(&description));
        match values.next() {
            Some(Value::TimeTicks(ticks)) => out.push_str(&up_time(*ticks)),
            _ => out.push_str("for an unknown time"),
        }
        out.push('\n');
        let counts: Vec<u64> = values.filter_map(number).collect();
        let states = session.columns(&mib, &["ifOperStatus"])?;
        let packets = session.columns(&mib, &PACKET_COLUMNS)?;
        let sum = |of: fn(Row<'_>) -> Option<u64>| {
            let counters = packets.rows().filter_map(|(_, row)| of(row));
            counters.fold(0, u64::saturating_add)
        };
        let packets = [sum(received), sum(sent)];
        let is_up = states.rows().map(|(_, row)| row.number(0) == Some(UP));
        let is_up: Vec<bool> = is_up.collect();
        let (up, all) = (is_up.iter().filter(|up| **up).count(), is_up.len());
        let _ = writeln!(out, "interfaces: {all}, {} not up", all - up);
        let shown = |numbers: &[u64]| match numbers {
            [received, sent] => format!("{received} received, {sent} sent"),
            _ => "not known".to_owned(),
        };
        let _ = writeln!(
            out,
            "packets: {}; IPv4: {}",
            shown(&packets),
            shown(&counts)
        );
        sink.write()?;
        Ok(())
    }
}

/// Hundredths of a second, as 2 days, 3:04:05.06.
pub(crate) fn up_time(ticks: u32) -> String {
    let (seconds, hundredths) = (ticks / 100, ticks % 100);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600 % 24);
    let time = format!("{hours}:{minutes:02}:{:02}.{hundredths:02}", seconds % 60);
    match seconds / 86_400 {
        0 => time,
        1 => format!("1 day, {time}"),
        days => format!("{days} days, {time}"),
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Counter32(number) | Value::Gauge32(number) => Some(u64::from(*number)),
        Value::Counter64(number) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_shown_from_the_first_one_on() {
        for (ticks, shown) in [
            (151, "0:00:01.51"),
            (8_640_000, "1 day, 0:00:00.00"),
            (u32::MAX, "497 days, 2:27:52.95"),
        ] {
            assert_eq!(up_time(ticks), shown);
        }
    }
}
