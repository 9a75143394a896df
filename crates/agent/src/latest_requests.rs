//! What is known for requests that wait: threads that may wait keep it from one step of a request to the next.

use std::collections::VecDeque;

/// Of how many requests something is kept: more than can wait at a time.
const REQUESTS: usize = 64;

/// What is known for the latest requests, by the number of their transaction.
#[derive(Debug, Default)]
pub(crate) struct LatestRequests<T>(VecDeque<(u32, T)>);

impl<T: Default> LatestRequests<T> {
    /// What is known for a request.
    pub(crate) fn of(&mut self, transaction: u32) -> Option<&mut T> {
        let mut all = self.0.iter_mut();
        let (_, known) = all.find(|(number, _)| *number == transaction)?;
        Some(known)
    }

    /// Changes what is known for a request, which may be nothing until now.
    pub(crate) fn change<R>(&mut self, transaction: u32, change: impl FnOnce(&mut T) -> R) -> R {
        let at = self.0.iter().position(|(number, _)| *number == transaction);
        let known = at.and_then(|at| self.0.remove(at));
        let (_, mut known) = known.unwrap_or_default();
        let result = change(&mut known);
        if self.0.len() >= REQUESTS {
            self.0.pop_front();
        }
        self.0.push_back((transaction, known));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_requests_are_forgotten() {
        let mut requests = LatestRequests::<u32>::default();
        for transaction in 0..100 {
            requests.change(transaction, |known| *known += transaction);
            requests.change(0, |known| *known += 1);
        }
        assert_eq!(requests.of(0).copied(), Some(100));
        assert_eq!(requests.of(99).copied(), Some(99));
        assert_eq!(requests.of(1), None);
        assert_eq!(requests.0.len(), REQUESTS);
    }
}
