//! A host in three lines, as snmpstatus shows it.

use std::fmt::Write;

use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::{Command, WalkOptions};
use varbind_mib::{Mib, OutputOptions, escape_controls};
use varbind_terminal::{Failure, object_names};

use crate::arguments::SessionArguments;
use crate::fleet;
use crate::output::Sink;
use crate::session::{self, Session};

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

/// Counters of packets of an interface, received and sent.
const PACKETS: [[&str; 3]; 2] = [
    [
        "ifHCInUcastPkts",
        "ifHCInMulticastPkts",
        "ifHCInBroadcastPkts",
    ],
    [
        "ifHCOutUcastPkts",
        "ifHCOutMulticastPkts",
        "ifHCOutBroadcastPkts",
    ],
];
const UP: i32 = 1;

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
        let states = column(&mut session, &mib, "ifOperStatus")?;
        let mut packets = Vec::new();
        for columns in PACKETS {
            let mut sum = 0_u64;
            for name in columns {
                let counters = column(&mut session, &mib, name)?;
                let counters = counters.iter().filter_map(number);
                sum = counters.fold(sum, u64::saturating_add);
            }
            packets.push(sum);
        }
        let up = states.iter().filter(|state| **state == Value::Integer(UP));
        let (up, all) = (up.count(), states.len());
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

/// The values of a column; none if the agent has no such column.
fn column(session: &mut Session, mib: &Mib, name: &str) -> Result<Vec<Value>, Failure> {
    let root = object_names::name(mib, name)?;
    let mut values = Vec::new();
    session.walk(&root, WalkOptions::default(), |objects| {
        values.extend(objects.iter().map(|object| object.value.clone()));
        std::ops::ControlFlow::Continue(())
    })?;
    values.retain(|value| !value.as_value_ref().is_exception());
    Ok(values)
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
