//! Programs that receive.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use varbind_testkit::http;
use varbind_testkit::polls::wait;

/// A program that ends with the test.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Service {
    /// Starts a program, and waits until `path` is found at its address.
    pub(crate) fn start(command: &mut Command, address: SocketAddr, path: &str) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut service = Self {
            child: child.unwrap(),
            address,
        };
        wait(&format!("{command:?}"), || {
            let ended = service.child.try_wait().unwrap();
            assert!(ended.is_none(), "{command:?} ended: {ended:?}");
            TcpStream::connect(address).ok()?;
            let (status, _) = http::get(address, path);
            (status < 300).then_some(())
        });
        service
    }

    /// The response to a query, which must be JSON.
    pub(crate) fn json(&self, path: &str) -> Value {
        let (status, body) = http::get(self.address, path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
