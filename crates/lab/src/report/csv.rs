use std::io::{self, Write};

use crate::measurement::Report;

const HEADER: &str = "subject,version,security,transport,request,mode,sessions,exchanges,repetition,at_ms,\
phase,n,mean_us,p50_us,p90_us,p99_us,max_us,response_time_us,rate_per_s,manager_cpu_us,agent_cpu_us";

/// Writes one row for each phase of each repetition of each configuration.
///
/// # Errors
/// If `output` takes no more.
pub fn write_csv(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{HEADER}")?;
    for result in &report.configurations {
        let parameters = &result.parameters;
        for (repetition, run) in result.runs.iter().enumerate() {
            for (phase, summary) in run.phases.iter() {
                let head = [
                    parameters.subject.clone(),
                    parameters.version.clone(),
                    parameters
                        .security
                        .as_ref()
                        .map_or_else(String::new, ToString::to_string),
                    parameters.transport.to_string(),
                    parameters.request.clone(),
                    parameters.mode.to_string(),
                ];
                let head: Vec<String> = head.iter().map(|cell| quoted(cell)).collect();
                write!(
                    output,
                    "{},{},{},{repetition},{:.3},{phase},{}",
                    head.join(","),
                    parameters.sessions,
                    parameters.exchanges,
                    run.at_milliseconds,
                    summary.n,
                )?;
                for value in [
                    summary.mean,
                    summary.p50,
                    summary.p90,
                    summary.p99,
                    summary.maximum,
                    run.response_time,
                    run.rate,
                    run.manager_cpu,
                ] {
                    write!(output, ",{value:.3}")?;
                }
                match run.agent_cpu {
                    Some(cpu) => writeln!(output, ",{cpu:.3}")?,
                    None => writeln!(output, ",")?,
                }
            }
        }
    }
    Ok(())
}

/// RFC 4180 section 2: quotes around a field with a comma or a quote, quotes in it doubled.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
