//! Weights from a safetensors file.

use safetensors::{Dtype, SafeTensors};

use crate::bert::{self, Tensor};
use crate::fault::{Fault, Result};

/// A parsed safetensors file over its bytes.
pub struct Weights<'a>(SafeTensors<'a>);

impl<'a> Weights<'a> {
    /// Parses the header and checks every offset.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        SafeTensors::deserialize(bytes)
            .map(Self)
            .map_err(Fault::new)
    }
}

impl bert::Weights for Weights<'_> {
    fn names(&self) -> Vec<&str> {
        self.0.names()
    }

    fn tensor(&self, name: &str) -> Result<Tensor> {
        let view = self
            .0
            .tensor(name)
            .map_err(|error| Fault::new(format!("{name}: {error}")))?;
        let data = view.data();
        let values = match view.dtype() {
            Dtype::F32 => data
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect(),
            Dtype::BF16 => data
                .chunks_exact(2)
                .map(|b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16))
                .collect(),
            other => {
                return Err(Fault::new(format!(
                    "{name} is {other:?}; only F32 and BF16 can be packed"
                )));
            }
        };
        Ok(Tensor {
            shape: view.shape().to_vec(),
            values,
        })
    }

    fn linear_weight(&self, name: &str) -> Result<Tensor> {
        self.tensor(&format!("{name}.weight"))
    }
}
