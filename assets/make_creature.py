#!/usr/bin/env python3
"""Builds creature.glb, the little animal that rigview shows when no file is given.

    python3 make_creature.py            # writes creature.glb beside this file

Python 3 standard library only; two runs give the same bytes.
The script and the model it makes are CC0 1.0 (see LICENSE): use them freely.

How it works, top to bottom:
  1. JOINTS     a table of joints, all with world-aligned axes in the rest pose
  2. BODY       a table of soft blobs; their smooth union is the body's surface
  3. meshing    surface nets over that field, relaxed, normals from its gradient
  4. skinning   each vertex starts with its nearest bones, then weights diffuse
                along the mesh (not through the air: an arm never grabs the belly)
  5. colour     one function of position and normal, stored as COLOR_0
  6. face       eyes, eyelids, mouth and nostrils: small patches laid on the body
  7. clips      three functions of time, sampled into CUBICSPLINE, LINEAR, STEP
  8. glTF       everything packed into one .glb

Metres, Y up, facing +Z, so the creature's left (".L") is +X.
"""

import json
import math
import os
import struct

# ---------------------------------------------------------------- vectors


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(dot(a, a))


def unit(a):
    n = length(a)
    return (a[0] / n, a[1] / n, a[2] / n) if n > 1e-12 else (0.0, 1.0, 0.0)


def mix(a, b, t):
    """Linear blend of two numbers or two vectors."""
    if isinstance(a, (int, float)):
        return a + (b - a) * t
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def smooth(lo, hi, x):
    """0 below lo, 1 above hi, an S-curve between (lo may exceed hi)."""
    t = min(1.0, max(0.0, (x - lo) / (hi - lo)))
    return t * t * (3.0 - 2.0 * t)


def mirror(p):
    return (-p[0], p[1], p[2])


# Quaternions are (x, y, z, w), as in glTF.


def quat(axis, degrees):
    half = math.radians(degrees) * 0.5
    s = math.sin(half)
    return (axis[0] * s, axis[1] * s, axis[2] * s, math.cos(half))


def qmul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz)


def qinv(q):
    return (-q[0], -q[1], -q[2], q[3])


def qrot(q, v):
    u = (q[0], q[1], q[2])
    t = mul(cross(u, v), 2.0)
    return add(add(v, mul(t, q[3])), cross(u, t))


def euler(pitch=0.0, yaw=0.0, roll=0.0):
    """Degrees about X, Y, Z. Pitch > 0 leans forward (down a limb: swings it
    back), yaw > 0 turns to the creature's left, roll > 0 tips to its right."""
    q = qmul(quat((0, 1, 0), yaw), qmul(quat((1, 0, 0), pitch), quat((0, 0, 1), roll)))
    n = math.sqrt(sum(c * c for c in q))
    return tuple(c / n for c in q)


# ---------------------------------------------------------------- 1. joints

# name, parent, joint position, end of its bone, radius of the flesh around it
# (None: moves the others but owns no skin). ".L" rows are mirrored to ".R".
JOINT_TABLE = [
    ("root",      None,       (0.0, 0.0, 0.0),      None,                 None),
    ("hips",      "root",     (0.0, 0.235, -0.02),  (0.0, 0.20, -0.03),   0.120),
    ("spine",     "hips",     (0.0, 0.270, -0.01),  (0.0, 0.345, 0.015),  0.165),
    ("chest",     "spine",    (0.0, 0.400, 0.0),    (0.0, 0.460, 0.0),    0.120),
    ("neck",      "chest",    (0.0, 0.500, 0.0),    (0.0, 0.540, 0.005),  0.105),
    ("head",      "neck",     (0.0, 0.565, 0.005),  (0.0, 0.730, 0.02),   0.170),
    ("jaw",       "head",     (0.0, 0.575, 0.08),   (0.0, 0.555, 0.17),   0.050),
    ("ear.L",     "head",     (0.125, 0.775, 0.0),  (0.200, 0.865, -0.015), 0.060),
    ("earTip.L",  "ear.L",    (0.205, 0.870, -0.015), (0.275, 0.955, -0.04), 0.055),
    ("arm.L",     "chest",    (0.098, 0.428, 0.008), (0.175, 0.380, 0.025), 0.042),
    ("forearm.L", "arm.L",    (0.188, 0.372, 0.030), (0.218, 0.338, 0.070), 0.038),
    ("hand.L",    "forearm.L", (0.230, 0.322, 0.090), (0.238, 0.302, 0.120), 0.042),
    ("leg.L",     "hips",     (0.105, 0.220, -0.015), (0.105, 0.160, 0.015), 0.080),
    ("shin.L",    "leg.L",    (0.105, 0.140, 0.025), (0.105, 0.090, 0.005), 0.058),
    ("foot.L",    "shin.L",   (0.105, 0.055, -0.01), (0.115, 0.035, 0.09), 0.055),
]
TAIL = [(0.0, 0.205, -0.11), (0.0, 0.150, -0.20), (0.0, 0.115, -0.30),
        (0.0, 0.110, -0.40), (0.0, 0.145, -0.49), (0.0, 0.215, -0.56),
        (0.0, 0.305, -0.59), (0.0, 0.400, -0.585)]
TAIL_RADIUS = [0.100, 0.080, 0.064, 0.053, 0.045, 0.038, 0.033, 0.028]
for i in range(7):
    JOINT_TABLE.append(("tail.%d" % (i + 1), "tail.%d" % i if i else "hips",
                        TAIL[i], TAIL[i + 1] if i < 6 else (0.0, 0.50, -0.56),
                        TAIL_RADIUS[i]))


def expand_joints():
    """The table with every .L row followed later by its .R twin."""
    right = lambda n: n[:-2] + ".R" if n and n.endswith(".L") else n
    rows = []
    for row in JOINT_TABLE:
        rows.append(row)
        if row[0].endswith(".L"):
            name, parent, head, tip, radius = row
            rows.append((right(name), right(parent), mirror(head), mirror(tip), radius))
    return rows


JOINTS = expand_joints()
JOINT_INDEX = {row[0]: i for i, row in enumerate(JOINTS)}
JOINT_POS = {row[0]: row[2] for row in JOINTS}

# ---------------------------------------------------------------- 2. body


def limb(a, b, ra, rb):
    """A cone with round ends from a to b."""
    ab = sub(b, a)
    inv = 1.0 / dot(ab, ab)
    ax, ay, az = a
    bx, by, bz = ab
    sqrt = math.sqrt

    def distance(x, y, z):
        x, y, z = x - ax, y - ay, z - az
        t = (x * bx + y * by + z * bz) * inv
        t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
        x, y, z = x - bx * t, y - by * t, z - bz * t
        return sqrt(x * x + y * y + z * z) - (ra + (rb - ra) * t)

    return distance, mix(a, b, 0.5), 0.5 * length(ab) + max(ra, rb)


def frame(along, facing):
    """Right-handed unit axes: across, along, and as near `facing` as can be."""
    y = unit(along)
    z = unit(sub(facing, mul(y, dot(facing, y))))
    return cross(y, z), y, z


def blob(center, radii, along=(0, 1, 0), facing=(0, 0, 1)):
    """An ellipsoid; radii are across, along and through (towards `facing`)."""
    xx, yy, zz = frame(along, facing)
    rx, ry, rz = radii
    cx, cy, cz = center
    (ux, uy, uz), (vx, vy, vz), (wx, wy, wz) = mul(xx, 1 / rx), mul(yy, 1 / ry), mul(zz, 1 / rz)
    ix, iy, iz = 1 / rx, 1 / ry, 1 / rz
    low = min(radii)
    sqrt = math.sqrt

    def distance(x, y, z):
        x, y, z = x - cx, y - cy, z - cz
        a = ux * x + uy * y + uz * z
        b = vx * x + vy * y + vz * z
        c = wx * x + wy * y + wz * z
        k0 = sqrt(a * a + b * b + c * c)
        if k0 < 1e-6:
            return -low
        a, b, c = a * ix, b * iy, c * iz
        return k0 * (k0 - 1.0) / sqrt(a * a + b * b + c * c)

    return distance, center, max(radii)


