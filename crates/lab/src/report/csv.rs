use std::io::{self, Write};

use crate::measurement::{Report, RunResult, SecurityParameters, TransportKind};

const HEADER: [&str; 22] = [
    "subject",
    "version",
    "security",
    "transport",
    "resumed",
    "request",
    "mode",
    "sessions",
    "exchanges",
    "repetition",
    "at_ms",
    "phase",
    "n",
    "mean_us",
    "p50_us",
    "p90_us",
    "p99_us",
    "max_us",
    "response_time_us",
    "rate_per_s",
    "manager_cpu_us",
    "agent_cpu_us",
];

/// Writes one row for each phase of each repetition of each configuration and each kind of session.
///
/// # Errors
/// If `output` takes no more.
pub fn write_csv(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(output);
    rows.write_record(HEADER)?;
    for result in &report.configurations {
        let one = &result.parameters;
        let (mode, lengths) = (one.mode.to_string(), (one.sessions, one.exchanges));
        let kind = kind(
            &one.version,
            one.security.as_ref(),
            one.transport,
            one.is_resumed,
        );
        let head = head(&one.subject, kind, &one.request, &mode, lengths);
        write_runs(&head, &result.runs, &mut rows)?;
    }
    for one in &report.sessions {
        for length in &one.runs {
            let lengths = (length.sessions, length.exchanges);
            let kind = kind(
                &one.version,
                one.security.as_ref(),
                one.transport,
                one.is_resumed,
            );
            let head = head(&one.subject, kind, "get", "session", lengths);
            write_runs(&head, &length.runs, &mut rows)?;
        }
    }
    rows.flush()
}

fn kind(
    version: &str,
    security: Option<&SecurityParameters>,
    transport: TransportKind,
    is_resumed: bool,
) -> [String; 4] {
    let security = security.map_or_else(String::new, |security| {
        let derives = match security.derives_per_session {
            true => " from passwords",
            false => "",
        };
        format!("{security}{derives}")
    });
    let resumed = if is_resumed { "yes" } else { "no" };
    [
        version.to_owned(),
        security,
        transport.to_string(),
        resumed.to_owned(),
    ]
}

/// What the rows of one configuration have in common.
fn head(
    subject: &str,
    kind: [String; 4],
    request: &str,
    mode: &str,
    (sessions, exchanges): (u32, u32),
) -> Vec<String> {
    let mut head = vec![subject.to_owned()];
    head.extend(kind);
    head.extend([request.to_owned(), mode.to_owned()]);
    head.extend([sessions, exchanges].map(|count| count.to_string()));
    head
}

fn write_runs<W: Write>(
    head: &[String],
    runs: &[RunResult],
    rows: &mut csv::Writer<W>,
) -> io::Result<()> {
    let number = |value: f64| format!("{value:.3}");
    for (repetition, run) in runs.iter().enumerate() {
        for (phase, summary) in run.phases.iter() {
            let mut row = head.to_vec();
            row.extend([repetition.to_string(), number(run.at_milliseconds)]);
            row.extend([phase.to_owned(), summary.n.to_string()]);
            let times = [
                summary.mean,
                summary.p50,
                summary.p90,
                summary.p99,
                summary.maximum,
            ];
            let whole = [run.response_time, run.rate, run.manager_cpu];
            row.extend(times.into_iter().chain(whole).map(number));
            row.push(run.agent_cpu.map_or_else(String::new, number));
            rows.write_record(row)?;
        }
    }
    Ok(())
}
