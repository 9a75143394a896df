//! Which of the recordings that are played one after the other a device plays.

use varbind_codec::smi::ValueRef;
use varbind_engine::clock::Instant;

use super::{Device, Writes};
use crate::recording::{Recording, Series};

impl<'f> Device<'f> {
    /// The recording that it plays now, and its place among those that it plays in turn.
    pub(crate) fn playing_now(
        &self,
        now: Instant,
        writes: &Writes,
    ) -> Option<(usize, &'f Recording)> {
        let recording = self.recording()?;
        let Some(series) = recording.series() else {
            return Some((0, recording));
        };
        let place = match series.control() {
            Some(control) => self.chosen(control, writes),
            None => self.timed(series, now),
        };
        recording.moments().enumerate().nth(place)
    }

    /// The place that was set, the first before that.
    fn chosen(&self, control: &[u32], writes: &Writes) -> usize {
        let chosen = writes.with(self.number(), control, |value| match value {
            ValueRef::Integer(number) => usize::try_from(number).ok(),
            _ => None,
        });
        chosen.flatten().unwrap_or(0)
    }

    fn timed(&self, series: &Series, now: Instant) -> usize {
        let (_, since) = self.restarts(now);
        series.at(since)
    }
}
