use varbind_codec::ber::{Reader, Writer};
use varbind_codec::message::ScopedPdu;
use varbind_codec::pdu::{Pdu, PduType};
use varbind_codec::smi::VarBind;

/// A scopedPDU in parts.
pub(super) struct ScopedPduParts {
    pub(super) context_engine_id: Vec<u8>,
    pub(super) context_name: Vec<u8>,
    pub(super) pdu_type: PduType,
    pub(super) request_id: i32,
    pub(super) error_status: i32,
    /// error-index, or max-repetitions.
    pub(super) error_index: i32,
    pub(super) var_binds: Vec<VarBind>,
}

impl ScopedPduParts {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut buffer = vec![0; 65_535];
        let mut writer = Writer::new(&mut buffer, 512).expect("room");
        for VarBind { name, value } in &self.var_binds {
            writer
                .append_var_bind(name.arcs(), value.as_value_ref())
                .expect("room");
        }
        writer
            .prepend_pdu(
                self.pdu_type,
                self.request_id,
                self.error_status,
                self.error_index,
            )
            .expect("room");
        writer
            .prepend_scoped_pdu(&self.context_engine_id, &self.context_name)
            .expect("room");
        writer.written().to_vec()
    }

    #[track_caller]
    pub(super) fn decode(reader: Reader<'_>) -> Self {
        let scoped_pdu = ScopedPdu::decode(reader).expect("a scopedPDU");
        let Pdu::Common(pdu) = scoped_pdu.pdu else {
            panic!("a Trap-PDU of SNMPv1");
        };
        Self {
            context_engine_id: scoped_pdu.context_engine_id.to_vec(),
            context_name: scoped_pdu.context_name.to_vec(),
            pdu_type: pdu.pdu_type,
            request_id: pdu.request_id,
            error_status: pdu.error_status,
            error_index: pdu.error_index,
            var_binds: pdu
                .var_binds
                .map(|var_bind| var_bind.expect("a binding").to_owned())
                .collect(),
        }
    }
}