def leaf(center, radii, thick, along, facing):
    """An oval pad with a round rim, fuller in the middle. Radii, across and
    along, are to the outside; `thick` is half the thickness of the rim."""
    (ux, uy, uz), (vx, vy, vz), (wx, wy, wz) = frame(along, facing)
    ra, rb = radii[0] - thick, radii[1] - thick
    cx, cy, cz = center
    sqrt = math.sqrt

    def distance(x, y, z):
        x, y, z = x - cx, y - cy, z - cz
        a = ux * x + uy * y + uz * z
        b = vx * x + vy * y + vz * z
        c = wx * x + wy * y + wz * z
        q = sqrt((a / ra) ** 2 + (b / rb) ** 2)
        if q <= 1.0:
            return abs(c) - thick * (1.0 + 0.5 * (1.0 - q * q) ** 2)
        past = sqrt(a * a + b * b) * (1.0 - 1.0 / q)
        return sqrt(past * past + c * c) - thick

    return distance, center, max(radii)


EAR_ALONG = (0.62, 0.76, -0.16)
EAR_FACING = (0.32, -0.05, 1.0)
EAR_CENTER = (0.208, 0.872, -0.015)
EAR_RADII = (0.084, 0.148)

# The spines from forehead to rump, and the two leaves at the end of the tail.
CREST = [limb((0, 0.810, 0.030), (0, 0.893, -0.005), 0.040, 0.012),
         limb((0, 0.790, -0.075), (0, 0.860, -0.133), 0.040, 0.016),
         limb((0, 0.715, -0.135), (0, 0.752, -0.213), 0.036, 0.012),
         limb((0, 0.450, -0.070), (0, 0.480, -0.132), 0.032, 0.011),
         limb((0, 0.345, -0.120), (0, 0.368, -0.188), 0.034, 0.011)]
LEAF = leaf((0.055, 0.480, -0.578), (0.046, 0.096), 0.023, (0.60, 0.80, 0.05), (0.0, -0.1, 1.0))

# (shape, blend radius, on both sides?) - listed from the belly outwards, since
# every shape is blended into the union of those before it.
BODY = [
    (blob((0, 0.285, 0.012), (0.176, 0.168, 0.162)), 0.00, False),        # belly
    (limb((0, 0.395, 0.0), (0, 0.510, 0.0), 0.102, 0.084), 0.09, False),  # chest
    (blob((0, 0.672, 0.015), (0.208, 0.160, 0.172)), 0.05, False),        # skull
    (blob((0, 0.608, 0.122), (0.110, 0.062, 0.086)), 0.07, False),        # muzzle
    (blob((0.122, 0.612, 0.050), (0.092, 0.074, 0.082)), 0.06, True),     # cheek
    (limb((0.100, 0.205, -0.010), (0.105, 0.140, 0.020), 0.088, 0.062), 0.05, True),  # thigh
    (limb((0.105, 0.140, 0.020), (0.105, 0.055, -0.005), 0.060, 0.052), 0.03, True),  # shin
    (blob((0.113, 0.036, 0.048), (0.068, 0.040, 0.098), facing=(0.12, 0, 1)), 0.035, True),  # foot
    (limb((0.085, 0.424, 0.005), (0.190, 0.372, 0.030), 0.042, 0.036), 0.035, True),   # upper arm
    (limb((0.188, 0.372, 0.030), (0.230, 0.322, 0.090), 0.036, 0.034), 0.02, True),   # forearm
    (blob((0.236, 0.306, 0.106), (0.036, 0.038, 0.036)), 0.02, True),     # hand
    (limb((0.110, 0.755, 0.0), (0.168, 0.828, -0.008), 0.062, 0.044), 0.04, True),    # ear root
    (leaf(EAR_CENTER, EAR_RADII, 0.023, EAR_ALONG, EAR_FACING), 0.03, True),     # ear
    (LEAF, 0.025, True),
]
TOES = [(0.080, 0.027, 0.128), (0.125, 0.028, 0.142), (0.170, 0.027, 0.122)]
FINGERS = [(0.206, 0.290, 0.134), (0.241, 0.272, 0.132), (0.272, 0.292, 0.112)]
BODY += [(blob(c, (0.026, 0.027, 0.032)), 0.020, True) for c in TOES]
BODY += [(blob(c, (0.020, 0.022, 0.022)), 0.014, True) for c in FINGERS]
BODY += [(shape, 0.022, False) for shape in CREST]


def tail_path(t):
    """(point, radius) along the tail: Catmull-Rom through the joints."""
    i = min(int(t), 6)
    s = t - i
    at = lambda n: TAIL[max(0, min(n, 7))]
    out = (0.0, 0.0, 0.0)
    for n, w in ((i - 1, s * (-1 + s * (2 - s))), (i, 2 + s * s * (3 * s - 5)),
                 (i + 1, s * (1 + s * (4 - 3 * s))), (i + 2, s * s * (s - 1))):
        out = add(out, mul(at(n), 0.5 * w))
    return out, mix(TAIL_RADIUS[i], TAIL_RADIUS[i + 1], s)


for i in range(14):
    (start, r0), (end, r1) = tail_path(i / 2), tail_path((i + 1) / 2)
    BODY.append((limb(start, end, r0, r1), 0.06 if i == 0 else 0.03, False))
# Taken away again: the hollow of each ear.
EAR_CUP = blob(add(EAR_CENTER, (0.011, 0.003, 0.045)), (0.050, 0.106, 0.034), EAR_ALONG, EAR_FACING)


def expand_body():
    rows = []
    for (distance, center, reach), blend, both in BODY:
        rows.append((distance, center, reach, blend))
        if both:
            flipped = lambda x, y, z, f=distance: f(-x, y, z)
            rows.append((flipped, mirror(center), reach, blend))
    return rows


SHAPES = expand_body()


def field(x, y, z):
    """Signed distance (nearly) to the body: negative inside."""
    sqrt = math.sqrt
    d = 1e9
    for distance, (cx, cy, cz), reach, k in SHAPES:
        a, b, c = x - cx, y - cy, z - cz
        far = d + k + reach
        if far > 0.0 and a * a + b * b + c * c > far * far:
            continue  # too far away to change anything
        e = distance(x, y, z)
        gap = k - abs(d - e)
        d = d if d < e else e
        if gap > 0.0:
            d -= gap * gap * 0.25 / k
    if y > 0.72:
        k = 0.020  # smooth subtraction of the ear hollow
        e = -EAR_CUP[0](abs(x), y, z)
        gap = k - abs(d - e)
        d = d if d > e else e
        if gap > 0.0:
            d += gap * gap * 0.25 / k
    if y < 0.06:  # flat soles
        k = 0.016
        gap = k - abs(d + y)
        d = d if d > -y else -y
        if gap > 0.0:
            d += gap * gap * 0.25 / k
    return d


def gradient(p, e=0.004):
    x, y, z = p
    a = field(x + e, y - e, z - e)
    b = field(x - e, y - e, z + e)
    c = field(x - e, y + e, z - e)
    d = field(x + e, y + e, z + e)
    s = 0.25 / e
    return ((a - b - c + d) * s, (-a - b + c + d) * s, (-a + b - c + d) * s)


def onto_surface(p, steps=2):
    for _ in range(steps):
        g = gradient(p)
        p = sub(p, mul(g, field(*p) / max(dot(g, g), 0.2)))
    return p


# ---------------------------------------------------------------- 3. meshing


CELL = 0.0242


def axis(lo, hi, coarse=lambda at: 1.0):
    """Grid lines from lo to hi; `coarse` widens the cells where detail is low."""
    lines = [lo]
    while lines[-1] < hi:
        lines.append(lines[-1] + CELL * coarse(lines[-1]))
    return lines


def symmetric_axis(half):
    """Grid lines either side of x = 0, so that left and right come out alike."""
    n = int(half / CELL) + 1
    return [(i - n - 0.5) * CELL for i in range(2 * n + 2)]


def near_surface_blocks(xs, ys, zs, size=4):
    """Corners of the grid blocks that may hold a piece of the surface."""
    for i in range(0, len(xs) - 1, size):
        for j in range(0, len(ys) - 1, size):
            for k in range(0, len(zs) - 1, size):
                i1, j1, k1 = (min(n + size, len(l) - 1) for n, l in ((i, xs), (j, ys), (k, zs)))
                lo, hi = (xs[i], ys[j], zs[k]), (xs[i1], ys[j1], zs[k1])
                if abs(field(*mix(lo, hi, 0.5))) < 0.75 * length(sub(hi, lo)):
                    yield (i, j, k), (i1, j1, k1)


