use std::time::Duration;

/// How long is waited before a session is tried again that could not be opened for so long: little beside the time that it
/// has been away, so that who comes back is found soon, and a peer that stays away is not asked all the time.
pub(crate) fn pause_after(away: Duration) -> Duration {
    (away / 8).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_comes_back_is_found_soon_and_one_that_stays_away_is_asked_seldom() {
        let mut away = Duration::ZERO;
        let mut tries = 0;
        while away < Duration::from_secs(60) {
            let pause = pause_after(away);
            assert!(pause <= (away / 8).max(SHORTEST_PAUSE) && pause <= LONGEST_PAUSE);
            away += pause;
            tries += 1;
        }
        assert!((60..100).contains(&tries), "{tries}");
    }
}
