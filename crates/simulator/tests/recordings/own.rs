//! The library walks.

use std::sync::Arc;

use varbind::blocking::{Client, Target};
use varbind::client::User;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::oid;
use varbind::transport::Transport;
use varbind_codec::message::Version;
use varbind_codec::smi::VarBind;

use crate::stage::{Object, Stage, Walk};

#[allow(clippy::unnecessary_wraps, reason = "other programs may be missing")]
pub(crate) fn walk(stage: &Stage, walks: &[Walk]) -> Option<Vec<Vec<Object>>> {
    let client = Client::new().unwrap();
    let walk = |walk: &Walk| {
        let target = target(&client, stage, walk);
        let options = WalkOptions {
            max_objects: u64::MAX,
            ..WalkOptions::default()
        };
        let objects = target.walk_with([oid!("1")], options);
        let objects = objects.take(walk.most).map(|object| {
            let VarBind { name, value } =
                object.unwrap_or_else(|error| panic!("{walk:?}: {error}"));
            (name.arcs().to_vec(), value)
        });
        let objects = objects.collect();
        target.close();
        objects
    };
    Some(walks.iter().map(walk).collect())
}

fn target(client: &Client, stage: &Stage, walk: &Walk) -> Target {
    let target = client.target_at(stage.address(walk));
    match (walk.version, walk.transport) {
        (Version::V1, _) => target.with(|target| target.community_v1("public")),
        (Version::V2c, _) => target.community("public"),
        (_, Transport::Tls | Transport::Dtls) => {
            target.with(|target| target.tls_client(Arc::clone(&stage.tls)))
        }
        (_, Transport::Ssh) => target.with(|target| target.ssh(stage.ssh.options())),
        _ => {
            let user = User::new("ops").sha256("maple syrup").aes128("apple sauce");
            target.user(&user).unwrap()
        }
    }
}
