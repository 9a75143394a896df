//! An agent that answers with the values it was given, of whatever type, and keeps what was set.

use std::collections::HashMap;
use std::net::UdpSocket;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use varbind_codec::ber::Writer;
use varbind_codec::message::CommunityMessage;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::{Oid, Value};

pub(crate) struct Responder {
    pub(crate) port: u16,
    pub(crate) set: Receiver<(Oid, Value)>,
}

impl Responder {
    /// Serves from a thread until the test ends.
    pub(crate) fn start(values: Vec<(Oid, Value)>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket on loopback");
        let port = socket.local_addr().expect("a bound socket").port();
        let values: HashMap<Oid, Value> = values.into_iter().collect();
        let (sender, set) = channel();
        thread::spawn(move || {
            let mut request = vec![0; 65_536];
            while let Ok((length, from)) = socket.recv_from(&mut request) {
                let message = CommunityMessage::decode(&request[..length]).expect("a message");
                let Pdu::Common(pdu) = message.pdu else {
                    continue;
                };
                let mut buffer = vec![0; 65_536];
                let mut writer = Writer::new(&mut buffer, 64).expect("room");
                for var_bind in pdu.var_binds {
                    let var_bind = var_bind.expect("a variable binding");
                    let name = var_bind.name.to_oid();
                    let value = if pdu.pdu_type == PduType::SetRequest {
                        let value = var_bind.value.to_owned();
                        // Nobody may be waiting for it any more.
                        let _ = sender.send((name.clone(), value.clone()));
                        value
                    } else {
                        values.get(&name).cloned().unwrap_or(Value::NoSuchObject)
                    };
                    writer
                        .append_var_bind(name.arcs(), value.as_value_ref())
                        .expect("room");
                }
                writer
                    .prepend_pdu(PduType::Response, pdu.request_id, 0, 0)
                    .expect("room");
                writer
                    .prepend_community_header(message.version, message.community)
                    .expect("room");
                socket.send_to(writer.written(), from).expect("loopback");
            }
        });
        Self { port, set }
    }
}
