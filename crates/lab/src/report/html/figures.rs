use std::io::{self, Write};

use super::sections::{class, subjects};
use crate::measurement::{ConfigurationResult, Mode, Quantile, Report, TransportKind};
use crate::report::plot::{
    Bar, BarGroup, BoxRow, Curve, Points, bar_chart, box_plot, distribution, escape, scatter,
};
use crate::report::tables::{is_burst, latencies};

/// Agent CPU for each request, beside the echo.
pub(super) fn costs(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let names = subjects(report);
    let mut groups: Vec<BarGroup> = Vec::new();
    for result in report
        .configurations
        .iter()
        .filter(|result| is_burst(result))
    {
        let (Mode::Burst { size }, Some(agent)) = (result.parameters.mode, result.agent) else {
            continue;
        };
        let is_get = result.parameters.request == "get";
        let security = &result.parameters.security;
        let factor = 1.0 / result.objects_per_exchange.max(1.0);
        let cpu = agent.cpu_per_exchange.scaled(factor);
        let label = if let Some(security) = security {
            format!("get, v3 {security}, bursts of {size}")
        } else if is_get {
            format!("get, bursts of {size}")
        } else {
            format!("{}, per object", result.parameters.request)
        };
        let bar = Bar {
            label: result.parameters.subject.clone(),
            class: class(&names, &result.parameters.subject),
            value: cpu.value,
            interval: (cpu.low, cpu.high),
        };
        match groups.iter_mut().find(|group| group.label == label) {
            Some(group) => group.bars.push(bar),
            None => groups.push(BarGroup {
                label,
                bars: vec![bar],
                floor: report
                    .echoes
                    .iter()
                    .find(|echo| is_get && security.is_none() && echo.burst == size)
                    .map(|echo| echo.cpu_per_exchange.value),
            }),
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(
        output,
        "<h2>What a request costs the agent</h2><figure>{}<figcaption>CPU time of the agent's process, v2c and v3 over UDP, \
         black ticks are 95 % intervals, the dashed line is a bare echo of the same \
         datagrams.</figcaption></figure>",
        bar_chart(&groups, "us", "CPU time of the agent for each request")
    )
}

/// Distributions and latency over time, for each request.
pub(super) fn requests(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let names = subjects(report);
    let results: Vec<&ConfigurationResult> = latencies(report)
        .into_iter()
        .filter(|result| !result.curve.is_empty())
        .collect();
    let mut requests: Vec<String> = results.iter().map(|result| title(result)).collect();
    requests.dedup();
    for request in requests {
        let group: Vec<&ConfigurationResult> = results
            .iter()
            .copied()
            .filter(|result| title(result) == request)
            .collect();
        writeln!(output, "<h2>Latency of {}</h2>", escape(&request))?;
        legend(&names, &group, output)?;
        writeln!(
            output,
            "<div class=\"grid-2\"><figure><h3>{}</h3>{}<figcaption>Box p25 to p75, bar p50, whiskers \
             minimum to p99; logarithmic.</figcaption></figure>\
             <figure><h3>Share of exchanges that took no longer</h3>{}<figcaption>The upper axis counts nines: the \
             tail takes as much room as the middle.</figcaption></figure></div>",
            phase(&group),
            box_plot(
                &boxes(&group, &names),
                &format!("latency of {request}, boxes")
            ),
            distribution(
                &curves(&group, &names),
                &format!("latency of {request}, distribution")
            ),
        )?;
        let points: Vec<Points<'_>> = group
            .iter()
            .map(|result| Points {
                class: class(&names, &result.parameters.subject),
                samples: &result.samples,
            })
            .collect();
        writeln!(
            output,
            "<figure style=\"margin-top:16px\"><h3>Over the time of the run</h3>{}<figcaption>Some of the samples and \
             the slowest of each repetition; first exchanges included.</figcaption></figure>",
            scatter(&points, &format!("latency of {request} over time"))
        )?;
    }
    Ok(())
}

/// Which phase the plots show.
fn phase(group: &[&ConfigurationResult]) -> &'static str {
    let steady = |result: &&ConfigurationResult| result.phases.steady_state.is_some();
    if group.iter().any(steady) {
        "Steady state"
    } else {
        "First exchange of each session"
    }
}

fn title(result: &ConfigurationResult) -> String {
    match result.parameters.mode {
        Mode::Closed => result.parameters.request.clone(),
        other => format!("{}, {other}", result.parameters.request),
    }
}

fn legend(
    names: &[String],
    group: &[&ConfigurationResult],
    output: &mut dyn Write,
) -> io::Result<()> {
    write!(output, "<div class=\"legend\">")?;
    for name in names {
        write!(
            output,
            "<span class=\"{}\"><i></i>{}</span>",
            class(names, name),
            escape(name)
        )?;
    }
    let over_tcp =
        |result: &&ConfigurationResult| result.parameters.transport == TransportKind::Tcp;
    if group.iter().any(over_tcp) {
        write!(
            output,
            "<span class=\"soft\"><i></i>UDP</span><span class=\"soft\"><i class=\"dashed\"></i>TCP</span>"
        )?;
    }
    writeln!(output, "</div>")
}

fn boxes(group: &[&ConfigurationResult], names: &[String]) -> Vec<BoxRow> {
    group
        .iter()
        .map(|result| {
            let parameters = &result.parameters;
            let phases = &result.phases;
            let summary = phases
                .steady_state
                .as_ref()
                .or(phases.first_exchange.as_ref());
            let p99 = summary.map_or(0.0, |summary| summary.p99.value);
            let minimum = summary.map_or(0.0, |summary| summary.minimum);
            let at = |probability| latency_at(&result.curve, probability);
            BoxRow {
                group: format!(
                    "{} {}",
                    parameters.version_and_security(),
                    parameters.transport
                ),
                label: parameters.subject.clone(),
                class: class(names, &parameters.subject),
                points: [minimum, at(0.25), at(0.5), at(0.75), p99],
            }
        })
        .collect()
}

fn curves<'a>(group: &[&'a ConfigurationResult], names: &[String]) -> Vec<Curve<'a>> {
    group
        .iter()
        .map(|result| {
            let parameters = &result.parameters;
            Curve {
                label: format!(
                    "{} {} {}",
                    parameters.version_and_security(),
                    parameters.transport,
                    parameters.subject
                ),
                class: format!(
                    "{} {}",
                    class(names, &parameters.subject),
                    parameters.transport
                ),
                points: &result.curve,
            }
        })
        .collect()
}

/// The latency at the first point of the curve that is not below a share.
fn latency_at(curve: &[Quantile], probability: f64) -> f64 {
    curve
        .iter()
        .find(|point| point.probability >= probability)
        .or(curve.last())
        .map_or(0.0, |point| point.latency)
}
