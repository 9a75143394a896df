//! Plots as SVG, made for a page whose style sheet gives them their colours.

mod bars;
mod box_plot;
mod distribution;
mod lines;
mod scale;
mod scatter;
mod svg;

pub(super) use bars::{Bar, BarGroup, bar_chart};
pub(super) use box_plot::{BoxRow, box_plot};
pub(super) use distribution::{Curve, distribution};
pub(super) use lines::{Axis, Line, lines};
pub(super) use scale::time;
pub(super) use scatter::{Points, scatter};
pub(crate) use svg::escape;

/// The width of a plot that takes half a line of the page, so that its text has the size of the page's.
const HALF: f64 = 570.0;
/// The width of a plot that takes a whole line.
const WHOLE: f64 = 1160.0;
