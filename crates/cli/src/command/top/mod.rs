//! A live view of hosts: rates of interfaces, errors, processors, round trips and loss.

mod poll;
mod record;
mod state;
mod view;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use varbind::client::{Client, Error};
use varbind_inventory::{Connector, Host};
use varbind_terminal::Failure;
use varbind_terminal::arguments::seconds;

use crate::arguments::SessionArguments;
use crate::fleet;
use poll::{Poller, Sample};
use record::Recorder;
use state::App;

/// Samples that may wait for the screen.
const WAITING: usize = 256;
const FRAME: Duration = Duration::from_millis(200);

const KEYS: &str = "\
Keys:
  s, r        sort by the next column, reverse the order
  /           show only hosts and interfaces with a text in their name; Enter ends typing
  up, down    choose the interface whose rates are drawn below
  q           end";

#[derive(Args, Debug)]
#[command(after_help = KEYS)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Ask each host this often
    #[arg(short = 'i', long, value_name = "SECONDS", default_value = "2", value_parser = seconds, help_heading = "View")]
    interval: Duration,

    /// Write each value that was seen into this file: CSV, or JSON lines if its name ends with .json or .jsonl
    #[arg(long, value_name = "FILE", help_heading = "View")]
    record: Option<PathBuf>,

    /// The hosts of a selection, or the one host.
    #[arg(skip)]
    hosts: Vec<Host>,
}

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        self.hosts = fleet::select_all(&mut self.session)?;
        Ok(())
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        if !io::stdout().is_terminal() {
            return Err(Failure::Usage(
                "top needs a terminal; varbind table shows interfaces without one".to_owned(),
            ));
        }
        let mut recorder = self.record.as_deref().map(Recorder::create).transpose()?;
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::Runtime)?;
        let mut terminal = ratatui::try_init()?;
        let shown = runtime.block_on(self.show(&mut terminal, &mut recorder));
        runtime.shutdown_background();
        // The terminal is as before, whatever happened.
        ratatui::try_restore()?;
        shown?;
        recorder.map_or(Ok(()), Recorder::finish)
    }

    async fn show(
        &self,
        terminal: &mut DefaultTerminal,
        recorder: &mut Option<Recorder>,
    ) -> Result<(), Failure> {
        let mut connector = Connector::new(Client::new()?).ssh(fleet::ssh_options(&self.session));
        let (samples, mut received) = mpsc::channel(WAITING);
        let mut app = App::new(self.hosts.iter().map(|host| host.name.clone()));
        for (number, host) in self.hosts.iter().enumerate() {
            match connector.target(host) {
                Ok(target) => {
                    let poller = Poller::new(number, target, self.interval, samples.clone());
                    tokio::spawn(poller.run(self.hosts.len()));
                }
                Err(error) => app.update(Sample::failed(number, error.to_string())),
            }
        }
        let mut terminate = signal(SignalKind::terminate())?;
        let mut keys = keys();
        let mut frames = tokio::time::interval(FRAME);
        while !app.is_over() {
            tokio::select! {
                Some(sample) = received.recv() => {
                    if let Some(recorder) = recorder {
                        let host = self.hosts.get(sample.host).map_or("", |host| &host.name);
                        recorder.write(host, &sample)?;
                    }
                    app.update(sample);
                }
                Some(event) = keys.recv() => app.handle_key(event),
                _ = terminate.recv() => return Ok(()),
                _ = frames.tick() => {
                    terminal.draw(|frame| view::render(&app, frame))?;
                }
            }
        }
        Ok(())
    }
}

/// The keys that are pressed, from a thread that ends with the program.
fn keys() -> mpsc::Receiver<event::KeyEvent> {
    let (sender, receiver) = mpsc::channel(WAITING);
    thread::spawn(move || {
        while let Ok(event) = event::read() {
            if let Event::Key(key) = event
                && key.kind != KeyEventKind::Release
                && sender.blocking_send(key).is_err()
            {
                return;
            }
        }
    });
    receiver
}
