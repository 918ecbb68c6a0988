// Turns the peer's output into vectors like ours, and compares the two.

/** The mean of each text's token states, made unit length; `states` is texts × tokens × dims. */
export function pooled(states, texts, tokens, dims) {
  const vectors = new Float32Array(texts * dims);
  for (let text = 0; text < texts; text += 1) {
    const vector = vectors.subarray(text * dims, (text + 1) * dims);
    for (let token = 0; token < tokens; token += 1) {
      const from = (text * tokens + token) * dims;
      for (let dim = 0; dim < dims; dim += 1) vector[dim] += states[from + dim];
    }
    let squares = 0;
    for (const value of vector) squares += value * value;
    const scale = 1 / Math.sqrt(squares);
    for (let dim = 0; dim < dims; dim += 1) vector[dim] *= scale;
  }
  return vectors;
}

/** The cosine of each pair of unit vectors in two arrays of them. */
export function cosines(ours, theirs, dims) {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} floats beside ${theirs.length}`);
  return Array.from({ length: ours.length / dims }, (_, which) => {
    let sum = 0;
    for (let dim = which * dims; dim < (which + 1) * dims; dim += 1) sum += ours[dim] * theirs[dim];
    return sum;
  });
}
