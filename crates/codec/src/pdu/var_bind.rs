#[cfg(feature = "experiments")]
use super::compressed::CompressedList;
use crate::ber::{DecodeError, EncodeError, Reader, Tag, Writer, length_octets};
use crate::smi::{OidRef, ValueRef, VarBind, encoded_arcs_length};

/// A name and its value (VarBindRef, RFC 3416 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VarBindRef<'a> {
    /// The name of the instance.
    pub name: OidRef<'a>,
    /// Its value.
    pub value: ValueRef<'a>,
}

impl VarBindRef<'_> {
    /// An owned copy.
    #[must_use]
    #[inline]
    pub fn to_owned(&self) -> VarBind {
        VarBind {
            name: self.name.to_oid(),
            value: self.value.to_owned(),
        }
    }
}

/// The variable bindings of a PDU, decoded one by one.
#[derive(Clone, Debug)]
pub struct VarBinds<'a> {
    reader: Reader<'a>,
    failed: bool,
    #[cfg(feature = "experiments")]
    compressed: Option<CompressedList<'a>>,
}

impl<'a> VarBinds<'a> {
    pub(crate) const fn new(reader: Reader<'a>) -> Self {
        Self {
            reader,
            failed: false,
            #[cfg(feature = "experiments")]
            compressed: None,
        }
    }

    /// The list of variable bindings that these octets are, without the header of the list.
    #[must_use]
    pub const fn of_encoded(var_binds: &'a [u8]) -> Self {
        Self::new(Reader::new(var_binds))
    }

    /// Whether none is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.failed || self.reader.is_empty()
    }

    /// The number of octets of the bindings that are left.
    #[must_use]
    pub fn encoded_length(&self) -> usize {
        self.reader.rest().len()
    }

    /// The bindings that are left, as octets.
    #[must_use]
    pub fn encoded(&self) -> &'a [u8] {
        self.reader.rest()
    }

    /// A list of a PDU that begins at `start`. Reading it without expansion is an error.
    #[cfg(feature = "experiments")]
    pub(super) const fn of_compressed(start: Reader<'a>, list: CompressedList<'a>) -> Self {
        Self {
            reader: start,
            failed: false,
            compressed: Some(list),
        }
    }

    /// Where its PDU begins, and the list, if its names are compressed.
    #[cfg(feature = "experiments")]
    pub(super) const fn compressed(&self) -> Option<(&Reader<'a>, &CompressedList<'a>)> {
        match &self.compressed {
            Some(list) => Some((&self.reader, list)),
            None => None,
        }
    }

    #[inline]
    fn read(&mut self) -> Result<VarBindRef<'a>, DecodeError> {
        let mut content = self.reader.expect(Tag::SEQUENCE)?;
        let name = OidRef::from_content(&content.expect(Tag::OBJECT_IDENTIFIER)?)?;
        let value = ValueRef::decode(&mut content)?;
        content.finish()?;
        Ok(VarBindRef { name, value })
    }
}

impl<'a> Iterator for VarBinds<'a> {
    type Item = Result<VarBindRef<'a>, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_empty() {
            return None;
        }
        let var_bind = self.read();
        self.failed = var_bind.is_err();
        Some(var_bind)
    }
}

/// The number of octets that a variable binding takes.
///
/// # Errors
/// `InvalidObjectIdentifier`.
#[inline]
pub fn var_bind_length(name: &[u32], value: &ValueRef<'_>) -> Result<usize, EncodeError> {
    let content = content_length(encoded_arcs_length(name)?, value);
    Ok(1 + length_octets(content) + content)
}

#[inline]
fn content_length(name: usize, value: &ValueRef<'_>) -> usize {
    1 + length_octets(name) + name + value.encoded_length()
}

impl Writer<'_> {
    /// Appends a variable binding.
    ///
    /// # Errors
    /// `BufferFull` (part of it may then be written: see [`truncate`](Self::truncate)), or `InvalidObjectIdentifier`.
    #[inline]
    pub fn append_var_bind(
        &mut self,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<(), EncodeError> {
        let name_length = encoded_arcs_length(name)?;
        self.append_header(Tag::SEQUENCE, content_length(name_length, &value))?;
        self.append_header(Tag::OBJECT_IDENTIFIER, name_length)?;
        self.append_arcs(name, name_length)?;
        self.append_value(value)
    }

    /// Appends a variable binding whose name is already encoded.
    ///
    /// # Errors
    /// `BufferFull` (part of it may then be written).
    #[inline]
    pub fn append_encoded_var_bind(
        &mut self,
        name: OidRef<'_>,
        value: ValueRef<'_>,
    ) -> Result<(), EncodeError> {
        let length = content_length(name.content().len(), &value);
        self.append_header(Tag::SEQUENCE, length)?;
        self.append_element(Tag::OBJECT_IDENTIFIER, name.content())?;
        self.append_value(value)
    }
}
