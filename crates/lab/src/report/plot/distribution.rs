use super::HALF as WIDTH;
use super::scale::{Scale, time};
use super::svg::{Anchor, Svg};
use crate::measurement::Quantile;

/// One distribution function.
#[derive(Clone, Debug)]
pub(in crate::report) struct Curve<'a> {
    /// What it is of.
    pub(in crate::report) label: String,
    /// The classes of its colour and stroke.
    pub(in crate::report) class: String,
    /// Its points.
    pub(in crate::report) points: &'a [Quantile],
}

const LEFT: f64 = 64.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 250.0;
/// The last percentile shown, by the number of its nines.
const NINES: f64 = 4.0;

/// Distribution functions over a logarithmic latency axis; the other axis counts nines, so that the tail is seen.
pub(in crate::report) fn distribution(curves: &[Curve<'_>], label: &str) -> String {
    let mut svg = Svg::new(WIDTH, BOTTOM + 34.0);
    let values = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(|point| point.latency));
    let x = Scale::logarithmic(values, LEFT, WIDTH - 20.0);
    for tick in x.ticks() {
        svg.line((x.at(tick), TOP), (x.at(tick), BOTTOM), "grid");
        svg.text(
            (x.at(tick), BOTTOM + 18.0),
            Anchor::Middle,
            "tick",
            &time(tick),
        );
    }
    for (probability, name) in [
        (0.0, "0 %"),
        (0.5, "50 %"),
        (0.9, "90 %"),
        (0.99, "99 %"),
        (0.999, "99.9 %"),
        (0.9999, "99.99 %"),
    ] {
        let y = height(probability);
        svg.line((LEFT, y), (WIDTH - 20.0, y), "grid");
        svg.text((LEFT - 8.0, y + 4.0), Anchor::End, "tick", name);
    }
    for curve in curves {
        let points: Vec<(f64, f64)> = curve
            .points
            .iter()
            .map(|point| (x.at(point.latency), height(point.probability)))
            .collect();
        svg.polyline(&points, &format!("curve {}", curve.class), &curve.label);
    }
    svg.finish(label)
}

fn height(probability: f64) -> f64 {
    let nines = -(1.0 - probability).max(1e-6).log10();
    BOTTOM - (nines / NINES).min(1.0) * (BOTTOM - TOP)
}
