//! A nats-server, and what is in its stream.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use async_nats::jetstream::{
    self,
    consumer::{AckPolicy, pull},
};
use futures_util::StreamExt;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use varbind_testkit::peers;
use varbind_testkit::polls::wait;

pub(crate) struct NatsServer {
    child: Option<Child>,
    directory: TempDir,
    address: SocketAddr,
    /// Further arguments.
    arguments: Vec<String>,
}

/// A message of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) identity: String,
    pub(crate) poll: Value,
}

impl NatsServer {
    /// Starts; `None`, and a visible skip, where the program is missing.
    pub(crate) fn start() -> Option<Self> {
        if !peers::is_installed("nats-server") {
            return None;
        }
        Some(Self::start_with(Vec::new()))
    }

    fn start_with(arguments: Vec<String>) -> Self {
        let mut server = Self {
            child: None,
            directory: tempfile::tempdir().unwrap(),
            address: ([127, 0, 0, 1], peers::free_port()).into(),
            arguments,
        };
        server.restart();
        server
    }

    /// Starts three that are one cluster, and waits until streams can be on all of them.
    pub(crate) fn start_three() -> Option<[Self; 3]> {
        if !peers::is_installed("nats-server") {
            return None;
        }
        let ports = [(); 3].map(|()| peers::free_port());
        let routes = ports.map(|port| format!("nats-route://127.0.0.1:{port}"));
        let servers = [0, 1, 2].map(|number| {
            let own = format!("nats://127.0.0.1:{}", ports[number]);
            let name = format!("server{number}");
            let words = ["--name", &name, "--cluster_name", "test", "--cluster", &own];
            let routes = ["--routes".to_owned(), routes.join(",")];
            Self::start_with(words.map(str::to_owned).into_iter().chain(routes).collect())
        });
        wait("a leader of the cluster", || {
            runtime().block_on(servers[0].has_three()).then_some(())
        });
        Some(servers)
    }

    async fn has_three(&self) -> bool {
        let Ok(client) = async_nats::connect(self.url()).await else {
            return false;
        };
        let stream = jetstream::stream::Config {
            name: "trial".to_owned(),
            num_replicas: 3,
            ..jetstream::stream::Config::default()
        };
        let context = jetstream::new(client);
        context.get_or_create_stream(stream).await.is_ok()
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Starts it with what it had on disk.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let child = peers::command("nats-server")
            .args(["-js", "-a", "127.0.0.1", "-p"])
            .arg(self.address.port().to_string())
            .arg("-sd")
            .arg(self.directory.path())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        wait("nats-server", || TcpStream::connect(self.address).ok());
    }

    /// All messages of the stream `varbind`, in order; none if it does not exist, or servers agree on its leader just now.
    pub(crate) fn messages(&self) -> Vec<Message> {
        runtime().block_on(self.read()).unwrap_or_default()
    }

    /// Writes a key of a bucket.
    pub(crate) fn put(&self, bucket: &str, key: &str, value: &str) {
        runtime().block_on(async {
            let client = async_nats::connect(self.url()).await.unwrap();
            let store = jetstream::new(client).get_key_value(bucket).await;
            let value = value.to_owned().into();
            store.unwrap().put(key, value).await.unwrap();
        });
    }

    async fn read(&self) -> Option<Vec<Message>> {
        let client = async_nats::connect(self.url()).await.unwrap();
        let stream = jetstream::new(client).get_stream("varbind").await.ok()?;
        let count = usize::try_from(stream.cached_info().state.messages).unwrap();
        let consumer = stream
            .create_consumer(pull::Config {
                ack_policy: AckPolicy::None,
                ..pull::Config::default()
            })
            .await
            .ok()?;
        let mut messages = Vec::new();
        while messages.len() < count {
            let batch = consumer
                .fetch()
                .max_messages((count - messages.len()).min(1000))
                .expires(Duration::from_secs(1));
            let mut batch = batch.messages().await.ok()?;
            while let Some(message) = batch.next().await {
                let message = message.ok()?;
                let headers = message.headers.as_ref().unwrap();
                messages.push(Message {
                    subject: message.subject.to_string(),
                    identity: headers.get("Nats-Msg-Id").unwrap().to_string(),
                    poll: serde_json::from_slice(&message.payload).unwrap(),
                });
            }
        }
        Some(messages)
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
