//! Polls an agent for the objects of a module.

use std::time::{Duration, Instant};

use thiserror::Error;
use varbind::client::{Error as ClientError, Target};
use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::{
    AdaptivePolicy, GeneratorStatistics, Method, RetryPolicy, WalkError, WalkOptions,
};
use varbind::{Oid, Value, VarBind};

use crate::module::{Filter, Module, WalkParameters};
use crate::scrape::filter_text;

/// `max_repetitions` of snmp_exporter for modules that do not set it.
const USUAL_REPETITIONS: u16 = 25;

/// The responses of an agent.
#[derive(Debug, Default)]
pub struct Answers {
    /// The objects, in the order in which they came.
    pub objects: Vec<VarBind>,
    /// How long it took.
    pub duration: Duration,
    /// Messages sent, including retransmissions.
    pub messages: u64,
    /// Retransmissions.
    pub retries: u64,
    /// Where the agent ended a walk with an error-status.
    pub refusals: Vec<(Oid, ErrorStatus)>,
}

/// Why a poll failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PollError {
    /// The client failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The poll missed its deadline.
    #[error("{target}: not finished within {deadline:?}: allow more time, or request less")]
    Deadline {
        /// The agent.
        target: String,
        /// The deadline.
        deadline: Duration,
    },
}

impl WalkParameters {
    /// Retransmission by the agent's round-trip times, given up after as long as snmp_exporter would wait.
    #[must_use]
    pub fn retry_policy(&self) -> RetryPolicy {
        let usual = AdaptivePolicy::default();
        if self.retries == 0 {
            return RetryPolicy::Fixed {
                timeout: self.timeout,
                retries: 0,
            };
        }
        RetryPolicy::Adaptive(AdaptivePolicy {
            initial_timeout: usual.initial_timeout.min(self.timeout),
            max_timeout: self.timeout,
            give_up_after: self.timeout.saturating_mul(self.retries.saturating_add(1)),
            ..usual
        })
    }

    /// The most names of a request.
    fn names(&self, is_v1: bool) -> usize {
        match self.max_repetitions {
            // RFC 1157 4.1.2: an unknown name fails the whole request.
            _ if is_v1 => 1,
            None => USUAL_REPETITIONS.into(),
            Some(count) => count.max(1).into(),
        }
    }

    fn walk_options(&self, max_attempts: u32) -> WalkOptions {
        let usual = WalkOptions::default();
        WalkOptions {
            method: Method::GetBulk {
                max_repetitions: None,
            },
            max_repetitions_limit: match self.max_repetitions {
                // If a large response got lost for its size, no smaller one would be requested.
                None if max_attempts == 1 => USUAL_REPETITIONS,
                None | Some(0) => usual.max_repetitions_limit,
                Some(count) => count,
            },
            tolerate_non_increasing: self.allow_nonincreasing_oids,
            root_if_empty: false,
            ..usual
        }
    }
}

/// Polls an agent for the objects of a module.
///
/// # Errors
/// When there is no response, or an invalid one. An error-status in a subtree is not an error: see [`Answers::refusals`].
pub async fn poll(target: &Target, is_v1: bool, module: &Module) -> Result<Answers, PollError> {
    let started = Instant::now();
    let before = target.statistics().unwrap_or_default();
    let mut answers = Answers::default();
    let (get, walk) = match module.filters.is_empty() {
        true => (None, None),
        false => {
            let (get, walk) = filtered(target, module, &mut answers).await;
            (Some(get), Some(walk))
        }
    };
    let get = get.as_deref().unwrap_or(&module.get);
    let walk = walk.as_deref().unwrap_or(&module.walk);
    get_instances(target, is_v1, get, &module.parameters, &mut answers).await?;
    if !walk.is_empty() {
        walk_subtrees(target, walk, &module.parameters, &mut answers).await?;
        let instances = missing_instances(module, walk, &answers.objects);
        get_instances(target, is_v1, &instances, &module.parameters, &mut answers).await?;
    }
    answers.count(&before, &target.statistics().unwrap_or_default());
    answers.duration = started.elapsed();
    Ok(answers)
}

impl Answers {
    fn count(&mut self, before: &GeneratorStatistics, after: &GeneratorStatistics) {
        self.messages = after.attempts.saturating_sub(before.attempts);
        self.retries = after.retries.saturating_sub(before.retries);
    }
}