def surface_nets(xs, ys, zs):
    """One vertex per grid cell the surface crosses, one quad per crossed edge."""
    values = {}

    def value(n):
        if n not in values:
            values[n] = field(xs[n[0]], ys[n[1]], zs[n[2]])
        return values[n]

    corners = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    edges = [(p, q) for p in corners for q in corners
             if p < q and sum(abs(u - v) for u, v in zip(p, q)) == 1]
    points, vertex_of = [], {}
    for lo, hi in near_surface_blocks(xs, ys, zs):
        for i in range(lo[0], hi[0]):
            for j in range(lo[1], hi[1]):
                for k in range(lo[2], hi[2]):
                    v = {c: value((i + c[0], j + c[1], k + c[2])) for c in corners}
                    if (min(v.values()) < 0.0) == (max(v.values()) < 0.0):
                        continue
                    total, count = (0.0, 0.0, 0.0), 0
                    for p, q in edges:
                        if (v[p] < 0.0) != (v[q] < 0.0):
                            total = add(total, mix(p, q, v[p] / (v[p] - v[q])))
                            count += 1
                    x, y, z = mul(total, 1.0 / count)
                    vertex_of[(i, j, k)] = len(points)
                    points.append((mix(xs[i], xs[i + 1], x), mix(ys[j], ys[j + 1], y),
                                   mix(zs[k], zs[k + 1], z)))
    quads = []
    for cell in sorted(vertex_of):
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            step = lambda n, axis_, by: tuple(m + by * (q == axis_) for q, m in enumerate(n))
            inside, beyond = value(cell) < 0.0, value(step(cell, a, 1)) < 0.0
            if inside == beyond:
                continue
            ring = [step(step(cell, b, -1), c, -1), step(cell, c, -1), cell, step(cell, b, -1)]
            quad = [vertex_of[n] for n in ring]
            quads.append(quad if inside else quad[::-1])
    return points, quads


def neighbours_of(count, faces):
    near = [set() for _ in range(count)]
    for face in faces:
        for i, v in enumerate(face):
            near[v].add(face[i - 1])
            near[face[i - 1]].add(v)
    return [sorted(s) for s in near]


def relax(points, near, rounds=6):
    """Evens the vertices out along the surface without leaving it."""
    for _ in range(rounds):
        moved = []
        for p, ring in zip(points, near):
            mean = mul(tuple(map(sum, zip(*(points[n] for n in ring)))), 1.0 / len(ring))
            moved.append(onto_surface(mix(p, mean, 0.5), 1))
        points = moved
    return [onto_surface(p, 2) for p in points]


def split_quads(points, quads):
    triangles = []
    for a, b, c, d in quads:
        if length(sub(points[a], points[c])) <= length(sub(points[b], points[d])):
            triangles += [(a, b, c), (a, c, d)]
        else:
            triangles += [(a, b, d), (b, c, d)]
    return triangles


def mesh_normals(points, triangles):
    sums = [(0.0, 0.0, 0.0)] * len(points)
    for a, b, c in triangles:
        n = cross(sub(points[b], points[a]), sub(points[c], points[a]))
        for v in (a, b, c):
            sums[v] = add(sums[v], n)
    return [unit(s) for s in sums]


# ---------------------------------------------------------------- 4. skinning


def bone_distance(p, head, tip):
    ab = sub(tip, head)
    t = min(1.0, max(0.0, dot(sub(p, head), ab) / dot(ab, ab)))
    return length(sub(p, add(head, mul(ab, t))))


def first_weights(p):
    """Nearest bones, measured in units of the flesh around each."""
    near = []
    for i, (_, _, head, tip, radius) in enumerate(JOINTS):
        if radius is not None:
            near.append((max(bone_distance(p, head, tip) / radius, 0.05), i))
    near.sort()
    best = near[0][0]
    raw = {i: (best / q) ** 10 for q, i in near[:4]}
    total = sum(raw.values())
    return {i: w / total for i, w in raw.items()}


def diffuse(weights, near, rounds=5):
    for _ in range(rounds):
        out = []
        for own, ring in zip(weights, near):
            acc = {i: w * 0.5 for i, w in own.items()}
            share = 0.5 / len(ring)
            for n in ring:
                for i, w in weights[n].items():
                    acc[i] = acc.get(i, 0.0) + w * share
            out.append({i: w for i, w in acc.items() if w > 1e-4})
        weights = out
    return weights


def pack_weights(weights):
    """The four largest as bytes that sum to exactly 255."""
    top = sorted(weights.items(), key=lambda iw: (-iw[1], iw[0]))[:4]
    total = sum(w for _, w in top)
    exact = [(i, w * 255.0 / total) for i, w in top]
    parts = [[i, int(w)] for i, w in exact]
    order = sorted(range(len(parts)), key=lambda n: parts[n][1] - exact[n][1])
    for n in order[:255 - sum(w for _, w in parts)]:
        parts[n][1] += 1
    parts = [q for q in parts if q[1] > 0]
    parts += [[0, 0]] * (4 - len(parts))  # unused slots: joint 0, weight 0
    return tuple(i for i, _ in parts), tuple(w for _, w in parts)


# ---------------------------------------------------------------- 5. colour


