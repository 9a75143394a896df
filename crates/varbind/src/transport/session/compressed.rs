use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Admission, SessionLimits, SessionService};
use crate::compression::{DictionaryError, SessionDictionary};

/// A session whose peer compresses its messages, and the place that it takes; dropping it gives that back.
pub(super) struct CompressedSession {
    dictionary: SessionDictionary,
    places: Arc<AtomicUsize>,
}

impl CompressedSession {
    /// The message that was received, and whether it was compressed.
    pub(super) fn read<'m>(
        slot: &'m mut Option<Box<Self>>,
        received: &'m [u8],
        admission: &Admission<impl SessionService>,
    ) -> Result<(&'m [u8], bool), &'static str> {
        if !SessionDictionary::is_frame(received) {
            return Ok((received, false));
        }
        let limits = admission.limits();
        let session = Self::get_or_begin(slot, &admission.shared.dictionaries, &limits)?;
        Ok((session.expand(received, &limits)?, true))
    }

    /// The session of `slot`, begun if it is none yet and there is a place.
    fn get_or_begin<'s>(
        slot: &'s mut Option<Box<Self>>,
        places: &Arc<AtomicUsize>,
        limits: &SessionLimits,
    ) -> Result<&'s mut Self, &'static str> {
        if slot.is_none() {
            let taken = places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
                (taken < limits.dictionaries).then_some(taken + 1)
            });
            if taken.is_err() {
                return Err("its messages are compressed, and too many sessions have a dictionary");
            }
            *slot = Some(Box::new(Self {
                dictionary: SessionDictionary::default(),
                places: Arc::clone(places),
            }));
        }
        slot.as_deref_mut().ok_or("no dictionary")
    }

    /// The message in a frame.
    fn expand(&mut self, frame: &[u8], limits: &SessionLimits) -> Result<&[u8], &'static str> {
        self.dictionary
            .expand(frame, limits.message)
            .map_err(DictionaryError::as_str)
    }

    /// Appends a frame with this message, if there is one.
    pub(super) fn append(
        &mut self,
        message: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), &'static str> {
        if message.is_empty() {
            return Ok(());
        }
        self.dictionary
            .compress(message, output)
            .map_err(DictionaryError::as_str)
    }
}

impl Drop for CompressedSession {
    fn drop(&mut self) {
        self.places.fetch_sub(1, Ordering::Relaxed);
    }
}
