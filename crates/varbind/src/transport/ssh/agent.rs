//! The connection to a user's authentication agent.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use russh::keys::agent::client::{AgentClient, AgentStream as Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::client_configuration::AgentSocket;
use super::opening::BlockingCalls;

/// How long the agent may take; a user may have to confirm the use of a key there.
const AGENT_TIMEOUT: Duration = Duration::from_secs(60);

/// Where the authentication agent listens, if there is one.
pub(super) fn path(agent: &AgentSocket) -> Option<PathBuf> {
    match agent {
        AgentSocket::Off => None,
        AgentSocket::Path(path) => Some(path.clone()),
        AgentSocket::Environment => std::env::var_os("SSH_AUTH_SOCK")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from),
    }
}

/// The authentication agent, over a stream that waits in the call or in the runtime.
pub(super) type Agent = AgentClient<Box<dyn Stream + Send + Unpin>>;

pub(super) async fn connect(path: &Path, calls: &BlockingCalls) -> io::Result<Agent> {
    Ok(match calls {
        BlockingCalls::Inline => AgentClient::connect(AgentStream::open(path)?).dynamic(),
        BlockingCalls::Offloaded(_) => {
            let stream = tokio::net::UnixStream::connect(path).await?;
            AgentClient::connect(stream).dynamic()
        }
    })
}

/// The connection to the authentication agent. It waits in the call: nothing else is to be done meanwhile.
struct AgentStream(UnixStream);

impl AgentStream {
    fn open(path: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(AGENT_TIMEOUT))?;
        stream.set_write_timeout(Some(AGENT_TIMEOUT))?;
        Ok(Self(stream))
    }
}

impl AsyncRead for AgentStream {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut octets = vec![0; buffer.remaining().min(16_384)];
        Poll::Ready((&self.0).read(&mut octets).map(|read| {
            buffer.put_slice(octets.get(..read).unwrap_or(&[]));
        }))
    }
}

impl AsyncWrite for AgentStream {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready((&self.0).write(octets))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
