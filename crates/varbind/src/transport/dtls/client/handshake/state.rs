//! What a server may say at which time, and what follows from it.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::error::Unspecified;
use rustls::SignatureScheme;

use super::super::super::identity::RefusalAlert;
use super::super::super::protection::{Agreement, Protection};
use super::messages::{
    CERTIFICATE, CERTIFICATE_REQUEST, CERTIFICATE_VERIFY, CLIENT_KEY_EXCHANGE, FINISHED,
    HelloProblem, SERVER_HELLO, SERVER_HELLO_DONE, SERVER_KEY_EXCHANGE, ServerHello,
    ServerKeyExchange, certificate_body, chain, requested_schemes,
};
use super::octets::{put_vector8, put_vector16};
use super::secrets::{CipherSuite, KeyExchange};
use super::{ClientHandshake, DtlsError, Exchange, Failure, Flight, MasterSecret, Message, Server};

const UNEXPECTED_MESSAGE: u8 = 10;
const HANDSHAKE_FAILURE: u8 = 40;
const ILLEGAL_PARAMETER: u8 = 47;
const DECODE_ERROR: u8 = 50;
const DECRYPT_ERROR: u8 = 51;
const PROTOCOL_VERSION: u8 = 70;
const INTERNAL_ERROR: u8 = 80;

/// What both sides have agreed upon.
pub(super) struct Agreed {
    pub(super) session_id: Vec<u8>,
    pub(super) suite: &'static CipherSuite,
    master_secret: MasterSecret,
    server_random: [u8; 32],
    is_extended: bool,
    pub(super) is_resumed: bool,
    pub(super) peer: Server,
}

/// How far a handshake is. Invariant: there are keys from `Finished` on, and who is in `Finished` has shown by a signature,
/// now or in the session that is resumed, that it has the key of an accepted certificate.
pub(super) enum State {
    Unsent,
    ServerHello,
    Certificate(ServerHello),
    KeyExchange(ServerHello, Server),
    HelloDone(Box<Ready>),
    Finished(Box<Agreed>),
    Over(Box<Agreed>),
    Failed,
}

/// A server that has said all but ServerHelloDone.
pub(super) struct Ready {
    hello: ServerHello,
    peer: Server,
    exchange: KeyExchange,
    /// The signatures that it takes, if it wants a certificate.
    schemes: Option<Vec<SignatureScheme>>,
}

impl State {
    pub(super) const fn awaited(&self) -> &'static str {
        match self {
            Self::Unsent | Self::ServerHello => "waiting for ServerHello",
            Self::Certificate(_) => "waiting for the server's certificate",
            Self::KeyExchange(..) => "waiting for ServerKeyExchange",
            Self::HelloDone(_) => "waiting for ServerHelloDone",
            Self::Finished(_) => "waiting for the server's Finished",
            Self::Over(_) => "finished",
            Self::Failed => "failed",
        }
    }
}

fn malformed() -> Failure {
    Failure::protocol(DECODE_ERROR, "a message of the server is malformed")
}

fn internal(_: Unspecified) -> Failure {
    Failure::protocol(INTERNAL_ERROR, "the library of cryptography failed")
}

impl From<HelloProblem> for Failure {
    fn from(problem: HelloProblem) -> Self {
        match problem {
            HelloProblem::Malformed => malformed(),
            HelloProblem::Version => Self::telling(PROTOCOL_VERSION, DtlsError::VersionMismatch),
            HelloProblem::NotOffered => Self::protocol(
                ILLEGAL_PARAMETER,
                "the server chose what was not offered to it",
            ),
            HelloProblem::InsecureRenegotiation => Self::protocol(
                HANDSHAKE_FAILURE,
                "the server does not know secure renegotiation (RFC 5746)",
            ),
        }
    }
}

