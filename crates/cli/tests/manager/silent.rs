use std::net::UdpSocket;
use std::time::Duration;

/// An agent that takes requests and never answers.
pub(crate) struct Silent {
    socket: UdpSocket,
}

impl Silent {
    pub(crate) fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(10)))
            .unwrap();
        Self { socket }
    }

    pub(crate) fn target(&self) -> String {
        format!("udp:{}", self.socket.local_addr().unwrap())
    }

    /// The requests that came.
    pub(crate) fn requests(&self) -> Vec<Vec<u8>> {
        let mut requests = Vec::new();
        let mut buffer = [0; 2048];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            requests.push(buffer[..length].to_vec());
        }
        requests
    }
}

/// The community of a request, which is short enough for lengths of one octet.
pub(crate) fn community(request: &[u8]) -> &str {
    let length = usize::from(request[6]);
    std::str::from_utf8(&request[7..7 + length]).unwrap()
}
