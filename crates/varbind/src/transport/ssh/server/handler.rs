//! One connection: authentication, then channels with the subsystem `snmp`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use russh::keys::{Algorithm, Certificate};
use russh::server::{
    Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session, VerifiedPublicKey,
};
use russh::{Channel, ChannelId, Pty, Sig};
use varbind_engine::security::{SecurityLevel, SecurityName};
use varbind_engine::transport::{SecureTransport, TransportState};
use zeroize::Zeroizing;

use super::SshServer;
use super::authenticated_user::AuthenticatedUser;
use super::channel::{ChannelInbox, ServerChannel};
use super::configuration::SshServerConfiguration;
use super::life::Life;
use super::login::{self, Shown};
use super::lookup;
use crate::transport::session::{Admission, Session as SnmpSession, SessionService};
use crate::transport::ssh::SUBSYSTEM;
use crate::transport::{Transport, next_session_id};

/// How long a wrong password is pondered over.
const WRONG_PASSWORD: Duration = Duration::from_secs(1);

/// Serves one connection.
pub(super) struct ServerHandler<S: SessionService> {
    server: Arc<SshServer>,
    configuration: Arc<SshServerConfiguration>,
    admission: Arc<Admission<S>>,
    life: Arc<Life>,
    /// Who may log in with what was shown, as far as it was looked up.
    admitted: Option<(String, Shown)>,
    /// Who has logged in.
    user: Option<Arc<AuthenticatedUser>>,
    channels: HashMap<ChannelId, Option<Arc<ChannelInbox>>>,
}

impl<S: SessionService> ServerHandler<S> {
    pub(super) fn new(
        server: Arc<SshServer>,
        configuration: Arc<SshServerConfiguration>,
        admission: Arc<Admission<S>>,
        life: Arc<Life>,
    ) -> Self {
        Self {
            server,
            configuration,
            admission,
            life,
            admitted: None,
            user: None,
            channels: HashMap::new(),
        }
    }

    /// Whether a user may log in with what was shown.
    async fn look_up(&mut self, user: &str, shown: Shown) -> Result<(), ()> {
        if let Some((admitted, what)) = &self.admitted
            && admitted == user
            && *what == shown
        {
            return Ok(());
        }
        let configuration = Arc::clone(&self.configuration);
        let address = self.admission.remote().ip();
        let asked = (user.to_owned(), shown);
        // Files and the system's users may be far away: other sessions do not wait for them.
        let looked_up = lookup::look_up(user, move || {
            let refusal = login::refuse(&configuration, &asked.0, address, &asked.1);
            (asked, refusal)
        });
        let (asked, refusal) = match looked_up.await {
            Ok(looked_up) => looked_up,
            Err(error) => {
                self.life.note_refusal(user, &error.to_string());
                return Err(());
            }
        };
        match refusal {
            None => {
                self.admitted = Some(asked);
                Ok(())
            }
            Some(refusal) => {
                let what = asked.1.description();
                self.life
                    .note_refusal(user, &format!("{what}: {}", refusal.reason));
                if refusal.has_authorities {
                    self.server.has_authorities.store(true, Ordering::Relaxed);
                }
                Err(())
            }
        }
    }

    fn accept(&mut self, user: &str, shown: Shown) -> Auth {
        self.user = Some(Arc::new(AuthenticatedUser::new(
            (user.to_owned(), shown),
            self.admission.remote().ip(),
            Arc::clone(&self.server),
            &self.configuration,
        )));
        Auth::Accept
    }

    /// Makes a session of a channel.
    fn serve(&mut self, channel: ChannelId, session: &Session) -> bool {
        let (Some(user), Some(slot @ None)) = (&self.user, self.channels.get_mut(&channel)) else {
            return false;
        };
        let inbox = Arc::new(ChannelInbox::new(Arc::clone(&self.life)));
        *slot = Some(Arc::clone(&inbox));
        let state = TransportState::new(
            SecureTransport::Ssh,
            SecurityName::new(user.name()),
            SecurityLevel::AuthPriv,
            next_session_id(),
        );
        let stream = ServerChannel::new(
            (session.handle(), channel),
            inbox,
            Arc::clone(user),
            state,
            self.admission.limits().handshake_time,
        );
        let admission = Arc::clone(&self.admission);
        self.life.begin_session();
        let life = Arc::clone(&self.life);
        tokio::spawn(async move {
            SnmpSession::new(Transport::Ssh, stream, admission)
                .run()
                .await;
            life.end_session();
        });
        true
    }

    fn refuse(channel: ChannelId, session: &mut Session) -> Result<(), russh::Error> {
        session.channel_failure(channel)
    }
}

impl<S: SessionService> Handler for ServerHandler<S> {
    type Error = russh::Error;

