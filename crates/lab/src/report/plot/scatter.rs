use super::WHOLE as WIDTH;
use super::scale::{Scale, plain, time};
use super::svg::{Anchor, Svg};
use crate::measurement::Sample;

/// Latencies over time of one configuration.
#[derive(Clone, Debug)]
pub(in crate::report) struct Points<'a> {
    /// The class of its colour.
    pub(in crate::report) class: String,
    /// The samples.
    pub(in crate::report) samples: &'a [Sample],
}

const LEFT: f64 = 64.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 220.0;
/// Dots of one configuration.
const SHOWN: usize = 300;

/// Dots over the time of the whole run; latency on a logarithmic axis.
pub(in crate::report) fn scatter(series: &[Points<'_>], label: &str) -> String {
    let mut svg = Svg::new(WIDTH, BOTTOM + 34.0);
    let all = || series.iter().flat_map(|points| points.samples);
    let end = all()
        .map(|sample| sample.at_milliseconds)
        .fold(0.0, f64::max);
    let x = Scale::linear(end / 1000.0, LEFT, WIDTH - 20.0);
    let y = Scale::logarithmic(all().map(|sample| sample.latency), BOTTOM, TOP);
    for tick in y.ticks() {
        svg.line((LEFT, y.at(tick)), (WIDTH - 20.0, y.at(tick)), "grid");
        svg.text(
            (LEFT - 8.0, y.at(tick) + 4.0),
            Anchor::End,
            "tick",
            &time(tick),
        );
    }
    for tick in x.ticks() {
        svg.line((x.at(tick), TOP), (x.at(tick), BOTTOM), "grid");
        let name = format!("{} s", plain(tick));
        svg.text((x.at(tick), BOTTOM + 18.0), Anchor::Middle, "tick", &name);
    }
    for points in series {
        let stride = points.samples.len().div_ceil(SHOWN).max(1);
        let dots: Vec<(f64, f64)> = points
            .samples
            .iter()
            .step_by(stride)
            .map(|sample| (x.at(sample.at_milliseconds / 1000.0), y.at(sample.latency)))
            .collect();
        svg.dots(&dots, &format!("dots {}", points.class));
    }
    svg.finish(label)
}