/// Requests instances, and skips those that the agent does not have.
async fn get_instances(
    target: &Target,
    is_v1: bool,
    names: &[Oid],
    parameters: &WalkParameters,
    answers: &mut Answers,
) -> Result<(), PollError> {
    for names in names.chunks(parameters.names(is_v1)) {
        match target.get_many(names.iter().cloned()).await {
            Ok(objects) => answers.objects.extend(
                objects
                    .into_iter()
                    .filter(|object| !object.value.as_value_ref().is_exception()),
            ),
            Err(ClientError::ErrorStatus {
                status: ErrorStatus::NoSuchName,
                ..
            }) if is_v1 => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Walks sorted subtrees. After an error-status the walk continues with the next subtree.
async fn walk_subtrees(
    target: &Target,
    roots: &[Oid],
    parameters: &WalkParameters,
    answers: &mut Answers,
) -> Result<(), PollError> {
    // The inventory may set other retransmissions than the module.
    let options = parameters.walk_options(target.max_attempts());
    let mut rest = roots;
    while !rest.is_empty() {
        let mut walk = target.walk_with(rest.iter().cloned(), options.clone());
        let mut refused = None;
        while let Some(batch) = walk.next_batch().await {
            match batch {
                Ok(batch) => answers.objects.extend(batch),
                Err(error) => {
                    refused = Some(refusal(error)?);
                    break;
                }
            }
        }
        let Some((name, status)) = refused else {
            return Ok(());
        };
        // The root of the subtree that failed: at or before the name.
        let behind = rest.partition_point(|root| root.arcs() <= name.arcs());
        let at = behind.saturating_sub(1);
        rest = rest.get(at + 1..).unwrap_or_default();
        answers.refusals.push((name, status));
    }
    Ok(())
}

/// The error-status that ended a walk.
fn refusal(error: ClientError) -> Result<(Oid, ErrorStatus), PollError> {
    if let ClientError::Walk(failure) = &error
        && let WalkError::ErrorStatus { status, name } = &failure.error
    {
        return Ok((name.clone(), *status));
    }
    Err(error.into())
}

/// Empty subtrees whose roots may be instances.
fn missing_instances(module: &Module, roots: &[Oid], objects: &[VarBind]) -> Vec<Oid> {
    let candidates = roots.iter().filter(|root| module.may_be_instance(root));
    candidates
        .filter(|root| {
            !objects
                .iter()
                .any(|object| root.is_prefix_of(object.name.arcs()))
        })
        .cloned()
        .collect()
}

/// The instances and subtrees to poll after applying the filters.
async fn filtered(target: &Target, module: &Module, answers: &mut Answers) -> (Vec<Oid>, Vec<Oid>) {
    let mut get = module.get.clone();
    let mut walk = module.walk.clone();
    let mut allowed: Vec<(&Oid, Vec<u32>)> = Vec::new();
    for filter in &module.filters {
        let mut found = Answers::default();
        let root = std::slice::from_ref(&filter.oid);
        let walked = walk_subtrees(target, root, &module.parameters, &mut found).await;
        if let Err(error) = walked {
            // A failed filter must not hide rows.
            log::info!("filter by {}: {error}", filter.oid);
            continue;
        }
        answers.refusals.append(&mut found.refusals);
        let rows = passing_rows(filter, &found.objects);
        walk.retain(|root| !filter.targets.contains(root));
        for name in &filter.targets {
            match allowed.iter_mut().find(|(known, _)| *known == name) {
                // A row must pass all filters of an object.
                Some((_, known)) => known.retain(|row| rows.contains(row)),
                None => allowed.push((name, rows.clone())),
            }
        }
    }
    for (name, rows) in allowed {
        get.retain(|instance| !name.is_prefix_of(instance.arcs()));
        get.extend(rows.iter().filter_map(|row| name.child(&[*row]).ok()));
    }
    (get, walk)
}

/// The last numbers of the names whose values match.
fn passing_rows(filter: &Filter, objects: &[VarBind]) -> Vec<u32> {
    let passes = |value: &Value| {
        let text = filter_text(value);
        filter.values.iter().any(|regex| regex.is_match(&text))
    };
    objects
        .iter()
        .filter(|object| passes(&object.value))
        .filter_map(|object| object.name.arcs().last().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_may_limit_repetitions_and_names() {
        let usual = WalkOptions::default().max_repetitions_limit;
        for (max_repetitions, max_attempts, repetitions, names) in [
            (None, 4, usual, 25),
            (None, 1, 25, 25),
            (Some(0), 4, usual, 1),
            (Some(7), 1, 7, 7),
        ] {
            let parameters = WalkParameters {
                max_repetitions,
                ..WalkParameters::default()
            };
            let options = parameters.walk_options(max_attempts);
            assert_eq!(options.max_repetitions_limit, repetitions);
            assert_eq!(
                (parameters.names(false), parameters.names(true)),
                (names, 1)
            );
        }
    }
}