impl ClientHandshake<'_> {
    /// Takes the next message of the server.
    pub(super) fn take_message(
        &mut self,
        message: &Message,
        exchange: &mut Exchange,
    ) -> Result<(), Failure> {
        const HELLO_REQUEST: u8 = 0;
        if message.kind == HELLO_REQUEST {
            // It is no part of the handshake (RFC 5246 section 7.4.1.1).
            return Ok(());
        }
        let state = std::mem::replace(&mut self.state, State::Failed);
        if let (State::Finished(agreed), FINISHED) = (&state, message.kind) {
            self.check_finished(agreed, message)?;
        }
        self.transcript.extend(message.octets());
        let body = &message.body;
        self.state = match (state, message.kind) {
            (State::ServerHello, SERVER_HELLO) => self.take_hello(ServerHello::read(body)?)?,
            (State::Certificate(hello), CERTIFICATE) => {
                State::KeyExchange(hello, self.take_certificate(body)?)
            }
            (State::KeyExchange(hello, peer), SERVER_KEY_EXCHANGE) => {
                let exchange = self.take_key_exchange(body, &hello, &peer)?;
                State::HelloDone(Box::new(Ready {
                    hello,
                    peer,
                    exchange,
                    schemes: None,
                }))
            }
            (State::HelloDone(ready), CERTIFICATE_REQUEST) if ready.schemes.is_none() => {
                let schemes = Some(requested_schemes(body).ok_or_else(malformed)?);
                State::HelloDone(Box::new(Ready { schemes, ..*ready }))
            }
            (State::HelloDone(ready), SERVER_HELLO_DONE) if body.is_empty() => {
                State::Finished(Box::new(self.answer(*ready, exchange)?))
            }
            (State::Finished(agreed), FINISHED) => {
                self.end(&agreed, exchange)?;
                State::Over(agreed)
            }
            _ => {
                return Err(Failure::protocol(
                    UNEXPECTED_MESSAGE,
                    "a message of the server came when it was not to be expected",
                ));
            }
        };
        Ok(())
    }

    fn take_hello(&mut self, hello: ServerHello) -> Result<State, Failure> {
        let Some(session) = self
            .beginning
            .session
            .take()
            .filter(|session| session.0.session_id == hello.session_id)
        else {
            return Ok(State::Certificate(hello));
        };
        let known = &session.0;
        if known.suite.number != hello.suite.number || known.is_extended != hello.is_extended {
            // RFC 7627 section 5.3 for the one, RFC 5246 section 7.4.1.3 for the other.
            return Err(HelloProblem::NotOffered.into());
        }
        let peer = self.authenticate(known.peer.chain.clone())?;
        let agreed = Agreed {
            session_id: hello.session_id,
            suite: hello.suite,
            master_secret: known.master_secret.clone(),
            server_random: hello.random,
            is_extended: hello.is_extended,
            is_resumed: true,
            peer,
        };
        self.protect(&agreed)?;
        Ok(State::Finished(Box::new(agreed)))
    }

    fn authenticate(
        &self,
        chain: Vec<rustls::pki_types::CertificateDer<'static>>,
    ) -> Result<Server, Failure> {
        match self.beginning.authentication.authenticate(&chain) {
            Ok(name) => Ok(Server { chain, name }),
            Err(refusal) => Err(Failure::telling(
                RefusalAlert::of(&refusal).number(),
                DtlsError::PeerRefused(refusal),
            )),
        }
    }

    fn take_certificate(&self, body: &[u8]) -> Result<Server, Failure> {
        self.authenticate(chain(body).ok_or_else(malformed)?)
    }

    fn take_key_exchange(
        &self,
        body: &[u8],
        hello: &ServerHello,
        peer: &Server,
    ) -> Result<KeyExchange, Failure> {
        let key_exchange = ServerKeyExchange::read(body).ok_or_else(malformed)?;
        let mut message = Vec::new();
        let signed = key_exchange.signed(&self.random, &hello.random, &mut message);
        let leaf = peer.chain.first().ok_or_else(malformed)?;
        if !signed.is_by(leaf, hello.suite.server_key) {
            return Err(Failure::protocol(
                DECRYPT_ERROR,
                "the server does not have the key of its certificate",
            ));
        }
        KeyExchange::begin(key_exchange.group, key_exchange.public_key)
            .ok_or_else(|| Failure::from(HelloProblem::NotOffered))?
            .map_err(internal)
    }

    /// Answers ServerHelloDone: certificate, key, signature, Finished.
    fn answer(&mut self, ready: Ready, exchange: &mut Exchange) -> Result<Agreed, Failure> {
        let Ready {
            hello,
            peer,
            exchange: key_exchange,
            schemes,
        } = ready;
        let mut messages = Vec::new();
        let identity = std::sync::Arc::clone(&self.beginning.identity);
        if schemes.is_some() {
            messages.push(self.message(CERTIFICATE, certificate_body(&identity.cert)));
        }
        let public_key = key_exchange.public_key().map_err(internal)?;
        let mut body = Vec::new();
        put_vector8(&mut body, public_key.as_ref());
        messages.push(self.message(CLIENT_KEY_EXCHANGE, body));
        let master_secret = match hello.is_extended {
            true => {
                let hash = hello.suite.hash(&self.transcript);
                key_exchange.finish(hello.suite, b"extended master secret", hash.as_ref())
            }
            false => {
                let seed = [self.random, hello.random].concat();
                key_exchange.finish(hello.suite, b"master secret", &seed)
            }
        };
        let master_secret = master_secret.map_err(|Unspecified| {
            Failure::protocol(ILLEGAL_PARAMETER, "the server's key is no key of its group")
        })?;
        if let Some(schemes) = schemes {
            let none = || Failure::telling(HANDSHAKE_FAILURE, DtlsError::NoCommonCipher);
            let signer = identity.key.choose_scheme(&schemes).ok_or_else(none)?;
            let signature = signer.sign(&self.transcript);
            let signature = signature.map_err(|_| internal(Unspecified))?;
            let mut body = u16::from(signer.scheme()).to_be_bytes().to_vec();
            put_vector16(&mut body, &signature);
            messages.push(self.message(CERTIFICATE_VERIFY, body));
        }
        let agreed = Agreed {
            session_id: hello.session_id,
            suite: hello.suite,
            master_secret,
            server_random: hello.random,
            is_extended: hello.is_extended,
            is_resumed: false,
            peer,
        };
        self.protect(&agreed)?;
        let finished = Some(self.finished(&agreed)?);
        self.send(Flight { messages, finished }, exchange);
        Ok(agreed)
    }

    /// Our Finished.
    fn finished(&mut self, agreed: &Agreed) -> Result<Message, Failure> {
        let Agreed {
            suite,
            master_secret,
            ..
        } = agreed;
        let data = suite.verify_data(master_secret, b"client finished", &self.transcript);
        Ok(self.message(FINISHED, data.map_err(internal)?.to_vec()))
    }

    fn check_finished(&self, agreed: &Agreed, message: &Message) -> Result<(), Failure> {
        let Agreed {
            suite,
            master_secret,
            ..
        } = agreed;
        let data = suite.verify_data(master_secret, b"server finished", &self.transcript);
        let data = data.map_err(internal)?;
        verify_slices_are_equal(&data, &message.body).map_err(|Unspecified| {
            Failure::protocol(
                DECRYPT_ERROR,
                "what the server says was said is not what was said: somebody changes it on its way",
            )
        })
    }

    /// What is left to do when the server's Finished is right.
    fn end(&mut self, agreed: &Agreed, exchange: &mut Exchange) -> Result<(), Failure> {
        if agreed.is_resumed {
            let first = exchange.count();
            let finished = Some(self.finished(agreed)?);
            self.send(
                Flight {
                    messages: Vec::new(),
                    finished,
                },
                exchange,
            );
            let ours = exchange.datagrams(first);
            let ours = ours.filter_map(|range| exchange.departing().get(range));
            let ours = ours.map(<[u8]>::to_vec).collect();
            if let Some(protection) = &mut self.protection {
                // The server may not receive it, and then says its own again.
                protection.keep_last_flight(ours);
            }
        }
        self.resend_at = None;
        Ok(())
    }

    /// Takes the keys into use for what is protected.
    fn protect(&mut self, agreed: &Agreed) -> Result<(), Failure> {
        self.beginning
            .key_log
            .log("CLIENT_RANDOM", &self.random, &*agreed.master_secret);
        let protection = Protection::new(Agreement {
            cipher_suite: agreed.suite.number.to_be_bytes(),
            master_secret: agreed.master_secret.clone(),
            client_random: self.random,
            server_random: agreed.server_random,
            is_server: false,
            next_sequence: 0,
            last_flight: Vec::new(),
        });
        let refuse = |error| Failure::telling(INTERNAL_ERROR, error);
        self.protection = Some(protection.map_err(refuse)?);
        Ok(())
    }
}
