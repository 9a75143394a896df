use std::io::{self, Write};

use serde_json::{Value, json};

use super::page::{PlotPlace, escape, write_page};
use super::quantity::octets;
use super::session_tables::{kind, session_tables};
use super::table::Table;
use super::tables::{figures, is_burst, latencies, side_by_side, tables};
use crate::measurement::{ConfigurationResult, Estimate, Mode, Report};

/// Writes the report as one page: figures first, then plots, then tables, the environment at the end.
///
/// # Errors
/// If `output` takes no more.
pub fn write_html(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let subjects = report.environment.subjects.iter();
    let names: Vec<&str> = subjects.map(|subject| subject.name.as_str()).collect();
    let title = format!("SNMP bench: {}", names.join(" beside "));
    let plots = plots(report);
    let experiments: Vec<&Value> = plots.iter().map(|plot| &plot.data).collect();
    let data = json!({ "studies": [{ "name": STUDY, "experiments": experiments }] });
    write_page(&title, &data, output, |output| {
        body(report, &title, &plots, output)
    })
}

fn body(report: &Report, title: &str, plots: &[Plot], output: &mut dyn Write) -> io::Result<()> {
    let environment = &report.environment;
    writeln!(
        output,
        "<h1>{}</h1><p class=\"soft\">{} {} in {:.0} s.</p>",
        escape(title),
        escape(&report.question),
        escape(&environment.date),
        environment.duration
    )?;
    if !environment.optimised {
        writeln!(
            output,
            "<p class=\"warning\">Measured with a build without optimisation: good for trying out, not for figures.</p>"
        )?;
    }
    let headlines = figures(report);
    if !headlines.is_empty() {
        writeln!(output, "<h2>Figures</h2>")?;
        write_table(&headlines, output)?;
        writeln!(
            output,
            "<p class=\"soft\">Medians with 95 % intervals. The ratio is the first subject over the last, run by run in pairs.</p>"
        )?;
    }
    folded(
        "Side by side",
        &side_by_side(report),
        headlines.is_empty(),
        output,
    )?;
    writeln!(output, "<div class=\"pair\">")?;
    for plot in plots {
        let place = PlotPlace {
            study: STUDY,
            experiment: plot.data["id"].as_str().unwrap_or_default(),
            whose: "ours",
            heading: &plot.title,
            label: &plot.title,
            caption: plot.caption,
        };
        place.write(output)?;
    }
    writeln!(output, "</div><h2>Tables</h2>")?;
    for (title, table) in tables(report).into_iter().chain(session_tables(report)) {
        folded(title, &table, true, output)?;
    }
    for note in &report.notes {
        writeln!(output, "<p class=\"warning\">{}</p>", escape(note))?;
    }
    write_environment(report, output)
}

/// The name under which the plots find their data.
const STUDY: &str = "bench";

/// A plot with its data.
struct Plot {
    title: String,
    caption: &'static str,
    data: Value,
}

impl Plot {
    /// `None`, if there is nothing to draw.
    fn new(id: &str, title: &str, unit: &str, form: &Value, values: &[Value]) -> Option<Self> {
        let data = json!({
            "id": id, "unit": unit, "form": form, "theirs": [], "ours": values, "traces": [],
        });
        (!values.is_empty()).then(|| Self {
            title: title.to_owned(),
            caption: "",
            data,
        })
    }

    fn with_caption(self, caption: &'static str) -> Self {
        Self { caption, ..self }
    }
}

fn bars() -> Value {
    json!({ "kind": "bars" })
}

fn lines(x: (&str, bool), y: (&str, bool)) -> Value {
    let axis =
        |(label, is_logarithmic)| json!({ "label": label, "is_logarithmic": is_logarithmic });
    json!({ "kind": "lines", "x": axis(x), "y": axis(y) })
}

/// A point of a line.
fn point(subject: &str, series: &str, at: f64, value: f64) -> Value {
    json!({ "subject": subject, "series": series, "at": at, "value": value })
}

/// A bar with its interval.
fn bar(subject: &str, series: &str, at: &str, estimate: &Estimate) -> Value {
    json!({
        "subject": subject, "series": series, "at": at, "outliers": [],
        "value": estimate.value, "low": estimate.low, "high": estimate.high,
    })
}

