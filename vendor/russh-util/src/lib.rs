//! What russh 0.65 asks of a runtime (the interface of russh-util 0.52), on tokio alone.

/// Time.
pub mod time {
    pub use std::time::Instant;
}

/// Tasks.
pub mod runtime {
    use std::fmt;
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// Starts a task on the runtime of the caller.
    pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        JoinHandle(tokio::spawn(future))
    }

    /// Waits for a task; dropped, it leaves the task alone.
    pub struct JoinHandle<T>(tokio::task::JoinHandle<T>);

    impl<T> Future for JoinHandle<T> {
        type Output = Result<T, JoinError>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            let ended = Pin::new(&mut self.0).poll(context);
            ended.map(|result| result.map_err(|_| JoinError))
        }
    }

    /// The task ended without a result.
    #[derive(Debug)]
    pub struct JoinError;

    impl fmt::Display for JoinError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the task ended without a result")
        }
    }

    impl std::error::Error for JoinError {}
}
