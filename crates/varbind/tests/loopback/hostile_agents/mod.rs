//! Managers against agents that do what they should not.

mod datagrams;
mod endless_walks;
mod streams;
mod unreachable;

use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use varbind::client::Unanswered;
use varbind::codec::smi::{Value, VarBind};
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::manager::{Manager, ManagerError, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::loopback::{PATIENCE, SYS_DESCR_0, TcpPeer, target};
use varbind_testkit::message::Message;
use varbind_testkit::oid;

/// A thread that answers datagrams as it likes, until it is dropped.
struct Datagrams {
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Datagrams {
    /// `answer` is called with each request, its sender and its number, counted from 1.
    fn new(
        mut answer: impl FnMut(&UdpSocket, Message, SocketAddr, usize) + Send + 'static,
    ) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let thread = thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            for number in 1.. {
                match socket.recv_from(&mut buffer).unwrap() {
                    (0, _) => return,
                    (length, from) => {
                        answer(&socket, Message::decode(&buffer[..length]), from, number);
                    }
                }
            }
        });
        Self {
            address,
            thread: Some(thread),
        }
    }

    fn manager(&self, options: ManagerOptions) -> Manager {
        Manager::open(&target(Transport::Udp, self.address), options).unwrap()
    }
}

impl Drop for Datagrams {
    fn drop(&mut self) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(&[], self.address).unwrap();
        if let Some(thread) = self.thread.take() {
            let result = thread.join();
            assert!(result.is_ok() || thread::panicking());
        }
    }
}

/// A manager connected to a thread that serves the connection as it likes.
fn over_tcp(
    options: ManagerOptions,
    serve: impl FnOnce(TcpPeer) + Send + 'static,
) -> (Manager, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = thread::spawn(move || {
        let (stream, _): (TcpStream, _) = listener.accept().unwrap();
        serve(TcpPeer::of(stream));
    });
    let manager = Manager::open(&target(Transport::Tcp, address), options).unwrap();
    (manager, thread)
}

/// One attempt, with more time than any test needs.
fn patient() -> ManagerOptions {
    attempts(PATIENCE, 1)
}

fn attempts(timeout: Duration, attempts: u32) -> ManagerOptions {
    ManagerOptions {
        retry: RetryPolicy::Fixed {
            timeout,
            retries: attempts - 1,
        },
        ..ManagerOptions::v2c("public")
    }
}

fn answer(request: &Message, text: &str) -> Message {
    let value = Value::OctetString(text.into());
    let objects = request.bindings.iter();
    let objects = objects.map(|object| VarBind::new(object.name.clone(), value.clone()));
    request.response(objects.collect())
}

#[track_caller]
fn assert_learns(manager: &mut Manager, text: &str) {
    let response = manager.get(&[oid(SYS_DESCR_0)]).expect("an answer");
    let expected = Value::OctetString(text.into());
    assert_eq!(
        response.var_binds,
        [VarBind::new(oid(SYS_DESCR_0), expected)]
    );
}

/// Why there is no answer, and how that is told.
#[track_caller]
fn failure_of(manager: &mut Manager) -> (Unanswered, String) {
    match manager.get(&[oid(SYS_DESCR_0)]) {
        Err(ManagerError::Unanswered(unanswered)) => {
            let text = unanswered.to_string();
            (*unanswered, text)
        }
        other => panic!("{other:?}"),
    }
}
