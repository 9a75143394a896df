//! Object identifiers in dotted form, for files.

/// One.
pub(super) mod one {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use varbind_codec::smi::Oid;

    pub(in super::super) fn serialize<S: Serializer>(
        name: &Oid,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        name.to_string().serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Oid, D::Error> {
        let text = String::deserialize(deserializer)?;
        let error =
            |error| D::Error::custom(format!("{text} is not an OBJECT IDENTIFIER: {error}"));
        text.parse().map_err(error)
    }
}

/// Several.
pub(super) mod list {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use varbind_codec::smi::Oid;

    pub(in super::super) fn serialize<S: Serializer>(
        names: &[Oid],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
        texts.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Oid>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let parse = |text: String| {
            let error =
                |error| D::Error::custom(format!("{text} is not an OBJECT IDENTIFIER: {error}"));
            text.parse().map_err(error)
        };
        texts.into_iter().map(parse).collect()
    }
}
