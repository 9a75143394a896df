//! What a client's connection receives, and for whom.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use russh::client::{DisconnectReason, Handler, Session};
use russh::keys::PublicKeyOrCertificate;
use russh::{ChannelId, Names};

use super::SshError;
use super::host_key::HostKeyCheck;
use super::inbox::Inbox;
use super::known_hosts::KnownHosts;
use super::opening::CallTime;
use super::options::Destination;
use crate::transport::Observation;

/// What the tasks of a connection and its channels share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inboxes: HashMap<ChannelId, Arc<Inbox>>,
    /// Why the connection ended, if it has.
    ended: Option<SshError>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn inbox(&self, channel: ChannelId) -> Option<Arc<Inbox>> {
        self.state().inboxes.get(&channel).cloned()
    }

    pub(super) fn ended(&self) -> Option<SshError> {
        self.state().ended.clone()
    }

    pub(super) fn add(&self, channel: ChannelId, inbox: Arc<Inbox>) {
        self.state().inboxes.insert(channel, inbox);
    }

    pub(super) fn remove(&self, channel: ChannelId) -> bool {
        self.state().inboxes.remove(&channel).is_some()
    }

    pub(super) fn end(&self, error: SshError) {
        let mut state = self.state();
        state.ended.get_or_insert(error);
        let inboxes: Vec<_> = state.inboxes.drain().collect();
        drop(state);
        inboxes.iter().for_each(|(_, inbox)| inbox.close());
    }
}

/// Takes what the server sends.
#[derive(Debug)]
pub(crate) struct ClientHandler {
    pub(super) destination: Arc<Destination>,
    pub(super) known: Arc<KnownHosts>,
    pub(super) shared: Arc<Shared>,
    pub(super) calls: Arc<CallTime>,
}

impl ClientHandler {
    fn with_inbox(&self, channel: ChannelId, action: impl FnOnce(&Inbox)) {
        if let Some(inbox) = self.shared.inbox(channel) {
            action(&inbox);
        }
    }
}

impl Handler for ClientHandler {
    type Error = SshError;

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, SshError> {
        let (destination, known) = (Arc::clone(&self.destination), Arc::clone(&self.known));
        let shown = match shown {
            PublicKeyOrCertificate::PublicKey { key, hash_alg } => {
                let (key, hash_alg) = (key.clone(), *hash_alg);
                PublicKeyOrCertificate::PublicKey { key, hash_alg }
            }
            PublicKeyOrCertificate::Certificate(certificate) => {
                PublicKeyOrCertificate::Certificate(certificate.clone())
            }
        };
        let deciding = move || {
            let check = HostKeyCheck {
                destination: &destination,
                known: &known,
            };
            check.decide(&shown)
        };
        self.calls.run(deciding).await?.map(|()| true)
    }

    async fn kex_done(
        &mut self,
        _: Option<&[u8]>,
        names: &Names,
        session: &mut Session,
    ) -> Result<(), SshError> {
        Observation::note(self.destination.observation.as_deref(), |facts| {
            let name = String::from_utf8_lossy(session.remote_sshid());
            facts.identification = Some(name.escape_debug().to_string());
            facts.key_exchange = Some(names.kex.as_ref().to_owned());
            facts.cipher = Some(names.cipher.as_ref().to_owned());
        });
        Ok(())
    }

    async fn channel_success(
        &mut self,
        channel: ChannelId,
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.with_inbox(channel, |inbox| inbox.answer(true));
        Ok(())
    }

    async fn channel_failure(
        &mut self,
        channel: ChannelId,
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.with_inbox(channel, |inbox| inbox.answer(false));
        Ok(())
    }

    async fn channel_close(&mut self, channel: ChannelId, _: &mut Session) -> Result<(), SshError> {
        self.with_inbox(channel, Inbox::close);
        self.shared.remove(channel);
        Ok(())
    }

    async fn channel_eof(&mut self, channel: ChannelId, _: &mut Session) -> Result<(), SshError> {
        self.with_inbox(channel, Inbox::end);
        Ok(())
    }

    async fn data(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), SshError> {
        self.with_inbox(channel, |inbox| inbox.push(data));
        Ok(())
    }

    async fn extended_data(
        &mut self,
        channel: ChannelId,
        _: u32,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), SshError> {
        // What the subsystem of an OpenSSH server writes to its standard error.
        let text = String::from_utf8_lossy(data);
        self.with_inbox(channel, |inbox| inbox.complain(&text));
        Ok(())
    }

    async fn disconnected(&mut self, reason: DisconnectReason<SshError>) -> Result<(), SshError> {
        let error = match reason {
            DisconnectReason::ReceivedDisconnect(told) => {
                let message: String = told
                    .message
                    .chars()
                    .filter(|c| !c.is_control())
                    .take(200)
                    .collect();
                if message.is_empty() {
                    SshError::Disconnected(format!("{:?}", told.reason_code))
                } else {
                    SshError::Disconnected(message)
                }
            }
            DisconnectReason::Error(error) => error,
        };
        self.shared.end(error.clone());
        Err(error)
    }
}
