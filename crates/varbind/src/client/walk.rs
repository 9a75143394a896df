use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::vec;

use futures_core::Stream;
use tokio::time::Sleep;
use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::applications::command_generator::{
    self as engine, CommandGenerator, GeneratorEvent, WalkEvent, WalkOptions, WalkSummary,
};

use super::operation::{Operation, Requests};
use super::state::Registration;
use super::targets::is_cut;
use super::{Error, Target};

/// The objects below a name, in order: a [`Stream`] of variable bindings.
///
/// Several requests are in flight at a time, and the next are sent while objects are taken. Dropping it gives them up. A
/// session that is cut is reopened, and the walk continues. An error ends the walk.
#[must_use = "a walk sends nothing until its objects are taken"]
pub struct Walk {
    target: Target,
    state: State,
    objects: vec::IntoIter<VarBind>,
    summary: WalkSummary,
    deadline: Option<(Duration, Pin<Box<Sleep>>)>,
    /// How often the session was reopened since an object came.
    reopened: u32,
}

type Opening = Pin<Box<dyn Future<Output = Result<Arc<Registration>, Error>> + Send>>;

enum State {
    /// The names are wrong.
    Failed(Error),
    /// The name is being resolved, or a session opened.
    Opening(Opening, Box<Progress>),
    Going(Box<Operation<WalkRequests>>),
    Ended,
}

/// A walk that has no session for a while.
enum Progress {
    New(engine::Walk),
    Interrupted(Operation<WalkRequests>),
}

/// The requests of a walk, which can be sent again.
#[derive(Debug)]
struct WalkRequests {
    walk: engine::Walk,
    is_cut: bool,
}

/// What comes next of a walk.
enum Next {
    Event(WalkEvent),
    /// The session was cut: another has to be opened.
    Cut,
}

impl Requests for WalkRequests {
    type Outcome = Next;

    fn poll(&mut self, generator: &mut CommandGenerator) -> Option<Next> {
        if std::mem::take(&mut self.is_cut) {
            return Some(Next::Cut);
        }
        self.walk.poll(generator).map(Next::Event)
    }

    fn handle_event(&mut self, event: GeneratorEvent) {
        if let GeneratorEvent::Failed(failure) = &event
            && is_cut(&failure.reason)
            && self.walk.ask_again(failure.handle)
        {
            self.is_cut = true;
            return;
        }
        self.walk.handle_event(event);
    }

    fn cancel(&mut self, generator: &mut CommandGenerator) {
        self.walk.cancel(generator);
    }
}

impl Walk {
    pub(super) fn new(
        target: Target,
        roots: Result<Vec<Oid>, Error>,
        options: WalkOptions,
    ) -> Self {
        let state = match roots {
            Ok(roots) => {
                let walk = engine::Walk::new(&roots, options);
                State::Opening(open(&target), Box::new(Progress::New(walk)))
            }
            Err(error) => State::Failed(error),
        };
        Self {
            target,
            state,
            objects: Vec::new().into_iter(),
            summary: WalkSummary::default(),
            deadline: None,
            reopened: 0,
        }
    }

    /// The next object; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<VarBind, Error>> {
        poll_fn(|cx| self.poll_object(cx)).await
    }

    /// The next objects, as many as have come; `None` when there are no more.
    pub async fn next_batch(&mut self) -> Option<Result<Vec<VarBind>, Error>> {
        poll_fn(|cx| self.poll_batch(cx)).await
    }

    /// All objects.
    ///
    /// # Errors
    /// When the walk ends early; what came before is lost.
    pub async fn collect(mut self) -> Result<Vec<VarBind>, Error> {
        let mut all = Vec::new();
        while let Some(object) = self.next().await {
            all.push(object?);
        }
        Ok(all)
    }

    /// What the walk took, once it has ended.
    #[must_use]
    pub const fn summary(&self) -> &WalkSummary {
        &self.summary
    }

    fn poll_object(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<VarBind, Error>>> {
        loop {
            if let Some(object) = self.objects.next() {
                return Poll::Ready(Some(Ok(object)));
            }
            match ready!(self.poll_batch(cx)) {
                Some(Ok(objects)) => self.objects = objects.into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    fn poll_batch(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Vec<VarBind>, Error>>> {
        let rest = std::mem::take(&mut self.objects);
        if rest.len() > 0 {
            return Poll::Ready(Some(Ok(rest.collect())));
        }
        if self.is_late(cx) {
            self.state = State::Ended;
            let deadline = self.deadline.take().map(|(deadline, _)| deadline);
            return Poll::Ready(Some(Err(Error::Deadline {
                target: self.target.address().clone(),
                deadline: deadline.unwrap_or_default(),
            })));
        }
        let batch = ready!(self.poll_state(cx)).transpose();
        if let Some(Err(_)) = &batch {
            self.state = State::Ended;
        }
        Poll::Ready(batch)
    }

    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        if self.deadline.is_none()
            && let Some(deadline) = self.target.deadline_of_operations()
        {
            self.deadline = Some((deadline, Box::pin(tokio::time::sleep(deadline))));
        }
        let is_going = matches!(self.state, State::Opening(..) | State::Going(_));
        match &mut self.deadline {
            Some((_, sleep)) if is_going => sleep.as_mut().poll(cx).is_ready(),
            _ => false,
        }
    }

    /// The next objects; none at the end.
    fn poll_state(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Vec<VarBind>>, Error>> {
        loop {
            match &mut self.state {
                State::Failed(_) => {
                    let State::Failed(error) = std::mem::replace(&mut self.state, State::Ended)
                    else {
                        return Poll::Ready(Ok(None));
                    };
                    return Poll::Ready(Err(error));
                }
                State::Opening(opening, _) => {
                    let registration = ready!(opening.as_mut().poll(cx))?;
                    let State::Opening(_, progress) =
                        std::mem::replace(&mut self.state, State::Ended)
                    else {
                        return Poll::Ready(Ok(None));
                    };
                    self.state = State::Going(Box::new(match *progress {
                        Progress::New(walk) => {
                            let is_cut = false;
                            Operation::new(registration, WalkRequests { walk, is_cut })
                        }
                        Progress::Interrupted(operation) => operation,
                    }));
                }
                State::Going(operation) => match ready!(operation.poll(cx)) {
                    Next::Event(WalkEvent::Objects(objects)) => {
                        self.reopened = 0;
                        return Poll::Ready(Ok(Some(objects)));
                    }
                    Next::Event(WalkEvent::Finished(summary)) => {
                        self.summary = summary;
                        self.state = State::Ended;
                    }
                    Next::Event(WalkEvent::Failed(error, summary)) => {
                        self.summary = summary;
                        return Poll::Ready(Err(self.target.walk_failure(error, summary)));
                    }
                    Next::Cut => self.reopen()?,
                },
                State::Ended => return Poll::Ready(Ok(None)),
            }
        }
    }

    fn reopen(&mut self) -> Result<(), Error> {
        let State::Going(operation) = std::mem::replace(&mut self.state, State::Ended) else {
            return Ok(());
        };
        self.reopened += 1;
        if self.reopened > self.target.max_attempts() {
            return Err(Error::Interrupted {
                target: self.target.address().clone(),
            });
        }
        let progress = Progress::Interrupted(*operation);
        self.state = State::Opening(open(&self.target), Box::new(progress));
        Ok(())
    }
}

fn open(target: &Target) -> Opening {
    let target = target.clone();
    Box::pin(async move { target.open().await })
}

impl Stream for Walk {
    type Item = Result<VarBind, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_object(cx)
    }
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("target", self.target.address())
            .finish_non_exhaustive()
    }
}
