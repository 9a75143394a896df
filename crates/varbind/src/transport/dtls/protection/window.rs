/// The numbers of records that were received (RFC 6347 section 4.1.2.6).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// One more than the highest.
    top: u64,
    /// The 64 below the top, the highest in the lowest bit.
    seen: u64,
}

impl Window {
    pub(super) fn is_new(&self, sequence: u64) -> bool {
        match self.top.checked_sub(sequence + 1) {
            None => true,
            Some(age) => age < 64 && self.seen >> age & 1 == 0,
        }
    }

    pub(super) fn mark(&mut self, sequence: u64) {
        match (sequence + 1).checked_sub(self.top) {
            Some(ahead) if ahead > 0 => {
                self.seen = if ahead < 64 { self.seen << ahead } else { 0 } | 1;
                self.top = sequence + 1;
            }
            _ => {
                let age = self.top - sequence - 1;
                if age < 64 {
                    self.seen |= 1 << age;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_takes_each_number_once_and_none_that_is_too_old() {
        let mut window = Window::default();
        let numbers = [5, 3, 4, 100, 99, 36, 37, 164, 1000, 936, 937, 0];
        let mut taken = Vec::new();
        for number in numbers.into_iter().chain(numbers) {
            if window.is_new(number) {
                window.mark(number);
                taken.push(number);
            }
        }
        assert_eq!(taken, [5, 3, 4, 100, 99, 37, 164, 1000, 937]);
    }
}
