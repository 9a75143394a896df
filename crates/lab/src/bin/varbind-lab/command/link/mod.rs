//! `varbind link`: runs programs at both ends of an emulated link.

mod arguments;
mod programs;

use std::io::Write;
use std::process::ExitStatus;

use varbind_lab::link::{
    ChannelStatistics, Lane, Link, LinkDevice, LinkError, LinkReport, enter_user_namespace,
};
use varbind_terminal::Failure;

pub(crate) use arguments::Arguments;

use crate::ending_signals::EndingSignals;
use programs::{FarProgram, NearProgram, Running};

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let options = self.options()?;
        // Before any thread is started.
        enter_user_namespace().map_err(|error| failure(&error))?;
        let link = Link::open(&options).map_err(|error| failure(&error))?;
        let running = Running::default();
        let signals = Self::handle_signals(running.clone())?;
        let far = self.far.as_deref();
        let mut far = far
            .map(|line| FarProgram::start(link.far(), line))
            .transpose()?;
        if let Some(far) = &mut far {
            far.settle(self.settle, || signals.exit_code().is_some())?;
        }
        if let Some(code) = signals.exit_code() {
            return Err(Failure::ReportedWith(code));
        }
        let near = NearProgram::start(link.near(), &self.command, running)?;
        let status = near.wait()?;
        if let Some(far) = far {
            far.stop();
        }
        let device = link.device();
        let report = link.close().map_err(|error| failure(&error))?;
        self.show(&report, device)?;
        pass_on(status)
    }

    /// Signals are for the near end: when that has ended, the far end is ended too, and what passed is told. Who asks again
    /// gets less patience.
    fn handle_signals(running: Running) -> Result<EndingSignals, Failure> {
        let mut is_first = true;
        let signals = EndingSignals::handle(move |signal| {
            if std::mem::take(&mut is_first) {
                running.pass_on(signal);
            } else {
                running.kill();
            }
        });
        Ok(signals?)
    }

    fn show(&self, report: &LinkReport, device: LinkDevice) -> Result<(), Failure> {
        let mut output = std::io::stderr().lock();
        if self.json {
            writeln!(output, "{}", json(report, device))?;
            return Ok(());
        }
        for (statistics, lane) in report.lanes.iter().zip(1..) {
            let name = if report.lanes.len() == 1 {
                String::new()
            } else {
                format!("lane {lane}, ")
            };
            writeln!(
                output,
                "link: {name}forward: {}",
                in_words(&statistics.forward)
            )?;
            writeln!(
                output,
                "link: {name}backward: {}",
                in_words(&statistics.backward)
            )?;
        }
        writeln!(
            output,
            "link: packets were passed on {:?} (median) and {:?} (p99) later than due",
            report.lateness.quantile(0.5),
            report.lateness.quantile(0.99),
        )?;
        Ok(())
    }
}

fn in_words(channel: &ChannelStatistics) -> String {
    let mut text = format!("{} packets, {} octets", channel.packets, channel.octets);
    for (count, what) in [
        (channel.lost, "lost"),
        (channel.dropped, "dropped by the queue"),
        (channel.duplicated, "duplicated"),
        (channel.reordered, "reordered"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

fn json(report: &LinkReport, device: LinkDevice) -> serde_json::Value {
    let channel = |channel: &ChannelStatistics| {
        serde_json::json!({
            "packets": channel.packets,
            "octets": channel.octets,
            "lost": channel.lost,
            "dropped": channel.dropped,
            "duplicated": channel.duplicated,
            "reordered": channel.reordered,
        })
    };
    let lanes: Vec<_> = report
        .lanes
        .iter()
        .zip(1..)
        .filter_map(|(statistics, number)| Some((statistics, Lane::new(number)?)))
        .map(|(statistics, lane)| {
            serde_json::json!({
                "near": lane.near(),
                "far": lane.far(),
                "forward": channel(&statistics.forward),
                "backward": channel(&statistics.backward),
            })
        })
        .collect();
    serde_json::json!({
        "device": device.to_string(),
        "lanes": lanes,
        "lateness_seconds": {
            "median": report.lateness.quantile(0.5).as_secs_f64(),
            "p99": report.lateness.quantile(0.99).as_secs_f64(),
            "max": report.lateness.most().as_secs_f64(),
        },
    })
}

/// The program's end is ours.
fn pass_on(status: ExitStatus) -> Result<(), Failure> {
    use std::os::unix::process::ExitStatusExt;
    if status.success() {
        return Ok(());
    }
    // As shells have it.
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    Err(Failure::ReportedWith(
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
    ))
}

fn failure(error: &LinkError) -> Failure {
    match error {
        LinkError::Denied { .. } => Failure::Skipped(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    }
}
