//! Who works next on the thread of the sessions.
//!
//! A block of addresses may use a share of the thread at will. Beyond it, its sessions work one at a time and for a moment
//! each, those of the block and then of the session first that have worked least; between two of them everybody else
//! has a turn. Handshakes always work so, and every other turn is theirs. Those of blocks from which peers have authenticated
//! go first, unless they exceed their share; then those of the blocks that have worked least; then the newest: under a
//! flood, the oldest are those whose peers have given up. Under a flood the thread also lets other threads go first.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::thread::yield_briefly;
use crate::transport::places::SourceGroup;

/// Nanoseconds since the thread began.
pub(super) type Nanoseconds = u64;

/// How long one turn may take.
pub(super) const TURN: Nanoseconds = 200_000;
/// One part in so many of the thread's time is the share of a block.
const SHARE: u64 = 8;
/// The share of a session is one part in so many of that of its block.
const SESSIONS: u64 = 128;
/// Work that a block may do at once after it was idle, in terms of its share.
const BURST: Nanoseconds = 20_000_000;
/// Handshakes whose steps follow one another in this time are taken for a flood.
const FLOOD: Nanoseconds = 2_000_000;
/// How long work is remembered at most.
const MEMORY: Nanoseconds = 100_000_000;

/// The work of a block or of a session: until when it has used up its share of the thread.
#[derive(Debug, Default)]
pub(super) struct Usage(AtomicU64);

impl Usage {
    pub(super) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// By how much the share is exceeded.
    fn excess(&self, now: Nanoseconds) -> Nanoseconds {
        self.0.load(Ordering::Relaxed).saturating_sub(now)
    }

    pub(super) fn charge(&self, now: Nanoseconds, work: Nanoseconds) {
        let before = self.0.load(Ordering::Relaxed);
        let until = before.max(now.saturating_sub(BURST)) + work.saturating_mul(SHARE);
        self.0.store(until.min(now + MEMORY), Ordering::Relaxed);
    }
}

/// What a turn is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Messages of a session.
    Messages,
    /// The first step of a handshake.
    Handshake,
    /// A later step, to which a peer comes that has answered.
    HandshakeEnd,
}

impl Work {
    const fn is_handshake(self) -> bool {
        matches!(self, Self::Handshake | Self::HandshakeEnd)
    }
}

/// Who wants a turn.
#[derive(Clone, Debug)]
pub(super) struct TurnTaker {
    pub(super) block: Arc<Usage>,
    /// Whether handshakes of its block go before those of others, since a peer of it has authenticated before.
    pub(super) is_known: bool,
}

/// The turns of one thread.
#[derive(Debug)]
pub(super) struct Turns {
    start: Instant,
    queue: Mutex<Queue>,
    blocks: Mutex<HashMap<SourceGroup, Weak<Usage>>>,
}

#[derive(Debug, Default)]
struct Queue {
    is_taken: bool,
    /// Of whom the last turn was, by the address of its usage.
    last: usize,
    was_handshake: bool,
    /// When the last turn of a handshake began.
    last_handshake: Option<Nanoseconds>,
    next: u64,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    work: Work,
    peer: TurnTaker,
    /// The excess of the session.
    own: Nanoseconds,
    number: u64,
    ready: oneshot::Sender<Turn>,
}

impl Waiting {
    /// The lowest is next.
    fn order(&self, now: Nanoseconds) -> (Nanoseconds, Nanoseconds, u64) {
        let block = self.peer.block.excess(now);
        // A known block may exceed its share by a burst: others have no excess before they have worked as much.
        let block = match self.peer.is_known && block <= BURST {
            true => 0,
            false => block + 1,
        };
        match self.work {
            Work::Messages => (block, self.own, self.number),
            Work::HandshakeEnd => (block, 0, u64::MAX - self.number),
            Work::Handshake => (block, 1, u64::MAX - self.number),
        }
    }
}

/// A turn. Dropped, it is the next one's.
#[derive(Debug)]
pub(crate) struct Turn(Option<Arc<Turns>>);

