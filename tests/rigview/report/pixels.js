// Called with a mode of heat and the left and right edge of a part of the motion's picture, 0 to 1: returns the number
// of pixels with a surface, and the largest difference of red and blue.
async (heat, left, right) => {
  motion.change({ heat });
  const { gl } = motion;
  const canvas = gl.canvas;
  // The picture is only there until the frame ends, so read it in the frame that draws it.
  await new Promise((done) => requestAnimationFrame(done));
  motion.repaint();
  return new Promise((done) => requestAnimationFrame(() => {
    const [x, width] = [Math.round(left * canvas.width), Math.round((right - left) * canvas.width)];
    const pixels = new Uint8Array(4 * width * canvas.height);
    gl.readPixels(x, 0, width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let [count, red] = [0, 0];
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3]) count++;
      red = Math.max(red, pixels[i] - pixels[i + 2]);
    }
    done([count, red]);
  }));
}
