#!/usr/bin/env python3
"""Writes assets/studio.env, the built-in environment: a photographer's studio made of formulas.

    python3 assets/make_studio.py [OUT]      (needs numpy, takes about five minutes, always writes the same bytes)

The file, little endian:
  8 bytes     "RVENV001"
  u32, u32    edge of the largest cube in pixels, number of levels; each level is half as large
  27 f32      irradiance over pi as nine spherical harmonics of three colours, including the constant
              factors: c0 + c1 y + c2 z + c3 x + c4 xy + c5 yz + c6 (3 z z - 1) + c7 xz + c8 (x x - y y)
  u32 ...     the levels, faces +X -X +Y -Y +Z -Z, rows from the top, RGB with nine bits each and a
              shared exponent of five bits (Rgb9e5)
Level 0 is the studio itself. The other levels are the studio filtered with a GGX lobe. Its alpha (roughness
squared) is 1 at the last level and halves with each larger level.
"""
import pathlib
import struct
import sys

import numpy as np

SIZE, LEVELS = 256, 6
SAMPLES = 1024


def unit(v):
    v = np.asarray(v, dtype=np.float64)
    return v / np.linalg.norm(v)


def smooth(edge0, edge1, x):
    t = np.clip((x - edge0) / (edge1 - edge0), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


# Direction of the middle, half width and half height as tangents, roll in degrees, radiance, tint, panes across and up.
SOFT_BOXES = [
    # The key light, in front, on the left and high: a window of four panes.
    ((-0.52, 0.66, 0.72), 0.34, 0.34, -8, 3.3, (1.00, 0.97, 0.92), 2, 2),
    # A large light overhead, of three tubes.
    ((0.05, 1.0, -0.12), 0.66, 0.36, 0, 1.55, (0.97, 0.99, 1.00), 1, 3),
    # A tall strip on the right, slightly in front.
    ((0.93, 0.20, 0.42), 0.10, 0.70, 0, 2.4, (0.90, 0.96, 1.00), 1, 1),
    # Two strips behind, for rim light.
    ((-0.80, 0.30, -0.68), 0.11, 0.66, 0, 3.0, (0.96, 0.98, 1.00), 1, 1),
    ((0.62, 0.34, -0.78), 0.11, 0.56, 0, 2.6, (1.00, 0.96, 0.90), 1, 1),
    # Two large lights in front and low, on both sides of the camera, which glossy cards that face it reflect.
    ((-0.46, -0.20, 0.86), 0.28, 0.21, 0, 1.35, (1.00, 0.99, 0.97), 1, 1),
    ((0.42, -0.02, 0.90), 0.15, 0.27, 0, 0.85, (0.97, 0.99, 1.00), 1, 1),
]

# Where the bars between panes end, as shares of a pane from their middle: wholly dark, and wholly bright. All edges of the
# studio are at least four texels wide, so that a mirror that magnifies them shows no steps.
BAR = (0.01, 0.13)


def between_panes(t, panes):
    """Returns the distance from the nearest bar as a share of a pane; `t` is -1 to 1 across all panes."""
    at = (np.clip(t, -1.0, 1.0) * 0.5 + 0.5) * panes
    near = np.round(at)
    inner = (near > 0) & (near < panes)
    return np.where(inner, np.abs(at - near), 1.0)


def radiance(d):
    """Returns the studio's radiance from unit directions [..., 3]."""
    y = d[..., 1]
    floor = np.array([0.085, 0.083, 0.081])
    near_floor = np.array([0.120, 0.118, 0.115])
    horizon = np.array([0.135, 0.138, 0.144])
    ceiling = np.array([0.070, 0.075, 0.085])
    below = floor + (near_floor - floor) * smooth(-1.0, -0.06, y)[..., None]
    above = horizon + (ceiling - horizon) * smooth(0.02, 0.85, y)[..., None]
    # The floor meets the wall in a soft curve.
    curve = smooth(-0.07, 0.05, y)[..., None]
    out = below * (1.0 - curve) + above * curve
    for towards, width, height, roll, power, tint, across, along in SOFT_BOXES:
        c = unit(towards)
        side = unit(np.cross([0.0, 1.0, 0.0], c) if abs(c[1]) < 0.98 else [1.0, 0.0, 0.0])
        up = np.cross(c, side)
        a = np.radians(roll)
        side, up = np.cos(a) * side + np.sin(a) * up, np.cos(a) * up - np.sin(a) * side
        ahead = d @ c
        safe = np.where(ahead > 1e-3, ahead, 1.0)
        u, v = d @ side / safe, d @ up / safe
        bars = smooth(*BAR, between_panes(u / width, across)) * \
            smooth(*BAR, between_panes(v / height, along))
        u, v = np.abs(u), np.abs(v)
        soft = 0.10 * min(width, height) + 0.012
        inside = (1.0 - smooth(width - soft, width + soft, u)) * \
            (1.0 - smooth(height - soft, height + soft, v)) * (ahead > 1e-3)
        # Brightest in the middle, like a lamp behind cloth.
        middle = 1.0 - 0.45 * np.clip((u / width) ** 2 + (v / height) ** 2, 0.0, 2.0) / 2.0
        out = out + (power * inside * middle * bars)[..., None] * np.array(tint)
    return out


def directions(size):
    """Returns the unit directions of the texels of a cube, [6, size, size, 3]."""
    at = (np.arange(size) + 0.5) / size * 2.0 - 1.0
    v, u = np.meshgrid(at, at, indexing="ij")
    one = np.ones_like(u)
    faces = [(one, -v, -u), (-one, -v, u), (u, one, v), (u, -one, -v), (u, -v, one), (-u, -v, -one)]
    d = np.stack([np.stack(f, -1) for f in faces])
    return d / np.linalg.norm(d, axis=-1, keepdims=True)


def gathered(n, alpha):
    """Returns the studio filtered with GGX lobes around the directions `n` [m, 3]."""
    i = np.arange(SAMPLES)
    x = (i + 0.5) / SAMPLES
    bits = np.zeros(SAMPLES, dtype=np.uint64)
    for b in range(32):
        bits |= ((i.astype(np.uint64) >> np.uint64(b)) & np.uint64(1)) << np.uint64(31 - b)
    y = bits.astype(np.float64) / 2.0 ** 32
    cos2 = (1.0 - x) / (1.0 + (alpha * alpha - 1.0) * x)
    cos, sin = np.sqrt(cos2), np.sqrt(np.maximum(0.0, 1.0 - cos2))
    # The light direction is the view, along the normal, mirrored at the half vector.
    lz = 2.0 * cos2 - 1.0
    lr = 2.0 * cos * sin
    keep = lz > 0.0
    lx, ly, lz = lr[keep] * np.cos(2 * np.pi * y[keep]), lr[keep] * np.sin(2 * np.pi * y[keep]), lz[keep]
    out = np.zeros_like(n)
    step = max(1, 2_000_000 // len(lz))
    for start in range(0, len(n), step):
        m = n[start:start + step]
        pole = np.where(np.abs(m[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
        t = np.cross(pole, m)
        t /= np.linalg.norm(t, axis=-1, keepdims=True)
        b = np.cross(m, t)
        d = t[:, None] * lx[:, None] + b[:, None] * ly[:, None] + m[:, None] * lz[:, None]
        out[start:start + step] = (radiance(d) * lz[:, None]).sum(1) / lz.sum()
    return out


def irradiance():
    d = directions(256).reshape(-1, 3)
    at = (np.arange(256) + 0.5) / 256 * 2.0 - 1.0
    v, u = np.meshgrid(at, at, indexing="ij")
    weight = np.tile(((1.0 + u * u + v * v) ** -1.5).ravel(), 6)
    weight *= 4.0 * np.pi / weight.sum()
    light = radiance(d)
    x, y, z = d.T
    k = [0.282095, 0.488603, 0.488603, 0.488603, 1.092548, 1.092548, 0.315392, 1.092548, 0.546274]
    basis = [np.ones_like(x), y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y]
    # Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance Environment Maps", 2001:
    # the cosine's factors pi, 2 pi / 3 and pi / 4, over pi.
    cosine = [1.0] + 3 * [2.0 / 3.0] + 5 * [0.25]
    return [c * f * f * (light * (weight * b)[:, None]).sum(0) for c, f, b in zip(cosine, k, basis)]


def rgb9e5(rgb):
    rgb = np.clip(rgb, 0.0, 65408.0)
    peak = rgb.max(-1)
    e = np.maximum(-16, np.floor(np.log2(np.maximum(peak, 1e-30)))).astype(np.int64) + 16
    scale = 2.0 ** (e - 24)
    over = np.floor(peak / scale + 0.5) >= 512
    e = np.where(over, e + 1, e)
    m = np.floor(rgb / (2.0 ** (e - 24))[..., None] + 0.5).astype(np.int64)
    return (m[..., 0] | m[..., 1] << 9 | m[..., 2] << 18 | e << 27).astype("<u4")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "studio.env")
    harmonics = np.array(irradiance(), dtype="<f4")
    chunks = [b"RVENV001", struct.pack("<II", SIZE, LEVELS), harmonics.tobytes()]
    for level in range(LEVELS):
        d = directions(SIZE >> level).reshape(-1, 3)
        if level == 0:
            # 4 x 4 samples per texel, so that edges are smooth.
            fine = radiance(directions(SIZE * 4)).reshape(6, SIZE, 4, SIZE, 4, 3).mean((2, 4))
            light = fine.reshape(-1, 3)
        else:
            light = gathered(d, 0.5 ** (LEVELS - 1 - level))
        chunks.append(rgb9e5(light).tobytes())
    out.write_bytes(b"".join(chunks))
    print(f"{out}: {out.stat().st_size} bytes; up {radiance_of(harmonics, 1):.3f}, down {radiance_of(harmonics, -1):.3f}")


def radiance_of(c, y):
    return float((c[0] + c[1] * y - c[6] - c[8])[1])


main()