fn plots(report: &Report) -> Vec<Plot> {
    let mut plots: Vec<Plot> = costs(report).into_iter().collect();
    plots.extend(sessions(report));
    plots.extend(memory(report));
    plots.extend(soak(report));
    let results: Vec<&ConfigurationResult> = latencies(report)
        .into_iter()
        .filter(|result| !result.curve.is_empty())
        .collect();
    let mut requests: Vec<String> = results.iter().map(|result| title(result)).collect();
    requests.dedup();
    for request in requests {
        let own = results.iter().filter(|result| title(result) == request);
        plots.extend(request_plots(&request, &own.copied().collect::<Vec<_>>()));
    }
    plots
}

/// Agent CPU for each request, beside the echo.
fn costs(report: &Report) -> Option<Plot> {
    let bursts = report.configurations.iter().filter(|one| is_burst(one));
    let mut values: Vec<Value> = bursts
        .filter_map(|result| {
            let (Mode::Burst { size }, Some(agent)) = (result.parameters.mode, result.agent) else {
                return None;
            };
            let factor = 1.0 / result.objects_per_exchange.max(1.0);
            let request = &result.parameters.request;
            let at = match &result.parameters.security {
                Some(security) => format!("get, v3 {security}, bursts of {size}"),
                None if request == "get" => format!("get, bursts of {size}"),
                None => format!("{request}, per object"),
            };
            let cpu = agent.cpu_per_exchange.scaled(factor);
            Some(bar(&result.parameters.subject, "agent", &at, &cpu))
        })
        .collect();
    let echoes = report.echoes.iter().map(|echo| {
        let at = format!("get, bursts of {}", echo.burst);
        bar("echo", "bare echo", &at, &echo.cpu_per_exchange)
    });
    values.extend(echoes);
    let title = "What a request costs the agent: CPU time of its process, v2c and v3 over UDP";
    Plot::new("costs", title, "us", &bars(), &values)
}

/// Numbers of exchanges at which the cost of a session is drawn.
const EXCHANGES: [f64; 12] = [
    1.0, 2.0, 5.0, 12.0, 20.0, 35.0, 60.0, 100.0, 200.0, 500.0, 1000.0, 2000.0,
];

fn sessions(report: &Report) -> Option<Plot> {
    let values = report.sessions.iter().flat_map(|result| {
        let [version, over, subject] = kind(result);
        let series = format!("{version}, {over}");
        EXCHANGES.map(|exchanges| {
            let cost = &result.time;
            let total = cost.fixed.value + exchanges * cost.marginal.value;
            point(&subject, &series, exchanges, total)
        })
    });
    let form = lines(("exchanges", true), ("us", true));
    let title = "Time of a session by its exchanges";
    let plot = Plot::new("sessions", title, "us", &form, &values.collect::<Vec<_>>())?;
    Some(plot.with_caption("From the opening to the close; where lines cross is the break-even."))
}

fn memory(report: &Report) -> Option<Plot> {
    let values = report.memory.iter().flat_map(|result| {
        let series = result.transport.to_string();
        let points = result.points.iter();
        points.map(move |one| {
            point(
                &result.subject,
                &series,
                one.sessions as f64,
                one.pss as f64 / 1e3,
            )
        })
    });
    let form = lines(("open sessions", false), ("kB", false));
    let title = "Memory (PSS) of the agent by open sessions";
    let plot = Plot::new("memory", title, "kB", &form, &values.collect::<Vec<_>>())?;
    Some(
        plot.with_caption(
            "An agent of its own for each transport; every session made one exchange.",
        ),
    )
}

fn soak(report: &Report) -> Option<Plot> {
    let soak = report.soak.as_ref()?;
    let samples = soak.samples.iter();
    let values = samples.map(|one| point(&soak.subject, "PSS", one.cpu, one.pss as f64 / 1e3));
    let form = lines(("CPU time of manager and agent, s", false), ("kB", false));
    let title = "Memory (PSS) of the agent while sessions over all transports come and go";
    Plot::new("soak", title, "kB", &form, &values.collect::<Vec<_>>())
}

fn title(result: &ConfigurationResult) -> String {
    match result.parameters.mode {
        Mode::Closed => result.parameters.request.clone(),
        other => format!("{}, {other}", result.parameters.request),
    }
}

