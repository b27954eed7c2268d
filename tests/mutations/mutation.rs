//! Mutations: of a file's bytes, of its buffer's bytes, or of values in its document.

use serde_json::{Value, json};

use crate::model::Model;

/// Numbers at which overflows and off-by-one errors may occur.
const WORDS: [u32; 12] =
    [0, 1, 2, 3, 0x7f, 0xff, 0x100, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// The SplitMix64 generator: the same seed gives the same numbers on every platform.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Returns a broken copy of a model's file.
pub fn mutated(model: &Model, random: &mut Random) -> Vec<u8> {
    match random.below(3) {
        0 => {
            let mut bytes = model.packed();
            break_bytes(&mut bytes, random);
            bytes
        }
        1 => {
            let mut buffer = model.buffer.clone();
            break_bytes(&mut buffer, random);
            model.packed_with(&model.json, &buffer)
        }
        _ => {
            let mut json = model.json.clone();
            for _ in 0..=random.below(3) {
                break_document(&mut json, random);
            }
            model.packed_with(&json, &model.buffer)
        }
    }
}

/// Applies one to six changes.
pub fn break_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len());
        match random.below(8) {
            0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 | 3 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            4 | 5 => {
                let word = random.of(&WORDS).to_le_bytes();
                let at = at / 4 * 4;
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
            6 => {
                // Removes or duplicates a stretch.
                let end = (at + 1 + random.below(16)).min(bytes.len());
                let stretch = bytes[at..end].to_vec();
                let put = if random.below(2) == 0 { vec![] } else { stretch.repeat(2) };
                bytes.splice(at..end, put);
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
}

/// Replaces one to three numbers of a text by others.
pub fn break_numbers(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let numbers: Vec<(usize, &str)> = words
            .filter(|word| word.parse::<f64>().is_ok())
            .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
            .collect();
        if numbers.is_empty() {
            return;
        }
        let (at, word) = *random.of(&numbers);
        let new = number_beside(word.parse().unwrap_or(0.0), random).to_string();
        bytes.splice(at..at + word.len(), new.into_bytes());
    }
}

fn break_document(json: &mut Value, random: &mut Random) {
    let mut pointers = Vec::new();
    collect(json, String::new(), &mut pointers);
    let pointer = random.of(&pointers[..]).clone();
    let other = json.pointer(random.of(&pointers[..]).as_str()).cloned().unwrap_or_default();
    let Some(value) = json.pointer_mut(&pointer) else { return };
    if random.below(4) == 0 {
        *value = match random.below(8) {
            0 => Value::Null,
            1 => json!([]),
            2 => json!({}),
            3 => json!("POSITION"),
            4 => json!(true),
            _ => other,
        };
        return;
    }
    match value {
        Value::Number(number) => *value = number_beside(number.as_f64().unwrap_or(0.0), random),
        Value::String(text) => match random.below(3) {
            0 => text.clear(),
            1 => {
                let kept = text.chars().count() / 2;
                *text = text.chars().take(kept).collect();
            }
            _ => text.push_str("\u{202e}\u{7}/../../"),
        },
        Value::Array(list) if !list.is_empty() => {
            let at = random.below(list.len());
            match random.below(3) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[at].clone()),
                _ => list.swap(0, at),
            }
        }
        Value::Object(entries) if !entries.is_empty() => {
            let at = random.below(entries.len());
            let Some(key) = entries.keys().nth(at).cloned() else { return };
            let taken = entries.remove(&key).unwrap_or_default();
            if random.below(2) == 0 {
                let names = ["mesh", "skin", "sparse", "byteStride", "extensions", "TEXCOORD_7"];
                entries.insert((*random.of(&names)).into(), taken);
            }
        }
        other => *other = json!(1),
    }
}

fn number_beside(number: f64, random: &mut Random) -> Value {
    match random.below(8) {
        0 => json!(-1),
        1 => json!(number + 1.0),
        2 => json!(number - 1.0),
        3 => json!(number * 2.0),
        4 => json!(0.5),
        5 => json!(1e39),
        6 => json!(4_294_967_296_u64),
        _ => json!(random.of(&WORDS)),
    }
}

/// Collects the pointers of all values.
fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for (i, item) in list.iter().enumerate() {
                collect(item, format!("{pointer}/{i}"), pointers);
            }
        }
        Value::Object(entries) => {
            for (key, item) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(item, format!("{pointer}/{key}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(pointer);
}
