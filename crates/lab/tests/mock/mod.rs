//! An agent in a thread, whose behaviour a test decides.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use varbind_codec::ber::Writer;
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{CommonPdu, Pdu, PduType};
use varbind_codec::smi::{Oid, ValueRef};

/// A datagram to send back, and how long to wait before.
pub type Reply = (Duration, Vec<u8>);

/// Listens until it goes away.
pub struct MockAgent {
    pub address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MockAgent {
    /// `behave` gets every request with its number, and says what to send back.
    pub fn start(mut behave: impl FnMut(u32, &[u8]) -> Vec<Reply> + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        let address = socket.local_addr().unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&ends);
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 65_535];
            let mut number = 0;
            while !told.load(Ordering::Relaxed) {
                let Ok((length, peer)) = socket.recv_from(&mut buffer) else {
                    continue;
                };
                for (delay, reply) in behave(number, &buffer[..length]) {
                    std::thread::sleep(delay);
                    socket.send_to(&reply, peer).unwrap();
                }
                number += 1;
            }
        });
        Self {
            address,
            ends,
            thread: Some(thread),
        }
    }
}

impl Drop for MockAgent {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// A right answer: to Get the value 1 of every name, to GetNext the next of `rows` rows below 1.3.6.1.9.
pub fn right_answer(request: &[u8], rows: u32) -> Vec<u8> {
    let message = CommunityMessage::decode(request).unwrap();
    let Pdu::Common(pdu) = &message.pdu else {
        panic!("not a request")
    };
    let mut buffer = vec![0; 65_535];
    let mut writer = Writer::new(&mut buffer, 300).unwrap();
    append_answer(pdu, rows, &mut writer);
    writer
        .prepend_pdu(PduType::Response, pdu.request_id, 0, 0)
        .unwrap();
    writer
        .prepend_community_header(message.version, message.community)
        .unwrap();
    writer.written().to_vec()
}

fn append_answer(pdu: &CommonPdu<'_>, rows: u32, writer: &mut Writer<'_>) {
    let table = [1, 3, 6, 1, 9];
    for var_bind in pdu.var_binds.clone() {
        let name = var_bind.unwrap().name.to_oid();
        if pdu.pdu_type != PduType::GetNextRequest {
            writer
                .append_var_bind(name.arcs(), ValueRef::Integer(1))
                .unwrap();
            continue;
        }
        let row = name.arcs().get(table.len()).map_or(1, |row| row + 1);
        let (next, value) = if row <= rows {
            (
                Oid::new(&table).unwrap().child(&[row]).unwrap(),
                ValueRef::Integer(1),
            )
        } else {
            (name, ValueRef::EndOfMibView)
        };
        writer.append_var_bind(next.arcs(), value).unwrap();
    }
}
