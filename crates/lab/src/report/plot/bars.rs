use super::WHOLE as WIDTH;
use super::scale::{Scale, plain};
use super::svg::{Anchor, Svg};

/// Bars that belong together.
#[derive(Clone, Debug)]
pub(in crate::report) struct BarGroup {
    /// What they have in common.
    pub(in crate::report) label: String,
    /// The bars.
    pub(in crate::report) bars: Vec<Bar>,
    /// The floor below which none can be.
    pub(in crate::report) floor: Option<f64>,
}

/// One bar.
#[derive(Clone, Debug)]
pub(in crate::report) struct Bar {
    /// Whose it is.
    pub(in crate::report) label: String,
    /// The class of its colour.
    pub(in crate::report) class: String,
    /// Its length.
    pub(in crate::report) value: f64,
    /// The ends of the interval.
    pub(in crate::report) interval: (f64, f64),
}

const LEFT: f64 = 320.0;
const ROW: f64 = 24.0;
const GAP: f64 = 14.0;

/// Horizontal bars with their intervals, and a line where the floor is.
pub(in crate::report) fn bar_chart(groups: &[BarGroup], unit: &str, label: &str) -> String {
    let rows: usize = groups.iter().map(|group| group.bars.len()).sum();
    let bottom = 6.0 + rows as f64 * ROW + groups.len() as f64 * GAP;
    let mut svg = Svg::new(WIDTH, bottom + 34.0);
    let ends = groups.iter().flat_map(|group| &group.bars);
    let highest = ends
        .map(|bar| bar.interval.1.max(bar.value))
        .fold(0.0, f64::max);
    let scale = Scale::linear(highest, LEFT, WIDTH - 90.0);
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg.line((x, 6.0), (x, bottom), "grid");
        let name = format!("{} {unit}", plain(tick));
        svg.text((x, bottom + 18.0), Anchor::Middle, "tick", &name);
    }
    let mut y = 6.0;
    for group in groups {
        svg.text((4.0, y + 16.0), Anchor::Start, "head", &group.label);
        let top = y;
        for bar in &group.bars {
            draw(&mut svg, &scale, bar, y, unit);
            y += ROW;
        }
        if let Some(floor) = group.floor {
            let x = scale.at(floor);
            svg.line((x, top - 2.0), (x, y + 2.0), "floor");
            svg.circle((x, top - 2.0), 2.5, "floor");
        }
        y += GAP;
    }
    svg.finish(label)
}

fn draw(svg: &mut Svg, scale: &Scale, bar: &Bar, y: f64, unit: &str) {
    let end = scale.at(bar.value);
    let text = format!("{} {unit}", plain(bar.value));
    svg.text((LEFT - 8.0, y + 16.0), Anchor::End, "tick", &bar.label);
    svg.rectangle(
        (LEFT, y + 3.0),
        (end - LEFT, ROW - 6.0),
        &format!("bar {}", bar.class),
        &format!("{}: {text}", bar.label),
    );
    let (low, high) = (scale.at(bar.interval.0), scale.at(bar.interval.1));
    let middle = y + ROW / 2.0;
    svg.line((low, middle), (high, middle), "interval");
    svg.text(
        (high.max(end) + 8.0, y + 16.0),
        Anchor::Start,
        "value",
        &text,
    );
}
