//! Indexes that subagents have allocated, so that two do not make the same row (RFC 2741 section 7.1.4.1).

use std::collections::BTreeMap;

use varbind_codec::smi::{Oid, Value, VarBind};

use super::regions::SessionId;
use varbind_codec::agentx::{ResponseError, WantedIndex};

/// The most values of all objects.
const MOST: usize = 200_000;

/// The values of each index object, by its name.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    objects: BTreeMap<Oid, Vec<Allocated>>,
}

/// A value that is taken, or was once.
#[derive(Clone, Debug)]
struct Allocated {
    value: Value,
    /// `None` once it was given back.
    session: Option<SessionId>,
}

/// Why an index is not allocated or given back, and which one it is, counted from 1.
type Refused = (ResponseError, u16);

impl Indexes {
    /// Allocates all values, or none. Returns them as they are now.
    ///
    /// # Errors
    /// With the first that cannot be allocated.
    pub(super) fn allocate(
        &mut self,
        session: SessionId,
        wanted: WantedIndex,
        indexes: Vec<VarBind>,
    ) -> Result<Vec<VarBind>, Refused> {
        let mut allocated: Vec<VarBind> = Vec::with_capacity(indexes.len());
        for VarBind { name, value } in indexes {
            match self.allocate_one(session, wanted, &name, &value) {
                Ok(value) => allocated.push(VarBind::new(name, value)),
                Err(error) => {
                    let place = u16::try_from(allocated.len() + 1).unwrap_or(u16::MAX);
                    for VarBind { name, value } in &allocated {
                        self.forget(session, name, value);
                    }
                    return Err((error, place));
                }
            }
        }
        Ok(allocated)
    }

    fn allocate_one(
        &mut self,
        session: SessionId,
        wanted: WantedIndex,
        name: &Oid,
        value: &Value,
    ) -> Result<Value, ResponseError> {
        let count: usize = self.objects.values().map(Vec::len).sum();
        if count >= MOST {
            return Err(ResponseError::INDEX_NONE_AVAILABLE);
        }
        let known = self.objects.entry(name.clone()).or_default();
        let is_of_type =
            |one: &Allocated| std::mem::discriminant(&one.value) == std::mem::discriminant(value);
        if !known.iter().all(is_of_type) {
            return Err(ResponseError::INDEX_WRONG_TYPE);
        }
        let value = match wanted {
            WantedIndex::Exact => value.clone(),
            WantedIndex::Any => unused(known, value, |one| one.session.is_some())?,
            WantedIndex::New => unused(known, value, |_| true)?,
        };
        match known.iter_mut().find(|one| one.value == value) {
            Some(one) if one.session.is_some() => Err(ResponseError::INDEX_ALREADY_ALLOCATED),
            Some(one) => {
                one.session = Some(session);
                Ok(value)
            }
            None => {
                known.push(Allocated {
                    value: value.clone(),
                    session: Some(session),
                });
                Ok(value)
            }
        }
    }

    /// Gives all values back, or none.
    ///
    /// # Errors
    /// With the first that the session does not have.
    pub(super) fn deallocate(
        &mut self,
        session: SessionId,
        indexes: &[VarBind],
    ) -> Result<(), Refused> {
        for (at, VarBind { name, value }) in indexes.iter().enumerate() {
            let known = self.objects.get(name);
            let mut known = known.into_iter().flatten();
            if !known.any(|one| one.value == *value && one.session == Some(session)) {
                let place = u16::try_from(at + 1).unwrap_or(u16::MAX);
                return Err((ResponseError::INDEX_NOT_ALLOCATED, place));
            }
        }
        for VarBind { name, value } in indexes {
            let known = self.objects.get_mut(name);
            for one in known.into_iter().flatten() {
                if one.value == *value {
                    one.session = None;
                }
            }
        }
        Ok(())
    }

    /// Gives all back that a session has.
    pub(super) fn remove_session(&mut self, session: SessionId) {
        for one in self.objects.values_mut().flatten() {
            if one.session == Some(session) {
                one.session = None;
            }
        }
    }

    /// As if it had never been allocated.
    fn forget(&mut self, session: SessionId, name: &Oid, value: &Value) {
        if let Some(known) = self.objects.get_mut(name) {
            known.retain(|one| one.value != *value || one.session != Some(session));
            if known.is_empty() {
                self.objects.remove(name);
            }
        }
    }
}

