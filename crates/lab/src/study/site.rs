use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, getppid, pidfd_open};
use serde::{Deserialize, Serialize};

use super::order::{Order, Setting, SiteProgram};
use super::workload::{Across, Laboratory};
use super::{
    CommandWords, ExternalAgent, Interruption, Observation, SmallBoards, SubjectName, Task,
};
use crate::link::{LinkError, enter_network, enter_user_namespace};
use crate::process::remove_shares_of;
use crate::subject::{Subject, remove_directories_of};

/// What it is asked then, again and again: tasks of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Question {
    pub(super) tasks: Vec<(Task, SubjectName)>,
    pub(super) seed: u64,
    /// Each round has agents of its own.
    pub(super) round: u32,
}

/// What it answers: whether it can work at all, then the observations of each question that came at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Reply {
    Ready,
    Denied(String),
    Observed(Vec<Vec<Observation>>),
}

/// A process in which tasks are done, in a network of its own where they need one. It ends with this.
///
/// A process of its own, because the right to make networks is to be had before any thread is started, and because CPU
/// time and memory of a manager are those of its process.
#[derive(Debug)]
pub(super) struct Site {
    id: u32,
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Site {
    /// Starts one.
    ///
    /// # Errors
    /// Why there is none: what this machine does not allow, or why the process cannot be started.
    pub(super) fn open(order: &Order, interruption: &Interruption) -> Result<Self, String> {
        let mut child = Command::new(&order.program.executable)
            .args(&order.program.site)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What the terminal sends is for the program that was started there, which ends this one.
            .process_group(0)
            .spawn()
            .map_err(|error| {
                format!(
                    "{} cannot be started: {error}",
                    order.program.executable.display()
                )
            })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the process of the site has no pipes".to_owned());
        };
        let id = child.id();
        let child = Arc::new(Mutex::new(child));
        interruption.add(&child);
        let mut site = Self {
            id,
            child,
            input: Some(input),
            output: BufReader::new(output),
        };
        site.send(order)?;
        match site.receive()? {
            Reply::Ready => Ok(site),
            Reply::Denied(reason) => Err(reason),
            Reply::Observed(_) => Err(OUT_OF_STEP.to_owned()),
        }
    }

    /// Has tasks of some rounds done, the patient ones of all these rounds at once; an observation for each.
    ///
    /// # Errors
    /// If the process ended.
    pub(super) fn observe(
        &mut self,
        questions: &[Question],
    ) -> Result<Vec<Vec<Observation>>, String> {
        self.send(&questions)?;
        match self.receive()? {
            Reply::Observed(observations) => Ok(observations),
            Reply::Ready | Reply::Denied(_) => Err(OUT_OF_STEP.to_owned()),
        }
    }

    /// It ends with its input; this does not wait until it has.
    pub(super) fn ask_to_end(&mut self) {
        self.input = None;
    }

    fn send<T: Serialize>(&mut self, message: &T) -> Result<(), String> {
        let line = serde_json::to_string(message).map_err(|error| error.to_string())?;
        let input = self.input.as_mut().ok_or(ENDED)?;
        let written = writeln!(input, "{line}");
        written.map_err(|_| self.how_it_ended())
    }

    fn receive(&mut self) -> Result<Reply, String> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        if read.map_err(|error| error.to_string())? == 0 {
            return Err(self.how_it_ended());
        }
        serde_json::from_str(&line).map_err(|error| format!("{OUT_OF_STEP}: {error}"))
    }

    fn how_it_ended(&mut self) -> String {
        self.input = None;
        match self.wait() {
            Ok(status) => format!("{ENDED} ({status})"),
            Err(error) => format!("{ENDED} ({error})"),
        }
    }

    /// Waits for its end. Who interrupts the run may want to kill it meanwhile.
    fn wait(&self) -> io::Result<ExitStatus> {
        const INTERVAL: Duration = Duration::from_millis(2);
        loop {
            let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            drop(child);
            std::thread::sleep(INTERVAL);
        }
    }
}

