// The motion of a case as data: read from the scripts in motions/, which hold a zlib stream with a JSON header and
// lists of 32-bit words.

/** Reads the data of a script: its header, and its lists as words. */
async function decode(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
  const lists = {};
  for (const { name, words, stride } of header.lists || []) {
    lists[name] = unpack(bytes.subarray(at, (at += 4 * words)), words, stride);
  }
  return { header, lists };
}

/** Adds each word to the one a stride before it; the bytes are sorted by significance. */
function unpack(bytes, count, stride) {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const low = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16);
    words[i] = (i < stride ? 0 : words[i - stride]) + (low | (bytes[3 * count + i] << 24));
  }
  return words;
}

const floats = (words) => new Float32Array(words.buffer);

/** The result's motion and mesh with the reference's motion, as plain data. */
async function motionOf(result, reference) {
  const { header, lists } = await decode(result);
  if (header.left_out) return { leftOut: header.left_out };
  const other = reference && (await decode(reference)).lists;
  const motion = {
    ...header,
    positions: floats(lists.positions),
    normals: lists.normals,
    indices: lists.indices,
    joints: new Uint16Array(lists.joints.buffer),
    jointWeights: floats(lists.weights),
    deltas: floats(lists.deltas),
    sides: { result: floats(lists.values), reference: other ? floats(other.values) : null },
    worst: other ? Array.from({ length: header.frames }, (_, i) => worstOf(other.worst, i)) : null,
  };
  motion.largest = motion.worst ? motion.worst.reduce((a, b) => Math.max(a, b.distance), 0) : 0;
  return motion;
}

function worstOf(words, frame) {
  const row = words.slice(6 * frame, 6 * frame + 6);
  const [distance, , , , , angle] = floats(row);
  return { distance, draw: row[1], vertex: row[2], bone: row[3], cause: row[4] === 0xffffffff ? null : row[4], angle };
}

const valuesOf = (motion, side, frame) => motion.sides[side].subarray(frame * motion.stride, (frame + 1) * motion.stride);
const timeOf = (motion, frame) => (frame + 1 < motion.frames ? frame / motion.rate : motion.duration);

/** A vertex, posed by the arithmetic of the shader. */
function posed(motion, side, frame, drawn, vertex) {
  const values = valuesOf(motion, side, frame);
  const draw = motion.draws[drawn];
  const geometry = motion.geometries[draw.geometry];
  const p = [0, 1, 2].map((i) => motion.positions[3 * (geometry.first + vertex) + i]);
  for (let t = 0; t < draw.targets; t++) {
    const weight = values[12 * motion.bones.length + draw.weights + t];
    const delta = 3 * (geometry.first_delta + t * geometry.vertices + vertex);
    for (let i = 0; weight && i < 3; i++) p[i] += weight * motion.deltas[delta + i];
  }
  const out = [0, 0, 0];
  const add = (bone, weight) => {
    for (let i = 0; weight && i < 3; i++) {
      const at = 12 * bone + 4 * i;
      out[i] += weight * (values[at] * p[0] + values[at + 1] * p[1] + values[at + 2] * p[2] + values[at + 3]);
    }
  };
  if (!draw.sets) add(draw.bone, 1);
  for (let i = 0; i < 4 * draw.sets; i++) {
    const at = 4 * (geometry.first_set + vertex * draw.sets) + i;
    add(draw.bone + motion.joints[at], motion.jointWeights[at]);
  }
  return out;
}
