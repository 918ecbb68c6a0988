//! The pieces of a Unigram vocabulary by their text. A quarter of a million of them take 7 MB here, 14 as a map of strings.

/// Slots for each piece, at least: with half of them free a look-up reads one or two.
const SLOTS: usize = 2;
/// A slot without a piece.
const FREE: u32 = u32::MAX;

/// FNV-1a of a text that grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u32);

impl Default for Hash {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Hash {
    /// Goes on over what the text grows by.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }

    fn of(text: &str) -> Self {
        let mut hash = Self::default();
        hash.add(text.as_bytes());
        hash
    }
}

/// Pieces, each with its id and its score.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// All texts, one after the other.
    text: String,
    /// By id: where its text ends.
    ends: Vec<u32>,
    scores: Vec<f32>,
    /// Ids by hash; their number is a power of two.
    slots: Vec<u32>,
}

impl Pieces {
    /// Takes the pieces by id that `wanted` says, but empty ones. Of equal ones the last is found.
    pub fn new(pieces: Vec<(String, f32)>, wanted: impl Fn(u32) -> bool) -> Self {
        let mut all = Self {
            text: String::with_capacity(pieces.iter().map(|(piece, _)| piece.len()).sum()),
            ends: Vec::with_capacity(pieces.len()),
            scores: Vec::with_capacity(pieces.len()),
            slots: vec![FREE; (SLOTS * pieces.len()).next_power_of_two()],
        };
        for ((piece, score), id) in pieces.into_iter().zip(0..) {
            all.text.push_str(&piece);
            // A vocabulary has at most a million pieces of 255 bytes.
            all.ends.push(all.text.len() as u32);
            all.scores.push(score);
            if wanted(id) && !piece.is_empty() {
                let slot = all.slot(&piece, Hash::of(&piece));
                all.slots[slot] = id;
            }
        }
        all
    }

    /// The id and the score of a piece; `hash` is that of its text.
    pub fn get(&self, piece: &str, hash: Hash) -> Option<(u32, f32)> {
        let id = self.slots[self.slot(piece, hash)];
        (id != FREE).then(|| (id, self.scores[id as usize]))
    }

    /// The slot that has this piece, else the free one where it would be. There is one, as no more than half of them are taken.
    fn slot(&self, piece: &str, Hash(hash): Hash) -> usize {
        let last = self.slots.len() - 1;
        // The lower bits of the hash vary least.
        let mut slot = (hash ^ hash >> 15) as usize & last;
        while self.slots[slot] != FREE && self.of_id(self.slots[slot]) != piece {
            slot = (slot + 1) & last;
        }
        slot
    }

    fn of_id(&self, id: u32) -> &str {
        let id = id as usize;
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[id] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_found_by_its_text() {
        let pieces: Vec<(String, f32)> = (0..5000)
            .map(|i| (format!("{:x}é", i * 7919), -(i as f32)))
            .chain([(String::new(), -1.0), ("0é".to_owned(), -9.0)])
            .collect();
        let all = Pieces::new(pieces.clone(), |id| id != 17);
        let get = |piece: &str| all.get(piece, Hash::of(piece));
        for ((piece, score), id) in pieces.iter().zip(0..).skip(1).take(4999) {
            let expected = (id != 17).then_some((id, *score));
            assert_eq!(get(piece), expected, "{piece}");
        }
        assert_eq!(get("0é"), Some((5001, -9.0)), "the last of equal ones");
        assert_eq!((get(""), get("zé")), (None, None));
        assert_eq!(
            Pieces::new(Vec::new(), |_| true).get("a", Hash::of("a")),
            None
        );
    }
}
