#!/usr/bin/env python3
"""Writes reflectance.bin: the reflectance of surfaces in light that is the same from all directions.

64 rows by perceptual roughness, 64 columns by the cosine between normal and view, with values at the
texels' centres. Four half floats per texel, little-endian:

0, 1  GGX with height-correlated Smith visibility: the scale and the bias that give the
      reflectance from Schlick's F0 and F90 (Karis, "Real Shading in Unreal Engine 4", 2013)
2     the reflectance of Charlie sheen with Ashikhmin's visibility, as in KHR_materials_sheen
3     unused

Needs numpy. Every run writes the same bytes.
"""
import pathlib

import numpy as np

SIZE = 64
SAMPLES = 4096


def radical_inverse(i):
    bits = np.zeros_like(i)
    for _ in range(32):
        bits = (bits << 1) | (i & 1)
        i = i >> 1
    return bits / 2.0**32


def ggx(cosine, roughness):
    """Returns scale and bias for all cosines, by sampling half vectors from the distribution."""
    alpha2 = roughness**4
    i = np.arange(SAMPLES, dtype=np.uint64)
    u, phi = (i + 0.5) / SAMPLES, 2 * np.pi * radical_inverse(i)
    n_h = np.sqrt((1 - u) / (1 + (alpha2 - 1) * u))
    sine = np.sqrt(np.maximum(0, 1 - n_h**2))
    view = np.sqrt(1 - cosine**2)[:, None]
    n_v = cosine[:, None]
    v_h = view * (sine * np.cos(phi)) + n_v * n_h
    n_l = 2 * v_h * n_h - n_v
    there = (n_l > 0) & (v_h > 0)
    n_l = np.where(there, n_l, 1)
    smith_v = n_l * np.sqrt(n_v**2 * (1 - alpha2) + alpha2)
    smith_l = n_v * np.sqrt(n_l**2 * (1 - alpha2) + alpha2)
    weight = np.where(there, 2 * n_l * v_h / ((smith_v + smith_l) * n_h), 0)
    fresnel = (1 - np.clip(v_h, 0, 1)) ** 5
    return (weight * (1 - fresnel)).mean(1), (weight * fresnel).mean(1)


def sheen(cosine, roughness):
    """Returns the reflectance for all cosines, by numeric integration over the hemisphere of light."""
    steps = 256
    inverse = 1 / roughness**2
    # Denser towards the horizon, where smooth cloth reflects most.
    t = (np.arange(steps) + 0.5) / steps
    n_l = (t**2)[:, None]
    width = (2 * t / steps)[:, None]
    phi = (np.pi * (np.arange(steps) + 0.5) / steps)[None, :]
    out = []
    for n_v in cosine:
        l_v = np.sqrt(1 - n_l**2) * np.sqrt(1 - n_v**2) * np.cos(phi) + n_l * n_v
        n_h2 = (n_l + n_v) ** 2 / np.maximum(2 + 2 * l_v, 1e-9)
        distribution = (2 + inverse) * np.maximum(1 - n_h2, 0) ** (inverse / 2) / (2 * np.pi)
        visibility = 1 / (4 * (n_l + n_v - n_l * n_v))
        out.append((distribution * visibility * n_l * width).sum() * 2 * np.pi / steps)
    return np.array(out)


def main():
    centres = (np.arange(SIZE) + 0.5) / SIZE
    table = np.zeros((SIZE, SIZE, 4))
    for row, roughness in enumerate(centres):
        table[row, :, 0], table[row, :, 1] = ggx(centres, roughness)
        # At grazing angles the formula reflects more light than there is.
        table[row, :, 2] = np.minimum(sheen(centres, roughness), 1)
    place = pathlib.Path(__file__).with_name("reflectance.bin")
    place.write_bytes(table.astype("<f2").tobytes())


if __name__ == "__main__":
    main()