/// Medians, distributions and latency over time of a request.
fn request_plots(request: &str, results: &[&ConfigurationResult]) -> Vec<Plot> {
    let (mut medians, mut curves, mut over_time) = (Vec::new(), Vec::new(), Vec::new());
    for result in results {
        let parameters = &result.parameters;
        let subject = &parameters.subject;
        let way = format!(
            "{} {}",
            parameters.version_and_security(),
            parameters.transport
        );
        let phases = &result.phases;
        if let Some(steady) = phases
            .steady_state
            .as_ref()
            .or(phases.first_exchange.as_ref())
        {
            medians.push(bar(subject, "p50", &way, &steady.p50));
            medians.push(bar(subject, "p99", &way, &steady.p99));
        }
        // The tail takes as much room as the middle.
        let below_one = result.curve.iter().filter(|point| point.probability < 1.0);
        curves.extend(below_one.map(|one| {
            let nines = -(1.0 - one.probability).log10();
            point(subject, &way, nines, one.latency)
        }));
        over_time.extend(result.runs.iter().filter_map(|run| {
            let phase = run.phases.steady_state.or(run.phases.first_exchange)?;
            Some(point(subject, &way, run.at_milliseconds / 1e3, phase.p50))
        }));
    }
    let id = |what: &str| format!("{what} {request}");
    let of = |what: &str| format!("Latency of {request}{what}");
    let nines = "share that took no longer: 1 is 90 %, 2 is 99 %";
    let plots = [
        Plot::new(&id("medians"), &of(""), "us", &bars(), &medians),
        Plot::new(
            &id("curves"),
            &of(", distribution"),
            "us",
            &lines((nines, false), ("us", true)),
            &curves,
        ),
        Plot::new(
            &id("time"),
            &of(" over the time of the run, median of each repetition"),
            "us",
            &lines(("s", false), ("us", false)),
            &over_time,
        ),
    ];
    plots.into_iter().flatten().collect()
}

/// A table that can be folded away.
fn folded(title: &str, table: &Table, open: bool, output: &mut dyn Write) -> io::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    let state = if open { " open" } else { "" };
    writeln!(
        output,
        "<details{state}><summary>{}</summary>",
        escape(title)
    )?;
    write_table(table, output)?;
    writeln!(output, "</details>")
}

fn write_table(table: &Table, output: &mut dyn Write) -> io::Result<()> {
    write!(output, "<div class=\"scroll\"><table>")?;
    let head = std::iter::once(("th", table.header()));
    let rows = table.rows().iter().map(|row| ("td", row.as_slice()));
    for (tag, row) in head.chain(rows) {
        write!(output, "<tr>")?;
        for (column, cell) in row.iter().enumerate() {
            let side = match column < table.left_columns() {
                true => " class=\"left\"",
                false => "",
            };
            write!(output, "<{tag}{side}>{}</{tag}>", escape(cell))?;
        }
        write!(output, "</tr>")?;
    }
    writeln!(output, "</table></div>")
}

/// Where and with what it was measured.
fn write_environment(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let environment = &report.environment;
    let (start, end) = (environment.load_at_start, environment.load_at_end);
    let governor = environment.governor.as_deref();
    let mut rows = vec![
        ("date", environment.date.clone()),
        (
            "processor",
            format!("{}, {} cores", environment.processor, environment.cores),
        ),
        (
            "governor",
            governor.unwrap_or("not reported by the kernel").to_owned(),
        ),
        ("kernel", environment.kernel.clone()),
        ("memory", octets(environment.memory as f64)),
        (
            "load average",
            format!("{start} at the start, {end} at the end"),
        ),
        ("interfaces", environment.interfaces.to_string()),
        (
            "laboratory",
            format!("varbind {}, {}", environment.varbind, environment.rustc),
        ),
        ("seed", environment.seed.to_string()),
    ];
    let subjects = environment.subjects.iter();
    rows.extend(subjects.map(|one| {
        let told = format!("{} {} ({})", one.name, one.version, one.origin);
        ("subject", told)
    }));
    let processes = report.processes.iter();
    rows.extend(processes.map(|process| ("command", process.command.clone())));
    write!(output, "<h2>Environment</h2><dl>")?;
    for (name, value) in rows {
        write!(output, "<dt>{name}</dt><dd>{}</dd>", escape(&value))?;
    }
    writeln!(output, "</dl>")
}
