use super::HALF as WIDTH;
use super::scale::{Scale, time};
use super::svg::{Anchor, Svg};

/// The distribution of one configuration.
#[derive(Clone, Debug)]
pub(in crate::report) struct BoxRow {
    /// What subjects have in common.
    pub(in crate::report) group: String,
    /// The subject.
    pub(in crate::report) label: String,
    /// The class of its colour.
    pub(in crate::report) class: String,
    /// Minimum, p25, p50, p75, p99 in microseconds.
    pub(in crate::report) points: [f64; 5],
}

const LEFT: f64 = 200.0;
const RIGHT: f64 = 120.0;
const ROW: f64 = 22.0;
const GAP: f64 = 8.0;
/// Characters of a group's name that have room beside a subject's.
const SHORT: usize = 12;
/// The line of a longer name.
const HEADING: f64 = 18.0;

/// Boxes one below the other over a common logarithmic axis.
pub(in crate::report) fn box_plot(rows: &[BoxRow], label: &str) -> String {
    let changes = rows.windows(2).filter(|pair| differ(pair)).count();
    let is_long = |row: &BoxRow| row.group.chars().count() > SHORT;
    let heading = if rows.iter().any(is_long) {
        HEADING
    } else {
        0.0
    };
    let between = changes as f64 * (GAP + heading) + heading;
    let bottom = 20.0 + rows.len() as f64 * ROW + between;
    let mut svg = Svg::new(WIDTH, bottom + 34.0);
    let values = rows.iter().flat_map(|row| row.points);
    let scale = Scale::logarithmic(values, LEFT, WIDTH - RIGHT);
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg.line((x, 16.0), (x, bottom), "grid");
        svg.text((x, bottom + 18.0), Anchor::Middle, "tick", &time(tick));
    }
    svg.text((WIDTH - 4.0, 14.0), Anchor::End, "tick", "p50 / p99");
    let mut y = 20.0;
    let mut previous: Option<&BoxRow> = None;
    for row in rows {
        let begins = previous.is_none_or(|before| before.group != row.group);
        if begins {
            y += if previous.is_some() { GAP } else { 0.0 };
            svg.text((4.0, y + 15.0), Anchor::Start, "head", &row.group);
            y += heading;
        }
        svg.text((LEFT - 8.0, y + 15.0), Anchor::End, "tick", &row.label);
        draw(&mut svg, &scale, row, y);
        y += ROW;
        previous = Some(row);
    }
    svg.finish(label)
}

fn differ(pair: &[BoxRow]) -> bool {
    matches!(pair, [before, after] if before.group != after.group)
}

fn draw(svg: &mut Svg, scale: &Scale, row: &BoxRow, y: f64) {
    let [low, first, middle, third, high] = row.points.map(|value| scale.at(value));
    let centre = y + 11.0;
    let class = |part: &str| format!("{part} {}", row.class);
    svg.line((low, centre), (high, centre), &class("whisker"));
    for end in [low, high] {
        svg.line((end, centre - 4.0), (end, centre + 4.0), &class("whisker"));
    }
    let [minimum, p25, p50, p75, p99] = row.points.map(time);
    let title = format!(
        "{} {}: minimum {minimum}, p25 {p25}, p50 {p50}, p75 {p75}, p99 {p99}",
        row.group, row.label
    );
    svg.rectangle(
        (first, y + 4.0),
        (third - first, 14.0),
        &class("box"),
        &title,
    );
    svg.line((middle, y + 3.0), (middle, y + 19.0), &class("median"));
    svg.text(
        (WIDTH - 4.0, y + 15.0),
        Anchor::End,
        "value",
        &format!("{p50} / {p99}"),
    );
}