def rgb(code):
    """'#rrggbb' (sRGB) as linear light, which is what COLOR_0 holds."""
    channels = [int(code[i:i + 2], 16) / 255.0 for i in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


JADE = rgb("#4fc3a1")
DEEP = rgb("#1b7f86")
SPOT = rgb("#155f73")
CREAM = rgb("#fff0cf")
CORAL = rgb("#ff7a5c")
GOLD = rgb("#ffc95e")
BLUSH = rgb("#ff9c8a")
INK = rgb("#1c1626")
LID = rgb("#45b39b")

# Spots along the back, the head and the tail: centre and radius.
SPOTS = [
    ((0.085, 0.415, -0.085), 0.042), ((0.120, 0.310, -0.115), 0.052),
    ((0.105, 0.770, -0.090), 0.050), ((0.165, 0.660, -0.085), 0.040), ((0.070, 0.640, -0.150), 0.034),
]


def tail_frame(p):
    """How far along the tail p lies (0 at its root, 7 at its end), and which
    way the tail's back faces there."""
    best = (1e9, 0.0, None)
    for i in range(7):
        ab = sub(TAIL[i + 1], TAIL[i])
        t = min(1.0, max(0.0, dot(sub(p, TAIL[i]), ab) / dot(ab, ab)))
        best = min(best, (length(sub(p, add(TAIL[i], mul(ab, t)))), i + t, ab))
    return best[1], unit(cross((1.0, 0.0, 0.0), best[2]))


def ear_position(p):
    """(along, across) the ear, each -1..1 from edge to edge."""
    q = sub((abs(p[0]), p[1], p[2]), EAR_CENTER)
    across, along, _ = frame(EAR_ALONG, EAR_FACING)
    return dot(q, along) / EAR_RADII[1], dot(q, across) / EAR_RADII[0]


def occlusion(p, n):
    """Soft shade where the body hugs itself: under the chin, beside limbs."""
    open_sky = 0.0
    for reach in (0.03, 0.07):
        open_sky += min(1.0, max(0.0, field(*add(p, mul(n, reach))) / reach))
    return 0.55 + 0.45 * open_sky * 0.5


def skin_colour(p, n):
    x, y, z = p
    ax = abs(x)
    # Back darker than flanks: by height on the head, by facing elsewhere.
    colour = mix(JADE, DEEP, 0.75 * smooth(0.05, 0.95, -n[2] * 0.8 + n[1] * 0.35))
    for center, radius in SPOTS:
        d = length(sub((ax, y, z), center))
        colour = mix(colour, SPOT, 0.85 * smooth(radius * 1.25, radius * 0.60, d))
    # Cream belly and chin.
    belly = smooth(1.12, 0.86, math.hypot(x / 0.115, (y - 0.315) / 0.185))
    belly *= smooth(0.0, 0.3, n[2]) * smooth(0.0, 0.06, z)
    chin = smooth(1.12, 0.84, math.hypot(x / 0.120, (y - 0.575) / 0.062)) * smooth(0.02, 0.09, z)
    colour = mix(colour, CREAM, max(belly, chin))
    cheek = smooth(0.055, 0.018, length(sub((ax, y, z), (0.158, 0.610, 0.118))))
    colour = mix(colour, BLUSH, 0.85 * cheek)
    if z < -0.15 and y < 0.62:
        t, back = tail_frame(p)
        upper = dot(n, back)
        rings = smooth(0.20, 0.80, 0.5 + 0.5 * math.cos((t - 0.5) * math.pi))
        colour = mix(colour, SPOT, 0.8 * rings * smooth(-0.3, 0.3, upper) * smooth(1.4, 2.0, t))
        colour = mix(colour, CREAM, 0.8 * smooth(0.15, 0.95, -upper) * smooth(0.2, 1.0, t) * smooth(6.6, 5.0, t))
        leaf = smooth(0.012, 0.000, LEAF[0](ax, y, z))
        colour = mix(colour, mix(CORAL, GOLD, smooth(0.50, 0.555, y)), leaf)
    if y > 0.70:
        along, across = ear_position(p)
        if along > -1.2:
            inner = smooth(0.98, 0.70, math.hypot((along + 0.04) / 0.80, across / 0.70))
            front = smooth(0.0, 0.5, dot(n, unit(EAR_FACING if x >= 0 else mirror(EAR_FACING))))
            colour = mix(colour, DEEP, 0.9 * smooth(0.35, 0.85, along))
            colour = mix(colour, CORAL, inner * front)
    # Spines: coral from where they leave the skin, gold at the tip.
    if ax < 0.05:
        spine = min(shape[0](x, y, z) for shape in CREST)
        proud = trunk(x, y, z)
        colour = mix(colour, mix(CORAL, GOLD, smooth(0.020, 0.050, proud)),
                     smooth(0.012, 0.002, spine) * smooth(0.000, 0.012, proud))
    socks = smooth(0.075, 0.045, y) * smooth(-0.15, -0.1, z)
    mitts = smooth(0.070, 0.045, length(sub((ax, y, z), (0.240, 0.296, 0.116))))
    colour = mix(colour, DEEP, 0.8 * max(socks, mitts))
    tips = max(smooth(size * 1.15, size * 0.75, length(sub((ax, y, z), add(c, shift))))
               for group, size, shift in ((TOES, 0.030, (0.0, -0.006, 0.016)),
                                         (FINGERS, 0.024, (0.0, -0.008, 0.006)))
               for c in group)
    colour = mix(colour, GOLD, tips)
    return mul(colour, occlusion(p, n))


def trunk(x, y, z):
    """Distance from belly, chest and head alone."""
    return min(shape[0](x, y, z) for shape, _, _ in BODY[:3])


# ---------------------------------------------------------------- 6. face


class Patch:
    """Vertices and triangles gathered for one primitive."""

    def __init__(self):
        self.points, self.normals, self.colours, self.weights = [], [], [], []
        self.triangles = []
        self.targets = {"blink": {}, "smile": {}}  # vertex -> (d position, d normal)

    def vertex(self, point, normal, colour, weights, **morphs):
        """morphs: target name -> (position, normal) at weight 1."""
        i = len(self.points)
        self.points.append(point)
        self.normals.append(normal)
        self.colours.append(colour)
        self.weights.append(weights)
        for name, (to_point, to_normal) in morphs.items():
            self.targets[name][i] = (sub(to_point, point), sub(to_normal, normal))
        return i

    def grid(self, rows, outward):
        """Triangles between rows of vertices, wound to face `outward`."""
        for upper, lower in zip(rows, rows[1:]):
            for i in range(len(upper) - 1):
                a, b, c, d = upper[i], upper[i + 1], lower[i + 1], lower[i]
                for tri in ((a, b, c), (a, c, d)):
                    self.oriented(tri, outward)

    def oriented(self, tri, outward):
        a, b, c = tri
        pa, pb, pc = (self.points[v] for v in tri)
        n = cross(sub(pb, pa), sub(pc, pa))
        self.triangles.append((a, b, c) if dot(n, outward(pa)) >= 0.0 else (a, c, b))


HEAD_ONLY = {JOINT_INDEX["head"]: 1.0}


class Eye:
    """A flattened ball set into the head; local z looks out of it."""

    RADII = (0.064, 0.076, 0.040)

    def __init__(self, side):
        direction = unit((0.60 * side, 0.09, 0.80))
        start = (0.0, 0.680, 0.02)
        p = start
        while field(*p) < 0.0:
            p = add(p, mul(direction, 0.002))
        p = onto_surface(p)
        self.side = side
        self.z = unit(add(unit(gradient(p)), (0.0, 0.06, 0.55)))
        self.x = unit(cross((0.0, 1.0, 0.0), self.z))
        self.y = cross(self.z, self.x)
        self.center = sub(p, mul(self.z, 0.010))

    def at(self, v, depth=1.0):
        rx, ry, rz = self.RADII
        out = self.center
        for axis_, s in ((self.x, v[0] * rx), (self.y, v[1] * ry), (self.z, v[2] * rz * depth)):
            out = add(out, mul(axis_, s))
        return out

    def normal(self, v, depth=1.0):
        rx, ry, rz = self.RADII
        out = (0.0, 0.0, 0.0)
        for axis_, s in ((self.x, v[0] / rx), (self.y, v[1] / ry), (self.z, v[2] / (rz * depth))):
            out = add(out, mul(axis_, s))
        return unit(out)


IRIS_TOP = rgb("#b5491c")
IRIS_LOW = rgb("#ffb637")
WHITE = (1.0, 1.0, 1.0)
EYE_FLAT = 0.45  # a closing eye sinks, so the straight path of its lid clears it

# Rings from the middle of the eye outwards: angle, colour at the bottom and at
# the top. Two rings at nearly one angle make a crisp edge.
EYE_RINGS = [(31, INK, INK), (33, IRIS_LOW, IRIS_TOP), (52, IRIS_LOW, mul(IRIS_TOP, 0.5)),
             (56, INK, INK), (78, INK, INK), (97, INK, INK)]


def add_eyeball(patch, eye, segments=20):
    def put(v, colour):
        normal = eye.normal(v)
        sunk = (eye.at(mul(v, 0.94), EYE_FLAT), normal)  # hidden by then, so keep the normal
        return patch.vertex(eye.at(v), normal, colour, HEAD_ONLY, blink=sunk)

    outward = lambda p: sub(p, sub(eye.center, mul(eye.z, 0.05)))
    # The ball faces outwards with the head, but the iris turns to look ahead.
    gaze = lambda v, degrees: qrot(quat((0, 1, 0), -11.0 * eye.side * smooth(97.0, 50.0, degrees)), v)
    middle = put(gaze((0.0, 0.0, 1.0), 0.0), INK)
    rings = []
    for degrees, low, high in EYE_RINGS:
        r, z = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        ring = []
        for s in range(segments):
            a = 2.0 * math.pi * s / segments
            ring.append(put(gaze((r * math.cos(a), r * math.sin(a), z), degrees),
                            mix(low, high, smooth(-0.6, 0.7, math.sin(a)))))
        rings.append(ring + ring[:1])
    for a, b in zip(rings[0], rings[0][1:]):
        patch.oriented((middle, a, b), outward)
    patch.grid(rings, outward)
    # Painted highlights: one large, one small opposite, both just off the ball.
    for u, v, size in ((0.26, 0.34, 0.20), (-0.24, -0.30, 0.09)):
        spot = lambda a, b: unit((a, b, math.sqrt(max(0.0, 1.0 - a * a - b * b))))
        lifted = lambda q: mul(gaze(q, 0.0), 1.012)
        rim = []
        for s in range(12):
            a = 2.0 * math.pi * s / 12
            rim.append(put(lifted(spot(u + size * math.cos(a), v + size * math.sin(a))), WHITE))
        center = put(lifted(spot(u, v)), WHITE)
        for a, b in zip(rim, rim[1:] + rim[:1]):
            patch.oriented((center, a, b), outward)


# Lid rows, from the root inside the head to the edge: share of the way to the
# edge, distance from the eye, ink? The last row folds in to give it thickness.
LID_ROWS = [(0.0, 1.0, False), (0.32, 1.0, False), (0.64, 1.0, False), (0.935, 1.0, False),
            (0.945, 1.0, True), (1.0, 0.995, True), (1.0, 0.93, True)]
# root, open edge, closed edge, smiling edge (degrees up from straight ahead),
# size when open and otherwise (an open lower lid hides inside the head)
UPPER_LID = (112.0, 56.0, -30.0, 56.0, 1.085, 1.085)
LOWER_LID = (-112.0, -88.0, -26.0, -50.0, 0.92, 1.070)


def add_lid(patch, eye, lid, columns=9):
    root, opened, closed, smiling, open_size, size = lid
    rows = []
    for share, lift, ink in LID_ROWS:
        row = []
        for c in range(columns + 1):
            around = math.radians(mix(6.0, 174.0, c / columns))
            inner = smooth(0.0, 0.7, math.sin(around))  # corners tuck in

            def pose(edge, size=size, tuck=0.92):
                girth = mix(tuck, size, inner)
                up = math.radians(mix(root, edge, share))
                v = (math.cos(around), math.sin(around) * math.sin(up), math.sin(around) * math.cos(up))
                return eye.at(mul(v, girth * lift)), eye.normal(v)

            point, normal = pose(opened, open_size)
            colour = INK if ink and inner > 0.7 else LID
            row.append(patch.vertex(point, normal, colour, HEAD_ONLY,
                                    blink=pose(closed, tuck=1.02), smile=pose(smiling)))
        rows.append(row)
    # Wound as seen when closed: only then is the whole lid spread out.
    first = len(patch.triangles)
    patch.grid(rows, lambda p: (0, 0, 1))
    shut = lambda v: add(patch.points[v], patch.targets["blink"][v][0])
    for i in range(first, len(patch.triangles)):
        a, b, c = patch.triangles[i]
        n = cross(sub(shut(b), shut(a)), sub(shut(c), shut(a)))
        if dot(n, sub(shut(a), sub(eye.center, mul(eye.z, 0.05)))) < 0.0:
            patch.triangles[i] = (a, c, b)


MAROON = rgb("#5c1328")
TONGUE = rgb("#ff8f90")
# Mouth rows: share of the opening when closed and when smiling, colour.
MOUTH_ROWS = [(0.0, 0.0, INK), (1.0, 0.09, INK), (1.0, 0.10, MAROON), (1.0, 0.50, MAROON),
              (1.0, 0.56, TONGUE), (1.0, 0.93, TONGUE), (1.0, 0.94, INK), (1.0, 1.0, INK)]


def on_face(x, y, lift):
    """The point on the front of the face at (x, y), lifted off the skin."""
    z = 0.40
    for _ in range(60):
        d = field(x, y, z)
        z -= d * 0.8
        if abs(d) < 1e-5:
            break
    n = unit(gradient((x, y, z)))
    return add((x, y, z), mul(n, lift)), n


def add_mouth(patch, weights_at, columns=16):
    rows = []
    for shut, wide, colour in MOUTH_ROWS:
        row = []
        for c in range(columns + 1):
            u = 2.0 * c / columns - 1.0
            bow = 1.0 - u * u

            def pose(half, rise, drop, share, lift):
                y = 0.588 + rise * u * u * (1.3 - 0.3 * u * u) - drop * share
                return on_face(half * u, y, lift)

            line = 0.0030 + 0.0045 * bow
            point, normal = pose(0.074, 0.024, line, shut, 0.0022)
            grin = pose(0.080, 0.030, line + 0.046 * bow ** 0.75, wide, 0.0030)
            row.append(patch.vertex(point, normal, colour, weights_at(point), smile=grin))
        rows.append(row)
    # As with the lids, the winding is read off the opened shape.
    first = len(patch.triangles)
    patch.grid(rows, lambda p: (0, 0, 1))
    shown = lambda v: add(patch.points[v], patch.targets["smile"][v][0])
    for i in range(first, len(patch.triangles)):
        a, b, c = patch.triangles[i]
        if cross(sub(shown(b), shown(a)), sub(shown(c), shown(a)))[2] < 0.0:
            patch.triangles[i] = (a, c, b)


def add_nostrils(patch, weights_at):
    for side in (-1.0, 1.0):
        place = lambda u, v, lift: on_face(side * 0.022 + 0.0075 * u, 0.642 + 0.0045 * v, lift)
        center = place(0, 0, 0.0030)
        weights = weights_at(center[0])
        hub = patch.vertex(center[0], center[1], INK, weights)
        rim = []
        for s in range(8):
            a = 2.0 * math.pi * s / 8
            point, normal = place(math.cos(a), math.sin(a), 0.0012)
            rim.append(patch.vertex(point, normal, INK, weights))
        for a, b in zip(rim, rim[1:] + rim[:1]):
            patch.oriented((hub, a, b), lambda p: (0, 0, 1))


def add_smiling_cheeks(patch, body_count, body_triangles):
    """The skin's part of the smile: cheeks bulge up and out."""
    shifted = list(patch.points[:body_count])
    moved = set()
    for i in range(body_count):
        x, y, z = patch.points[i]
        d = length(sub((abs(x), y, z), (0.112, 0.612, 0.130)))
        if z > 0.03 and d < 0.075:
            amount = smooth(0.075, 0.0, d)
            shift = add(mul(patch.normals[i], 0.012 * amount), (0.0, 0.010 * amount, 0.0))
            shifted[i] = add(patch.points[i], shift)
            moved.add(i)
    before = mesh_normals(patch.points[:body_count], body_triangles)
    after = mesh_normals(shifted, body_triangles)
    for i in sorted(moved):
        patch.targets["smile"][i] = (sub(shifted[i], patch.points[i]), sub(after[i], before[i]))


def build_meshes():
    """The two primitives: everything matt (skin) and everything glossy (eyes)."""
    xs = symmetric_axis(0.36)
    ys = axis(-0.05, 1.06, lambda y: 1.35 if 0.07 < y < 0.25 or 0.33 < y < 0.53 else 1.0)
    zs = axis(-0.76, 0.30)
    points, quads = surface_nets(xs, ys, zs)
    near = neighbours_of(len(points), quads)
    points = relax(points, near)
    triangles = split_quads(points, quads)
    weights = diffuse([first_weights(p) for p in points], near)

    skin = Patch()
    for p, w in zip(points, weights):
        n = unit(gradient(p))
        skin.vertex(p, n, skin_colour(p, n), w)
    skin.triangles = list(triangles)
    add_smiling_cheeks(skin, len(points), triangles)

    def weights_at(p):
        """Skin weights for a point on the skin, from the vertices around it."""
        ranked = sorted((length(sub(p, q)), i) for i, q in enumerate(points))[:4]
        out = {}
        for d, i in ranked:
            for joint, w in weights[i].items():
                out[joint] = out.get(joint, 0.0) + w / (d + 1e-3)
        total = sum(out.values())
        return {joint: w / total for joint, w in out.items()}

    eyes = Patch()
    for side in (1.0, -1.0):
        eye = Eye(side)
        add_eyeball(eyes, eye)
        add_lid(skin, eye, UPPER_LID)
        add_lid(skin, eye, LOWER_LID)
    add_mouth(skin, weights_at)
    add_nostrils(skin, weights_at)
    return skin, eyes


# ---------------------------------------------------------------- 7. clips
#
# A pose is {joint name: {"translation" | "rotation" | "scale": value}}, with
# translations relative to the rest position. A clip is a function of time that
# returns one; tracks are sampled from it.

TAU = 2.0 * math.pi


def leg_pose(pose, side, ankle, pitch=0.0):
    """Bends one leg so that its ankle reaches `ankle` (world, root unscaled)
    and the foot keeps its own pitch, whatever the hips are doing."""
    hips_shift = pose["hips"].get("translation", (0, 0, 0))
    hips_turn = pose["hips"].get("rotation", (0, 0, 0, 1))
    names = [n + side for n in ("leg", "shin", "foot")]
    hip, knee, rest_ankle = (JOINT_POS[n] for n in names)
    pivot = add(JOINT_POS["hips"], hips_shift)
    hip_now = add(pivot, qrot(hips_turn, sub(hip, JOINT_POS["hips"])))
    t = qrot(qinv(hips_turn), sub(ankle, hip_now))

    # Sideways first: a roll that brings the target into the leg's own plane.
    roll = math.degrees(math.atan2(t[0], -t[1]))
    down, ahead = -math.hypot(t[0], t[1]), t[2]
    thigh, shin = sub(knee, hip), sub(rest_ankle, knee)
    a, b = length(thigh), length(shin)
    reach = min(math.hypot(down, ahead), (a + b) * 0.999)
    angle = lambda v: math.degrees(math.atan2(v[2], -v[1]))  # forward from straight down
    spread = lambda near_, far, c: math.degrees(math.acos(max(-1.0, min(1.0,
             (near_ * near_ + c * c - far * far) / (2.0 * near_ * c)))))
    toward = math.degrees(math.atan2(ahead, -down))
    thigh_angle = toward + spread(a, b, reach)
    shin_angle = toward - spread(b, a, reach)
    thigh_turn = -(thigh_angle - angle(thigh))  # + pitch swings a hanging leg back
    shin_turn = -(shin_angle - angle(shin)) - thigh_turn
    q_leg = qmul(quat((0, 0, 1), roll), quat((1, 0, 0), thigh_turn))
    q_shin = quat((1, 0, 0), shin_turn)
    pose[names[0]] = {"rotation": q_leg}
    pose[names[1]] = {"rotation": q_shin}
    q_above = qmul(hips_turn, qmul(q_leg, q_shin))
    pose[names[2]] = {"rotation": qmul(qinv(q_above), euler(pitch))}


def plant_feet(pose):
    for side in (".L", ".R"):
        leg_pose(pose, side, JOINT_POS["foot" + side])


def curve(*keys):
    """A smooth curve through (time, value) keys, level at both ends and at
    every turning point (so it never overshoots a key)."""
    slopes = [0.0] * len(keys)
    for i in range(1, len(keys) - 1):
        (t0, v0), (t1, v1), (t2, v2) = keys[i - 1:i + 2]
        left, right = (v1 - v0) / (t1 - t0), (v2 - v1) / (t2 - t1)
        if left * right > 0.0:
            slopes[i] = 2.0 * left * right / (left + right)

    def value(t):
        if t <= keys[0][0]:
            return keys[0][1]
        for i in range(len(keys) - 1):
            (t0, v0), (t1, v1) = keys[i], keys[i + 1]
            if t <= t1:
                d = t1 - t0
                s = (t - t0) / d
                return ((1 + 2 * s) * (1 - s) ** 2 * v0 + s * (1 - s) ** 2 * d * slopes[i]
                        + s * s * (3 - 2 * s) * v1 + s * s * (s - 1) * d * slopes[i + 1])
        return keys[-1][1]

    return value


IDLE_LENGTH = 4.0
TWITCH_L = curve((0.7, 0), (0.82, 1), (0.94, -0.25), (1.05, 0.7), (1.3, 0))
TWITCH_R = curve((2.5, 0), (2.62, 1), (2.95, 0))
LOOK = curve((0.0, 0), (0.9, 0), (1.4, 1), (2.3, 1), (2.8, -0.6), (3.4, -0.6), (4.0, 0))


def idle(t):
    a = TAU * t / IDLE_LENGTH
    breath = math.sin(2.0 * a)
    swell = (1.0 + 0.022 * breath, 1.0 + 0.010 * breath, 1.0 + 0.030 * breath)
    look = LOOK(t)
    pose = {
        "hips": {"translation": (0.010 * math.sin(a), -0.005 + 0.003 * breath, 0.0),
                 "rotation": euler(roll=-1.5 * math.sin(a))},
        "spine": {"rotation": euler(-1.0 * breath, 2.0 * math.sin(a), 2.0 * math.sin(a)), "scale": swell},
        "chest": {"rotation": euler(-1.0 * breath),
                  "scale": tuple(1.0 / s for s in swell)},  # keep head and arms their size
        "neck": {"rotation": euler(0.8 * breath, 5.0 * look)},
        "head": {"rotation": euler(1.2 * math.cos(2.0 * a) - 2.0 * abs(look), 9.0 * look, -5.0 * look)},
        "jaw": {"rotation": euler(1.5 - 1.5 * math.cos(2.0 * a))},
    }
    for side, s, twitch in ((".L", 1.0, TWITCH_L(t)), (".R", -1.0, TWITCH_R(t))):
        pose["ear" + side] = {"rotation": euler(14.0 * twitch - 2.0 * breath, s * 10.0 * twitch,
                                                -s * (3.0 * math.sin(a + s) + 12.0 * twitch))}
        pose["earTip" + side] = {
            "rotation": euler(10.0 * twitch, 0.0, -s * (5.0 * math.sin(a - 0.6 + s) + 14.0 * twitch))}
        pose["arm" + side] = {"rotation": euler(3.0 * math.sin(a - 0.5), 0.0, s * (2.5 * breath - 2.0))}
        pose["forearm" + side] = {"rotation": euler(-5.0 + 4.0 * math.sin(2.0 * a - 0.7))}
        pose["hand" + side] = {"rotation": euler(-4.0 + 5.0 * math.sin(2.0 * a - 1.3))}
    for i in range(1, 8):
        pose["tail.%d" % i] = {"rotation": euler(2.2 * math.sin(2.0 * a - 0.5 * i),
                                                 (5.0 + 1.6 * i) * math.sin(a - 0.42 * i), 0.0)}
    plant_feet(pose)
    return pose


WALK_LENGTH = 1.0
STRIDE = 0.075


def foot_path(phase):
    """(forward, up, foot pitch) of a foot; on the ground for 56 % of the cycle,
    moving back at one speed so that it does not slide."""
    phase %= 1.0
    stance = 0.56
    if phase < stance:
        s = phase / stance
        return STRIDE * (1.0 - 2.0 * s), 0.0, 0.0
    s = (phase - stance) / (1.0 - stance)
    forward = STRIDE * (-1.0 + 2.0 * smooth(0.0, 1.0, s))
    return forward, 0.060 * math.sin(math.pi * s), 18.0 * math.sin(TAU * s) * math.sin(math.pi * s)


def walk(t):
    a = TAU * t / WALK_LENGTH
    side_step = math.sin(a)  # + when the left foot carries
    bob = math.cos(2.0 * a + 0.5)
    pose = {
        "hips": {"translation": (0.020 * side_step, -0.012 - 0.011 * bob, 0.0),
                 "rotation": euler(2.0, 6.0 * math.cos(a), -4.0 * side_step)},
        "spine": {"rotation": euler(3.0 + 1.5 * bob, -5.0 * math.cos(a), 6.0 * side_step)},
        "chest": {"rotation": euler(1.0, -6.0 * math.cos(a), 2.0 * side_step)},
        "neck": {"rotation": euler(-1.5, 3.0 * math.cos(a), -2.0 * side_step)},
        "head": {"rotation": euler(-3.0 + 2.5 * math.cos(2.0 * a - 0.4), 2.5 * math.cos(a), -3.0 * side_step)},
    }
    for side, s in ((".L", 1.0), (".R", -1.0)):
        phase = t / WALK_LENGTH + (0.0 if s > 0 else 0.5)
        swing = -s * math.cos(a)  # arms oppose the legs
        pose["arm" + side] = {"rotation": euler(-26.0 * swing, 0.0, -s * 4.0)}
        pose["forearm" + side] = {"rotation": euler(-14.0 - 12.0 * swing)}
        pose["hand" + side] = {"rotation": euler(-8.0 * swing)}
        flop = math.cos(2.0 * a - 0.9)
        pose["ear" + side] = {"rotation": euler(-6.0 * flop, 0.0, -s * (3.0 + 5.0 * flop))}
        pose["earTip" + side] = {"rotation": euler(-8.0 * math.cos(2.0 * a - 1.7), 0.0,
                                                   -s * 9.0 * math.cos(2.0 * a - 1.7))}
        forward, up, pitch = foot_path(phase)
        rest = JOINT_POS["foot" + side]
        leg_pose(pose, side, add(rest, (-s * 0.012, up, forward - 0.005)), pitch)
    for i in range(1, 8):
        # Against the hips at the root, a travelling wave further out.
        pose["tail.%d" % i] = {"rotation": euler(1.6 * math.cos(2.0 * a - 0.6 * i),
                                                 -(8.0 + 0.8 * i) * math.cos(a - 0.55 * (i - 1)), 0.0)}
    return pose


HOP_LENGTH = 1.6
STRETCH = curve((0.0, 0), (0.28, -0.20), (0.40, 0.20), (0.64, 0.0), (0.88, 0.14), (1.0, -0.26),
                (1.18, 0.08), (1.36, -0.02), (1.6, 0))
LEAN = curve((0.0, 0), (0.28, 1), (0.42, -0.6), (0.64, 0), (0.9, -0.3), (1.02, 1), (1.22, -0.2), (1.6, 0))
ARMS = curve((0.0, 0), (0.28, -0.5), (0.46, 1), (0.66, 0.9), (0.94, 0.6), (1.06, -0.3), (1.3, 0.1), (1.6, 0))
TUCK = curve((0.36, 0), (0.62, 1), (0.90, 0))
DRAG = curve((0.0, 0), (0.26, 0.3), (0.44, -1), (0.70, 0.3), (0.90, 1.0), (1.08, -0.7), (1.26, 0.4), (1.6, 0))


def hop_height(t):
    """Ballistic between take-off and landing, zero otherwise."""
    s = (t - 0.36) / (0.92 - 0.36)
    return 0.26 * 4.0 * s * (1.0 - s) if 0.0 < s < 1.0 else 0.0


def hop(t):
    y, lean, drag, tuck = hop_height(t), LEAN(t), DRAG(t), TUCK(t)
    tall = 1.0 + STRETCH(t)
    wide = 1.0 / math.sqrt(tall)  # keeps the volume
    head_tall = tall ** -0.5      # the head squashes only half as much
    pose = {
        "root": {"translation": (0.0, y, 0.0), "scale": (wide, tall, wide)},
        "hips": {"translation": (0.0, -0.030 * max(0.0, lean), -0.012 * max(0.0, lean)),
                 "rotation": euler(7.0 * lean)},
        "spine": {"rotation": euler(7.0 * lean)},
        "chest": {"rotation": euler(4.0 * lean)},
        "neck": {"rotation": euler(-6.0 * lean)},
        "head": {"rotation": euler(-11.0 * lean), "scale": (head_tall ** -0.5, head_tall, head_tall ** -0.5)},
        "jaw": {"rotation": euler(7.0 * tuck)},
    }
    for side, s in ((".L", 1.0), (".R", -1.0)):
        arms = ARMS(t)
        pose["arm" + side] = {
            "rotation": euler(-30.0 * arms, 0.0, s * (62.0 * max(0.0, arms) + 8.0 * min(0.0, arms)))}
        pose["forearm" + side] = {"rotation": euler(-22.0 * arms, 0.0, s * 14.0 * arms)}
        pose["hand" + side] = {"rotation": euler(-10.0 * arms, 0.0, s * 12.0 * drag)}
        pose["ear" + side] = {"rotation": euler(12.0 * drag, 0.0, s * 22.0 * drag)}
        pose["earTip" + side] = {"rotation": euler(10.0 * drag, 0.0, s * 24.0 * drag)}
        ankle = add(JOINT_POS["foot" + side], (s * 0.012 * tuck, 0.055 * tuck, 0.030 * tuck))
        leg_pose(pose, side, ankle, 18.0 * tuck - 26.0 * tuck)
    for i in range(1, 8):
        pose["tail.%d" % i] = {
            "rotation": euler((2.0 + 1.2 * i) * drag, 1.5 * i * math.sin(TAU * t / HOP_LENGTH))}
    return pose


def times(length_, count):
    return [length_ * i / count for i in range(count + 1)]


# Face keys: time, (blink, smile).
IDLE_FACE = [(0.0, (0, 0)), (1.30, (0, 0)), (1.40, (1, 0)), (1.46, (1, 0)), (1.62, (0, 0.0)), (2.1, (0, 0.35)),
             (2.9, (0, 0.35)), (3.2, (0, 0)), (3.28, (1, 0)), (3.42, (0, 0)), (4.0, (0, 0))]
WALK_FACE = [(0.0, (0, 0.45)), (0.25, (0, 0.6)), (0.5, (0, 0.45)), (0.75, (0, 0.6)), (1.0, (0, 0.45))]
HOP_FACE = [(0.0, (0, 0)), (0.16, (1, 0)), (0.36, (0, 1)), (0.96, (1, 0)), (1.16, (0, 0.6)), (1.60, (0, 0))]

EAR_KEYS = sorted(set(times(4.0, 8) + [0.7, 0.82, 0.94, 1.05, 1.3, 2.62, 2.75, 2.95]))
LOOK_KEYS = sorted(set(times(4.0, 8) + [0.9, 1.4, 2.3, 2.8, 3.4]))
HOP_KEYS = [0.0, 0.14, 0.28, 0.35, 0.43, 0.54, 0.66, 0.80, 0.91, 1.01, 1.10, 1.22, 1.38, 1.6]
HOP_STEPS = sorted(set(times(1.6, 20) + [0.28, 0.36, 0.44, 0.92, 1.01]))

# name, length, pose function, default (interpolation, key times), exceptions by
# the start of "joint.path", face keys and their interpolation.
CLIPS = [
    ("Idle", IDLE_LENGTH, idle, ("CUBICSPLINE", times(4.0, 8)),
     {"ear": ("CUBICSPLINE", EAR_KEYS), "neck": ("CUBICSPLINE", LOOK_KEYS), "head": ("CUBICSPLINE", LOOK_KEYS)},
     IDLE_FACE, "CUBICSPLINE"),
    ("Walk", WALK_LENGTH, walk, ("LINEAR", times(1.0, 16)), {}, WALK_FACE, "LINEAR"),
    ("Hop", HOP_LENGTH, hop, ("CUBICSPLINE", HOP_KEYS),
     # Legs are solved against root and hips: the same keys keep the feet planted.
     {"root.translation": ("LINEAR", HOP_STEPS), "hips": ("LINEAR", HOP_STEPS), "leg": ("LINEAR", HOP_STEPS),
      "shin": ("LINEAR", HOP_STEPS), "foot": ("LINEAR", HOP_STEPS)},
     HOP_FACE, "STEP"),
]


def rest_value(joint, path):
    if path == "translation":
        name, parent, position = JOINTS[JOINT_INDEX[joint]][:3]
        return sub(position, JOINT_POS[parent]) if parent else position
    return (0.0, 0.0, 0.0, 1.0) if path == "rotation" else (1.0, 1.0, 1.0)


def sample(clip, joint, path, t):
    value = clip(t)[joint][path]
    return add(value, rest_value(joint, path)) if path == "translation" else value


def tracks_of(clip_row):
    """(joint, path, interpolation, key times, values, tangents) of one clip."""
    _, clip_length, clip, default, special, _, _ = clip_row
    for joint, paths in clip(0.0).items():
        for path in paths:
            interpolation, keys = default
            for prefix, choice in special.items():
                if (joint + "." + path).startswith(prefix):
                    interpolation, keys = choice
            values, slopes = [], []
            for t in keys:
                wrapped = 0.0 if t == keys[-1] else t  # all clips loop: last key is the first
                values.append(sample(clip, joint, path, wrapped))
                e = 0.01
                before = sample(clip, joint, path, (wrapped - e) % clip_length)
                after = sample(clip, joint, path, (wrapped + e) % clip_length)
                slopes.append(tuple((b - a) / (2.0 * e) for a, b in zip(before, after)))
            rest = rest_value(joint, path)
            if max(abs(a - b) for v in values for a, b in zip(v, rest)) < 1e-6:
                continue  # never leaves the rest pose
            if max(abs(a - b) for v in values for a, b in zip(v, values[0])) < 1e-6:
                keys, values, slopes = [keys[0], keys[-1]], values[:2], [tuple(0.0 for _ in rest)] * 2
            yield joint, path, interpolation, keys, values, slopes


# ---------------------------------------------------------------- 8. glTF

FLOAT, U8, U16 = 5126, 5121, 5123
FORMAT = {FLOAT: "f", U8: "B", U16: "H"}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Gltf:
    def __init__(self):
        self.views, self.accessors = [], []
        self.blob, self.key_blob = bytearray(), bytearray()
        self.shared = {}

    def keys(self, rows, kind, bounds=False):
        """Animation floats. They all share one buffer view, so they are gathered
        apart and appended by finish()."""
        flat = [x for row in rows for x in row]
        data = struct.pack("<%df" % len(flat), *flat)
        if (data, kind) not in self.shared:  # clips share key times
            out = {"bufferView": None, "byteOffset": len(self.key_blob), "componentType": FLOAT,
                   "count": len(rows), "type": kind}
            if bounds:
                out.update(self.bounds(rows))
            self.key_blob += data
            self.accessors.append(out)
            self.shared[data, kind] = len(self.accessors) - 1
        return self.shared[data, kind]

    def finish(self):
        view = self.view(bytes(self.key_blob))
        for out in self.accessors:
            if out.get("bufferView", 0) is None:
                out["bufferView"] = view

    def view(self, data, target=None):
        view = {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data)}
        if target:
            view["target"] = target
        self.blob += data + b"\0" * (-len(data) % 4)
        self.views.append(view)
        return len(self.views) - 1

    def accessor(self, rows, kind, component=FLOAT, target=None, normalized=False, bounds=False):
        flat = [x for row in rows for x in row]
        data = struct.pack("<%d%s" % (len(flat), FORMAT[component]), *flat)
        out = {"bufferView": self.view(data, target), "componentType": component,
               "count": len(rows), "type": kind}
        if normalized:
            out["normalized"] = True
        if bounds:
            out.update(self.bounds(rows))
        self.accessors.append(out)
        return len(self.accessors) - 1

    def sparse(self, count, deltas, bounds=False):
        """VEC3 floats that are zero except at a few vertices: {index: vector}.
        VTK needs zero offsets in the file, and at least one row."""
        deltas = {i: d for i, d in deltas.items() if max(map(abs, d)) > 1e-6}
        deltas = deltas or {0: (0.0, 0.0, 0.0)}
        out = {"componentType": FLOAT, "count": count, "type": "VEC3"}
        order = sorted(deltas)
        indices = struct.pack("<%dH" % len(order), *order)
        values = b"".join(struct.pack("<3f", *deltas[i]) for i in order)
        if indices not in self.shared:  # a target's normals move where its points do
            self.shared[indices] = self.view(indices)
        out["sparse"] = {"count": len(order),
                         "indices": {"bufferView": self.shared[indices], "byteOffset": 0,
                                     "componentType": U16},
                         "values": {"bufferView": self.view(values), "byteOffset": 0}}
        if bounds:
            zero = [(0.0, 0.0, 0.0)] if len(deltas) < count else []
            out.update(self.bounds(list(deltas.values()) + zero))
        self.accessors.append(out)
        return len(self.accessors) - 1

    @staticmethod
    def bounds(rows):
        columns = list(zip(*rows))
        return {"min": [f32(min(c)) for c in columns], "max": [f32(max(c)) for c in columns]}


