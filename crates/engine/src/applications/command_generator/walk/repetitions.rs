/// max-repetitions of the first request.
pub(super) const INITIAL: u32 = 25;
/// After a loss that was blamed on the size, this many responses let it grow again; twice as many after each further one.
const PATIENCE: u32 = 4;
const MOST_PATIENCE: u32 = 256;
/// From this many responses on, the objects of a walk are taken to be known.
const REPRESENTATIVE: u32 = 16;
/// How much larger the next objects of a column may be than the latest.
const COLUMN_MARGIN: f64 = 1.05;
/// Part of the octets of a message that objects are allowed to fill on average.
const FILL: f64 = 0.95;

/// Octets that the headers of a response take, with a community of usual length.
const HEADERS: u32 = 40;

/// Chooses max-repetitions, so that responses are as large as messages may be and no larger.
#[derive(Debug)]
pub(super) struct Repetitions {
    fixed: Option<u16>,
    limit: u32,
    /// Octets that objects may take in a response.
    budget: f64,
    /// Doubles with each full response.
    grown: u32,
    /// Octets per object, smoothed, and how much they vary.
    mean: f64,
    deviation: f64,
    /// Octets per object in the response where they were largest: what to expect of a column that is not known yet.
    largest: f64,
    responses: u32,
    /// The largest response that came through, in octets.
    proven: usize,
    /// What agent or path are thought to carry, if there was trouble.
    ceiling: Option<u32>,
    /// Responses until the ceiling is raised, and until it is after the next trouble.
    responses_to_raise: u32,
    patience: u32,
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    /// Octets per object in its latest response.
    pub(super) octets_per_object: Option<f64>,
    /// Whether its objects are of one column, and so of about the same size.
    pub(super) is_column: bool,
    /// Whether it begins with a long column, so that the first response is of one column.
    pub(super) begins_with_column: bool,
    /// How many objects it lacks.
    pub(super) objects: Option<u64>,
    /// Whether it may be asked for all that it lacks at once, without growing by and by.
    #[cfg(feature = "experiments")]
    pub(super) grows_at_once: bool,
}

/// What to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) max_repetitions: u16,
    /// No response of this size has come through before.
    pub(super) is_probe: bool,
}

impl Repetitions {
    /// Responses of at most `octets` octets and `limit` objects.
    pub(super) fn new(fixed: Option<u16>, octets: usize, limit: u16) -> Self {
        let octets = u32::try_from(octets).unwrap_or(u32::MAX);
        let octets = octets.saturating_sub(HEADERS);
        Self {
            fixed,
            limit: u32::from(limit.max(1)),
            budget: f64::from(octets) * FILL,
            grown: INITIAL,
            mean: 0.0,
            deviation: 0.0,
            largest: 0.0,
            responses: 0,
            proven: 0,
            ceiling: None,
            responses_to_raise: 0,
            patience: PATIENCE,
        }
    }

    /// Chooses for a segment.
    pub(super) fn choose(&self, wanted: &Wanted) -> Choice {
        let ceiling = self.ceiling.unwrap_or(u32::MAX);
        if let Some(fixed) = self.fixed {
            return Choice {
                max_repetitions: fixed.max(1).min(u16::try_from(ceiling).unwrap_or(u16::MAX)),
                is_probe: false,
            };
        }
        let usual = self.mean + 2.0 * self.deviation;
        let size = match wanted.octets_per_object {
            Some(size) if wanted.is_column => size * COLUMN_MARGIN,
            Some(size) => size.max(usual),
            None => self.largest.max(usual),
        };
        let grown = self.grown;
        #[cfg(feature = "experiments")]
        let grown = if wanted.grows_at_once {
            self.limit
        } else {
            grown
        };
        let mut most = self.limit.min(grown).min(ceiling);
        let is_unknown = wanted.octets_per_object.is_none() && wanted.begins_with_column;
        if is_unknown && self.responses < REPRESENTATIVE {
            // Objects may be larger than any before; a column that is short gets away with one request all the same.
            let most_unknown = wanted.objects.map_or(INITIAL, |_| 2 * INITIAL);
            most = most.min(most_unknown);
        }
        if size > 0.0 {
            most = most.min(whole(self.budget / size)).max(1);
        }
        // One more than wanted shows that the segment ends; equal parts arrive at about the same time.
        if let Some(wanted) = wanted
            .objects
            .and_then(|objects| u32::try_from(objects).ok())
        {
            let wanted = wanted.saturating_add(1);
            most = wanted.div_ceil(wanted.div_ceil(most)).max(1);
        }
        // Not a probe: a response of this size has already arrived.
        let expected = (f64::from(most) * size + f64::from(HEADERS)) / COLUMN_MARGIN;
        let proven = f64::from(u32::try_from(self.proven).unwrap_or(u32::MAX));
        Choice {
            max_repetitions: u16::try_from(most).unwrap_or(u16::MAX),
            is_probe: most > 1 && (wanted.octets_per_object.is_none() || expected > proven),
        }
    }

    /// How many objects a response holds, if they are of usual size.
    pub(super) fn usual(&self) -> u16 {
        let wanted = Wanted {
            octets_per_object: Some(self.mean),
            ..Wanted::default()
        };
        self.choose(&wanted).max_repetitions
    }

