use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use russh::client::{Config, Handle, Handler, Msg, connect_stream};
use russh::keys::{
    PrivateKeyWithHashAlg, PublicKeyOrCertificate, load_public_key, load_secret_key,
};
use russh::{Channel, ChannelMsg, Preferred, cipher, kex};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::framing::{Framing, Messages};

/// How long the server may take to open a session, and for each reply.
const PATIENCE: Duration = Duration::from_secs(10);
/// As much as the server may send unasked: the window of the library's sessions over SSH.
const WINDOW: u32 = 2 << 20;

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const CHUNKED: &str = "urn:ietf:params:netconf:base:1.1";

/// What a client needs.
#[derive(Clone, Debug)]
pub(crate) struct NetconfAccess {
    /// Where the server of SSH listens.
    pub(crate) address: SocketAddr,
    /// Who logs in.
    pub(crate) user: String,
    /// The file of the user's private key.
    pub(crate) identity: PathBuf,
    /// The file of the server's public key.
    pub(crate) host_key: PathBuf,
}

/// A session that sends one request after the other. Its calls block.
pub(crate) struct NetconfSession {
    runtime: Runtime,
    /// Ends the connection when it goes away.
    _connection: Handle<KnownHost>,
    stream: Stream,
    /// The message-id of the last request.
    last_id: u32,
}

/// The channel with the subsystem.
struct Stream {
    channel: Channel<Msg>,
    messages: Messages,
    framing: Framing,
}

impl NetconfSession {
    /// Opens a session: TCP, SSH, the subsystem `netconf`, and the hellos of both sides.
    ///
    /// # Errors
    /// If a key cannot be read, or the server does not take part.
    pub(crate) fn open(access: &NetconfAccess) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let opened = runtime.block_on(async { timeout(PATIENCE, open(access)).await });
        let (connection, stream) = opened.map_err(|_| silent("did not open a session"))??;
        Ok(Self {
            runtime,
            _connection: connection,
            stream,
            last_id: 0,
        })
    }

    /// Sends a request with this operation, and returns the reply.
    ///
    /// # Errors
    /// If the reply is an error, that of another request, or does not come.
    pub(crate) fn request(&mut self, operation: &str) -> io::Result<String> {
        self.last_id += 1;
        let id = format!("message-id=\"{}\"", self.last_id);
        let request = format!("<rpc {id} xmlns=\"{BASE}\">{operation}</rpc>");
        let stream = &mut self.stream;
        let exchange = async {
            stream.send(&request).await?;
            stream.receive().await
        };
        let replied = self
            .runtime
            .block_on(async { timeout(PATIENCE, exchange).await });
        let reply = replied.map_err(|_| silent("did not reply"))??;
        match refusal(&reply) {
            Some(reason) => Err(io::Error::other(format!("NETCONF: {reason}"))),
            None if reply.contains(&id) => Ok(reply),
            None => Err(io::Error::other("NETCONF: a reply is not to the request")),
        }
    }
}

async fn open(access: &NetconfAccess) -> io::Result<(Handle<KnownHost>, Stream)> {
    let identity = load_secret_key(&access.identity, None).map_err(io::Error::other)?;
    let known = load_public_key(&access.host_key).map_err(io::Error::other)?;
    let socket = TcpStream::connect(access.address).await?;
    socket.set_nodelay(true)?;
    let handler = KnownHost(known);
    let connecting = connect_stream(Arc::new(config()), socket, handler);
    let mut connection = connecting.await.map_err(io::Error::other)?;
    let identity = PrivateKeyWithHashAlg::new(Arc::new(identity), None);
    let logging_in = connection.authenticate_publickey(&access.user, identity);
    if !logging_in.await.map_err(io::Error::other)?.success() {
        let user = &access.user;
        return Err(io::Error::other(format!("sshd does not let {user} in")));
    }
    let opening = connection.channel_open_session();
    let channel = opening.await.map_err(io::Error::other)?;
    let asking = channel.request_subsystem(true, "netconf");
    asking.await.map_err(io::Error::other)?;
    let mut stream = Stream {
        channel,
        messages: Messages::default(),
        framing: Framing::EndOfMessage,
    };
    stream.greet().await?;
    Ok((connection, stream))
}

