//! The master with subagents that do what a test says, asked by messages of SNMP, all in one process.

mod administration;
mod liveness;
mod misbehaviour;
mod reading;
mod setting;

use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use varbind::clock::Clock;
use varbind_codec::agentx::{AgentxPdu, ByteOrder, Packet, ResponseError};
use varbind_codec::smi::{Oid, VarBind};
use varbind_testkit::command_responder::{CommunityAgent, Memory, host};
use varbind_testkit::subagent::{Answer, Instances, Served, Subagent};

use super::connection::Stream;
use super::objects::SubagentObjects;
use super::sessions::{Host, Sessions};

/// Between the agent's own objects: behind them are an INTEGER of the agent and a subtree that others may serve.
const FIRST: &str = "1.3.6.1.3.7";
const SECOND: &str = "1.3.6.1.3.8";
/// More than a test takes, so that nothing but an answer ends a request.
const LONG: u8 = 255;
const PATIENCE: Duration = Duration::from_secs(60);

struct Master {
    sessions: Arc<Sessions>,
    objects: Arc<SubagentObjects>,
    storage: Arc<Memory>,
    notifications: Mutex<Receiver<(Oid, Vec<VarBind>)>>,
}

struct Own(Mutex<Sender<(Oid, Vec<VarBind>)>>);

impl Host for Own {
    fn is_own(&self, _: &[u8], name: &Oid) -> bool {
        name.arcs().starts_with(&[1, 3, 6, 1, 2, 1, 1, 1])
    }

    fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>) {
        let _ = self.0.lock().unwrap().send((trap_oid, var_binds));
    }
}

impl Master {
    fn new() -> Self {
        let sessions = Sessions::new(Clock::start());
        let (sender, notifications) = channel();
        sessions.attach(Box::new(Own(Mutex::new(sender))));
        Self {
            objects: Arc::new(SubagentObjects::new(Arc::clone(&sessions), "")),
            sessions,
            storage: Arc::default(),
            notifications: Mutex::new(notifications),
        }
    }

    /// An agent with objects of its own and those of the subagents.
    fn agent(&self) -> CommunityAgent {
        let objects = host(1).dynamic(Arc::clone(&self.objects) as _);
        CommunityAgent::with_storage(objects, Arc::clone(&self.storage) as _)
    }

    /// An agent with the objects of the subagents in another context.
    fn agent_in(&self, context_name: &str) -> CommunityAgent {
        let objects = SubagentObjects::new(Arc::clone(&self.sessions), context_name);
        CommunityAgent::new(host(1).dynamic(Arc::new(objects)))
    }

    fn connect(&self) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let served = self.sessions.serve(Stream::Unix(ours), "of a test".into());
        served.unwrap();
        theirs
    }

    /// A subagent that has registered a subtree, with a second for each answer.
    fn subagent(&self, subtree: &str) -> Subagent {
        let mut subagent = Subagent::open_with_timeout(self.connect(), ByteOrder::Little, 1);
        assert_eq!(subagent.register(subtree), ResponseError::NO_ERROR);
        subagent
    }

    /// A subagent at work, and the kinds of PDUs that it has got.
    fn serve(
        &self,
        subtree: &str,
        mut answer: impl FnMut(&Packet) -> Answer + Send + 'static,
    ) -> (Served, Log) {
        let log = Log::default();
        let written = log.clone();
        let served = self.subagent(subtree).serve(move |packet| {
            written.0.lock().unwrap().push(packet.pdu.clone());
            answer(packet)
        });
        (served, log)
    }

    /// A subagent with a table that answers as it should.
    fn serve_table(&self, subtree: &str, columns: u32, rows: u32) -> (Served, Log) {
        let table = Instances::table(subtree, columns, rows);
        self.serve(subtree, move |packet| table.answer(&packet.pdu))
    }

    fn session_count(&self) -> usize {
        self.sessions.look(|master, _| master.sessions().count())
    }
}

/// What a subagent was asked.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<AgentxPdu>>>);

impl Log {
    fn pdus(&self) -> Vec<AgentxPdu> {
        self.0.lock().unwrap().clone()
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.pdus().iter().map(kind).collect()
    }
}

fn kind(pdu: &AgentxPdu) -> &'static str {
    match pdu {
        AgentxPdu::Get(_) => "Get",
        AgentxPdu::GetNext(_) => "GetNext",
        AgentxPdu::GetBulk { .. } => "GetBulk",
        AgentxPdu::TestSet(_) => "TestSet",
        AgentxPdu::CommitSet => "CommitSet",
        AgentxPdu::UndoSet => "UndoSet",
        AgentxPdu::CleanupSet => "CleanupSet",
        _ => "another",
    }
}
