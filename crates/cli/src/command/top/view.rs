//! How it is drawn.

use std::env;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Cell, Row as TableRow, Sparkline, Table, TableState};

use super::state::{App, Row};

const HEADINGS: [&str; 8] = [
    "host",
    "interface",
    "in b/s",
    "out b/s",
    "err/s",
    "cpu",
    "rtt",
    "loss",
];
const WIDTHS: [Constraint; 8] = [
    Constraint::Min(14),
    Constraint::Length(16),
    Constraint::Length(8),
    Constraint::Length(8),
    Constraint::Length(6),
    Constraint::Length(5),
    Constraint::Length(8),
    Constraint::Length(5),
];

/// Draws everything.
pub(super) fn render(app: &App, frame: &mut Frame<'_>) {
    let areas = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(3),
        Constraint::Length(1),
    ]);
    let [title, table, caption, drawing, help] = areas.areas(frame.area());
    let (hosts, failed) = app.counts();
    let text = format!(
        "varbind top: {hosts} hosts, {failed} do not answer; sorted by {}",
        app.sort().name()
    );
    frame.render_widget(Line::from(text), title);
    let rows = app.rows();
    let lines = rows.iter().map(line);
    let heading = TableRow::new(HEADINGS).style(Style::new().add_modifier(Modifier::BOLD));
    let widget = Table::new(lines, WIDTHS)
        .header(heading)
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(Some(app.selected()));
    frame.render_stateful_widget(widget, table, &mut state);
    if let Some(row) = rows.get(app.selected()) {
        let what = match row.failure {
            Some(reason) => format!("{}: {reason}", row.host),
            None => format!("{} {}: b/s, both directions", row.host, row.interface),
        };
        frame.render_widget(Line::from(what), caption);
        let history = row.history();
        let width = usize::from(drawing.width);
        let latest = history.len().saturating_sub(width);
        let latest = history.get(latest..).unwrap_or_default();
        frame.render_widget(Sparkline::default().data(latest), drawing);
    }
    let text = match app.is_typing() {
        true => format!("/{}", app.filter()),
        false if app.filter().is_empty() => {
            "q end  s sort  r reverse  / filter  up/down choose".to_owned()
        }
        false => format!(
            "filter: {}   q end  s sort  r reverse  / another filter",
            app.filter()
        ),
    };
    frame.render_widget(Line::from(text), help);
}

fn line<'r>(row: &Row<'r>) -> TableRow<'r> {
    if row.failure.is_some() {
        let cells = [Cell::from(row.host), Cell::from("no answer")];
        return TableRow::new(cells).style(coloured(Color::Red));
    }
    let bits = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), scaled);
    let percent = |share: f64| format!("{share:.0}%");
    let errors = row.rates.errors;
    let style = match errors.is_some_and(|errors| errors > 0.0) {
        true => coloured(Color::Yellow),
        false => Style::new(),
    };
    TableRow::new([
        row.host.to_owned(),
        row.interface.to_owned(),
        format!("{:>8}", bits(row.rates.bits_received)),
        format!("{:>8}", bits(row.rates.bits_sent)),
        errors.map_or_else(|| "-".to_owned(), |errors| format!("{errors:.1}")),
        row.load.map_or_else(|| "-".to_owned(), percent),
        row.round_trip.map_or_else(|| "-".to_owned(), milliseconds),
        percent(row.loss * 100.0),
    ])
    .style(style)
}

/// A colour, where the user wants colours (no-color.org).
fn coloured(colour: Color) -> Style {
    let is_unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if is_unwanted {
        Style::new()
    } else {
        Style::new().fg(colour)
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A number with a prefix of the SI.
fn scaled(number: f64) -> String {
    let steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let step = steps.into_iter().find(|(step, _)| number >= *step);
    step.map_or_else(
        || format!("{number:.0}"),
        |(step, prefix)| format!("{:.1}{prefix}", number / step),
    )
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Cell as Symbol;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::poll::{Counters, Octets, Reading, Sample};
    use super::*;

    fn screen(app: &App) -> String {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| render(app, frame)).unwrap();
        let buffer = terminal.backend().buffer();
        let lines = buffer.content().chunks(80);
        let lines = lines.map(|line| line.iter().map(Symbol::symbol).collect::<String>());
        lines
            .map(|line| line.trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn press(app: &mut App, text: &str) {
        for character in text.chars() {
            let code = if character == '\n' {
                KeyCode::Enter
            } else {
                KeyCode::Char(character)
            };
            app.handle_key(KeyEvent::new(code, KeyModifiers::NONE));
        }
    }

    fn sample(host: usize, seconds: u64, up_time: u32, octets: u64, errors: u32) -> Sample {
        let counters = |name: &str, octets| Counters {
            name: name.to_owned(),
            received: Octets::Wide(octets),
            sent: Octets::Narrow(u32::MAX.wrapping_add(u32::try_from(octets).unwrap())),
            errors: [Some(errors), None],
        };
        let interfaces = [(1, counters("lo", 0)), (2, counters("eth0", octets))];
        Sample {
            host,
            at: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
            outcome: Ok(Reading {
                up_time: Some(up_time),
                interfaces: interfaces.into(),
                load: Some(42.0),
                round_trip: Some(Duration::from_micros(1500)),
                loss: 0.25,
            }),
        }
    }

    fn app() -> App {
        let mut app = App::new(["core", "edge", "dead"].map(str::to_owned).into_iter());
        for (host, octets) in [(0, 250), (1, 250_000_000)] {
            app.update(sample(host, 10, 100, 0, 0));
            app.update(sample(host, 12, 300, octets, 3));
        }
        app.update(Sample::failed(2, "no answer: the host is down".to_owned()));
        app
    }

    #[test]
    fn rates_are_shown_on_eighty_columns() {
        let app = app();
        let screen = screen(&app);
        assert!(
            screen.starts_with("varbind top: 3 hosts, 1 do not answer; sorted by host"),
            "{screen}"
        );
        let line = |host: &str, interface: &str| {
            let mut lines = screen.lines();
            let words = lines.find(|line| line.starts_with(host) && line.contains(interface));
            words
                .unwrap()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            line("core", "eth0"),
            "core eth0 1.0k 1.0k 1.5 42% 1.5 ms 25%"
        );
        assert_eq!(
            line("edge", "eth0"),
            "edge eth0 1.0G 1.0G 1.5 42% 1.5 ms 25%"
        );
        assert_eq!(line("dead", ""), "dead no answer");
        assert!(
            screen.ends_with("q end  s sort  r reverse  / filter  up/down choose"),
            "{screen}"
        );
    }

    #[test]
    fn keys_sort_filter_and_end() {
        let mut app = app();
        press(&mut app, "s");
        assert_eq!(app.rows()[0].host, "edge");
        press(&mut app, "r");
        assert_eq!(app.rows().last().unwrap().host, "edge");
        press(&mut app, "/eth0\n");
        assert_eq!((app.rows().len(), app.is_over()), (2, false));
        assert!(screen(&app).contains("filter: eth0"));
        press(&mut app, "/q");
        assert!(!app.is_over() && screen(&app).ends_with("/q"));
        press(&mut app, "\nq");
        assert!(app.is_over());
    }

    #[test]
    fn a_restarted_agent_and_a_host_that_is_gone_have_no_rates() {
        let mut app = app();
        app.update(sample(0, 14, 5, 10, 0));
        assert_eq!(app.rows()[1].rates.bits_received, None);
        assert_eq!(app.rows()[1].history().len(), 1);
        app.update(Sample::failed(0, "no answer".to_owned()));
        assert!(app.rows()[0].failure.is_some());
    }
}
