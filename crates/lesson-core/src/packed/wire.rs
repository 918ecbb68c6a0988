//! Values as bytes, one after another, and back. Nothing that is read is trusted: bytes that are
//! none of these give `None`.

use crate::instant::Millis;
use std::collections::BTreeMap;

/// A piece is handed on when it has this many bytes.
const PIECE: usize = 256 * 1024;

/// Takes values, and hands on bytes piece by piece, so that the whole is never held here.
pub(crate) struct Writer<'a> {
    piece: Vec<u8>,
    out: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut dyn FnMut(&[u8])) -> Self {
        Self {
            piece: Vec::with_capacity(PIECE + PIECE / 4),
            out,
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush();
        }
    }

    /// Seven bits a byte, the low ones first.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.piece.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.piece.push(number as u8);
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// Hands on what is left.
    pub fn flush(&mut self) {
        if !self.piece.is_empty() {
            (self.out)(&self.piece);
            self.piece.clear();
        }
    }
}

/// Gives the values back in their order.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// Reads the number of values that follow; `None` if it exceeds the bytes left, as each value takes one at least.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }
}

/// A value that can be written and read.
pub(crate) trait Packed: Sized {
    fn put(&self, to: &mut Writer<'_>);
    fn take(from: &mut Reader<'_>) -> Option<Self>;
    /// Says in words how the value is written, so that bytes of another version are told apart.
    fn shape(to: &mut String);
}

macro_rules! primitives {
    ($($type:ty, $name:literal, $put:expr, $take:expr;)+) => {
        $(impl Packed for $type {
            fn put(&self, to: &mut Writer<'_>) {
                let put: fn(&$type, &mut Writer<'_>) = $put;
                put(self, to);
            }
            fn take(from: &mut Reader<'_>) -> Option<Self> {
                let take: fn(&mut Reader<'_>) -> Option<$type> = $take;
                take(from)
            }
            fn shape(to: &mut String) {
                to.push_str($name);
            }
        })+
    };
}

primitives! {
    u64, "u64", |n, to| to.number(*n), |from| from.number();
    u32, "u32", |n, to| to.number(u64::from(*n)), |from| from.small();
    // Small numbers of either sign are short.
    Millis, "i64", |n, to| to.number((n << 1 ^ n >> 63).cast_unsigned()), |from| {
        let n = from.number()?;
        Some((n >> 1).cast_signed() ^ -(n & 1).cast_signed())
    };
    f64, "f64", |n, to| to.bytes(&n.to_le_bytes()), |from| {
        Some(Self::from_le_bytes(from.bytes(8)?.try_into().ok()?))
    };
    bool, "bool", |yes, to| to.number(u64::from(*yes)), |from| match from.number()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    String, "text", |text, to| to.text(text), |from| from.text().map(str::to_owned);
}

impl<T: Packed> Packed for Option<T> {
    fn put(&self, to: &mut Writer<'_>) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        Some(match bool::take(from)? {
            true => Some(T::take(from)?),
            false => None,
        })
    }

    fn shape(to: &mut String) {
        to.push('?');
        T::shape(to);
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn put(&self, to: &mut Writer<'_>) {
        to.number(self.len() as u64);
        for value in self {
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        (0..from.count()?).map(|_| T::take(from)).collect()
    }

    fn shape(to: &mut String) {
        to.push('*');
        T::shape(to);
    }
}

impl<T: Packed> Packed for Box<T> {
    fn put(&self, to: &mut Writer<'_>) {
        (**self).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        T::take(from).map(Self::new)
    }

    fn shape(to: &mut String) {
        T::shape(to);
    }
}

impl<K: Packed + Ord, V: Packed> Packed for BTreeMap<K, V> {
    fn put(&self, to: &mut Writer<'_>) {
        to.number(self.len() as u64);
        for (key, value) in self {
            key.put(to);
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        (0..from.count()?)
            .map(|_| Some((K::take(from)?, V::take(from)?)))
            .collect()
    }

    fn shape(to: &mut String) {
        K::shape(to);
        to.push_str("=>");
        V::shape(to);
    }
}

/// Structs, field by field: one that is forgotten here does not compile.
macro_rules! structs {
    ($($type:ident { $($field:ident),+ })+) => {
        $(impl Packed for $type {
            fn put(&self, to: &mut Writer<'_>) {
                let Self { $($field),+ } = self;
                $($field.put(to);)+
            }
            fn take(from: &mut Reader<'_>) -> Option<Self> {
                Some(Self { $($field: Packed::take(from)?),+ })
            }
            fn shape(to: &mut String) {
                fn of<S, T: Packed>(_: fn(&S) -> &T, to: &mut String) {
                    T::shape(to);
                }
                to.push_str(stringify!($type));
                $(
                    to.push_str(concat!(" ", stringify!($field), ":"));
                    of(|it: &Self| &it.$field, to);
                )+
                to.push(';');
            }
        })+
    };
}

/// Vocabularies, by the place of the word.
macro_rules! vocabularies {
    ($($type:ident),+) => {
        $(impl Packed for $type {
            fn put(&self, to: &mut Writer<'_>) {
                let place = Self::ALL.iter().position(|one| one == self);
                to.number(place.unwrap_or(usize::MAX) as u64);
            }
            fn take(from: &mut Reader<'_>) -> Option<Self> {
                Self::ALL.get(usize::try_from(from.number()?).ok()?).copied()
            }
            fn shape(to: &mut String) {
                for word in Self::ALL {
                    to.push_str(word.as_str());
                    to.push('|');
                }
            }
        })+
    };
}

pub(super) use {structs, vocabularies};