impl Turn {
    fn of(turns: &Arc<Turns>) -> Self {
        Self(Some(Arc::clone(turns)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

/// A place in the queue. It is freed when its task stops waiting, because a flood would leave thousands.
struct Ticket {
    turns: Arc<Turns>,
    number: u64,
    ready: oneshot::Receiver<Turn>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = self.turns.queue();
        let place = queue.waiting.iter().position(|it| it.number == self.number);
        if let Some(place) = place {
            queue.waiting.swap_remove(place);
        }
    }
}

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            queue: Mutex::default(),
            blocks: Mutex::default(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Nanoseconds {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The work of an address block, kept as long as one of its peers is connected.
    pub(super) fn block(&self, group: SourceGroup) -> Arc<Usage> {
        const MANY: usize = 64;
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = blocks.get(&group).and_then(Weak::upgrade) {
            return known;
        }
        if blocks.len() >= MANY && blocks.len() == blocks.capacity() {
            blocks.retain(|_, usage| usage.strong_count() > 0);
        }
        let usage = Arc::new(Usage::default());
        blocks.insert(group, Arc::downgrade(&usage));
        usage
    }

    /// Waits for the turn of a session; `None` if its block has not used up its share, and it need not wait.
    pub(super) async fn session(self: &Arc<Self>, block: &Arc<Usage>, own: &Usage) -> Option<Turn> {
        let now = self.now();
        if block.excess(now) == 0 {
            return None;
        }
        let id = std::ptr::from_ref(own).addr();
        {
            let mut queue = self.queue();
            // The same peer worked last and the queue is free, so no other peer has to go first.
            if !queue.is_taken && queue.last == id {
                queue.is_taken = true;
                return Some(Turn::of(self));
            }
            queue.last = id;
        }
        let peer = TurnTaker {
            block: Arc::clone(block),
            is_known: false,
        };
        Some(self.wait(peer, own.excess(now), Work::Messages).await)
    }

    /// Waits for the turn of a step of a handshake.
    pub(super) async fn handshake(self: &Arc<Self>, peer: TurnTaker, work: Work) -> Turn {
        let is_known = peer.is_known;
        let turn = self.wait(peer, 0, work).await;
        let now = self.now();
        let last = self.queue().last_handshake.replace(now);
        if !is_known && last.is_some_and(|last| now - last < FLOOD) {
            yield_briefly();
        }
        turn
    }

    async fn wait(self: &Arc<Self>, peer: TurnTaker, own: Nanoseconds, work: Work) -> Turn {
        let turn = match self.enqueue(peer, own, work) {
            Ok(turn) => turn,
            // Its sender is never dropped while it waits.
            Err(mut ticket) => (&mut ticket.ready).await.unwrap_or(Turn(None)),
        };
        // Everybody else first: what has arrived meanwhile, too.
        tokio::task::yield_now().await;
        turn
    }

    fn enqueue(
        self: &Arc<Self>,
        peer: TurnTaker,
        own: Nanoseconds,
        work: Work,
    ) -> Result<Turn, Ticket> {
        let mut queue = self.queue();
        if !queue.is_taken {
            queue.is_taken = true;
            queue.was_handshake = work.is_handshake();
            return Ok(Turn::of(self));
        }
        let (ready, is_ready) = oneshot::channel();
        let number = queue.next;
        queue.next += 1;
        queue.waiting.push(Waiting {
            work,
            peer,
            own,
            number,
            ready,
        });
        Err(Ticket {
            turns: Arc::clone(self),
            number,
            ready: is_ready,
        })
    }

    /// How many wait.
    #[cfg(all(test, feature = "openssl-tls"))]
    pub(super) fn waiting(&self) -> usize {
        self.queue().waiting.len()
    }

    /// Gives the turn to the next one who still waits for it.
    fn pass_on(self: &Arc<Self>) {
        let now = self.now();
        let mut queue = self.queue();
        while let Some(next) = queue.take_next(now) {
            queue.was_handshake = next.work.is_handshake();
            let turn = Turn::of(self);
            match next.ready.send(turn) {
                Ok(()) => return,
                // It is still here to be given to another.
                Err(mut turn) => turn.0 = None,
            }
        }
        queue.is_taken = false;
        if queue.waiting.capacity() > 64 {
            queue.waiting = Vec::new();
        }
    }

    /// Takes note of the work that was done since a time, for a block and a session.
    pub(super) fn charge(&self, since: Nanoseconds, octets: usize, block: &Usage, own: &Usage) {
        let now = self.now();
        // Sending takes about a nanosecond an octet.
        let work = now - since + octets as u64;
        block.charge(now, work);
        own.charge(now, work * SESSIONS);
    }
}

impl Queue {
    /// Handshakes and messages take turns.
    fn take_next(&mut self, now: Nanoseconds) -> Option<Waiting> {
        let first = |is_handshake: bool| {
            let waiting = self.waiting.iter().enumerate();
            waiting
                .filter(|(_, it)| it.work.is_handshake() == is_handshake)
                .min_by_key(|(_, it)| it.order(now))
                .map(|(index, _)| index)
        };
        let next = first(!self.was_handshake).or_else(|| first(self.was_handshake))?;
        Some(self.waiting.swap_remove(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SourceBlock;

    fn block(turns: &Turns, address: &str) -> Arc<Usage> {
        let address = address.parse().unwrap();
        turns.block(SourceGroup::Block(SourceBlock::of(address)))
    }

    fn unknown(block: &Arc<Usage>) -> TurnTaker {
        TurnTaker {
            block: Arc::clone(block),
            is_known: false,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_of_the_block_that_works_least_go_first() {
        let turns = Arc::new(Turns::new());
        let (greedy, modest) = (block(&turns, "192.0.2.1"), block(&turns, "198.51.100.1"));
        let held = turns.handshake(unknown(&greedy), Work::Handshake).await;
        turns.charge(0, 100_000_000, &greedy, &Usage::default());
        turns.charge(0, 4_000_000, &modest, &Usage::default());
        let order = Arc::new(Mutex::new(Vec::new()));
        let sessions = [
            ("greedy, much", &greedy, 2_000_000),
            ("greedy, little", &greedy, 1_000_000),
            ("modest", &modest, 3_000_000),
        ];
        let tasks = sessions.map(|(name, block, work)| {
            let (turns, block, order) = (Arc::clone(&turns), Arc::clone(block), Arc::clone(&order));
            tokio::spawn(async move {
                let own = Usage::default();
                own.charge(turns.now(), work);
                let turn = turns.session(&block, &own).await;
                assert!(turn.is_some(), "{name} has used up its share");
                order.lock().unwrap().push(name);
            })
        });
        tokio::task::yield_now().await;
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(
            *order.lock().unwrap(),
            ["modest", "greedy, little", "greedy, much"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn handshakes_and_messages_take_turns_and_the_newest_handshake_goes_first() {
        let turns = Arc::new(Turns::new());
        let work = |work: Work, name: &'static str| (work, name);
        let held = turns
            .handshake(unknown(&block(&turns, "192.0.2.1")), Work::Handshake)
            .await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let tasks = [
            work(Work::Handshake, "old"),
            work(Work::Handshake, "new"),
            work(Work::HandshakeEnd, "answered"),
            work(Work::Messages, "first"),
            work(Work::Messages, "second"),
        ]
        .map(|(work, name)| {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            let block = block(&turns, "198.51.100.1");
            tokio::spawn(async move {
                let _turn = turns.wait(unknown(&block), 0, work).await;
                order.lock().unwrap().push(name);
            })
        });
        tokio::task::yield_now().await;
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(
            *order.lock().unwrap(),
            ["first", "answered", "second", "new", "old"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn handshakes_of_known_blocks_go_before_others_until_they_exceed_their_share() {
        let turns = Arc::new(Turns::new());
        let greedy = block(&turns, "192.0.2.1");
        turns.charge(0, 100_000_000, &greedy, &Usage::default());
        let order = Arc::new(Mutex::new(Vec::new()));
        let held = turns
            .handshake(unknown(&block(&turns, "203.0.113.1")), Work::HandshakeEnd)
            .await;
        let known = |block| TurnTaker {
            block,
            is_known: true,
        };
        let modest = block(&turns, "198.51.100.1");
        let tasks = [
            ("known, greedy", known(Arc::clone(&greedy))),
            ("known", known(modest)),
            ("old", unknown(&block(&turns, "203.0.113.2"))),
            ("new", unknown(&block(&turns, "203.0.114.1"))),
        ]
        .map(|(name, peer)| {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            tokio::spawn(async move {
                let _turn = turns.handshake(peer, Work::Handshake).await;
                order.lock().unwrap().push(name);
            })
        });
        tokio::task::yield_now().await;
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(
            *order.lock().unwrap(),
            ["known", "new", "old", "known, greedy"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_block_within_its_share_and_a_session_alone_do_not_wait() {
        let turns = Arc::new(Turns::new());
        let (usage, own) = (block(&turns, "192.0.2.1"), Usage::default());
        let held = turns.handshake(unknown(&usage), Work::Handshake).await;
        assert!(turns.session(&usage, &own).await.is_none());
        drop(held);
        turns.charge(0, 50_000_000, &usage, &own);
        for _ in 0..2 {
            assert!(turns.session(&usage, &own).await.is_some());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_is_passed_on_when_those_who_wait_are_gone() {
        let turns = Arc::new(Turns::new());
        let usage = block(&turns, "192.0.2.1");
        let held = turns.handshake(unknown(&usage), Work::Handshake).await;
        let gone = tokio::spawn({
            let (turns, usage) = (Arc::clone(&turns), Arc::clone(&usage));
            async move { turns.handshake(unknown(&usage), Work::Handshake).await }
        });
        tokio::task::yield_now().await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert!(turns.queue().waiting.is_empty());
        drop(held);
        drop(turns.handshake(unknown(&usage), Work::Handshake).await);
        assert_eq!(Arc::strong_count(&turns), 1);
    }
}
