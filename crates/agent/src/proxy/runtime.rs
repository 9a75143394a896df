use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use varbind::client::Client;

/// The thread that all targets share.
#[derive(Debug, Default)]
pub(crate) struct ProxyRuntime(Mutex<Option<Started>>);

#[derive(Debug)]
struct Started {
    client: Client,
    handle: Handle,
    /// The thread ends when this is dropped.
    _end: oneshot::Sender<()>,
}

impl ProxyRuntime {
    /// The client and the runtime that it lives in, which are started if they have not been.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn get(&self) -> io::Result<(Client, Handle)> {
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Started { client, handle, .. } = match &mut *started {
            Some(started) => started,
            none => none.insert(Started::new()?),
        };
        Ok((client.clone(), handle.clone()))
    }
}

impl Started {
    fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let client = {
            let _inside = runtime.enter();
            Client::new().map_err(io::Error::other)?
        };
        let (end, ended) = oneshot::channel();
        std::thread::Builder::new()
            .name("varbind-proxy".to_owned())
            .spawn(move || drop(runtime.block_on(ended)))?;
        Ok(Self {
            client,
            handle,
            _end: end,
        })
    }
}
