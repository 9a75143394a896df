//! Runs by the manager of the library.

use std::ops::ControlFlow;

use varbind::manager::{Manager, ManagerOptions, PipelineOptions};
use varbind::transport::TransportAddress;
use varbind::transport::message_size::UDP_PAYLOAD;
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::{
    Command, MessageProcessing, Method as Step, WalkOptions,
};

use super::course::Course;
use super::{LinkTask, Retrieval};
use crate::measurement::TransportKind;
use crate::session::{SecureAccess, Target};
use crate::study::names::{IF_TABLE, SYS_CONTACT, oid};
use crate::subject::READ_COMMUNITY;

/// max-repetitions where a walk goes one step at a time: what managers usually have.
const USUAL_REPETITIONS: u16 = 10;

/// Whom a manager asks, and how it shows who it is.
#[derive(Clone, Debug)]
pub(super) struct Principal {
    pub(super) target: Target,
    pub(super) address: TransportAddress,
    /// What sessions over a secure transport need.
    pub(super) access: Option<SecureAccess>,
    pub(super) processing: MessageProcessing,
}

/// Runs a task.
pub(super) fn run(task: &LinkTask, principal: &Principal) -> Course {
    let mut course = Course::begin(task.requests, task.limit());
    let Some(mut manager) = open(task, principal, &mut course) else {
        return course.end();
    };
    match task.retrieval {
        Retrieval::Table => walk(task, &mut manager, &mut course),
        Retrieval::Instance => get(task, &mut manager, &mut course, 1, 1),
        Retrieval::Instances { count, messages } => {
            get(task, &mut manager, &mut course, count, messages);
        }
    }
    course.attempts = manager.generator().statistics().attempts;
    course.end()
}

/// Opens a session, again and again as long as there is time.
fn open(task: &LinkTask, principal: &Principal, course: &mut Course) -> Option<Manager> {
    while course.goes_on() {
        match Manager::open(&principal.address, options(task, principal)) {
            Ok(manager) => return Some(manager),
            Err(error) => course.trouble = Some(error.to_string()),
        }
    }
    None
}

fn options(task: &LinkTask, principal: &Principal) -> ManagerOptions {
    let transport = task.method.transport();
    let mut options = ManagerOptions::v2c(READ_COMMUNITY);
    options.processing = principal.processing.clone();
    if let Some(access) = &principal.access {
        options.secure = access.options.clone();
    }
    options.retry = task.method.retry(task.give_up());
    options.max_window = match task.retrieval {
        Retrieval::Instances { messages, .. } => messages,
        _ => task.method.outstanding(),
    };
    if let Retrieval::Instances { messages: 1, .. } = task.retrieval
        && transport == TransportKind::Udp
    {
        options.max_message_size = Some(UDP_PAYLOAD);
    }
    options
}

/// Gets instances: `count` in each request, in so many messages.
fn get(task: &LinkTask, manager: &mut Manager, course: &mut Course, count: u16, messages: u16) {
    let names = vec![oid(SYS_CONTACT); usize::from(count)];
    let each = names.len().div_ceil(usize::from(messages.max(1))).max(1);
    let parts: Vec<&[Oid]> = names.chunks(each).collect();
    if task.method.outstanding() > 1 {
        return pipeline(task, manager, course, &parts);
    }
    while course.goes_on() {
        let options = PipelineOptions {
            outstanding: parts.len(),
            give_up_after: Some(course.left()),
        };
        let mut failure = None;
        let mut objects = 0;
        let commands = parts.iter().map(|part| Command::Get(part));
        manager.pipeline(commands, options, |_, result| match result {
            Ok(response) => {
                objects += response.var_binds.len() as u64;
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error.to_string());
                ControlFlow::Break(())
            }
        });
        match failure {
            None => course.note_answer(objects),
            Some(reason) => course.note_failure(reason),
        }
    }
}

/// Gets instances with several requests outstanding, each in one message.
fn pipeline(task: &LinkTask, manager: &mut Manager, course: &mut Course, parts: &[&[Oid]]) {
    let options = PipelineOptions {
        outstanding: task.method.outstanding().into(),
        give_up_after: Some(course.left()),
    };
    let requests = usize::try_from(task.requests).unwrap_or(usize::MAX);
    let commands = parts.iter().cycle().take(requests);
    let commands = commands.map(|part| Command::Get(part));
    manager.pipeline(commands, options, |_, result| {
        match result {
            Ok(response) => course.note_answer(response.var_binds.len() as u64),
            Err(error) => course.note_failure(error.to_string()),
        }
        ControlFlow::Continue(())
    });
}

/// Walks a table, in parallel parts if the method has several requests outstanding.
fn walk(task: &LinkTask, manager: &mut Manager, course: &mut Course) {
    let is_parallel = task.method.outstanding() > 1;
    let options = WalkOptions {
        method: Step::GetBulk {
            max_repetitions: (!is_parallel).then_some(USUAL_REPETITIONS),
        },
        sequential: !is_parallel,
        ..WalkOptions::default()
    };
    while course.goes_on() {
        let result = manager.walk(&[oid(IF_TABLE)], options.clone(), |_| {
            if course.left().is_zero() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match result {
            Ok(summary) => course.note_answer(summary.objects),
            Err(failure) => course.note_failure(failure.to_string()),
        }
    }
}