/// The least number from 1 on that is not taken. There is an order of numbers alone.
fn unused(
    known: &[Allocated],
    like: &Value,
    is_taken: fn(&Allocated) -> bool,
) -> Result<Value, ResponseError> {
    let number_of = |value: &Value| match value {
        Value::Integer(number) => u32::try_from(*number).ok(),
        Value::Gauge32(number) => Some(*number),
        _ => None,
    };
    let taken = known.iter().filter(|one| is_taken(one));
    let mut taken: Vec<_> = taken.filter_map(|one| number_of(&one.value)).collect();
    taken.sort_unstable();
    let mut free = 1_u32;
    for number in taken {
        if number == free {
            free = free
                .checked_add(1)
                .ok_or(ResponseError::INDEX_NONE_AVAILABLE)?;
        }
    }
    match like {
        Value::Integer(_) => i32::try_from(free)
            .map(Value::Integer)
            .map_err(|_| ResponseError::INDEX_NONE_AVAILABLE),
        Value::Gauge32(_) => Ok(Value::Gauge32(free)),
        _ => Err(ResponseError::INDEX_NONE_AVAILABLE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(number: i32) -> VarBind {
        VarBind::new(
            Oid::new(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 1]).unwrap(),
            Value::Integer(number),
        )
    }

    fn text(text: &str) -> VarBind {
        VarBind::new(Oid::new(&[1, 3, 6, 1, 9]).unwrap(), Value::from(text))
    }

    #[test]
    fn values_are_exact_or_free_or_new() {
        let mut indexes = Indexes::default();
        let mut allocate = |session, wanted, number| {
            let found = indexes.allocate(session, wanted, vec![index(number)]);
            found.map(|found| found[0].value.clone())
        };
        let number = |number| Ok(Value::Integer(number));
        assert_eq!(allocate(1, WantedIndex::Exact, 2), number(2));
        let again = allocate(2, WantedIndex::Exact, 2);
        assert_eq!(again, Err((ResponseError::INDEX_ALREADY_ALLOCATED, 1)));
        assert_eq!(allocate(2, WantedIndex::Any, 0), number(1));
        assert_eq!(allocate(2, WantedIndex::New, 0), number(3));
        indexes.deallocate(1, &[index(2)]).unwrap();
        let mut allocate = |session, wanted, number| {
            let found = indexes.allocate(session, wanted, vec![index(number)]);
            found.map(|found| found[0].value.clone())
        };
        // One that was given back is free, but not new.
        assert_eq!(allocate(3, WantedIndex::New, 0), number(4));
        assert_eq!(allocate(3, WantedIndex::Any, 0), number(2));
        indexes.remove_session(2);
        let found = indexes.allocate(3, WantedIndex::Any, vec![index(0)]);
        assert_eq!(found.unwrap(), [index(1)]);
    }

    #[test]
    fn all_are_allocated_or_none() {
        let mut indexes = Indexes::default();
        indexes
            .allocate(1, WantedIndex::Exact, vec![index(5)])
            .unwrap();
        let refused = indexes.allocate(2, WantedIndex::Exact, vec![index(4), index(5)]);
        assert_eq!(refused, Err((ResponseError::INDEX_ALREADY_ALLOCATED, 2)));
        assert!(
            indexes
                .allocate(3, WantedIndex::Exact, vec![index(4)])
                .is_ok()
        );
        let refused = indexes.deallocate(1, &[index(5), index(4)]);
        assert_eq!(refused, Err((ResponseError::INDEX_NOT_ALLOCATED, 2)));
        assert_eq!(indexes.deallocate(1, &[index(5)]), Ok(()));
    }

    #[test]
    fn texts_are_allocated_exactly_and_types_do_not_change() {
        let mut indexes = Indexes::default();
        let exact = indexes.allocate(1, WantedIndex::Exact, vec![text("a")]);
        assert_eq!(exact.unwrap(), [text("a")]);
        let any = indexes.allocate(1, WantedIndex::Any, vec![text("")]);
        assert_eq!(any, Err((ResponseError::INDEX_NONE_AVAILABLE, 1)));
        let number = VarBind::new(text("").name, Value::Integer(1));
        let wrong = indexes.allocate(1, WantedIndex::Exact, vec![number]);
        assert_eq!(wrong, Err((ResponseError::INDEX_WRONG_TYPE, 1)));
    }
}
