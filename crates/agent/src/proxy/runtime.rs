use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use varbind::client::Client;

/// The thread that all targets share: that of the agent's sessions if there is one, so that a request that comes over TLS wakes no other
/// thread on its way to the target and back.
#[derive(Debug, Default)]
pub(crate) struct ProxyRuntime(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    sessions: Option<Handle>,
    started: Option<Started>,
}

#[derive(Debug)]
struct Started {
    client: Client,
    handle: Handle,
    /// A thread of its own ends when this is dropped.
    _end: Option<oneshot::Sender<()>>,
}

impl ProxyRuntime {
    /// Targets use the thread of the agent's sessions, unless they have one already.
    pub(crate) fn share(&self, sessions: Option<Handle>) {
        self.state().sessions = sessions;
    }

    /// The client and the runtime that it lives in, which are started if they have not been.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn get(&self) -> io::Result<(Client, Handle)> {
        let State { sessions, started } = &mut *self.state();
        let Started { client, handle, .. } = match started {
            Some(started) => started,
            none => none.insert(match sessions {
                Some(handle) => Started::inside(handle.clone(), None)?,
                None => Started::in_new_thread()?,
            }),
        };
        Ok((client.clone(), handle.clone()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Started {
    fn inside(handle: Handle, end: Option<oneshot::Sender<()>>) -> io::Result<Self> {
        let entered = handle.enter();
        let client = Client::new().map_err(io::Error::other)?;
        drop(entered);
        Ok(Self {
            client,
            handle,
            _end: end,
        })
    }

    fn in_new_thread() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (end, ended) = oneshot::channel();
        let started = Self::inside(runtime.handle().clone(), Some(end))?;
        std::thread::Builder::new()
            .name("varbind-proxy".to_owned())
            .spawn(move || drop(runtime.block_on(ended)))?;
        Ok(started)
    }
}
