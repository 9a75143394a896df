use super::*;

fn module(text: &str) -> Result<Arc<Module>, Error> {
    let text = format!("modules:\n  m:\n{text}");
    Ok(Arc::clone(&ModuleConfiguration::parse(&text)?.modules["m"]))
}

/// The message of an error.
fn refused(text: &str) -> String {
    ModuleConfiguration::parse(text).unwrap_err().to_string()
}

#[test]
fn what_is_left_out_has_defaults() {
    let module = module("    walk: [1.3.6.1.2.1.2]\n").unwrap();
    assert_eq!(module.parameters, WalkParameters::default());
    assert_eq!(module.parameters.timeout, Duration::from_secs(5));
    assert_eq!(module.parameters.retries, 3);
    assert_eq!(module.parameters.max_repetitions, None);
    let auth = ModuleConfiguration::parse("auths: {a: {}}").unwrap();
    assert!(matches!(auth.auths["a"].as_ref(), auth if !auth.is_v1()));
}

#[test]
fn parameters_are_read() {
    let module = module(
        "    max_repetitions: 10\n    retries: 0\n    timeout: 1m2s\n    use_unconnected_udp_socket: true\n    \
         allow_nonincreasing_oids: true\n    get: [.1.3.6.1.2.1.1.3.0]\n",
    )
    .unwrap();
    assert_eq!(
        module.parameters,
        WalkParameters {
            max_repetitions: Some(10),
            retries: 0,
            timeout: Duration::from_secs(62),
            use_unconnected_udp_socket: true,
            allow_nonincreasing_oids: true,
        }
    );
    assert_eq!(module.get, ["1.3.6.1.2.1.1.3.0".parse().unwrap()]);
}

#[test]
fn subtrees_within_others_are_walked_once() {
    let module =
        module("    walk: [1.3.6.1.2.1.31, 1.3.6.1.2.1.2.2, 1.3.6.1.2.1.2, 1.3.6.1.2.1.31]\n");
    let names: Vec<_> = module.unwrap().walk.iter().map(Oid::to_string).collect();
    assert_eq!(names, ["1.3.6.1.2.1.2", "1.3.6.1.2.1.31"]);
}

#[test]
fn enumerations_may_be_named_as_truth_values_and_numbers() {
    let module = module(
        "    metrics:\n    - name: a\n      oid: 1.2.3\n      type: EnumAsInfo\n      enum_values: {1: true, 2: no, 3: 5, 4: 0x1}\n",
    )
    .unwrap();
    let names: Vec<_> = module.metrics[0]
        .enum_values
        .values()
        .map(|name| &**name)
        .collect();
    assert_eq!(names, ["true", "no", "5", "0x1"]);
}

#[test]
fn a_metric_of_a_subtree_hides_those_in_it() {
    let module = module(
        "    metrics:\n    - {name: a, oid: 1.2.3, type: gauge}\n    - {name: b, oid: 1.2.3.4, type: gauge}\n    \
         - {name: c, oid: 1.2.4, type: gauge}\n    - {name: d, oid: 1.2.4, type: gauge}\n",
    )
    .unwrap();
    let found = |name: &[u32]| {
        module
            .metric(name)
            .map(|metric| &*module.families()[metric.first_family].name)
    };
    assert_eq!(found(&[1, 2, 3, 4, 1]), Some("a"));
    assert_eq!(found(&[1, 2, 3]), Some("a"));
    assert_eq!(found(&[1, 2, 4, 1]), Some("d"));
    assert_eq!(found(&[1, 2, 5]), None);
    assert_eq!(found(&[1, 2]), None);
}

#[test]
fn auths_of_all_protocols_are_read() {
    for authentication in ["MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512"] {
        for privacy in ["DES", "AES", "AES192", "AES192C", "AES256", "AES256C"] {
            let text = format!(
                "auths:\n  a:\n    version: 3\n    security_level: authPriv\n    username: ops\n    password: maple syrup\n    \
                 priv_password: apple sauce\n    auth_protocol: {authentication}\n    priv_protocol: {privacy}\n    context_name: vrf\n"
            );
            let configuration = ModuleConfiguration::parse(&text).unwrap();
            assert_eq!(configuration.auths["a"].context_name, "vrf");
        }
    }
}

#[test]
fn secrets_are_neither_shown_nor_in_debug_output() {
    let text = "auths:\n  a: {version: 3, security_level: authPriv, username: ops, password: maple syrup, priv_password: apple sauce}\n  \
                b: {community: hidden}\n";
    let configuration = ModuleConfiguration::parse(text).unwrap();
    let shown = configuration.shown();
    assert!(
        shown.contains("<secret>") && shown.contains("ops"),
        "{shown}"
    );
    for output in [shown, format!("{configuration:?}")] {
        for secret in ["maple", "apple", "hidden"] {
            assert!(!output.contains(secret), "{output}");
        }
    }
}

