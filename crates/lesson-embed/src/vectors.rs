//! Vectors kept as int8, and an exact scan over them.

use crate::EmbedError;

/// Longest vector that can be scanned without overflow: 128 · [`QUERY_MAX`] · 4096 < 2³¹.
const MAX_DIMS: usize = 4096;
/// Largest magnitude of a quantised query component: 12 bits, so that a query adds no error worth naming.
const QUERY_MAX: f32 = 4095.0;
/// Largest magnitude of a quantised stored component.
const STORED_MAX: f32 = 127.0;

/// A vector's direction in one byte per component. The scale is not stored: it is the one that makes the
/// vector unit length, so the bytes alone are the whole vector.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantVector {
    data: Vec<i8>,
    scale: f32,
}

impl QuantVector {
    /// Quantises a vector of any length but zero; a zero vector keeps cosine 0 to everything.
    /// Refused: no components, more than 4096 of them, or one that is not finite.
    pub fn from_f32(vector: &[f32]) -> Result<Self, EmbedError> {
        check_dims(vector.len())?;
        let step = quant_step(vector, STORED_MAX)?;
        let data: Vec<i8> = vector.iter().map(|v| round(v * step) as i8).collect();
        Ok(Self::from_i8(data))
    }

    /// Reads what [`QuantVector::to_bytes`] wrote: one two's-complement byte per component.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EmbedError> {
        check_dims(bytes.len())?;
        Ok(Self::from_i8(bytes.iter().map(|b| *b as i8).collect()))
    }

    /// One two's-complement byte per component.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.data.iter().map(|v| *v as u8).collect()
    }

    /// Number of components.
    pub fn dims(&self) -> usize {
        self.data.len()
    }

    /// The components as floats, of unit length (all 0 for a zero vector).
    pub fn to_f32(&self) -> Vec<f32> {
        self.data.iter().map(|v| *v as f32 * self.scale).collect()
    }

    /// Cosine of two quantised vectors, exact for their bytes; 0 when either is zero.
    pub fn cosine(&self, other: &QuantVector) -> Result<f32, EmbedError> {
        same_dims("vector", self.dims(), other.dims())?;
        let dot: i32 = self
            .data
            .iter()
            .zip(&other.data)
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum();
        Ok(clamp(dot as f32 * self.scale * other.scale))
    }

    fn from_i8(data: Vec<i8>) -> Self {
        let scale = unit_scale(data.iter().map(|v| i64::from(*v)));
        Self { data, scale }
    }
}

/// Quantised vectors of one length, side by side in memory. The caller keeps what belongs to which index.
#[derive(Clone, Debug, Default)]
pub struct VectorStore {
    dims: usize,
    data: Vec<i8>,
    scales: Vec<f32>,
}

impl VectorStore {
    /// An empty store for vectors of `dims` components.
    pub fn new(dims: usize) -> Result<Self, EmbedError> {
        check_dims(dims)?;
        Ok(Self {
            dims,
            data: Vec::new(),
            scales: Vec::new(),
        })
    }

    /// Length of the vectors.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// True if there is no vector.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Makes room for `additional` more vectors.
    pub fn reserve(&mut self, additional: usize) {
        self.data.reserve(additional.saturating_mul(self.dims));
        self.scales.reserve(additional);
    }

    /// Adds a vector at the end and returns its index.
    pub fn push(&mut self, vector: &QuantVector) -> Result<usize, EmbedError> {
        same_dims("vector", self.dims, vector.dims())?;
        self.data.extend_from_slice(&vector.data);
        self.scales.push(vector.scale);
        Ok(self.scales.len() - 1)
    }

    /// Puts a vector in the place of the one at `index`.
    pub fn replace(&mut self, index: usize, vector: &QuantVector) -> Result<(), EmbedError> {
        same_dims("vector", self.dims, vector.dims())?;
        self.check_index(index)?;
        let at = index * self.dims;
        self.data[at..at + self.dims].copy_from_slice(&vector.data);
        self.scales[index] = vector.scale;
        Ok(())
    }

