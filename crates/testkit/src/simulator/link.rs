//! A link with delay, loss, duplication, reordering and a queue.

use std::time::Duration;

use varbind_engine::clock::Instant;

/// The rate of a link and the queue before it.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Bits per second.
    pub bits_per_second: u64,
    /// A message that would wait longer is dropped.
    pub longest_queue: Duration,
}

/// One direction of a link. What happens to message number k depends on the seed, the direction and k alone.
#[derive(Clone, Debug)]
pub struct Link {
    /// From one end to the other.
    pub delay: Duration,
    /// The share of messages that is lost, 0 to 1.
    pub loss: f64,
    /// The share of messages that comes twice.
    pub duplication: f64,
    /// Up to this much is added to the delay, so that messages overtake each other.
    pub jitter: Duration,
    /// No limit without one.
    pub rate: Option<Rate>,
    /// Messages larger than this are lost.
    pub largest_message: usize,
    /// Decides what happens to each message.
    pub seed: u64,
    direction: u64,
    count: u64,
    free_at: Instant,
}

/// Octets that UDP and IP add.
const HEADERS: usize = 28;

impl Link {
    /// A link that only delays.
    pub fn new(delay: Duration, seed: u64) -> Self {
        Self {
            delay,
            loss: 0.0,
            duplication: 0.0,
            jitter: Duration::ZERO,
            rate: None,
            largest_message: usize::MAX,
            seed,
            direction: 0,
            count: 0,
            free_at: Instant::ORIGIN,
        }
    }

    /// One direction of it, by number.
    pub fn direction(&self, direction: u64) -> Self {
        Self {
            direction,
            ..self.clone()
        }
    }

    /// A number from 0 to 1 for message `count` and one of its questions.
    fn draw(&self, question: u64) -> f64 {
        let mut mixed = self.seed ^ (self.direction << 62) ^ (question << 56) ^ self.count;
        for _ in 0..2 {
            mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
        }
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// When copies of a message that enters now come out.
    pub fn carry(&mut self, now: Instant, length: usize) -> Vec<Instant> {
        self.count += 1;
        let mut leaves = now;
        if let Some(rate) = self.rate {
            let start = now.max(self.free_at);
            if start - now > rate.longest_queue {
                return Vec::new();
            }
            let bits = 8 * (length + HEADERS) as u64;
            leaves = start + Duration::from_nanos(bits * 1_000_000_000 / rate.bits_per_second);
            self.free_at = leaves;
        }
        if length > self.largest_message || self.draw(1) < self.loss {
            return Vec::new();
        }
        let copies = 1 + u64::from(self.draw(2) < self.duplication);
        (0..copies)
            .map(|copy| leaves + self.delay + self.jitter.mul_f64(self.draw(3 + copy)))
            .collect()
    }
}
