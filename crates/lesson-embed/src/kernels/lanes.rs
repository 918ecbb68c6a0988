//! Four floats at a time, with the same operations and so the same bits everywhere.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32::*;

/// Four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F32x4(Inner);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Inner = v128;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
type Inner = [f32; 4];

/// One method: the instruction in wasm, the plain operation elsewhere.
macro_rules! lanewise {
    ($(#[$doc:meta])* $name:ident, $wasm:ident, |$a:ident, $b:ident| $plain:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(self, other: Self) -> Self {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            return Self($wasm(self.0, other.0));
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            return Self(std::array::from_fn(|lane| {
                let ($a, $b) = (self.0[lane], other.0[lane]);
                $plain
            }));
        }
    };
}

impl F32x4 {
    lanewise!(
        /// Sums.
        plus, f32x4_add, |a, b| a + b
    );
    lanewise!(
        /// Differences.
        minus, f32x4_sub, |a, b| a - b
    );
    lanewise!(
        /// Products.
        times, f32x4_mul, |a, b| a * b
    );
    lanewise!(
        /// Quotients.
        over, f32x4_div, |a, b| a / b
    );
    lanewise!(
        /// The other's value where it is smaller; a NaN of the other counts as not smaller.
        least, f32x4_pmin, |a, b| if b < a { b } else { a }
    );
    lanewise!(
        /// The other's value where it is larger; a NaN of the other counts as not larger.
        most, f32x4_pmax, |a, b| if a < b { b } else { a }
    );

    /// The same number four times.
    #[inline(always)]
    pub fn splat(v: f32) -> Self {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Self(f32x4_splat(v));
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        return Self([v; 4]);
    }

    /// The first four numbers of a slice.
    #[inline(always)]
    pub fn load(from: &[f32]) -> Self {
        let from: &[f32; 4] = from.first_chunk().expect("four floats");
        // SAFETY: four floats are there; the load needs no alignment.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Self(unsafe { v128_load(from.as_ptr().cast()) });
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        return Self(*from);
    }

    /// Into the first four places of a slice.
    #[inline(always)]
    pub fn store(self, to: &mut [f32]) {
        let to: &mut [f32; 4] = to.first_chunk_mut().expect("four places");
        // SAFETY: four places are there; the store needs no alignment.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        unsafe {
            v128_store(to.as_mut_ptr().cast(), self.0);
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        {
            *to = self.0;
        }
    }

    /// Nearest floats of (sum − offset − zero · weight), four sums and four weights.
    #[inline(always)]
    pub fn from_sums(sums: &[i32], weights: &[i32], offset: i32, zero: i32) -> Self {
        let sums: &[i32; 4] = sums.first_chunk().expect("four sums");
        let weights: &[i32; 4] = weights.first_chunk().expect("four weights");
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        {
            // SAFETY: four integers are there on either side; the loads need no alignment.
            let (sums, weights) = unsafe {
                (
                    v128_load(sums.as_ptr().cast()),
                    v128_load(weights.as_ptr().cast()),
                )
            };
            let zeros = i32x4_mul(weights, i32x4_splat(zero));
            let sums = i32x4_sub(i32x4_sub(sums, i32x4_splat(offset)), zeros);
            Self(f32x4_convert_i32x4(sums))
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Self(std::array::from_fn(|lane| {
            (sums[lane] - offset - zero * weights[lane]) as f32
        }))
    }

    /// 2ⁿ for the whole numbers n of −126 to 127 that `self` holds as n + [`crate::math::ROUND`].
    #[inline(always)]
    pub fn power_of_two(self) -> Self {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Self(i32x4_add(i32x4_shl(self.0, 23), f32x4_splat(1.0)));
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        return Self(
            self.0
                .map(|v| f32::from_bits((v.to_bits() << 23).wrapping_add(1.0f32.to_bits()))),
        );
    }

    /// The four numbers.
    #[inline(always)]
    pub fn to_array(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        self.store(&mut out);
        out
    }
}