TARGETS = ("blink", "smile")


def primitive(gltf, patch, material):
    packed = [pack_weights(w) for w in patch.weights]
    byte = lambda c: min(255, max(0, int(c * 255.0 + 0.5)))
    colours = [tuple(byte(c) for c in colour) + (255,) for colour in patch.colours]
    count = len(patch.points)
    targets = []
    for name in TARGETS:
        moves = patch.targets[name]
        targets.append({"POSITION": gltf.sparse(count, {i: m[0] for i, m in moves.items()}, bounds=True),
                        "NORMAL": gltf.sparse(count, {i: m[1] for i, m in moves.items()})})
    indices = gltf.accessor([(i,) for tri in patch.triangles for i in tri], "SCALAR", U16,
                            ELEMENT_ARRAY_BUFFER)
    attributes = {
        "POSITION": gltf.accessor(patch.points, "VEC3", target=ARRAY_BUFFER, bounds=True),
        "NORMAL": gltf.accessor(patch.normals, "VEC3", target=ARRAY_BUFFER),
        "COLOR_0": gltf.accessor(colours, "VEC4", U8, ARRAY_BUFFER, normalized=True),
        "JOINTS_0": gltf.accessor([j for j, _ in packed], "VEC4", U8, ARRAY_BUFFER),
        "WEIGHTS_0": gltf.accessor([w for _, w in packed], "VEC4", U8, ARRAY_BUFFER, normalized=True),
    }
    return {"attributes": attributes, "indices": indices, "material": material, "targets": targets}