    /// How many objects fit `octets`, where one takes `likely` octets as long as none was seen.
    pub(super) fn fitting(&self, octets: usize, likely: f64) -> usize {
        let size = if self.mean > 0.0 {
            self.mean + 2.0 * self.deviation
        } else {
            likely
        };
        let octets = u32::try_from(octets).unwrap_or(u32::MAX);
        let octets = f64::from(octets.saturating_sub(HEADERS));
        usize::try_from(whole(octets / size)).unwrap_or(usize::MAX)
    }

    /// A response of `objects` objects and `octets` octets came to a request for `asked`.
    pub(super) fn answered(&mut self, asked: u16, objects: usize, octets: usize) {
        let Some(per_object) = octets_per_object(objects, octets) else {
            return;
        };
        if self.mean == 0.0 {
            self.mean = per_object;
        }
        self.deviation += ((per_object - self.mean).abs() - self.deviation) / 4.0;
        self.mean += (per_object - self.mean) / 8.0;
        // Forgotten by and by, or one column of long texts would make all that follow cautious.
        self.largest = (self.largest - (self.largest - self.mean) / 16.0).max(per_object);
        self.responses = self.responses.saturating_add(1);
        self.proven = self.proven.max(octets);
        if objects >= usize::from(asked) && u32::from(asked) >= self.grown {
            self.grown = self.grown.saturating_mul(2).min(self.limit);
        }
        if let Some(ceiling) = self.ceiling {
            self.responses_to_raise = self.responses_to_raise.saturating_sub(1);
            if self.responses_to_raise == 0 {
                self.responses_to_raise = self.patience;
                self.ceiling = Some(ceiling.saturating_mul(2));
            }
        }
    }

    fn lower_ceiling(&mut self, ceiling: u16) {
        self.ceiling = Some(u32::from(ceiling).max(1));
        self.responses_to_raise = self.patience;
        self.patience = (self.patience * 2).min(MOST_PATIENCE);
    }

    /// The agent said tooBig when asked for `asked`. Returns whether less can be asked for.
    pub(super) fn too_big(&mut self, asked: u16) -> bool {
        self.lower_ceiling(asked / 2);
        asked > 1
    }

    /// Octets per object that let a segment ask for half of `asked`: its objects seem to be larger than others.
    pub(super) fn larger_objects(&self, asked: u16) -> f64 {
        2.0 * self.budget / f64::from(asked.max(1))
    }

    /// Whether the size of responses was the trouble before.
    pub(super) const fn had_trouble(&self) -> bool {
        self.ceiling.is_some()
    }

    /// Whether responses have come through.
    pub(super) const fn has_answers(&self) -> bool {
        self.proven > 0
    }

    /// Nothing came through when asked for `asked`. Returns whether less can be asked for.
    pub(super) fn lost(&mut self, asked: u16) -> bool {
        let reduced = if self.proven == 0 { 1 } else { asked / 2 };
        self.lower_ceiling(reduced);
        asked > 1
    }
}

/// The mean size of the objects of a response of `octets` octets.
pub(super) fn octets_per_object(objects: usize, octets: usize) -> Option<f64> {
    let objects = u32::try_from(objects).ok().filter(|&objects| objects > 0)?;
    let octets = u32::try_from(octets).ok()?.saturating_sub(HEADERS);
    Some(f64::from(octets) / f64::from(objects))
}

fn whole(number: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and the number is a count"
    )]
    let whole = number as u32;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(octets_per_object: f64, objects: Option<u64>) -> Wanted {
        Wanted {
            octets_per_object: Some(octets_per_object),
            is_column: true,
            begins_with_column: true,
            objects,
            #[cfg(feature = "experiments")]
            grows_at_once: false,
        }
    }

    #[test]
    fn it_grows_to_what_a_message_holds() {
        let mut repetitions = Repetitions::new(None, 1440, 200);
        let mut known = Wanted::default();
        assert!(repetitions.choose(&known).is_probe);
        for _ in 0..10 {
            let choice = repetitions.choose(&known);
            let objects = usize::from(choice.max_repetitions);
            let octets = objects * 20 + 40;
            repetitions.answered(choice.max_repetitions, objects, octets);
            known = column(20.0, None);
        }
        let asked = |wanted: &Wanted| repetitions.choose(wanted).max_repetitions;
        assert_eq!(asked(&known), 63);
        let unknown = Wanted {
            octets_per_object: None,
            ..known
        };
        assert_eq!(asked(&unknown), 25);
        assert_eq!(asked(&column(200.0, None)), 6);
        assert_eq!(asked(&column(20.0, Some(30))), 31);
        assert_eq!(asked(&column(20.0, Some(63))), 32);
        assert!(!repetitions.choose(&known).is_probe);
    }

    #[test]
    fn it_shrinks_when_too_big_and_grows_again() {
        let mut repetitions = Repetitions::new(None, 1440, 200);
        let known = column(20.0, None);
        repetitions.answered(25, 25, 540);
        assert!(repetitions.too_big(50));
        assert_eq!(repetitions.choose(&known).max_repetitions, 25);
        for _ in 0..PATIENCE {
            repetitions.answered(25, 25, 540);
        }
        assert_eq!(repetitions.choose(&known).max_repetitions, 50);
        assert!(!repetitions.lost(1));
    }
}
