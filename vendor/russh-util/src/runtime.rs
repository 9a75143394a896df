use std::future::Future;
use std::pin::Pin;
use std::task::{ready, Context, Poll};

use tokio::sync::oneshot;

#[derive(Debug)]
pub struct JoinError;

impl std::fmt::Display for JoinError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JoinError")
    }
}

impl std::error::Error for JoinError {}

pub struct JoinHandle<T>
where
    T: Send,
{
    handle: oneshot::Receiver<T>,
}

/// A future that sends what another one results in.
///
/// An async block that awaits a future which it has captured has room for it twice: once as what was captured, and once
/// as what is awaited. A session of russh is 12 kB.
struct Reporting<T> {
    future: Pin<Box<dyn Future<Output = T> + Send>>,
    sender: Option<oneshot::Sender<T>>,
}

impl<T> Future for Reporting<T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let result = ready!(self.future.as_mut().poll(cx));
        if let Some(sender) = self.sender.take() {
            let _ = sender.send(result);
        }
        Poll::Ready(())
    }
}

pub fn spawn<F, T>(future: F) -> JoinHandle<T>
where
    F: Future<Output = T> + 'static + Send,
    T: Send + 'static,
{
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(Reporting {
        future: Box::pin(future),
        sender: Some(sender),
    });
    JoinHandle { handle: receiver }
}

impl<T> Future for JoinHandle<T>
where
    T: Send,
{
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match Pin::new(&mut self.handle).poll(cx) {
            Poll::Ready(Ok(val)) => Poll::Ready(Ok(val)),
            Poll::Ready(Err(_)) => Poll::Ready(Err(JoinError)),
            Poll::Pending => Poll::Pending,
        }
    }
}