    async fn auth_publickey_offered(
        &mut self,
        user: &str,
        offer: PublicKeyOffer<'_>,
    ) -> Result<Auth, russh::Error> {
        // The signature would have SHA-1.
        if *offer.algorithm == (Algorithm::Rsa { hash: None }) {
            return Ok(Auth::reject());
        }
        let shown = Shown::Key(offer.public_key.clone());
        Ok(match self.look_up(user, shown).await {
            Ok(()) => Auth::Accept,
            // The library does not say whether a certificate is offered: where certificates admit users, the signature
            // decides, for every name alike, so that the answer does not tell which names exist.
            Err(()) if self.server.has_authorities.load(Ordering::Relaxed) => Auth::Accept,
            Err(()) => Auth::reject(),
        })
    }

    async fn auth_publickey(
        &mut self,
        user: &str,
        key: VerifiedPublicKey<'_>,
    ) -> Result<Auth, russh::Error> {
        let shown = Shown::Key(key.public_key.clone());
        Ok(match self.look_up(user, shown.clone()).await {
            Ok(()) => self.accept(user, shown),
            Err(_) => Auth::reject(),
        })
    }

    async fn auth_openssh_certificate(
        &mut self,
        user: &str,
        certificate: &Certificate,
    ) -> Result<Auth, russh::Error> {
        let shown = Shown::Certificate(Box::new(certificate.clone()));
        Ok(match self.look_up(user, shown.clone()).await {
            Ok(()) => self.accept(user, shown),
            Err(_) => Auth::reject(),
        })
    }

    async fn auth_password(&mut self, user: &str, password: &str) -> Result<Auth, russh::Error> {
        let Some(check) = self.configuration.password_check.clone() else {
            return Ok(Auth::reject());
        };
        let asked = (user.to_owned(), Zeroizing::new(password.to_owned()));
        let address = self.admission.remote().ip();
        let configuration = Arc::clone(&self.configuration);
        let checking = lookup::look_up(user, move || {
            let (user, password) = &asked;
            if !login::is_name(user) {
                return Err("the name cannot be one of a user".to_owned());
            }
            check(user, password, address)?;
            login::refuse_account(&configuration, user).map_or(Ok(()), Err)
        });
        let why = match checking.await {
            Ok(Ok(())) => return Ok(self.accept(user, Shown::Password)),
            Ok(Err(why)) => why,
            Err(error) => error.to_string(),
        };
        self.life.note_refusal(user, &format!("password: {why}"));
        tokio::time::sleep(WRONG_PASSWORD).await;
        Ok(Auth::reject())
    }

    async fn auth_succeeded(&mut self, _: &mut Session) -> Result<(), russh::Error> {
        self.admitted = None;
        self.life.authenticate();
        Ok(())
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        // Of a channel that this side has closed first, the library does not tell that the peer has closed it, too.
        self.channels.retain(|_, inbox| {
            inbox
                .as_ref()
                .is_none_or(|inbox| Arc::strong_count(inbox) > 1)
        });
        // Dropped, the reply refuses.
        if self.channels.len() < self.configuration.channels {
            self.channels.insert(channel.id(), None);
            reply.accept().await;
        }
        Ok(())
    }

    async fn subsystem_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        if name == SUBSYSTEM && self.serve(channel, session) {
            return session.channel_success(channel);
        }
        Self::refuse(channel, session)
    }

    async fn shell_request(
        &mut self,
        channel: ChannelId,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        Self::refuse(channel, session)
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        _: &[u8],
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        Self::refuse(channel, session)
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        _: &str,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        Self::refuse(channel, session)
    }

    async fn x11_request(
        &mut self,
        channel: ChannelId,
        _: bool,
        _: &str,
        _: &str,
        _: u32,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        Self::refuse(channel, session)
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        _: &str,
        _: &str,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        Self::refuse(channel, session)
    }

    async fn agent_request(&mut self, _: ChannelId, _: &mut Session) -> Result<bool, russh::Error> {
        Ok(false)
    }

    async fn signal(&mut self, _: ChannelId, _: Sig, _: &mut Session) -> Result<(), russh::Error> {
        Ok(())
    }

    async fn data(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        if let Some(Some(inbox)) = self.channels.get(&channel) {
            inbox.push(data);
        }
        Ok(())
    }

    async fn channel_eof(
        &mut self,
        channel: ChannelId,
        session: &mut Session,
    ) -> Result<(), russh::Error> {
        match self.channels.get(&channel) {
            Some(Some(inbox)) => inbox.end(),
            // Nothing was asked for, and nothing can be any more.
            Some(None) => {
                self.channels.remove(&channel);
                session.close(channel)?;
            }
            None => {}
        }
        Ok(())
    }

    async fn channel_close(
        &mut self,
        channel: ChannelId,
        _: &mut Session,
    ) -> Result<(), russh::Error> {
        if let Some(Some(inbox)) = self.channels.remove(&channel) {
            inbox.end();
        }
        Ok(())
    }
}

impl<S: SessionService> Drop for ServerHandler<S> {
    fn drop(&mut self) {
        for inbox in self.channels.values().flatten() {
            inbox.end();
        }
        self.life.end();
    }
}