#[test]
fn what_is_shown_is_read_again() {
    let text = "modules:\n  m:\n    walk: [1.2.3]\n    metrics:\n    - {name: a, oid: 1.2.3, type: DisplayString, help: 'x: y', \
                regex_extracts: {Temp: [{regex: '(\\d+)C', value: '$1'}]}, indexes: [{labelname: i, type: gauge}]}\n";
    let shown = ModuleConfiguration::parse(text).unwrap().shown();
    let again = ModuleConfiguration::parse(&shown).unwrap();
    assert_eq!(&*again.modules["m"].families()[0].name, "aTemp");
    assert_eq!(again.shown(), shown);
}

#[test]
fn errors_say_where_and_what() {
    let metric = |text: &str| {
        format!(
            "modules:\n  m:\n    metrics:\n    - {{name: a, oid: 1.2.3, type: gauge, {text}}}\n"
        )
    };
    for (text, parts) in [
        ("modules: {m: {wlak: [1.2]}}".to_owned(), &["wlak", "line 1"][..]),
        ("modules: {m: {walk: [IF-MIB::ifTable]}}".to_owned(), &["module m", "walk", "IF-MIB::ifTable", "not numeric"]),
        ("modules: {m: {}, m: {}}".to_owned(), &["duplicate", "m"]),
        ("modules: {m: {timeout: soon}}".to_owned(), &["module m", "\"soon\"", "1m30s"]),
        ("modules: {m: {metrics: [{name: a, oid: 1.2, type: Foo}]}}".to_owned(), &["metric a", "\"Foo\"", "DisplayString"]),
        ("modules: {m: {metrics: [{name: a-b, oid: 1.2, type: gauge}]}}".to_owned(), &["a-b", "underscores"]),
        (metric("indexes: [{labelname: i, type: Float}]"), &["index i", "Float", "PhysAddress48"]),
        (metric("indexes: [{labelname: 'i i', type: gauge}]"), &["\"i i\""]),
        (metric("lookups: [{labels: [x], labelname: y, oid: z}]"), &["lookup of y", "\"z\""]),
        (
            "modules: {m: {metrics: [{name: a, oid: 1.2, type: OctetString, regex_extracts: {b: [{regex: '('}]}}]}}".to_owned(),
            &["metric a", "regular expression"],
        ),
        (
            "modules: {m: {metrics: [{name: a, oid: 1.2, type: ParseDateAndTime, datetime_pattern: '%Q'}]}}".to_owned(),
            &["metric a", "%Q"],
        ),
        ("auths: {a: {version: 4}}".to_owned(), &["auth a", "version 4"]),
        ("auths: {a: {version: 3}}".to_owned(), &["auth a", "username"]),
        ("auths: {a: {version: 3, username: u, security_level: authNoPriv}}".to_owned(), &["auth a", "password"]),
        (
            "auths: {a: {version: 3, username: u, security_level: authNoPriv, password: p, auth_protocol: SHA1}}".to_owned(),
            &["SHA1", "SHA512"],
        ),
        ("modules: [".to_owned(), &["line"]),
        ("- a".to_owned(), &["line 1"]),
    ] {
        let error = refused(&text);
        for part in parts {
            assert!(error.to_lowercase().contains(&part.to_lowercase()), "{part:?} is not in {error:?}");
        }
    }
}

#[test]
fn files_are_put_together_and_names_are_unique() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("snmp1.yml", "auths: {a: {}}\nmodules: {m: {}}");
    write("snmp2.yml", "modules: {n: {}}");
    let pattern = directory.path().join("snmp*.yml");
    let configuration = ModuleConfiguration::load(&[&pattern], false).unwrap();
    assert_eq!(configuration.modules.len(), 2);
    write("snmp3.yml", "modules: {m: {}}");
    let error = ModuleConfiguration::load(&[&pattern], false)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("snmp3.yml") && error.contains("module m"),
        "{error}"
    );
    let missing = directory.path().join("other*.yml");
    assert!(matches!(
        ModuleConfiguration::load(&[missing], false),
        Err(Error::NoFile { .. })
    ));
}

#[test]
fn truth_values_are_written_as_in_yaml_1_1() {
    let read = |word: &str| {
        let text = format!(
            "modules: {{{word}: {{allow_nonincreasing_oids: {word}, metrics: [{{name: a, oid: 1.2, type: gauge, help: {word}, \
             enum_values: {{1: {word}}}}}]}}}}"
        );
        let configuration = ModuleConfiguration::parse(&text)?;
        let module = Arc::clone(
            configuration
                .modules
                .get(word)
                .expect("the name as it is written"),
        );
        let help = module.families()[0].help.to_string();
        Ok::<_, Error>((module.parameters.allow_nonincreasing_oids, help))
    };
    for (word, expected) in [
        ("true", true),
        ("yes", true),
        ("On", true),
        ("y", true),
        ("false", false),
        ("No", false),
        ("OFF", false),
        ("n", false),
    ] {
        assert_eq!(read(word).unwrap(), (expected, word.to_owned()), "{word}");
    }
    for word in ["maybe", "1", "\"\""] {
        assert!(read(word).is_err(), "{word}");
    }
}

#[test]
fn an_empty_file_has_nothing() {
    assert!(ModuleConfiguration::parse("").unwrap().modules.is_empty());
    assert!(
        ModuleConfiguration::parse("modules:\n")
            .unwrap()
            .modules
            .is_empty()
    );
}