def animation(gltf, clip_row, node_of, mesh_node):
    name, _, _, _, _, face, face_interpolation = clip_row
    channels, samplers = [], []

    def channel(node, path, interpolation, keys, rows, kind):
        samplers.append({"input": gltf.keys([(f32(t),) for t in keys], "SCALAR", bounds=True),
                         "output": gltf.keys(rows, kind), "interpolation": interpolation})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    for joint, path, interpolation, keys, values, slopes in tracks_of(clip_row):
        rows = values
        if interpolation == "CUBICSPLINE":  # in-tangent, value, out-tangent
            rows = [r for v, s in zip(values, slopes) for r in (s, v, s)]
        channel(node_of[joint], path, interpolation, keys, rows, "VEC4" if path == "rotation" else "VEC3")

    rows = []
    for _, weights in face:
        row = [(float(w),) for w in weights]
        level = [(0.0,)] * len(row)  # eyelids ease in and out of every key
        rows += level + row + level if face_interpolation == "CUBICSPLINE" else row
    channel(mesh_node, "weights", face_interpolation, [t for t, _ in face], rows, "SCALAR")
    return {"name": name, "channels": channels, "samplers": samplers}


def build():
    skin, eyes = build_meshes()
    gltf = Gltf()

    # Node 0 is the creature, joints follow from node 2 in table order. Node 1
    # is the mesh: a root of its own, since only joints place a skinned mesh.
    node_of = {row[0]: i + 2 for i, row in enumerate(JOINTS)}
    nodes = [{"name": "creature", "children": [node_of["root"]]},
             {"name": "body", "mesh": 0, "skin": 0}]
    for name, _, _, _, _ in JOINTS:
        node = {"name": name, "translation": [round(c, 6) for c in rest_value(name, "translation")]}
        children = [node_of[row[0]] for row in JOINTS if row[1] == name]
        if children:
            node["children"] = children
        nodes.append(node)

    # Joints have no rest rotation, so undoing the rest pose is one translation.
    inverse_binds = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1)
                     for _, _, (x, y, z), _, _ in JOINTS]
    material = lambda name, rough: {"name": name, "pbrMetallicRoughness": {
        "baseColorFactor": [1, 1, 1, 1], "metallicFactor": 0, "roughnessFactor": rough}}
    document = {
        "asset": {"version": "2.0", "generator": "rigview assets/make_creature.py", "copyright": "CC0 1.0"},
        "scene": 0,
        "scenes": [{"name": "scene", "nodes": [0, 1]}],
        "nodes": nodes,
        "meshes": [{"name": "creature", "weights": [0, 0], "extras": {"targetNames": list(TARGETS)},
                    "primitives": [primitive(gltf, skin, 0), primitive(gltf, eyes, 1)]}],
        "materials": [material("skin", 0.6), material("eyes", 0.12)],
        "skins": [{"name": "armature", "skeleton": node_of["root"],
                   "inverseBindMatrices": gltf.accessor(inverse_binds, "MAT4"),
                   "joints": [node_of[row[0]] for row in JOINTS]}],
        "animations": [animation(gltf, row, node_of, 1) for row in CLIPS],
    }
    gltf.finish()
    document["accessors"] = gltf.accessors
    document["bufferViews"] = gltf.views
    document["buffers"] = [{"byteLength": len(gltf.blob)}]
    return document, bytes(gltf.blob), (skin, eyes)


def write_glb(path, document, blob):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(blob)))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text)
        out.write(struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "creature.glb")
    document, blob, patches = build()
    write_glb(path, document, blob)
    print("%s: %d bytes, %d joints, %d vertices, %d triangles" % (
        path, os.path.getsize(path), len(JOINTS),
        sum(len(p.points) for p in patches), sum(len(p.triangles) for p in patches)))


if __name__ == "__main__":
    main()
