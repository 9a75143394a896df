//! Operations of a client that are dropped before they end.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use varbind::client::{Client, Target};
use varbind::engine::applications::command_generator::Command;
use varbind_codec::smi::{Oid, VarBind};

use super::{NAME_0, TABLE};

/// When an operation is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At once when it was polled.
    Polled,
    /// When it was woken after that, so that what it waited for is there.
    Woken,
}

/// Polls a future so many times, each time once it is woken, and drops it. Whether it was ready before.
pub async fn abandon(future: impl Future, polls: usize, moment: Moment) -> bool {
    poll_until(&mut Box::pin(future), polls, moment).await
}

/// Polls a future so many times, each time once it is woken. Whether it is ready.
async fn poll_until<F: Future + ?Sized>(
    future: &mut Pin<Box<F>>,
    polls: usize,
    moment: Moment,
) -> bool {
    let mut made = 0;
    poll_fn(|cx| {
        if made == polls {
            return Poll::Ready(false);
        }
        made += 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(true),
            Poll::Pending if made == polls && moment == Moment::Polled => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Drops each operation of targets at each of its awaits. `target` makes a target that has no session yet and may write, of an
/// agent that serves `objects`, and perhaps more below `TABLE`. After each, the target answers as it should and holds nothing.
/// Returns how many were dropped before they were ready.
pub async fn drop_at_each_await(
    client: &Client,
    target: impl Fn() -> Target,
    objects: &[VarBind],
) -> usize {
    let mut dropped = 0;
    let names: Vec<Oid> = objects.iter().map(|object| object.name.clone()).collect();
    let mut others = objects.iter().cycle().skip(objects.len() / 2);
    for name in Operation::ALL {
        for moment in [Moment::Polled, Moment::Woken] {
            for polls in 0.. {
                let target = target();
                let mut operation = name.run(&target, &names);
                let was_ready = poll_until(&mut operation, polls, moment).await;
                // Requests of a walk that is far ahead fail early on a busy machine: only later failures are the drop's.
                let failures_before = failures(&target);
                drop(operation);
                let place = format!("{name:?}, {polls} polls, {moment:?}");
                assert_eq!(pending(client), (0, 0), "{place}");
                let other = others.next().expect("objects");
                let answer = target.get(&other.name).await;
                assert_eq!(answer.expect(&place), other.value, "{place}");
                assert_eq!(pending(client), (0, 0), "{place}");
                assert_eq!(failures(&target), failures_before, "{place}");
                if was_ready {
                    break;
                }
                dropped += 1;
            }
        }
    }
    dropped
}

fn failures(target: &Target) -> u64 {
    target
        .statistics()
        .map_or(0, |statistics| statistics.failures)
}

/// How many operations and requests a client holds: what its `Debug` shows, as there is no other door to it.
pub fn pending(client: &Client) -> (usize, usize) {
    let shown = format!("{client:?}");
    let count = |name: &str| shown.matches(name).count();
    (count("Operation {"), count("Outstanding {"))
}

/// What a target can do.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Connect,
    Close,
    Get,
    GetMany,
    GetNext,
    GetBulk,
    Set,
    SetMany,
    Request,
    Walk,
    WalkBatch,
    WalkAll,
    Table,
}

impl Operation {
    const ALL: [Self; 13] = [
        Self::Connect,
        Self::Close,
        Self::Get,
        Self::GetMany,
        Self::GetNext,
        Self::GetBulk,
        Self::Set,
        Self::SetMany,
        Self::Request,
        Self::Walk,
        Self::WalkBatch,
        Self::WalkAll,
        Self::Table,
    ];

    /// The operation, with whatever outcome.
    fn run<'a>(
        self,
        target: &'a Target,
        names: &'a [Oid],
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        let first = &names[..1];
        Box::pin(async move {
            match self {
                Self::Connect => target.connect().await.expect("a session"),
                Self::Close => {
                    target.get(&first[0]).await.expect("an answer");
                    target.close().await;
                }
                Self::Get => drop(target.get(&first[0]).await.expect("an answer")),
                // In several messages, at the same time.
                Self::GetMany => drop(target.get_many(names).await.expect("answers")),
                Self::GetNext => drop(target.get_next(&first[0]).await.expect("an answer")),
                Self::GetBulk => drop(target.get_bulk(0, 5, &names[..2]).await.expect("answers")),
                Self::Set => target.set(NAME_0, "a name").await.expect("an answer"),
                Self::SetMany => {
                    let name = NAME_0.parse().expect("a name");
                    let set = target.set_many([VarBind::new(name, "another")]);
                    set.await.expect("an answer");
                }
                Self::Request => drop(
                    target
                        .request(Command::Get(first))
                        .await
                        .expect("an answer"),
                ),
                Self::Walk => drop(target.walk(TABLE).next().await.expect("an object")),
                Self::WalkBatch => drop(target.walk(TABLE).next_batch().await.expect("objects")),
                Self::WalkAll => drop(target.walk(TABLE).collect().await.expect("objects")),
                Self::Table => drop(target.table([TABLE]).await.expect("rows")),
            }
        })
    }
}
