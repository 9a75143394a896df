/// max-repetitions of the first request.
const INITIAL: u32 = 25;
/// After a loss that was blamed on the size, this many responses let it grow again; twice as many after each further one.
const PATIENCE: u32 = 4;
const MOST_PATIENCE: u32 = 256;
/// Part of the octets of a message that objects are allowed to fill on average.
const FILL: f64 = 0.95;

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
    /// The largest response that came through, in octets.
    proven: usize,
    /// What agent or path are thought to carry, if there was trouble.
    ceiling: Option<u32>,
    /// Responses until the ceiling is raised, and until it is after the next trouble.
    responses_to_raise: u32,
    patience: u32,
}

/// What to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) max_repetitions: u16,
    /// No response of this size has come through before.
    pub(super) is_probe: bool,
}

impl Repetitions {
    /// Responses of at most `octets` octets of objects and `limit` objects.
    pub(super) fn new(fixed: Option<u16>, octets: usize, limit: u16) -> Self {
        let octets = u32::try_from(octets).unwrap_or(u32::MAX);
        Self {
            fixed,
            limit: u32::from(limit.max(1)),
            budget: f64::from(octets) * FILL,
            grown: INITIAL,
            mean: 0.0,
            deviation: 0.0,
            proven: 0,
            ceiling: None,
            responses_to_raise: 0,
            patience: PATIENCE,
        }
    }

    /// Chooses for a segment whose latest objects took `octets_per_object`, and which lacks `wanted` objects as far as
    /// is known.
    pub(super) fn choose(&self, octets_per_object: Option<f64>, wanted: Option<u64>) -> Choice {
        let ceiling = self.ceiling.unwrap_or(u32::MAX);
        if let Some(fixed) = self.fixed {
            return Choice {
                max_repetitions: fixed.max(1).min(u16::try_from(ceiling).unwrap_or(u16::MAX)),
                is_probe: false,
            };
        }
        let size = (self.mean + 2.0 * self.deviation).max(octets_per_object.unwrap_or(0.0));
        let mut most = self.limit.min(self.grown).min(ceiling);
        if size > 0.0 {
            most = most.min(whole(self.budget / size)).max(1);
        }
        // One more than wanted shows that the segment ends; equal parts arrive at about the same time.
        if let Some(wanted) = wanted.and_then(|wanted| u32::try_from(wanted).ok()) {
            let wanted = wanted.saturating_add(1);
            most = wanted.div_ceil(wanted.div_ceil(most)).max(1);
        }
        let expected = f64::from(most) * size;
        let proven = f64::from(u32::try_from(self.proven).unwrap_or(u32::MAX));
        Choice {
            max_repetitions: u16::try_from(most).unwrap_or(u16::MAX),
            is_probe: most > 1 && (self.proven == 0 || expected > 1.25 * proven),
        }
    }

    /// How many objects fit `octets`, where one takes `likely` octets as long as none was seen.
    pub(super) fn fitting(&self, octets: usize, likely: f64) -> usize {
        let size = if self.mean > 0.0 {
            self.mean + 2.0 * self.deviation
        } else {
            likely
        };
        let octets = f64::from(u32::try_from(octets).unwrap_or(u32::MAX));
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

    /// Nothing came through when asked for `asked`. Returns whether less can be asked for.
    pub(super) fn lost(&mut self, asked: u16) -> bool {
        let reduced = if self.proven == 0 { 1 } else { asked / 2 };
        self.lower_ceiling(reduced);
        asked > 1
    }
}

pub(super) fn octets_per_object(objects: usize, octets: usize) -> Option<f64> {
    let objects = u32::try_from(objects).ok().filter(|&objects| objects > 0)?;
    let octets = u32::try_from(octets).ok()?;
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

    #[test]
    fn it_grows_to_what_a_message_holds() {
        let mut repetitions = Repetitions::new(None, 1400, 200);
        for _ in 0..10 {
            let choice = repetitions.choose(None, None);
            let objects = usize::from(choice.max_repetitions);
            repetitions.answered(choice.max_repetitions, objects, objects * 20);
        }
        assert_eq!(repetitions.choose(None, None).max_repetitions, 66);
        assert_eq!(repetitions.choose(Some(200.0), None).max_repetitions, 6);
        assert_eq!(repetitions.choose(None, Some(30)).max_repetitions, 31);
        assert_eq!(repetitions.choose(None, Some(67)).max_repetitions, 34);
    }

    #[test]
    fn it_shrinks_when_too_big_and_grows_again() {
        let mut repetitions = Repetitions::new(None, 1400, 200);
        repetitions.answered(25, 25, 500);
        assert!(repetitions.too_big(50));
        assert_eq!(repetitions.choose(None, None).max_repetitions, 25);
        for _ in 0..PATIENCE {
            repetitions.answered(25, 25, 500);
        }
        assert_eq!(repetitions.choose(None, None).max_repetitions, 50);
        assert!(!repetitions.lost(1));
    }
}
