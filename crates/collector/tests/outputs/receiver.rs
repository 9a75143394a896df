//! A small receiver over HTTP that keeps bodies, and responds as it is told.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request that was received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Names in lower case, each with its value.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

#[derive(Clone, Default)]
struct State {
    received: Arc<Mutex<Vec<Received>>>,
    responses: Arc<Mutex<VecDeque<&'static str>>>,
}

/// A receiver. Its thread ends with the test program.
pub(crate) struct Receiver {
    state: State,
    pub(crate) address: SocketAddr,
}

impl Receiver {
    /// Starts with responses to the first requests, as in `503 Busy\r\n`; no response at all for an empty one. The others get 200.
    pub(crate) fn start(responses: &[&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State::default();
        state.responses.lock().unwrap().extend(responses);
        thread::spawn({
            let state = state.clone();
            move || {
                for stream in listener.incoming() {
                    let state = state.clone();
                    thread::spawn(move || state.serve(&stream.unwrap()));
                }
            }
        });
        Self { state, address }
    }

    /// Accepts all requests from now on.
    pub(crate) fn recover(&self) {
        self.state.responses.lock().unwrap().clear();
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }
}

impl State {
    /// Serves a connection until its client ends it.
    fn serve(&self, mut stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let lines = reader.by_ref().lines().map_while(Result::ok);
            let headers: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let length = headers
                .iter()
                .find_map(|line| line.strip_prefix("content-length: "))?;
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let response = self
                .responses
                .lock()
                .unwrap()
                .pop_front()
                .unwrap_or("200 OK\r\n");
            self.received
                .lock()
                .unwrap()
                .push(Received { headers, body });
            if response.is_empty() {
                thread::park();
            }
            stream
                .write_all(format!("HTTP/1.1 {response}Content-Length: 0\r\n\r\n").as_bytes())
                .ok()?;
        }
    }
}