/// Has tasks done once, in a site of their own: those of a study's round, without a study.
///
/// # Errors
/// Why there is no site, as where namespaces are not allowed. What goes wrong with a task is in its observation.
pub fn observe(
    program: &SiteProgram,
    setting: Setting,
    tasks: &[(Task, SubjectName)],
    seed: u64,
) -> Result<Vec<Observation>, String> {
    let order = Order {
        setting,
        program: program.clone(),
        tasks: tasks.to_vec(),
        share: None,
        seed,
        external: None,
        small_boards: SmallBoards::of_environment()?,
    };
    let mut site = Site::open(&order, &Interruption::default())?;
    let question = Question {
        tasks: tasks.to_vec(),
        seed,
        round: 0,
    };
    let mut observed = site.observe(&[question])?;
    Ok(observed.pop().unwrap_or_default())
}

const ENDED: &str = "the process of the site ended before its time";
const OUT_OF_STEP: &str = "the process of the site sent an unexpected response";

impl Drop for Site {
    fn drop(&mut self) {
        self.ask_to_end();
        let _ended = self.wait();
        // One that was killed could not remove them itself.
        remove_directories_of(self.id);
        remove_shares_of(self.id);
    }
}

/// The process of a site: reads what to do from standard input, and writes what it found to standard output, until the
/// input ends.
///
/// `external` makes of a command line the agent that runs already. It must be called before any thread is started.
///
/// # Errors
/// If the other side cannot be understood or has gone.
pub fn serve_site(
    external: impl FnOnce(&ExternalAgent, CommandWords) -> Result<Subject, String>,
) -> io::Result<()> {
    let mut input = io::stdin().lock().lines();
    let mut output = io::stdout().lock();
    let Some(line) = input.next() else {
        return Ok(());
    };
    let mut order: Order = serde_json::from_str(&line?)?;
    let words = order.external.take();
    let laboratory = enter(&order).and_then(|across| {
        let external = words.map(|(agent, words)| external(&agent, words));
        Laboratory::new(&order, across, external.transpose()?).map_err(|error| error.to_string())
    });
    let mut laboratory = match laboratory {
        Ok(laboratory) => laboratory,
        Err(reason) => return reply(&mut output, &Reply::Denied(reason)),
    };
    // Only now: a process with several threads may not enter a user namespace.
    end_with_parent_in_order()?;
    reply(&mut output, &Reply::Ready)?;
    for line in input {
        let questions: Vec<Question> = serde_json::from_str(&line?)?;
        let observations = laboratory.observe(&questions);
        reply(&mut output, &Reply::Observed(observations))?;
    }
    Ok(())
}

/// Ends this process when its parent ends, whatever it is doing, and removes its directories. The kernel kills its agents then.
fn end_with_parent_in_order() -> io::Result<()> {
    let Some(parent) = getppid() else {
        return Ok(());
    };
    // Where the kernel does not know this, the process ends with its task.
    let Ok(parent) = pidfd_open(parent, PidfdFlags::empty()) else {
        return Ok(());
    };
    let wait = move || {
        let mut ended = [PollFd::new(&parent, PollFlags::IN)];
        while poll(&mut ended, None).is_err() {}
        remove_directories_of(std::process::id());
        remove_shares_of(std::process::id());
        std::process::exit(1);
    };
    let thread = std::thread::Builder::new().name("parent".to_owned());
    thread.spawn(wait).map(|_| ())
}

fn enter(order: &Order) -> Result<Option<Across>, String> {
    let enter = || {
        if order.setting != Setting::Host {
            enter_user_namespace()?;
        }
        match order.setting {
            Setting::Host | Setting::Link => Ok(None),
            Setting::Interfaces(count) => enter_network(count).map(|()| None),
            Setting::Across {
                network,
                interfaces,
            } => Across::enter(network, interfaces, order.seed).map(Some),
        }
    };
    enter().map_err(|error: LinkError| error.to_string())
}

fn reply(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    serde_json::to_writer(&mut *output, reply)?;
    writeln!(output)?;
    output.flush()
}
