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
  for (const { name, words } of header.lists || []) lists[name] = new Uint32Array(bytes.slice(at, (at += 4 * words)).buffer);
  return { header, lists };
}

const floats = (words) => new Float32Array(words.buffer);

/** A script's mesh and motion as plain data. */
function bodyOf({ header, lists }) {
  return {
    ...header,
    positions: floats(lists.positions),
    normals: lists.normals,
    indices: lists.indices,
    joints: new Uint16Array(lists.joints.buffer),
    jointWeights: floats(lists.weights),
    deltas: floats(lists.deltas),
    values: floats(lists.values),
    heat: lists.heat && new Uint8Array(lists.heat.buffer),
  };
}

/** The result's motion and the reference's, if there is one, as plain data. */
async function motionOf(result, reference) {
  const own = await decode(result);
  if (own.header.left_out) return { leftOut: own.header.left_out };
  const sides = { result: bodyOf(own), reference: reference ? bodyOf(await decode(reference)) : null };
  const { rate, duration, frames, notes } = own.header;
  const worst = sides.reference && sides.reference.worst;
  const boxes = [sides.result, sides.reference].filter(Boolean).map((body) => body.bounds);
  const bounds = [Math.min, Math.max].map((pick, i) => [0, 1, 2].map((axis) => pick(...boxes.map((box) => box[i][axis]))));
  const largest = worst ? worst.reduce((a, b) => Math.max(a, b.distance), 0) : 0;
  if (sides.reference && !worst) notes.push("The distance from the reference could not be measured.");
  return { rate, duration, frames, notes, sides, worst, bounds, largest };
}

const valuesOf = (body, frame) => body.values.subarray(frame * body.stride, (frame + 1) * body.stride);
const timeOf = (motion, frame) => (frame + 1 < motion.frames ? frame / motion.rate : motion.duration);
