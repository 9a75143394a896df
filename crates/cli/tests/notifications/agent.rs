//! The agent's own notifications: who is told, and what it tells of the outcome.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use tempfile::TempDir;
use varbind_testkit::peers::Running;

use crate::program::{Receive, varbind};

const COLD_START: &str = "1.3.6.1.6.3.1.1.5.1";

/// `varbind agent`, and the lines of its log.
struct Agent {
    child: Running,
    log: BufReader<std::process::ChildStderr>,
    _home: TempDir,
}

impl Agent {
    fn start(configuration: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        let file = home.path().join("agent.toml");
        let text =
            format!("state-directory = {state:?}\nlisten = [\"udp:127.0.0.1:0\"]\n{configuration}");
        std::fs::write(&file, text).unwrap();
        let mut child = varbind(&["agent", "--config", file.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening on "), "{line}");
        Self {
            child: Running(child),
            log,
            _home: home,
        }
    }

    fn signal(&self, signal: &str) {
        self.child.signal(signal);
    }

    /// The next line of the log that has this in it.
    #[track_caller]
    fn log_line(&mut self, part: &str) -> String {
        let mut line = String::new();
        while self.log.read_line(&mut line).unwrap() > 0 {
            if line.contains(part) {
                return line;
            }
            line.clear();
        }
        panic!("no line has {part:?}");
    }
}

#[test]
fn notification_counters_are_printed_on_a_signal_and_at_exit() {
    let receive = Receive::start(&["--json"]);
    let target = &receive.address;
    let mut agent = Agent::start(&format!(
        "[[view]]
         name = \"links\"
         include = [\"1.3.6.1.6.3.1.1.5.3\", \"1.3.6.1.6.3.1.1.5.4\", \"1.3.6.1.2.1.2.2.1\"]
         [[notification-target]]
         address = \"udp:{target}\"
         community = \"public\"
         [[notification-target]]
         address = \"tcp:{target}\"
         community = \"public\"
         kind = \"inform\"
         [[notification-target]]
         address = \"udp6:[::1]:9\"
         community = \"of nobody\"
         view = \"links\"
         [[community]]
         name = \"public\""
    ));
    let mut told = [receive.next_json(), receive.next_json()];
    told.sort_by_key(|json| json["kind"].to_string());
    for (json, kind) in told.iter().zip(["inform", "trap"]) {
        assert_eq!(json["kind"], kind);
        assert_eq!(json["oid"], COLD_START, "{json}");
    }
    // The acknowledgement of the inform may be on its way still.
    let trap = format!("udp:{target}: 1 notifications: 1 traps sent;");
    let inform = format!("tcp:{target}: 1 notifications: 0 traps sent; informs: 1 acknowledged");
    let nobody = "udp6:[::1]:9: 1 notifications: 0 traps sent; ";
    agent.signal("-USR1");
    assert!(agent.log_line("udp:").contains(&trap));
    let withheld = agent.log_line(nobody);
    assert!(
        withheld.contains("0 filtered, 1 inaccessible; 0 waiting"),
        "{withheld}"
    );
    agent.signal("-TERM");
    assert!(agent.log_line("udp:").contains(&trap));
    assert!(agent.log_line("tcp:").contains(&inform));
    agent.log_line(nobody);
    let (lines, _) = receive.stop("-TERM");
    assert!(lines.is_empty(), "{lines:?}");
}
