//! Subtrees that come from several recordings, one after the other: the variation module `multiplex` of snmpsim.

use std::time::Duration;

use varbind_codec::smi::{Oid, OidScratch, ValueRef};

use super::report::LineError;
use super::table::{Recording, RecordingBuilder};
use super::variation::Variation;

/// How long each recording is played that names no other time.
const PERIOD: f64 = 60.0;

/// The schedule by which recordings are played.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule {
    period: Duration,
    /// Whether the first comes after the last.
    wraps: bool,
    /// The object whose value chooses in place of the time.
    control: Option<Oid>,
}

/// A subtree whose objects are those of one recording of a folder at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subtree {
    root: Oid,
    /// Below the folder of all recordings.
    pub(crate) folder: String,
    pub(crate) schedule: Schedule,
}

impl Subtree {
    /// Reads the options of a line.
    pub(super) fn read<'t>(
        root: &[u32],
        option: impl Fn(&str) -> Option<&'t str>,
    ) -> Result<Self, LineError> {
        let folder = option("dir").map(|folder| folder.trim().trim_matches('/'));
        let folder = folder.filter(|folder| !folder.is_empty());
        let period = match option("period") {
            None => Some(PERIOD),
            Some(text) => text.trim().parse().ok(),
        };
        let period = period.filter(|seconds| *seconds > 0.0);
        let period = period.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let wrap = option("wrap").map(|text| text.trim().to_ascii_lowercase());
        let control = option("control").map(|text| text.trim().trim_start_matches('.').parse());
        Ok(Self {
            root: Oid::new(root).map_err(|_| LineError::Name)?,
            folder: folder
                .ok_or(LineError::Value("a folder: write dir=FOLDER"))?
                .to_owned(),
            schedule: Schedule {
                period: period.ok_or(LineError::Value("a period in seconds"))?,
                wraps: wrap.is_some_and(|text| !matches!(&*text, "" | "0" | "false" | "no")),
                control: control
                    .transpose()
                    .map_err(|_| LineError::Value("an OBJECT IDENTIFIER as control"))?,
            },
        })
    }
}

/// A recording at later moments.
#[derive(Debug)]
pub(crate) struct Series {
    schedule: Schedule,
    later: Box<[Recording]>,
}

impl Series {
    /// The object whose value chooses the moment, if one does.
    pub(crate) fn control(&self) -> Option<&[u32]> {
        self.schedule.control.as_ref().map(Oid::arcs)
    }

    /// The moment that is played so long after the start of a device.
    pub(crate) fn at(&self, since: Duration) -> usize {
        let count = self.later.len() + 1;
        let period = self.schedule.period.as_nanos().max(1);
        let passed = usize::try_from(since.as_nanos() / period).unwrap_or(usize::MAX);
        match self.schedule.wraps {
            true => passed % count,
            false => passed.min(count - 1),
        }
    }

    pub(super) fn later(&self) -> &[Recording] {
        &self.later
    }
}

/// A subtree, and the recordings of its folder in the order in which they are played.
pub(super) struct Played<'r> {
    pub(super) subtree: &'r Subtree,
    pub(super) recordings: Vec<&'r Recording>,
}

