//! A stream of random words, and the place in it that files hold.

use chacha20::ChaCha8Rng;
use rand::{SeedableRng, TryRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::convert::Infallible;

/// A random stream. ChaCha8 is a keyed function, so streams of different keys are independent for
/// every practical purpose, and the key needs no hashing: it *is* the cipher's key.
#[derive(Debug, PartialEq, Eq)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of this key, from its beginning.
    pub(super) fn of_key(key: [u8; 32]) -> Self {
        Self(ChaCha8Rng::from_seed(key))
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// A place in a stream, as checkpoints hold it.
#[derive(Serialize, Deserialize)]
struct Place {
    seed: [u8; 32],
    stream: u64,
    word_pos: u128,
}

impl From<&Stream> for Place {
    fn from(Stream(cipher): &Stream) -> Self {
        Self {
            seed: cipher.get_seed(),
            stream: cipher.get_stream(),
            word_pos: cipher.get_word_pos(),
        }
    }
}

impl From<Place> for Stream {
    fn from(place: Place) -> Self {
        let mut cipher = ChaCha8Rng::from_seed(place.seed);
        cipher.set_stream(place.stream);
        cipher.set_word_pos(place.word_pos);
        Self(cipher)
    }
}

/// The cipher's own type has no copies, lest two keys be drawn alike; a stream of simulations is repeated on purpose.
impl Clone for Stream {
    fn clone(&self) -> Self {
        Place::from(self).into()
    }
}

impl Serialize for Stream {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Place::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Stream {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Place::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;
    use rand::RngExt;

    #[test]
    fn a_stream_goes_on_where_it_was_saved() {
        for drawn in [0, 1, 7, 63, 64, 65, 1000] {
            let mut stream = Stream::of_key([3; 32]);
            for _ in 0..drawn {
                stream.random::<u32>();
            }
            let saved = serde_json::to_string(&stream).expect("numbers are no error");
            let mut read: Stream = serde_json::from_str(&saved).expect("it was just written");
            assert_eq!(read, stream);
            let next = |stream: &mut Stream| [(); 100].map(|()| stream.random::<u64>());
            assert_eq!(next(&mut read), next(&mut stream), "after {drawn} draws");
        }
    }

    #[test]
    fn a_file_holds_the_key_and_the_place() {
        let mut stream = Stream::of_key([3; 32]);
        stream.random::<u64>();
        let key = [3; 32].map(|byte: u8| byte.to_string()).join(",");
        let text = format!(r#"{{"seed":[{key}],"stream":0,"word_pos":2}}"#);
        let saved = serde_json::to_string(&stream).expect("numbers are no error");
        assert_eq!(saved, text);
    }

    /// The words of ChaCha8 for a key of zeros: test vector TC1 of Strombergson (2013), "Test Vectors for the Stream Cipher ChaCha",
    /// with 8 rounds and a key of 256 bits.
    #[test]
    fn the_words_are_those_of_the_cipher() {
        let mut stream = Stream::of_key([0; 32]);
        let mut bytes = [0; 8];
        rand::Rng::fill_bytes(&mut stream, &mut bytes);
        assert_eq!(bytes, [0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]);
    }
}
