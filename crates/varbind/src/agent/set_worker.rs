use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use varbind_codec::smi::VarBind;
use varbind_engine::applications::command_responder::{Principal, Workspace};

use super::deferred::Job;
use super::{AgentEngine, SetObjectsError};
use crate::thread::spawn;

/// SetRequests over UDP that wait; a manager whose request finds no place will send it again.
const PLACES: usize = 256;

/// Objects to be set in the name of a principal that asks by another protocol than SNMP.
pub(super) struct Assignment {
    pub(super) principal: Principal,
    pub(super) objects: Vec<VarBind>,
    /// The revision that the configuration must have.
    pub(super) revision: Option<u64>,
    /// Dropped without an answer if the agent ends.
    pub(super) reply: tokio::sync::oneshot::Sender<Result<(), SetObjectsError>>,
}

enum Task {
    CarryOut(Job),
    Assign(Assignment),
    /// Dropped when all that came before is done.
    Reach {
        _done: Sender<()>,
    },
    End,
}

/// The way to the thread that carries out SetRequests.
#[derive(Clone)]
pub(super) struct SetQueue {
    tasks: Sender<Task>,
    waiting: Arc<AtomicUsize>,
}

impl SetQueue {
    /// Adds a request, if not too many wait.
    pub(super) fn offer(&self, job: Job) -> bool {
        let has_place = self.waiting.load(Ordering::Relaxed) < PLACES;
        if has_place {
            self.push(job);
        }
        has_place
    }

    /// Adds a request of a session, which waits for the answer: no more of them can wait than there are sessions.
    pub(super) fn push(&self, job: Job) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Without a worker, the agent has ended, and so will whoever asks.
        let _ = self.tasks.send(Task::CarryOut(job));
    }

    /// Adds objects to be set, if not too many wait.
    pub(super) fn offer_assignment(&self, assignment: Assignment) -> bool {
        let has_place = self.waiting.load(Ordering::Relaxed) < PLACES;
        if has_place {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let _ = self.tasks.send(Task::Assign(assignment));
        }
        has_place
    }

    /// Waits until the requests that were added before are answered.
    pub(super) fn wait(&self) {
        let (done, is_done) = channel();
        let _ = self.tasks.send(Task::Reach { _done: done });
        let _ = is_done.recv();
    }
}

/// The thread that carries out SetRequests, one after the other.
///
/// Dropping it waits for the one that is being carried out: the storage is not used afterwards.
pub(super) struct SetWorker {
    queue: SetQueue,
    is_abandoned: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SetWorker {
    pub(super) fn start(engine: Arc<AgentEngine>) -> io::Result<Self> {
        let (sender, tasks) = channel();
        let queue = SetQueue {
            tasks: sender,
            waiting: Arc::default(),
        };
        let worker = Worker {
            engine,
            tasks,
            waiting: Arc::clone(&queue.waiting),
            is_abandoned: Arc::default(),
        };
        let is_abandoned = Arc::clone(&worker.is_abandoned);
        let thread = spawn("varbind-set", move || worker.run())?;
        Ok(Self {
            queue,
            is_abandoned,
            thread: Some(thread),
        })
    }

    pub(super) fn queue(&self) -> SetQueue {
        self.queue.clone()
    }

    /// Carries out what waits.
    pub(super) fn drain(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.queue.tasks.send(Task::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SetWorker {
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::Release);
        self.end();
    }
}

struct Worker {
    engine: Arc<AgentEngine>,
    tasks: Receiver<Task>,
    waiting: Arc<AtomicUsize>,
    is_abandoned: Arc<AtomicBool>,
}

impl Worker {
    fn run(&self) {
        let mut workspace = Workspace::default();
        while let Ok(task) = self.tasks.recv() {
            match task {
                Task::End => return,
                Task::Reach { .. } => {}
                Task::CarryOut(job) => {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    if !self.is_abandoned.load(Ordering::Acquire) {
                        self.engine.carry_out(job, &mut workspace);
                    }
                }
                Task::Assign(assignment) => {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    if !self.is_abandoned.load(Ordering::Acquire) {
                        self.assign(assignment);
                    }
                }
            }
        }
    }

    fn assign(&self, assignment: Assignment) {
        let Assignment {
            principal,
            objects,
            revision,
            reply,
        } = assignment;
        let engine = &self.engine;
        // All SetRequests are carried out by this thread: none comes between the check and the change.
        if revision.is_some_and(|revision| revision != engine.changes.revision()) {
            let _ = reply.send(Err(SetObjectsError::Changed));
            return;
        }
        let local = engine.local.load_full();
        let now = engine.clock.now();
        let result = engine
            .dispatcher
            .set_objects(&local, &principal, now, &objects);
        // Whoever asked may have gone meanwhile.
        let _ = reply.send(result.map_err(SetObjectsError::Refused));
    }
}
