use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use varbind::clock::Clock;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::LocalEngine;

use crate::failure::Failure;

/// snmpEngineID of RFC 3411 with no enterprise and octets of our choice (format 5).
const PREFIX: [u8; 5] = [0x80, 0, 0, 0, 5];

/// An engine for one run of the program: that of this ID, or a new one.
///
/// Nothing is kept on the disk, so its boots are the seconds since 1970: they grow with each run, as they must (RFC 3414
/// section 2.3), as long as the clock of the host does not go back.
pub(crate) fn local_engine(
    id: Option<EngineId>,
    clock: Clock,
) -> Result<Arc<LocalEngine>, Failure> {
    let random = RandomState::new();
    let id = match id {
        Some(id) => id,
        None => EngineId::new(&[&PREFIX[..], &random.hash_one(1).to_be_bytes()].concat())
            .map_err(|error| Failure::Usage(error.to_string()))?,
    };
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let boots = i32::try_from(since.as_secs()).unwrap_or(i32::MAX - 1);
    let engine = LocalEngine::new(id, boots, clock.now(), random.hash_one(2));
    Ok(Arc::new(engine))
}
