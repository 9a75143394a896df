use std::io::{self, Write};

use crate::measurement::{Report, RunResult, SecurityParameters, TransportKind};

const HEADER: &str = "subject,version,security,transport,resumed,request,mode,sessions,exchanges,repetition,at_ms,\
phase,n,mean_us,p50_us,p90_us,p99_us,max_us,response_time_us,rate_per_s,manager_cpu_us,agent_cpu_us";

/// What the rows of one configuration have in common.
struct Head<'a> {
    subject: &'a str,
    version: &'a str,
    security: Option<&'a SecurityParameters>,
    transport: TransportKind,
    is_resumed: bool,
    request: &'a str,
    mode: String,
    sessions: u32,
    exchanges: u32,
}

/// Writes one row for each phase of each repetition of each configuration and each kind of session.
///
/// # Errors
/// If `output` takes no more.
pub fn write_csv(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{HEADER}")?;
    for result in &report.configurations {
        let parameters = &result.parameters;
        let head = Head {
            subject: &parameters.subject,
            version: &parameters.version,
            security: parameters.security.as_ref(),
            transport: parameters.transport,
            is_resumed: parameters.is_resumed,
            request: &parameters.request,
            mode: parameters.mode.to_string(),
            sessions: parameters.sessions,
            exchanges: parameters.exchanges,
        };
        head.write(&result.runs, output)?;
    }
    for result in &report.sessions {
        for length in &result.runs {
            let head = Head {
                subject: &result.subject,
                version: &result.version,
                security: result.security.as_ref(),
                transport: result.transport,
                is_resumed: result.is_resumed,
                request: "get",
                mode: "session".into(),
                sessions: length.sessions,
                exchanges: length.exchanges,
            };
            head.write(&length.runs, output)?;
        }
    }
    Ok(())
}

impl Head<'_> {
    fn write(&self, runs: &[RunResult], output: &mut dyn Write) -> io::Result<()> {
        let security = self.security.map_or_else(String::new, |security| {
            let derives = if security.derives_per_session {
                " from passwords"
            } else {
                ""
            };
            format!("{security}{derives}")
        });
        let cells = [
            self.subject,
            self.version,
            &security,
            &self.transport.to_string(),
            if self.is_resumed { "yes" } else { "no" },
            self.request,
            &self.mode,
        ];
        let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
        let head = format!("{},{},{}", cells.join(","), self.sessions, self.exchanges);
        for (repetition, run) in runs.iter().enumerate() {
            write_run(&head, repetition, run, output)?;
        }
        Ok(())
    }
}

fn write_run(
    head: &str,
    repetition: usize,
    run: &RunResult,
    output: &mut dyn Write,
) -> io::Result<()> {
    for (phase, summary) in run.phases.iter() {
        write!(
            output,
            "{head},{repetition},{:.3},{phase},{}",
            run.at_milliseconds, summary.n,
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
    Ok(())
}

/// RFC 4180 section 2: quotes around a field with a comma or a quote, quotes in it doubled.
pub(crate) fn csv_cell(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