    /// Removes the vector at `index`; the last one takes its place, as in [`Vec::swap_remove`].
    pub fn swap_remove(&mut self, index: usize) -> Result<(), EmbedError> {
        self.check_index(index)?;
        let last = self.len() - 1;
        let from = last * self.dims;
        self.data
            .copy_within(from..from + self.dims, index * self.dims);
        self.data.truncate(from);
        self.scales.swap_remove(index);
        Ok(())
    }

    /// The vector at `index`.
    pub fn get(&self, index: usize) -> Option<QuantVector> {
        let scale = *self.scales.get(index)?;
        let at = index * self.dims;
        Some(QuantVector {
            data: self.data[at..at + self.dims].to_vec(),
            scale,
        })
    }

    /// Cosine of two stored vectors, exact for their bytes; 0 when either is zero. `None` for an
    /// index that is not there.
    pub fn cosine(&self, one: usize, two: usize) -> Option<f32> {
        let dot: i32 = self
            .components(one)?
            .iter()
            .zip(self.components(two)?)
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum();
        Some(clamp(
            dot as f32 * self.scales.get(one)? * self.scales.get(two)?,
        ))
    }

    pub(crate) fn components(&self, index: usize) -> Option<&[i8]> {
        let at = index.checked_mul(self.dims)?;
        self.data.get(at..at.checked_add(self.dims)?)
    }

    /// Cosine of the query to every vector, by index. The query need not be unit length. It is rounded to
    /// 13-bit integers, so that every sum is exact and equal on every machine; the rounding moves a cosine
    /// by less than 0.0005.
    pub fn scan(&self, query: &[f32]) -> Result<Vec<f32>, EmbedError> {
        same_dims("query", self.dims, query.len())?;
        let step = quant_step(query, QUERY_MAX)?;
        let query: Vec<i16> = query.iter().map(|v| round(v * step) as i16).collect();
        let query_scale = unit_scale(query.iter().map(|v| i64::from(*v)));
        Ok(self
            .data
            .chunks_exact(self.dims)
            .zip(&self.scales)
            .map(|(row, scale)| clamp(dot(row, &query) as f32 * scale * query_scale))
            .collect())
    }

    fn check_index(&self, index: usize) -> Result<(), EmbedError> {
        if index < self.len() {
            return Ok(());
        }
        Err(EmbedError::field(
            "index",
            format!("{index} is past the {} vectors", self.len()),
        ))
    }
}

/// Written so that the compiler turns it into pairwise multiply-adds.
fn dot(row: &[i8], query: &[i16]) -> i32 {
    row.iter()
        .zip(query)
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum()
}

/// Factor that brings the largest component to `max`; 0 for a zero vector.
fn quant_step(vector: &[f32], max: f32) -> Result<f32, EmbedError> {
    let mut largest = 0.0f32;
    for v in vector {
        if !v.is_finite() {
            return Err(EmbedError::field("vector", format!("{v} is not finite")));
        }
        largest = largest.max(v.abs());
    }
    // Below this the quotient would overflow: no encoder makes such a vector, so it counts as zero.
    Ok(if largest < 1e-30 { 0.0 } else { max / largest })
}

/// 1 / length, 0 for a zero vector. The sum of squares is exact in i64 and the square root correctly rounded.
fn unit_scale(components: impl Iterator<Item = i64>) -> f32 {
    let squares: i64 = components.map(|v| v * v).sum();
    if squares == 0 {
        return 0.0;
    }
    (1.0 / (squares as f64).sqrt()) as f32
}

/// Nearest integer, halves away from zero.
fn round(v: f32) -> f32 {
    (v.abs() + 0.5).floor().copysign(v)
}

fn clamp(cosine: f32) -> f32 {
    cosine.clamp(-1.0, 1.0)
}

fn check_dims(dims: usize) -> Result<(), EmbedError> {
    if (1..=MAX_DIMS).contains(&dims) {
        return Ok(());
    }
    Err(EmbedError::field(
        "dims",
        format!("{dims} components; must be 1 to {MAX_DIMS}"),
    ))
}

fn same_dims(field: &'static str, expected: usize, found: usize) -> Result<(), EmbedError> {
    if expected == found {
        return Ok(());
    }
    Err(EmbedError::WrongDims {
        field,
        expected: expected as u64,
        found: found as u64,
    })
}
