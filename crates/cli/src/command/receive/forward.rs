//! Notifications for another part of the program.

use std::path::Path;
use std::sync::mpsc;
use std::thread;

use clap::{Args, Command, FromArgMatches};
use varbind::clock::Clock;
use varbind::notification::{Arrived, NotificationReceiver, Notifications};
use varbind_mib::Mib;
use varbind_terminal::{Failure, print_message};

use super::Arguments;
use super::listen::{self, Servers};
use super::reload::Reload;
use super::settings::Settings;

/// Gives what a configuration file lets in to a function, in a thread of its own, until the program ends. Informs are acknowledged
/// afterwards.
pub(crate) fn forward(
    configuration: &Path,
    deliver: impl FnMut(&Arrived, &Mib) + Send + 'static,
) -> Result<(), Failure> {
    let command = Arguments::augment_args(Command::new("receive").no_binary_name(true));
    let options = [Path::new("--config"), configuration];
    let arguments = command
        .try_get_matches_from(options)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = arguments.map_err(|error| Failure::Usage(error.to_string()))?;
    let (started, start) = mpsc::channel();
    let thread = thread::Builder::new().name("notifications".to_owned());
    thread
        .spawn(move || run(&arguments, &started, deliver))
        .map_err(Failure::Output)?;
    // A thread that ended without a word cannot have started.
    start.recv().unwrap_or_else(|_| {
        let message = "the receiver of notifications did not start";
        Err(Failure::Usage(message.to_owned()))
    })
}

fn run(
    arguments: &Arguments,
    started: &mpsc::Sender<Result<(), Failure>>,
    mut deliver: impl FnMut(&Arrived, &Mib),
) {
    let settings = match Settings::load(arguments) {
        Ok(settings) => settings,
        Err(failure) => return report(started, Err(failure)),
    };
    for (key, is_set) in [
        ("exec", settings.exec.is_some()),
        ("output-file", settings.output_file.is_some()),
        ("run-as", settings.run_as.is_some()),
    ] {
        if is_set {
            print_message(format_args!(
                "varbind: warning: {key} of the configuration of notifications has no effect: they go to the outputs of the fleet"
            ));
        }
    }
    let options = arguments.output.or(
        &settings.letters,
        settings.is_json,
        (
            settings.mib_directories.as_deref(),
            settings.modules.as_deref(),
        ),
    );
    let opened = options
        .mib()
        .and_then(|mib| Ok((open(arguments, &mib, settings)?, mib)));
    let ((receiver, notifications), mib) = match opened {
        Ok(opened) => opened,
        Err(failure) => return report(started, Err(failure)),
    };
    report(started, Ok(()));
    for arrived in notifications {
        deliver(&arrived, &mib);
        arrived.receipt.delivered();
    }
    drop(receiver);
}

fn report(started: &mpsc::Sender<Result<(), Failure>>, result: Result<(), Failure>) {
    // Whoever started it has gone only if the program ends.
    let _ = started.send(result);
}

fn open(
    arguments: &Arguments,
    mib: &Mib,
    settings: Settings,
) -> Result<(NotificationReceiver, Notifications), Failure> {
    let clock = Clock::start();
    let servers = Servers::new(&settings)?;
    let (reload, configuration) = Reload::new(arguments, mib, settings, servers, clock)?;
    let limits = reload.settings.limits.clone();
    let (receiver, notifications) = NotificationReceiver::start(configuration, limits, clock);
    listen::open(&receiver, &reload.settings.listen, &reload.servers)?;
    listen::announce(&receiver);
    Ok((receiver, notifications))
}
