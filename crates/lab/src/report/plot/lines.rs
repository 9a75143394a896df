use super::HALF as WIDTH;
use super::scale::Scale;
use super::svg::{Anchor, Svg};

/// A line, with its name at its end.
#[derive(Clone, Debug)]
pub(in crate::report) struct Line {
    /// What it is of.
    pub(in crate::report) label: String,
    /// The classes of its colour and stroke.
    pub(in crate::report) class: String,
    /// Its points, from left to right.
    pub(in crate::report) points: Vec<(f64, f64)>,
}

/// How an axis is divided, and how its values are written.
#[derive(Clone, Copy)]
pub(in crate::report) struct Axis {
    /// Whether equal steps are equal factors.
    pub(in crate::report) is_logarithmic: bool,
    /// Writes a value.
    pub(in crate::report) text: fn(f64) -> String,
}

const LEFT: f64 = 64.0;
/// Room for the names.
const RIGHT: f64 = WIDTH - 132.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 300.0;
/// Names do not come closer.
const LINE: f64 = 14.0;

impl Axis {
    fn scale(self, values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Scale {
        if self.is_logarithmic {
            Scale::logarithmic(values, from, to)
        } else {
            Scale::linear(values.fold(0.0, f64::max), from, to)
        }
    }
}

/// Lines over two axes.
pub(in crate::report) fn lines(lines: &[Line], x: Axis, y: Axis, label: &str) -> String {
    let mut svg = Svg::new(WIDTH, BOTTOM + 34.0);
    let points = lines.iter().flat_map(|line| line.points.iter());
    let across = x.scale(points.clone().map(|point| point.0), LEFT, RIGHT);
    let up = y.scale(points.map(|point| point.1), BOTTOM, TOP);
    for tick in across.ticks() {
        let at = across.at(tick);
        svg.line((at, TOP), (at, BOTTOM), "grid");
        svg.text((at, BOTTOM + 18.0), Anchor::Middle, "tick", &(x.text)(tick));
    }
    for tick in up.ticks() {
        let at = up.at(tick);
        svg.line((LEFT, at), (RIGHT, at), "grid");
        svg.text((LEFT - 8.0, at + 4.0), Anchor::End, "tick", &(y.text)(tick));
    }
    let place = |point: &(f64, f64)| (across.at(point.0), up.at(point.1));
    let mut ends: Vec<(f64, &Line)> = Vec::new();
    for line in lines {
        let placed: Vec<(f64, f64)> = line.points.iter().map(place).collect();
        svg.polyline(&placed, &format!("curve {}", line.class), &line.label);
        ends.extend(placed.last().map(|end| (end.1, line)));
    }
    for (at, line) in apart(ends) {
        svg.text((RIGHT + 6.0, at + 4.0), Anchor::Start, "value", &line.label);
    }
    svg.finish(label)
}

/// The places of the names, moved down where they would touch, and up again where that leads out of the plot.
fn apart(mut ends: Vec<(f64, &Line)>) -> Vec<(f64, &Line)> {
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut least = TOP;
    for end in &mut ends {
        end.0 = end.0.max(least);
        least = end.0 + LINE;
    }
    let mut most = BOTTOM;
    for end in ends.iter_mut().rev() {
        end.0 = end.0.min(most);
        most = end.0 - LINE;
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_touch() {
        let line = Line {
            label: "one".into(),
            class: "s0".into(),
            points: vec![(1.0, 1.0)],
        };
        for places in [[20.0, 21.0, 22.0], [299.0, 299.5, 300.0]] {
            let placed = apart(places.iter().map(|&at| (at, &line)).collect());
            for pair in placed.windows(2) {
                assert!(pair[1].0 - pair[0].0 >= LINE - 1e-9, "{pair:?}");
            }
            assert!(placed.iter().all(|(at, _)| (TOP..=BOTTOM).contains(at)));
        }
    }
}
