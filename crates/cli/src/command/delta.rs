//! How fast counters grow, as snmpdelta shows it.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::Command;
use varbind_mib::{Mib, OutputOptions, format_name, format_var_bind};
use varbind_terminal::Failure;
use varbind_terminal::arguments::seconds;

use crate::arguments::{OutputArguments, SessionArguments};
use crate::output::Sink;
use crate::{fleet, session};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Counters and gauges, as ifHCInOctets.2
    #[arg(value_name = "OID", required = true)]
    names: Vec<String>,

    /// Ask this often
    #[arg(short = 'i', long, value_name = "SECONDS", value_parser = seconds, default_value = "1", help_heading = "Request")]
    interval: Duration,

    /// End after this number of differences [default: run until Ctrl-C]
    #[arg(long, value_name = "N", help_heading = "Request")]
    count: Option<u64>,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(&mut self.session)
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let names = session::requested_names(&self.session, &mib, &self.names)?;
        let mut session = session::open(&self.session)?;
        let mut before: Option<(Instant, Vec<VarBind>)> = None;
        let mut shown = 0;
        while self.count.is_none_or(|count| shown < count) {
            let start = Instant::now();
            let response = session.request(Command::Get(&names))?;
            if response.error_status != ErrorStatus::NoError {
                let text =
                    session::error_text(&self.session, &mib, &options, &response, names.iter());
                return Err(Failure::ErrorStatus(text));
            }
            if let Some(missing) = response
                .var_binds
                .iter()
                .find(|object| object.value.as_value_ref().is_exception())
            {
                let mut text = format!("{}: ", self.session.target);
                let (name, value) = (missing.name.arcs(), missing.value.as_value_ref());
                format_var_bind(&mib, &options, name, value, &mut text);
                return Err(Failure::ErrorStatus(text));
            }
            let now = Instant::now();
            if let Some((then, former)) = &before {
                let mut sink = Sink::new();
                let elapsed = now - *then;
                for (former, object) in former.iter().zip(&response.var_binds) {
                    append(&mib, &options, former, object, elapsed, &mut sink.text);
                }
                sink.write()?;
                shown += 1;
            }
            before = Some((now, response.var_binds));
            if self.count.is_none_or(|count| shown < count) {
                thread::sleep(self.interval.saturating_sub(start.elapsed()));
            }
        }
        Ok(())
    }
}

fn append(
    mib: &Mib,
    options: &OutputOptions,
    former: &VarBind,
    object: &VarBind,
    elapsed: Duration,
    out: &mut String,
) {
    format_name(mib, options, object.name.arcs(), out);
    // Writing to a String cannot fail.
    let _ = match difference(&former.value, &object.value) {
        Difference::Growth(growth) => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a rate is no more precise than its time"
            )]
            let rate = growth as f64 / elapsed.as_secs_f64();
            writeln!(out, ": {growth} ({rate:.1} per second)")
        }
        Difference::Restart => writeln!(out, ": the counter began anew"),
        Difference::NotANumber => writeln!(out, ": no counter, and no number"),
    };
}

/// What became of a number.
#[derive(Debug, PartialEq, Eq)]
enum Difference {
    Growth(i128),
    /// A counter of 64 bits never wraps in practice.
    Restart,
    NotANumber,
}

/// How much a number has grown. A counter of 32 bits may wrap once.
fn difference(former: &Value, now: &Value) -> Difference {
    match (former, now) {
        (Value::Counter32(former), Value::Counter32(now)) => {
            Difference::Growth(now.wrapping_sub(*former).into())
        }
        (Value::Counter64(former), Value::Counter64(now)) => now
            .checked_sub(*former)
            .map_or(Difference::Restart, |growth| {
                Difference::Growth(growth.into())
            }),
        (Value::Gauge32(former), Value::Gauge32(now))
        | (Value::TimeTicks(former), Value::TimeTicks(now)) => {
            Difference::Growth(i128::from(*now) - i128::from(*former))
        }
        (Value::Integer(former), Value::Integer(now)) => {
            Difference::Growth(i128::from(*now) - i128::from(*former))
        }
        _ => Difference::NotANumber,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_32_bits_wrap_and_others_begin_anew() {
        let wrapped = (Value::Counter32(u32::MAX), Value::Counter32(9));
        assert_eq!(difference(&wrapped.0, &wrapped.1), Difference::Growth(10));
        let fallen = (Value::Counter64(10), Value::Counter64(9));
        assert_eq!(difference(&fallen.0, &fallen.1), Difference::Restart);
        let gauge = (Value::Gauge32(10), Value::Gauge32(9));
        assert_eq!(difference(&gauge.0, &gauge.1), Difference::Growth(-1));
        let none = (Value::Null, Value::NoSuchObject);
        assert_eq!(difference(&none.0, &none.1), Difference::NotANumber);
    }
}
