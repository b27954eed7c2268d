// Returns all vertices of a motion as the player poses them, as the base64 of their coordinates.
var view;

async function loadMotionForTest(result, reference) {
  if (view) view.free();
  const root = document.createElement("div");
  root.style.cssText = "position: fixed; inset: 0";
  document.body.append(root);
  view = showMotion(root, await motionOf(result, reference), 0);
}

function asBase64(parts) {
  let text = "";
  for (const part of parts) for (const byte of new Uint8Array(part.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Draws the vertices as points and captures what the vertex shader of the player writes. */
function posedOnGpu(side, frame) {
  const { gl, scene, motion } = view;
  const parts = [];
  const body = motion.sides[side];
  const counts = body.draws.map((draw) => body.geometries[draw.geometry].vertices);
  const feedback = gl.createTransformFeedback();
  gl.drawElements = () => {
    const count = counts[parts.length];
    const out = new Float32Array(3 * count);
    const buffer = gl.createBuffer();
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, out.byteLength, gl.STREAM_READ);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.deleteBuffer(buffer);
    parts.push(out);
  };
  const camera = { clip: new Float32Array(16), eye: [0, 0, 0], up: [0, 1, 0] };
  scene.draw(side, frame, camera, false);
  delete gl.drawElements;
  const error = gl.getError();
  if (error) throw new Error(`GL error ${error}`);
  return asBase64(parts);
}
