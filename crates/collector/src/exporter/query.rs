//! The parameters of a scrape, as in snmp_exporter.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use varbind::engine::engine_id::EngineId;

use crate::module::{Auth, Module, ModuleConfiguration};

/// The default auth and module.
const USUAL_AUTH: &str = "public_v2";
const USUAL_MODULE: &str = "if_mib";

/// Longest scrape if Prometheus sends no timeout.
const LONGEST: Duration = Duration::from_secs(120);
/// The part of Prometheus' timeout that is kept for the response.
const WAY_BACK: Duration = Duration::from_millis(500);

/// The agent and the modules of a scrape.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) target: String,
    pub(super) auth_name: String,
    pub(super) auth: Arc<Auth>,
    pub(super) modules: Vec<Arc<Module>>,
    pub(super) context_name: Option<String>,
    pub(super) context_engine: Option<EngineId>,
}

impl Request {
    /// Parses the parameters of a request, or explains what is wrong with them.
    pub(super) fn new(query: &str, configuration: &ModuleConfiguration) -> Result<Self, String> {
        let mut parameters: HashMap<String, Vec<String>> = HashMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let values = parameters.entry(name.into_owned()).or_default();
            values.push(value.into_owned());
        }
        let once = |name: &str| match parameters.get(name).map_or(&[][..], Vec::as_slice) {
            [] => Ok(None),
            [value] => Ok(Some(value.clone()).filter(|value| !value.is_empty())),
            _ => Err(format!("'{name}' parameter must only be specified once")),
        };
        let target = once("target").ok().flatten();
        let target = target.ok_or("'target' parameter must be specified once")?;
        let auth_name = once("auth")?.unwrap_or_else(|| USUAL_AUTH.to_owned());
        let auth = configuration.auths.get(&auth_name);
        let auth = auth.ok_or_else(|| format!("Unknown auth '{auth_name}'"))?;
        let context_engine = once("snmp_engineid")?
            .map(|text| {
                engine_id(&text).ok_or(format!("'snmp_engineid' is not an engine ID: '{text}'"))
            })
            .transpose()?;
        Ok(Self {
            target,
            auth: Arc::clone(auth),
            auth_name,
            modules: modules(parameters.get("module"), configuration)?,
            context_name: once("snmp_context")?,
            context_engine,
        })
    }
}

/// The modules, from repeated parameters or a list with commas.
fn modules(
    names: Option<&Vec<String>>,
    configuration: &ModuleConfiguration,
) -> Result<Vec<Arc<Module>>, String> {
    let Some(names) = names else {
        return Ok(vec![find(USUAL_MODULE, configuration)?]);
    };
    let mut modules: Vec<Arc<Module>> = Vec::new();
    let names = names.iter().flat_map(|names| names.split(','));
    for name in names.filter(|name| !name.is_empty()) {
        if modules.iter().all(|known| *known.name != *name) {
            modules.push(find(name, configuration)?);
        }
    }
    match modules.is_empty() {
        true => Err("'module' parameter must contain at least one module name".to_owned()),
        false => Ok(modules),
    }
}

fn find(name: &str, configuration: &ModuleConfiguration) -> Result<Arc<Module>, String> {
    let module = configuration.modules.get(name).map(Arc::clone);
    module.ok_or_else(|| format!("Unknown module '{name}'"))
}

/// Parses an engine ID in hexadecimal.
fn engine_id(text: &str) -> Option<EngineId> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    let octets: Option<Vec<u8>> = (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
        .collect();
    EngineId::new(&octets?).ok()
}

/// How long a scrape may take: Prometheus' timeout, less the time for the response.
pub(super) fn deadline(headers: &HeaderMap) -> Duration {
    let seconds = headers
        .get("x-prometheus-scrape-timeout-seconds")
        .and_then(|value| value.to_str().ok()?.parse::<f64>().ok())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds {
        Some(timeout) => timeout
            .saturating_sub(WAY_BACK.min(timeout / 10))
            .min(LONGEST),
        None => LONGEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> ModuleConfiguration {
        ModuleConfiguration::parse(
            "auths: {public_v2: {}, v3: {}}\nmodules: {if_mib: {}, a: {}, b: {}}",
        )
        .unwrap()
    }

    fn modules_of(query: &str) -> Vec<String> {
        let request = Request::new(query, &configuration()).unwrap();
        request
            .modules
            .iter()
            .map(|module| module.name.to_string())
            .collect()
    }

    #[test]
    fn parameters_have_the_defaults_of_snmp_exporter() {
        let request = Request::new("target=router1", &configuration()).unwrap();
        assert_eq!(
            (&*request.target, &*request.auth_name),
            ("router1", "public_v2")
        );
        assert_eq!(modules_of("target=router1"), ["if_mib"]);
    }

    #[test]
    fn modules_are_named_in_both_ways() {
        assert_eq!(
            modules_of("target=r&module=a,b&module=b&module=if_mib"),
            ["a", "b", "if_mib"]
        );
        assert_eq!(modules_of("target=r&module=,a,"), ["a"]);
    }

    #[test]
    fn context_and_engine_are_read() {
        let query = "target=tcp%3A%2F%2Fr%3A1161&auth=v3&snmp_context=vrf&snmp_engineid=80001f8804";
        let request = Request::new(query, &configuration()).unwrap();
        assert_eq!(request.target, "tcp://r:1161");
        assert_eq!(request.context_name.as_deref(), Some("vrf"));
        assert_eq!(
            request.context_engine.unwrap().as_octets(),
            [0x80, 0, 0x1f, 0x88, 4]
        );
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (query, part) in [
            ("", "'target'"),
            ("target=", "'target'"),
            (
                "target=a&target=b",
                "'target' parameter must be specified once",
            ),
            (
                "target=a&auth=x&auth=y",
                "'auth' parameter must only be specified once",
            ),
            ("target=a&auth=x", "Unknown auth 'x'"),
            ("target=a&module=x", "Unknown module 'x'"),
            ("target=a&module=", "at least one"),
            ("target=a&snmp_engineid=xyz", "engine ID"),
            ("target=a&snmp_context=x&snmp_context=y", "'snmp_context'"),
        ] {
            let error = Request::new(query, &configuration()).unwrap_err();
            assert!(error.contains(part), "{query}: {error}");
        }
    }

    #[test]
    fn the_deadline_leaves_time_for_the_way_back() {
        let with = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-prometheus-scrape-timeout-seconds", text.parse().unwrap());
            deadline(&headers)
        };
        assert_eq!(with("10"), Duration::from_millis(9500));
        assert_eq!(with("1"), Duration::from_millis(900));
        assert_eq!(with("1e9"), LONGEST);
        assert_eq!(with("-1"), LONGEST);
        assert_eq!(deadline(&HeaderMap::new()), LONGEST);
    }
}