/// The algorithms that SNMP over SSH has in studies: X25519 and AES-GCM.
fn config() -> Config {
    let preferred = Preferred {
        kex: [
            kex::CURVE25519,
            kex::EXTENSION_SUPPORT_AS_CLIENT,
            kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
        ]
        .as_slice()
        .into(),
        cipher: [cipher::AES_256_GCM, cipher::AES_128_GCM].as_slice().into(),
        ..Preferred::DEFAULT
    };
    Config {
        window_size: WINDOW,
        preferred,
        nodelay: true,
        ..Config::default()
    }
}

impl Stream {
    /// Both sides say hello; what follows is chunked if both have NETCONF 1.1.
    async fn greet(&mut self) -> io::Result<()> {
        let capabilities = ["urn:ietf:params:netconf:base:1.0", CHUNKED]
            .map(|capability| format!("<capability>{capability}</capability>"));
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities>{}</capabilities></hello>",
            capabilities.concat()
        );
        self.send(&hello).await?;
        let theirs = self.receive().await?;
        if !theirs.contains("<capabilities>") {
            return Err(io::Error::other("NETCONF: the server did not say hello"));
        }
        if theirs.contains(&format!("<capability>{CHUNKED}</capability>")) {
            self.framing = Framing::Chunked;
        }
        Ok(())
    }

    async fn send(&mut self, message: &str) -> io::Result<()> {
        let octets = self.framing.encode(message);
        let sending = self.channel.data(octets.as_slice());
        sending.await.map_err(io::Error::other)
    }

    async fn receive(&mut self) -> io::Result<String> {
        loop {
            if let Some(message) = self.messages.next(self.framing)? {
                return Ok(message);
            }
            match self.channel.wait().await {
                Some(ChannelMsg::Data { data }) => self.messages.push(&data),
                Some(ChannelMsg::Failure) => {
                    return Err(io::Error::other("sshd has no subsystem netconf"));
                }
                Some(ChannelMsg::Eof | ChannelMsg::Close) | None => {
                    return Err(io::Error::other("the server ended the session"));
                }
                Some(_) => {}
            }
        }
    }
}

/// Why a request was refused (RFC 6241 section 4.3).
fn refusal(reply: &str) -> Option<&str> {
    let error = reply.split_once("<rpc-error>")?.1;
    let message = error.split_once("<error-message");
    let message = message.and_then(|(_, message)| message.split_once('>'));
    let message = message.and_then(|(_, message)| message.split_once('<'));
    Some(
        message.map_or("the server replied with an error", |(message, _)| {
            message.trim()
        }),
    )
}

fn silent(what: &str) -> io::Error {
    let seconds = PATIENCE.as_secs();
    io::Error::new(
        io::ErrorKind::TimedOut,
        format!("the NETCONF server {what} within {seconds} s"),
    )
}

/// Takes one host key.
struct KnownHost(russh::keys::PublicKey);

impl Handler for KnownHost {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, russh::Error> {
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else {
            return Ok(false);
        };
        Ok(key.key_data() == self.0.key_data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_their_reason() {
        let reply = |inner: &str| format!("<rpc-reply message-id=\"1\">{inner}</rpc-reply>");
        let told = "<rpc-error><error-tag>x</error-tag><error-message xml:lang=\"en\"> no such \
                    element</error-message></rpc-error>";
        assert_eq!(refusal(&reply("<data/>")), None);
        assert_eq!(refusal(&reply(told)), Some("no such element"));
        let bare = "<rpc-error><error-tag>x</error-tag></rpc-error>";
        assert!(refusal(&reply(bare)).is_some());
    }
}
