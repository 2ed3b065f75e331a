//! Messages of Protocol Buffers, as far as a trace for Perfetto needs them: numbers, texts, and messages in messages.

/// A message under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire: u64) {
        self.varint(u64::from(field) << 3 | wire);
    }

    /// A number (`uint64`, `int64`, `uint32`, `int32` or an enumerator).
    pub(crate) fn number(mut self, field: u32, value: u64) -> Self {
        self.tag(field, 0);
        self.varint(value);
        self
    }

    /// A number of eight bytes (`fixed64`).
    pub(crate) fn fixed(mut self, field: u32, value: u64) -> Self {
        self.tag(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Text.
    pub(crate) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// A message within this one.
    pub(crate) fn message(self, field: u32, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the documentation of the encoding.
    #[test]
    fn the_examples_of_the_documentation_are_encoded_so() {
        assert_eq!(Message::default().number(1, 150).as_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").as_bytes(), b"\x12\x07testing");
        let inner = Message::default().number(1, 150);
        assert_eq!(Message::default().message(3, &inner).as_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus_two = Message::default().number(1, -2i64 as u64);
        assert_eq!(minus_two.as_bytes(), b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        assert_eq!(Message::default().fixed(47, 1).as_bytes(), b"\xf9\x02\x01\0\0\0\0\0\0\0");
    }
}
