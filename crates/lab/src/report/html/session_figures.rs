use std::io::{self, Write};

use super::sections::{class, subjects};
use crate::measurement::{Report, SessionResult};
use crate::report::plot::{Axis, Line, lines, time};
use crate::report::quantity::{number, octets};
use crate::report::session_tables::transport;

/// Numbers of exchanges at which the cost of a session is drawn.
const EXCHANGES: [f64; 16] = [
    1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 35.0, 60.0, 100.0, 170.0, 300.0, 500.0, 800.0, 1300.0,
    2000.0,
];

const COUNT: Axis = Axis {
    is_logarithmic: true,
    text: number,
};
const TIME: Axis = Axis {
    is_logarithmic: true,
    text: time,
};
const OCTETS: Axis = Axis {
    is_logarithmic: false,
    text: octets,
};

/// The cost of sessions by their exchanges, and the memory that they take.
pub(super) fn sessions(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    if report.sessions.is_empty() && report.memory.is_empty() {
        return Ok(());
    }
    let names = subjects(report);
    writeln!(output, "<h2>Whole sessions</h2><div class=\"grid-2\">")?;
    for name in &names {
        let of_subject = report.sessions.iter().filter(|one| one.subject == *name);
        let costs: Vec<Line> = of_subject
            .enumerate()
            .map(|(at, result)| cost_line(at, result))
            .collect();
        if costs.is_empty() {
            continue;
        }
        writeln!(
            output,
            "<figure><h3>{}: time of a session by its exchanges</h3>{}<figcaption>From the opening to the close; where lines \
             cross is the break-even.</figcaption></figure>",
            crate::report::plot::escape(name),
            lines(&costs, COUNT, TIME, "time of a session by its exchanges")
        )?;
    }
    let memory: Vec<Line> = report
        .memory
        .iter()
        .map(|result| Line {
            label: format!("{} {}", result.transport, result.subject),
            class: format!("{} {}", class(&names, &result.subject), result.transport),
            points: result
                .points
                .iter()
                .map(|point| (point.sessions as f64, point.pss as f64))
                .collect(),
        })
        .collect();
    if !memory.is_empty() {
        let across = Axis {
            is_logarithmic: false,
            text: number,
        };
        writeln!(
            output,
            "<figure><h3>Memory (PSS) of the agent by open sessions</h3>{}<figcaption>An agent of its own for each \
             transport; every session made one exchange.</figcaption></figure>",
            lines(&memory, across, OCTETS, "memory (PSS) by open sessions")
        )?;
    }
    writeln!(output, "</div>")
}

fn cost_line(at: usize, result: &SessionResult) -> Line {
    let cost = &result.time;
    Line {
        label: format!("{} {}", transport(result), short_version(result)),
        class: format!("s{} {}", at % 4, result.transport),
        points: EXCHANGES
            .iter()
            .map(|&exchanges| {
                let total = cost.fixed.value + exchanges * cost.marginal.value;
                (exchanges, total)
            })
            .collect(),
    }
}

/// Short enough to stand at the end of a line.
fn short_version(result: &SessionResult) -> String {
    match &result.security {
        None => result.version.clone(),
        Some(security) if security.derives_per_session => {
            format!("{}, passwords", security.model)
        }
        Some(security) => security.model.clone(),
    }
}

/// The agent's memory over a soak.
pub(super) fn soak(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let Some(soak) = &report.soak else {
        return Ok(());
    };
    let line = Line {
        label: soak.subject.clone(),
        class: class(&subjects(report), &soak.subject),
        points: soak
            .samples
            .iter()
            .map(|sample| (sample.cpu * 1e6, sample.pss as f64))
            .collect(),
    };
    let across = Axis {
        is_logarithmic: false,
        text: time,
    };
    writeln!(
        output,
        "<h2>Soak</h2><figure><h3>Memory (PSS) of the agent</h3>{}<figcaption>Over the CPU time of manager and agent; \
         sessions over all transports come and go.</figcaption></figure>",
        lines(&[line], across, OCTETS, "memory (PSS) over the soak")
    )
}