/// The recording that has its subtrees from others: the first moment, with those that follow. All subtrees have one schedule.
pub(super) fn series(base: &Recording, parts: &[Played<'_>]) -> Option<Recording> {
    let schedule = parts.first()?.subtree.schedule.clone();
    let count = parts.iter().map(|part| part.recordings.len()).max()?;
    let moment = |at: usize| {
        let mut builder = RecordingBuilder::default();
        add(&mut builder, base, 0..base.len());
        for part in parts {
            let place = match schedule.wraps {
                true => at.checked_rem(part.recordings.len()),
                false => Some(at.min(part.recordings.len().saturating_sub(1))),
            };
            if let Some(recording) = place.and_then(|place| part.recordings.get(place)) {
                add(
                    &mut builder,
                    recording,
                    below(recording, &part.subtree.root),
                );
            }
        }
        if let Some(control) = &schedule.control {
            let number = i32::try_from(at).unwrap_or(i32::MAX);
            let choice = Variation::Choice(i32::try_from(count).unwrap_or(i32::MAX));
            // It replaces any object that a recording has there.
            let _ = builder.push(control.arcs(), ValueRef::Integer(number), Some(choice));
        }
        builder.finish().0
    };
    let mut first = moment(0);
    let later = (1..count).map(moment).collect();
    first.set_series(Series { schedule, later });
    Some(first)
}

/// Where the objects of a subtree are.
fn below(recording: &Recording, root: &Oid) -> std::ops::Range<usize> {
    let mut name = OidScratch::new();
    let found = recording.find(root.arcs());
    let first = found.unwrap_or_else(|| recording.next(root.arcs(), usize::MAX));
    let is_below = |at: &usize| {
        recording.name(*at, &mut name);
        root.is_prefix_of(name.arcs())
    };
    let count = (first..recording.len()).take_while(is_below).count();
    first..first + count
}

fn add(builder: &mut RecordingBuilder, from: &Recording, objects: std::ops::Range<usize>) {
    let mut name = OidScratch::new();
    for at in objects {
        from.name(at, &mut name);
        if let Some(value) = from.value(at) {
            // It was taken in before.
            let _ = builder.push(name.arcs(), value, from.variation(at).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordingFormat, read};

    fn recording(text: &str) -> Recording {
        let mib = varbind_mib::Mib::builtin();
        read(std::io::Cursor::new(text), RecordingFormat::Snmprec, &mib).0
    }

    fn values(recording: &Recording) -> Vec<i32> {
        let value = |at| match recording.value(at) {
            Some(ValueRef::Integer(number)) => number,
            other => panic!("{other:?}"),
        };
        (0..recording.len()).map(value).collect()
    }

    #[test]
    fn a_subtree_comes_from_one_recording_at_a_time() {
        let base = recording(
            "1.3.1|2|1\n1.3.2|:multiplex|dir=moments,period=10\n1.3.3|2|9\n1.3.4|:multiplex|dir=b,period=10\n",
        );
        assert_eq!(values(&base), [1, 9]);
        let moments = ["1.3.1|2|7\n1.3.2.1|2|20\n", "1.3.2.1|2|21\n1.3.2.2|2|22\n"];
        let moments = moments.map(recording);
        let other = recording("1.3.4.1|2|40\n");
        let [first, second] = base.subtrees() else {
            panic!("{:?}", base.subtrees());
        };
        let parts = [
            Played {
                subtree: first,
                recordings: moments.iter().collect(),
            },
            Played {
                subtree: second,
                recordings: vec![&other],
            },
        ];
        let played = series(&base, &parts).unwrap();
        // Objects outside the subtree do not change, and the last recording of the shorter series stays.
        assert_eq!(values(&played), [1, 20, 9, 40]);
        let series = played.series().unwrap();
        assert_eq!(values(&series.later()[0]), [1, 21, 22, 9, 40]);
        let at = |seconds| series.at(Duration::from_secs(seconds));
        assert_eq!([at(0), at(9), at(10), at(1000)], [0, 0, 1, 1]);
    }

    #[test]
    fn a_row_begins_again_or_follows_an_object() {
        let base = recording("1.3.2|:multiplex|dir=/a/,period=0.5,wrap=1,control=.1.3.2.9\n");
        let moments = ["1.3.2.1|2|20\n", "1.3.2.1|2|21\n"].map(recording);
        let parts = [Played {
            subtree: &base.subtrees()[0],
            recordings: moments.iter().collect(),
        }];
        assert_eq!(base.subtrees()[0].folder, "a");
        let played = series(&base, &parts).unwrap();
        assert_eq!(values(&played), [20, 0]);
        assert_eq!(played.variation(1), Some(&Variation::Choice(2)));
        let series = played.series().unwrap();
        assert_eq!(series.control(), Some(&[1, 3, 2, 9][..]));
        assert_eq!(series.at(Duration::from_millis(1600)), 1);
        assert_eq!(series.at(Duration::from_millis(1100)), 0);
    }
}
