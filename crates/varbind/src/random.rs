//! Numbers that nobody else can guess.

use std::hash::{BuildHasher, RandomState};

use rustix::rand::{GetRandomFlags, getrandom};

/// Request-ids must not be guessed by those who would forge answers.
pub(crate) fn random_seed() -> u64 {
    let mut seed = [0; 8];
    match getrandom(&mut seed[..], GetRandomFlags::empty()) {
        Ok(8) => u64::from_ne_bytes(seed),
        // The standard library has random keys of its own.
        _ => RandomState::new().hash_one(0),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn seeds_do_not_repeat() {
        let seeds: HashSet<u64> = (0..100).map(|_| random_seed()).collect();
        assert_eq!(seeds.len(), 100);
    }
}
