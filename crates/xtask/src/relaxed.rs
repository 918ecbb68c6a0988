//! The module for hosts without relaxed SIMD, made of the one for hosts with it: in place of each relaxed instruction stands
//! the strict one, whose result is among those that the relaxed one may give. So a release is linked and optimised once.
//!
//! The dot products of signed by seven-bit bytes have no strict counterpart. A trap stands in their place, and the module's
//! mark is changed, which keeps their kernels from being chosen (crates/lesson-embed/src/kernels/relaxed.rs). Everywhere else
//! the compiler may have put relaxed instructions, as it takes what one function may use for what all may.

use wasmparser::{Operator, Parser, Payload, Validator, WasmFeatures};

/// The mark of a module that keeps its relaxed instructions.
const KEPT: &[u8] = b"lessonloop-relaxed-simd:y";

/// The bytes of an instruction of SIMD: the prefix, and the number in two bytes of LEB128, as relaxed ones have it.
const fn simd(number: u8) -> [u8; 3] {
    [0xfd, 0x80 | (number & 0x7f), number >> 7]
}

/// `unreachable`, and nothing twice.
const TRAP: [u8; 3] = [0x00, 0x01, 0x01];

/// Returns the bytes that take the place of an instruction; `None` where it stays.
fn strict(operator: &Operator<'_>) -> Option<[u8; 3]> {
    Some(match operator {
        Operator::I8x16RelaxedSwizzle => simd(0x0e),
        Operator::I32x4RelaxedTruncF32x4S => simd(0xf8),
        Operator::I32x4RelaxedTruncF32x4U => simd(0xf9),
        Operator::I32x4RelaxedTruncF64x2SZero => simd(0xfc),
        Operator::I32x4RelaxedTruncF64x2UZero => simd(0xfd),
        Operator::I8x16RelaxedLaneselect
        | Operator::I16x8RelaxedLaneselect
        | Operator::I32x4RelaxedLaneselect
        | Operator::I64x2RelaxedLaneselect => simd(0x52),
        Operator::F32x4RelaxedMin => simd(0xe8),
        Operator::F32x4RelaxedMax => simd(0xe9),
        Operator::F64x2RelaxedMin => simd(0xf4),
        Operator::F64x2RelaxedMax => simd(0xf5),
        Operator::I16x8RelaxedQ15mulrS => simd(0x82),
        Operator::I16x8RelaxedDotI8x16I7x16S | Operator::I32x4RelaxedDotI8x16I7x16AddS => TRAP,
        _ => return None,
    })
}

/// The same module without relaxed SIMD; an error says what it has that can't be replaced.
pub fn without(module: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = module.to_vec();
    let marks: Vec<usize> = (0..bytes.len().saturating_sub(KEPT.len() - 1))
        .filter(|at| bytes[*at..].starts_with(KEPT))
        .collect();
    let [mark] = marks[..] else {
        return Err(format!(
            "it says {} times that it keeps relaxed SIMD",
            marks.len()
        ));
    };
    bytes[mark + KEPT.len() - 1] = b'n';
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CodeSectionEntry(body) = payload.map_err(|cause| cause.to_string())? else {
            continue;
        };
        let mut operators = body
            .get_operators_reader()
            .map_err(|cause| cause.to_string())?;
        while !operators.eof() {
            let (operator, at) = operators
                .read_with_offset()
                .map_err(|cause| cause.to_string())?;
            if let Some(strict) = strict(&operator) {
                let at = usize::try_from(at).map_err(|cause| cause.to_string())?;
                bytes[at..at + strict.len()].copy_from_slice(&strict);
            }
        }
    }
    // Relaxed instructions that several strict ones would replace, such as a product and a sum, are in no module so far.
    Validator::new_with_features(WasmFeatures::default().difference(WasmFeatures::RELAXED_SIMD))
        .validate_all(&bytes)
        .map_err(|cause| cause.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{KEPT, without};

    /// A module with one function of these instructions, which leaves an `i32`, and the mark in a custom section.
    fn module(code: &[u8], mark: &[u8]) -> Vec<u8> {
        let section = |id: u8, content: &[u8]| {
            let mut all = vec![id, u8::try_from(content.len()).expect("it is short")];
            all.extend_from_slice(content);
            all
        };
        let mut body = vec![0];
        body.extend_from_slice(code);
        body.push(0x0b);
        let mut entry = vec![1, u8::try_from(body.len()).expect("it is short")];
        entry.extend_from_slice(&body);
        let mut named = vec![1, b'm'];
        named.extend_from_slice(mark);
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[1, 0x60, 0, 1, 0x7f]),
            section(3, &[1, 0]),
            section(10, &entry),
            section(0, &named),
        ]
        .concat()
    }

    /// `v128.const 0`.
    fn zero() -> Vec<u8> {
        [&[0xfd, 0x0c][..], &[0; 16]].concat()
    }

    /// An instruction with so many operands, and the first lane of what it leaves.
    fn of(number: [u8; 2], operands: usize) -> Vec<u8> {
        let lane = [0xfd, 0x1b, 0];
        [
            zero().repeat(operands),
            vec![0xfd, number[0], number[1]],
            lane.to_vec(),
        ]
        .concat()
    }

    #[test]
    fn each_relaxed_instruction_has_a_strict_one_in_its_place() {
        let of_two = [0x100, 0x10d, 0x10e, 0x10f, 0x110, 0x111, 0x112];
        let of_three = [0x109, 0x10a, 0x10b, 0x10c, 0x113];
        let of_one = [0x101, 0x102, 0x103, 0x104];
        let all = [(&of_one[..], 1), (&of_two[..], 2), (&of_three[..], 3)];
        for (numbers, operands) in all {
            for number in numbers {
                let number = [0x80 | (number & 0x7f) as u8, (number >> 7) as u8];
                let whole = module(&of(number, operands), KEPT);
                let plain = without(&whole).expect("it can be replaced");
                assert_eq!(plain.len(), whole.len());
                assert_ne!(plain, whole);
                assert_eq!(
                    without(&plain).expect_err("its mark is changed"),
                    "it says 0 times that it keeps relaxed SIMD"
                );
            }
        }
    }

    #[test]
    fn what_has_no_strict_counterpart_is_refused_by_name() {
        let sum_of_a_product = module(&of([0x85, 0x02], 3), KEPT);
        let refused = without(&sum_of_a_product).expect_err("it stays");
        assert!(refused.contains("relaxed SIMD"), "{refused}");
        for marks in [0, 2] {
            let module = module(&of([0x80, 0x02], 2), &KEPT.repeat(marks));
            assert!(
                without(&module)
                    .expect_err("no mark, or two")
                    .contains(&marks.to_string())
            );
        }
    }
}
