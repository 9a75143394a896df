//! Unpredictable numbers.

use std::hash::{BuildHasher, RandomState};
use std::io;

use rustix::rand::{GetRandomFlags, getrandom};
use varbind_engine::engine_id::EngineId;

/// Enterprise number 0 as RFC 5343 uses it, since this project has none, and format 5: octets of the administrator
/// (RFC 3411, SnmpEngineID).
const ENGINE_ID_PREFIX: [u8; 5] = [0x80, 0, 0, 0, 5];
/// So many that no two engines generate the same.
const ENGINE_ID_OCTETS: usize = 12;

/// Request-ids must not be guessed by those who would forge answers.
pub(crate) fn random_seed() -> u64 {
    let mut seed = [0; 8];
    match getrandom(&mut seed[..], GetRandomFlags::empty()) {
        Ok(8) => u64::from_ne_bytes(seed),
        // The standard library has random keys of its own.
        _ => RandomState::new().hash_one(0),
    }
}

/// A unique snmpEngineID. An engine that uses it again after a restart has to count snmpEngineBoots
/// (RFC 3414 section 2.2).
///
/// # Errors
/// When the system has no random numbers.
pub fn random_engine_id() -> io::Result<EngineId> {
    let mut octets = [0; ENGINE_ID_OCTETS];
    if getrandom(&mut octets[..], GetRandomFlags::empty())? < octets.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let id = [&ENGINE_ID_PREFIX[..], &octets].concat();
    EngineId::new(&id).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn seeds_do_not_repeat() {
        let seeds: HashSet<u64> = (0..100).map(|_| random_seed()).collect();
        assert_eq!(seeds.len(), 100);
        let ids: HashSet<EngineId> = (0..100).map(|_| random_engine_id().unwrap()).collect();
        assert_eq!(ids.len(), 100);
    }
}
