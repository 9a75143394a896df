//! Writes `snmp.yml` with its secrets, which no other code may show.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::module::document::{Auth, Document, Module, Secret};

#[derive(Serialize)]
struct Written<'d> {
    auths: BTreeMap<&'d str, WrittenAuth<'d>>,
    modules: &'d BTreeMap<String, Module>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
}

/// An auth with the defaults of snmp_exporter.
#[derive(Serialize)]
struct WrittenAuth<'d> {
    community: &'d str,
    security_level: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'d str>,
    auth_protocol: &'d str,
    priv_protocol: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    priv_password: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_name: Option<&'d str>,
    version: i64,
}

impl<'d> WrittenAuth<'d> {
    fn new(auth: &'d Auth) -> Self {
        fn shown(secret: Option<&Secret>) -> Option<&str> {
            secret.map(|Secret(text)| text.as_str())
        }
        let or = |text: &'d Option<String>, usual| text.as_deref().unwrap_or(usual);
        Self {
            community: shown(auth.community.as_ref()).unwrap_or("public"),
            security_level: or(&auth.security_level, "noAuthNoPriv"),
            username: auth.username.as_deref(),
            password: shown(auth.password.as_ref()),
            auth_protocol: or(&auth.auth_protocol, "MD5"),
            priv_protocol: or(&auth.priv_protocol, "DES"),
            priv_password: shown(auth.priv_password.as_ref()),
            context_name: auth.context_name.as_deref(),
            version: auth.version.unwrap_or(2),
        }
    }
}

/// The text of `snmp.yml`.
pub(super) fn yaml(document: &Document) -> Result<String, serde_saphyr::ser::Error> {
    let auths = document.auths.iter();
    let text = serde_saphyr::to_string(&Written {
        auths: auths
            .map(|(name, auth)| (name.as_str(), WrittenAuth::new(auth)))
            .collect(),
        modules: &document.modules,
        version: document.version,
    })?;
    Ok(format!(
        "# Made by varbind collect generate: change the file that it was made from, not this one.\n{text}"
    ))
}
