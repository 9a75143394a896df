//! Sockets on which the service manager listens for the agent (`sd_listen_fds(3)`): programs connect there while it restarts.

use std::io;

use listenfd::ListenFd;

use super::listener::{AgentxAddress, Socket};

/// The sockets that came with the start of the program.
pub(crate) struct InheritedSockets(Vec<Socket>);

impl InheritedSockets {
    /// Takes all of them. Nothing else has them afterwards.
    pub(crate) fn take() -> Self {
        let mut sockets = ListenFd::from_env();
        let count = sockets.len();
        let take = |at| {
            let unix = sockets.take_unix_listener(at).ok().flatten();
            let unix = unix.map(Socket::Unix);
            unix.or_else(|| sockets.take_tcp_listener(at).ok()?.map(Socket::Tcp))
        };
        Self((0..count).filter_map(take).collect())
    }

    /// The socket that listens at an address.
    ///
    /// # Errors
    /// When descriptors have run out.
    pub(super) fn find(&self, address: &AgentxAddress) -> io::Result<Option<Socket>> {
        let mut sockets = self.0.iter();
        let found = sockets.find(|socket| socket.is_at(address));
        found.map(Socket::copy).transpose()
    }

    /// Warns of sockets where no subagent will be served.
    pub(super) fn warn_of_unused(&self, wanted: &[AgentxAddress]) {
        for socket in &self.0 {
            if !wanted.iter().any(|address| socket.is_at(address)) {
                log::warn!(
                    "the service manager listens on {socket}, which [agentx] does not name: nothing that connects there is served"
                );
            }
        }
    }
}
