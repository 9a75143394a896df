//! Plots as SVG, made for a page whose style sheet gives them their colours.

mod bars;
mod box_plot;
mod distribution;
mod scale;
mod scatter;
mod svg;

pub(super) use bars::{Bar, BarGroup, bar_chart};
pub(super) use box_plot::{BoxRow, box_plot};
pub(super) use distribution::{Curve, distribution};
pub(super) use scatter::{Points, scatter};
pub(super) use svg::escape;

/// The width of every plot, in its own units; the page scales it.
const WIDTH: f64 = 720.0;
