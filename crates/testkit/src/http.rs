//! A client of HTTP that asks once for each connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// Status and body of the response to a request with these lines of headers, each with its end.
///
/// # Panics
///
/// If the server cannot be reached, or the response is no HTTP.
pub fn send(server: SocketAddr, method: &str, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n"
    )
    .unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    let end = response
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(response[..end].to_vec()).unwrap();
    let mut body = response[end + 4..].to_vec();
    if head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        body = unchunked(&body);
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, String::from_utf8(body).unwrap())
}

/// The same for a GET without headers.
///
/// # Panics
///
/// As [`send`].
pub fn get(server: SocketAddr, path: &str) -> (u16, String) {
    send(server, "GET", path, "")
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    loop {
        let line = body.windows(2).position(|two| two == b"\r\n").unwrap();
        let length = std::str::from_utf8(&body[..line]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return content;
        }
        content.extend_from_slice(&body[line + 2..line + 2 + length]);
        body = &body[line + 2 + length + 2..];
    }
}
