#!/usr/bin/env python3
"""Writes the small models of the book: files with one subject each, beside this one.

    python3 docs/rigs/make_rigs.py

Python 3 standard library only; two runs give the same bytes. The script and the models are CC0 1.0.
Metres, seconds, Y up. Quaternions are (x, y, z, w), as in glTF.
"""

import base64
import json
import math
import os
import struct

FLOAT, BYTE, SHORT = 5126, 5121, 5123
LETTERS = {FLOAT: "f", BYTE: "B", SHORT: "H"}


class Rig:
    """A glTF file whose buffer is a data URI."""

    def __init__(self, nodes):
        self.bytes = bytearray()
        self.known = {}
        self.json = {
            "asset": {"version": "2.0", "generator": "rigview docs/rigs/make_rigs.py"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": nodes,
            "accessors": [],
            "bufferViews": [],
        }

    def accessor(self, rows, component=FLOAT, shape=None, target=None):
        """Returns the index of an accessor of numbers, or of rows of numbers. Equal ones are there once."""
        rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in rows]
        key = (repr(rows), component, target)
        if key not in self.known:
            self.known[key] = self.new_accessor(rows, component, shape, target)
        return self.known[key]

    def new_accessor(self, rows, component, shape, target):
        width = len(rows[0])
        shape = shape or {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}[width]
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        view = {"buffer": 0, "byteOffset": len(self.bytes)}
        for row in rows:
            self.bytes += struct.pack("<%d%s" % (width, LETTERS[component]), *row)
        view["byteLength"] = len(self.bytes) - view["byteOffset"]
        if target:
            view["target"] = target
        accessor = {"bufferView": len(self.json["bufferViews"]), "componentType": component,
                    "count": len(rows), "type": shape}
        if component == FLOAT and shape in ("SCALAR", "VEC3"):
            stored = [struct.unpack("<%df" % width, struct.pack("<%df" % width, *r)) for r in rows]
            accessor["min"] = [min(c) for c in zip(*stored)]
            accessor["max"] = [max(c) for c in zip(*stored)]
        self.json["bufferViews"].append(view)
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def clip(self, name, channels):
        """Adds a clip. A channel is (node, path, times, rows) and, if it is not LINEAR, the interpolation."""
        clip = {"name": name, "channels": [], "samplers": []}
        for node, path, times, rows, *kind in channels:
            sampler = {"input": self.accessor(times), "output": self.accessor(rows)}
            if kind:
                sampler["interpolation"] = kind[0]
            clip["channels"].append({"sampler": len(clip["samplers"]),
                                     "target": {"node": node, "path": path}})
            clip["samplers"].append(sampler)
        self.json.setdefault("animations", []).append(clip)

    def mesh(self, name, attributes, indices):
        """Adds a mesh of one primitive; attributes are accessors by name."""
        index = self.accessor(indices, SHORT, target=34963)
        primitive = {"attributes": attributes, "indices": index, "material": 0}
        self.json.setdefault("meshes", []).append({"name": name, "primitives": [primitive]})
        self.json["materials"] = [{"pbrMetallicRoughness": {
            "baseColorFactor": [0.8, 0.45, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.6}}]

    def write(self, name):
        uri = "data:application/octet-stream;base64," + base64.b64encode(bytes(self.bytes)).decode()
        if self.bytes:
            self.json["buffers"] = [{"byteLength": len(self.bytes), "uri": uri}]
        self.json = {key: value for key, value in self.json.items() if value != []}
        write_text(name, json.dumps(self.json, separators=(",", ":")) + "\n")


def write_text(name, text):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "w", newline="\n") as file:
        file.write(text)


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return [c * math.sin(half) for c in axis] + [math.cos(half)]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def negated(q):
    return [-c for c in q]


# ---------------------------------------------------------------- keys, rotations, clocks


def keys():
    """One node, and the same two instants under each interpolation."""
    rig = Rig([{"name": "ball"}])
    times, values = [0.8, 1.6], [[14, 3, -2], [18, 1, 1]]
    rig.clip("linear", [(0, "translation", times, values)])
    rig.clip("step", [(0, "translation", times, values, "STEP")])
    zero = [0, 0, 0]
    # In-tangent, value, out-tangent. The two keys are 2 s apart.
    cubic = [zero, [0, 0, 0], [0, 3, 0], [0, -3, 0], [2, 1, 0], zero]
    rig.clip("cubic", [(0, "translation", [0, 2], cubic, "CUBICSPLINE")])
    # The same, with other first in- and last out-tangents, which no curve uses.
    unused = [[9, 9, 9], [0, 0, 0], [0, 3, 0], [0, -3, 0], [2, 1, 0], [7, 7, 7]]
    rig.clip("cubic, unused tangents", [(0, "translation", [0, 2], unused, "CUBICSPLINE")])
    rig.clip("one key", [(0, "translation", [0.5], [[1, 2, 3]])])
    rig.write("keys.gltf")


def turns():
    """An arm of 1 m that turns about Z: by several angles, and with the other sign of the last key."""
    rig = Rig([{"name": "arm", "children": [1]}, {"name": "tip", "translation": [1, 0, 0]}])
    rest = turn(Z, 0)
    for angle in (30, 60, 90, 120, 150, 179):
        rig.clip("%d degrees" % angle, [(0, "rotation", [0, 1], [rest, turn(Z, angle)])])
    other = negated(turn(Z, 90))
    rig.clip("90, other sign", [(0, "rotation", [0, 1], [rest, other])])
    none = [0, 0, 0, 0]
    rig.clip("cubic", [(0, "rotation", [0, 1], [none, rest, none, none, turn(Z, 90), none], "CUBICSPLINE")])
    rig.clip("cubic, other sign", [(0, "rotation", [0, 1], [none, rest, none, none, other, none], "CUBICSPLINE")])
    rig.write("turns.gltf")


def clocks():
    """Three nodes whose tracks begin and end at different times."""
    rig = Rig([{"name": "root", "children": [1, 2, 3]},
               {"name": "short"}, {"name": "late"}, {"name": "long"}])
    rig.clip("walk", [
        (1, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]),
        (2, "translation", [0.5, 1.5], [[0, 0, 0], [1, 0, 0]]),
        (3, "translation", [0, 2], [[0, 0, 0], [1, 0, 0]]),
    ])
    rig.write("clocks.gltf")


def tower():
    """Three nodes on top of each other. Each is 1 m above its parent, and the clip turns each by 90 degrees."""
    up = [0, 1, 0]
    rig = Rig([{"name": "base", "children": [1]},
               {"name": "middle", "translation": up, "children": [2]},
               {"name": "top", "translation": up}])
    quarter = turn(Z, 90)
    rig.clip("curl", [(n, "rotation", [0, 1], [turn(Z, 0), quarter]) for n in range(3)])
    # A parent that is scaled differently along its axes, above a child that turns.
    rig.clip("shear", [(0, "scale", [0, 1], [[1, 1, 1], [2, 1, 1]]),
                       (1, "rotation", [0, 1], [turn(Z, 45)] * 2)])
    rig.write("tower.gltf")


def far():
    """A node that moves by 0.3 m, at several distances from the origin."""
    rig = Rig([{"name": "node"}])
    for metres in (1, 10, 100, 1000):
        steps = range(31)
        rows = [[metres + 0.01 * i, 0, 0] for i in steps]
        rig.clip("%d m" % metres, [(0, "translation", [i / 30 for i in steps], rows)])
    rig.write("far.gltf")


# ---------------------------------------------------------------- humanoids


FIGURE = (  # joint, parent, place relative to the parent in metres, one leg and one arm
    ("hips", None, (0, 0.9, 0)), ("spine", "hips", (0, 0.15, 0)), ("chest", "spine", (0, 0.2, 0)),
    ("neck", "chest", (0, 0.2, 0)), ("head", "neck", (0, 0.1, 0)), ("crown", "head", (0, 0.2, 0)),
    ("upperArm", "chest", (0.18, 0.15, 0)), ("lowerArm", "upperArm", (0.28, 0, 0)), ("hand", "lowerArm", (0.26, 0, 0)),
    ("upperLeg", "hips", (0.1, -0.05, 0)), ("lowerLeg", "upperLeg", (0, -0.4, 0)), ("foot", "lowerLeg", (0, -0.4, 0)),
    ("toes", "foot", (0, -0.05, 0.14)))
SIDED = ("upperArm", "lowerArm", "hand", "upperLeg", "lowerLeg", "foot", "toes")
MIXAMO = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head", "crown": "HeadTop_End",
          "upperArm": "%sArm", "lowerArm": "%sForeArm", "hand": "%sHand", "upperLeg": "%sUpLeg", "lowerLeg": "%sLeg",
          "foot": "%sFoot", "toes": "%sToeBase"}
UNREAL = {"hips": "pelvis", "spine": "spine_01", "chest": "spine_02", "neck": "neck_01", "head": "head", "crown": "crown",
          "upperArm": "upperarm_%s", "lowerArm": "lowerarm_%s", "hand": "hand_%s", "upperLeg": "thigh_%s",
          "lowerLeg": "calf_%s", "foot": "foot_%s", "toes": "ball_%s"}


def figure(names, sides, legs=1, arms=0):
    """The nodes of a humanoid without a mesh, and their indices by side and joint. `legs` scales the legs, `arms` lowers
    the arms by degrees."""
    nodes, at = [], {}
    for joint, parent, place in FIGURE:
        for side in (1, -1) if joint in SIDED else (0,):
            name = names[joint] % sides[side < 0] if side else names[joint]
            scale = legs if joint in ("hips", "lowerLeg", "foot") else 1
            node = {"name": name, "translation": [(side or 1) * place[0], place[1] * scale, place[2]]}
            if joint == "upperArm" and arms:
                node["rotation"] = turn(Z, -side * arms)
            at[side, joint] = len(nodes)
            above = at.get((side, parent), at.get((0, parent)))
            if above is not None:
                nodes[above].setdefault("children", []).append(len(nodes))
            nodes.append(node)
    return nodes, at


def walker():
    """A humanoid with names of Mixamo in a T-pose, which walks on the spot and lifts its arms."""
    nodes, at = figure({k: "mixamorig:" + v for k, v in MIXAMO.items()}, ("Left", "Right"))
    rig = Rig(nodes)
    times = [i / 8 for i in range(9)]
    wave = [math.sin(2 * math.pi * time) for time in times]
    channels = []
    for side in (1, -1):
        channels += [(at[side, "upperLeg"], "rotation", times, [turn(X, 30 * side * w) for w in wave]),
                     (at[side, "lowerLeg"], "rotation", times, [turn(X, 25 - 25 * side * w) for w in wave]),
                     (at[side, "upperArm"], "rotation", times, [turn(Z, side * (20 * w - 30)) for w in wave]),
                     (at[side, "lowerArm"], "rotation", times, [turn(Y, -side * 50)] * 9)]
    channels.append((at[0, "hips"], "translation", times, [[0, 0.9 + 0.03 * abs(w), 0] for w in wave]))
    rig.clip("walk", channels)
    rig.write("walker.gltf")


def tall():
    """A humanoid with names of Unreal in an A-pose, with longer legs and without clips."""
    nodes, _ = figure(UNREAL, ("l", "r"), legs=1.3, arms=45)
    Rig(nodes).write("tall.gltf")


def avatar():
    """A VRM 1.0 avatar without a mesh, whose plait of three joints swings while it turns its head."""
    nodes, at = figure({k: "J_" + k if k not in SIDED else "J_%s_" + k for k in MIXAMO}, ("L", "R"))
    plait = []
    for i in range(4):
        above = plait[-1] if plait else at[0, "head"]
        nodes[above].setdefault("children", []).append(len(nodes))
        plait.append(len(nodes))
        nodes.append({"name": "plait %d" % (i + 1), "translation": [0, 0.12, -0.1] if i == 0 else [0, -0.1, -0.02]})
    rig = Rig(nodes)
    bones = {}
    for (side, joint), node in at.items():
        if joint != "crown":
            bones[(("left" if side > 0 else "right") + joint[0].upper() + joint[1:]) if side else joint] = {"node": node}
    rig.json["extensionsUsed"] = ["VRMC_vrm", "VRMC_springBone"]
    rig.json["extensions"] = {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": {"name": "Avatar", "authors": ["rigview"], "licenseUrl": "https://vrm.dev/licenses/1.0/",
                     "avatarPermission": "everyone", "allowRedistribution": True},
            "humanoid": {"humanBones": bones},
            "expressions": {"preset": {"blink": {"isBinary": True}, "happy": {"overrideBlink": "blend"}}}},
        "VRMC_springBone": {"specVersion": "1.0", "springs": [{"name": "plait", "joints": [
            {"node": node, "stiffness": 0.6, "gravityPower": 0.3, "dragForce": 0.3} for node in plait]}]}}
    times = [0, 0.25, 0.5, 0.75, 1]
    # The hips turn too, so that all bones are drawn.
    rig.clip("shake", [(at[0, "head"], "rotation", times, [turn(Y, a) for a in (0, 60, 0, -60, 0)]),
                       (at[0, "hips"], "rotation", times, [turn(Y, a) for a in (0, 5, 0, -5, 0)])])
    rig.write("avatar.gltf")


# ---------------------------------------------------------------- other formats


CMU = {"hips": "Hips", "spine": "LowerBack", "chest": "Spine", "neck": "Neck", "head": "Head", "upperArm": "%sArm",
       "lowerArm": "%sForeArm", "hand": "%sHand", "upperLeg": "%sUpLeg", "lowerLeg": "%sLeg", "foot": "%sFoot",
       "toes": "%sToeBase"}


def hop():
    """A jump over half a metre as motion capture writes it: centimetres, and angles in the order Z, X, Y."""
    frames = 30
    flight = [max(0, math.sin(math.pi * (i - 9) / 12)) if 9 <= i <= 21 else 0 for i in range(frames)]
    # How far the legs are bent: before the jump, while it lands, and a little in the air.
    bend = [max(math.sin(math.pi * i / 9) if i < 9 else 0, math.sin(math.pi * (i - 21) / 8) if 21 < i < 29 else 0,
                0.5 * flight[i]) for i in range(frames)]
    moves = {
        "hips": lambda i, side: (0, 15 * bend[i], 0),
        "chest": lambda i, side: (0, 20 * bend[i], 0),
        "upperLeg": lambda i, side: (0, -75 * bend[i], 0),
        "lowerLeg": lambda i, side: (0, 110 * bend[i], 0),
        "foot": lambda i, side: (0, 35 * flight[i] - 35 * bend[i], 0),
        "upperArm": lambda i, side: (-side * (65 - 90 * flight[i]), 0, 0),
        "lowerArm": lambda i, side: (0, 0, -side * 30 * bend[i]),
    }
    lines, row = ["HIERARCHY"], []

    def joint(name, parent, place, side, depth):
        tab = "\t" * depth
        given = CMU[name] % (("Left", "Right")[side < 0]) if side else CMU[name]
        lines.append(tab + ("JOINT " if parent else "ROOT ") + given)
        lines.append(tab + "{")
        lines.append(tab + "\tOFFSET %.2f %.2f %.2f" % tuple(100 * c for c in place))
        lines.append(tab + ("\tCHANNELS 3 " if parent else "\tCHANNELS 6 Xposition Yposition Zposition ")
                     + "Zrotation Xrotation Yrotation")
        row.append((name, side, parent is None))
        below = [other for other in FIGURE if other[1] == name and other[0] in CMU]
        for other, _, offset in below:
            for next_side in ((1, -1) if other in SIDED and not side else (side,)):
                mirrored = ((next_side or 1) * offset[0], offset[1], offset[2])
                joint(other, name, mirrored, next_side, depth + 1)
        if not below:
            end = {"head": (0, 20, 0), "hand": (side * 15, 0, 0), "toes": (0, 0, 6)}[name]
            lines.extend([tab + "\tEnd Site", tab + "\t{", tab + "\t\tOFFSET %.2f %.2f %.2f" % end, tab + "\t}"])
        lines.append(tab + "}")

    joint("hips", None, FIGURE[0][2], 0, 0)
    lines += ["MOTION", "Frames: %d" % frames, "Frame Time: 0.0333333"]
    for i in range(frames):
        numbers = []
        for name, side, is_root in row:
            if is_root:
                # The feet stay on the ground while the legs bend.
                sunk = 40 * (2 - math.cos(math.radians(60 * bend[i])) - math.cos(math.radians(50 * bend[i])))
                travel = 50 * min(max(i - 9, 0) / 12, 1)
                numbers += [0, 90 - (0 if flight[i] else sunk) + 22 * flight[i], travel]
            numbers += moves.get(name, lambda i, side: (0, 0, 0))(i, side)
        lines.append(" ".join("%.3f" % number for number in numbers))
    write_text("hop.bvh", "\n".join(lines) + "\n")


TICKS = 46186158000
"""FBX counts time in so many parts of a second."""


def lamp():
    """A desk lamp of rigid parts, as text of FBX 7.4: centimetres, pivots, Euler angles and smooth curves."""
    objects, links, number = [], [], [1000]

    def new(kind, name, more, body):
        number[0] += 1
        objects.append('%s: %d, "%s::%s", "%s" {\n%s\n}' % (kind, number[0], {"Geometry": "Geometry", "Model": "Model"}.get(
            kind, {"AnimationStack": "AnimStack", "AnimationLayer": "AnimLayer", "AnimationCurveNode": "AnimCurveNode",
                   "AnimationCurve": "AnimCurve"}.get(kind, kind)), name, more, body))
        return number[0]

    def link(child, parent, prop=None):
        links.append('C: "%s",%d,%d%s' % ("OP" if prop else "OO", child, parent, ', "%s"' % prop if prop else ""))

    def numbers(key, values):
        return "%s: *%d { a: %s }" % (key, len(values), ",".join("%.9g" % v for v in values))

    def properties(rows):
        return "Properties70: {\n%s\n}" % "\n".join('P: "%s", "%s", "", "A",%s' % (
            name, kind, ",".join("%.9g" % v for v in values)) for name, kind, values in rows)

    def frustum(sides, rings):
        """A body of revolution about Y through (radius, height) of each ring, closed at both ends."""
        points, corners, normals = [], [], []
        for radius, height in rings:
            for side in range(sides):
                angle = 2 * math.pi * side / sides + math.pi / sides
                points += [radius * math.sin(angle), height, radius * math.cos(angle)]

        def polygon(indices, normal):
            corners.extend(indices[:-1] + [-indices[-1] - 1])
            normals.extend(normal * len(indices))

        for ring in range(len(rings) - 1):
            (r, h), (s, g) = rings[ring], rings[ring + 1]
            for side in range(sides):
                a, b = ring * sides + side, ring * sides + (side + 1) % sides
                middle = 2 * math.pi * (side + 1) / sides
                length = math.hypot(g - h, r - s)
                out, up = (g - h) / length, (r - s) / length
                polygon([a, b, b + sides, a + sides], [out * math.sin(middle), up, out * math.cos(middle)])
        polygon(list(range(sides))[::-1], [0, -1, 0])
        polygon([(len(rings) - 1) * sides + side for side in range(sides)], [0, 1, 0])
        return points, corners, normals

    def part(name, parent, place, mesh, material, more=()):
        points, corners, normals = mesh
        layer = ('LayerElementNormal: 0 {\nVersion: 101\nName: ""\nMappingInformationType: "ByPolygonVertex"\n'
                 'ReferenceInformationType: "Direct"\n%s\n}\nLayerElementMaterial: 0 {\nVersion: 101\nName: ""\n'
                 'MappingInformationType: "AllSame"\nReferenceInformationType: "IndexToDirect"\nMaterials: *1 { a: 0 }\n}\n'
                 'Layer: 0 {\nVersion: 100\nLayerElement: {\nType: "LayerElementNormal"\nTypedIndex: 0\n}\n'
                 'LayerElement: {\nType: "LayerElementMaterial"\nTypedIndex: 0\n}\n}') % numbers("Normals", normals)
        geometry = new("Geometry", name, "Mesh", "%s\n%s\nGeometryVersion: 124\n%s" % (
            numbers("Vertices", points), numbers("PolygonVertexIndex", corners), layer))
        rows = [("Lcl Translation", "Lcl Translation", place)] + list(more)
        model = new("Model", name, "Mesh", "Version: 232\n" + properties(rows))
        link(geometry, model)
        link(model, parent)
        link(material, model)
        return model

    def phong(name, colour):
        return new("Material", name, "", 'Version: 102\nShadingModel: "phong"\n' + properties([
            ("DiffuseColor", "Color", colour), ("SpecularColor", "Color", (0.5, 0.5, 0.5)),
            ("ShininessExponent", "Number", (20,))]))

    paint, steel = phong("paint", (0.75, 0.2, 0.08)), phong("steel", (0.55, 0.57, 0.6))
    base = part("base", 0, (0, 0, 0), frustum(32, [(9, 0), (9, 1.5), (8, 2.2), (1.5, 3)]), paint)
    # The arms are drawn from their middle, and turn about their lower ends.
    arm = frustum(12, [(0.7, -11), (0.7, 11)])

    def pivot(height):
        return [(key, "Vector3D", (0, height, 0)) for key in ("RotationPivot", "ScalingPivot")]

    lower = part("lower arm", base, (0, 14, 0), arm, steel, pivot(-11) + [("Lcl Rotation", "Lcl Rotation", (0, 0, 30))])
    upper = part("upper arm", lower, (0, 22, 0), arm, steel, pivot(-11) + [("Lcl Rotation", "Lcl Rotation", (0, 0, -80))])
    shade = frustum(32, [(2, 0), (2.4, 4), (7.5, 12), (7.2, 12.1)])
    head = part("head", upper, (0, 11, 0), shade, paint, [("Lcl Rotation", "Lcl Rotation", (0, 0, -70))])

    stack = new("AnimationStack", "nod", "", properties([("LocalStart", "KTime", (0,)), ("LocalStop", "KTime", (2 * TICKS,)),
                                                         ("ReferenceStop", "KTime", (2 * TICKS,))]))
    layer = new("AnimationLayer", "base layer", "", "")
    link(layer, stack)

    def curve(model, rest, axis, keys):
        node = new("AnimationCurveNode", "R", "", properties([("d|" + a, "Number", (v,)) for a, v in zip("XYZ", rest)]))
        link(node, layer)
        link(node, model, "Lcl Rotation")
        # Cubic, with tangents by the neighbours.
        flags, count = 0x108, len(keys)
        line = new("AnimationCurve", "", "", "Default: 0\nKeyVer: 4008\n%s\n%s\n%s\n%s\n%s" % (
            "KeyTime: *%d { a: %s }" % (count, ",".join(str(int(t * TICKS)) for t, _ in keys)),
            numbers("KeyValueFloat", [v for _, v in keys]), "KeyAttrFlags: *1 { a: %d }" % flags,
            "KeyAttrDataFloat: *4 { a: 0,0,0,0 }", "KeyAttrRefCount: *1 { a: %d }" % count))
        link(line, node, "d|" + axis)

    curve(lower, (0, 0, 30), "Z", [(0, 30), (0.5, 5), (1, 45), (1.5, 25), (2, 30)])
    curve(upper, (0, 0, -80), "Z", [(0, -80), (0.5, -30), (1, -110), (1.5, -75), (2, -80)])
    curve(head, (0, 0, -70), "Z", [(0, -70), (0.4, -40), (0.8, -95), (1.2, -45), (2, -70)])
    settings = [("UpAxis", "int", (1,)), ("UpAxisSign", "int", (1,)), ("FrontAxis", "int", (2,)), ("FrontAxisSign", "int", (1,)),
                ("CoordAxis", "int", (0,)), ("CoordAxisSign", "int", (1,)), ("UnitScaleFactor", "double", (1,))]
    write_text("lamp.fbx", "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n"
               'Creator: "rigview docs/rigs/make_rigs.py"\n}\nGlobalSettings: {\nVersion: 1000\n%s\n}\n'
               "Objects: {\n%s\n}\nConnections: {\n%s\n}\n" % (properties(settings), "\n".join(objects), "\n".join(links)))


# ---------------------------------------------------------------- skins


def bar(rig, rings, length, joints, weigh, radius=0.15, corners=4):
    """Adds a bar along Y with flat sides, skinned to `joints` evenly spaced joints. `weigh(height)` returns
    the weights of all joints at a height of 0 to 1. Each corner is there once for each of its two sides."""
    positions, normals, sets, indices = [], [], [], []
    for side in range(corners):
        angles = [2 * math.pi * (side + k) / corners + math.pi / corners for k in (0, 1)]
        middle = sum(angles) / 2
        for ring in range(rings):
            for angle in angles:
                positions.append([radius * math.sin(angle), length * ring / (rings - 1), radius * math.cos(angle)])
                normals.append([math.sin(middle), 0, math.cos(middle)])
                sets.append(weigh(ring / (rings - 1)))
            if ring:
                a = len(positions) - 4
                indices += [a, a + 1, a + 2, a + 2, a + 1, a + 3]
    most = max(sum(1 for w in weights if w) for weights in sets)
    attributes = {"POSITION": rig.accessor(positions, target=34962), "NORMAL": rig.accessor(normals, target=34962)}
    for first in range(0, most, 4):
        own_joints, own_weights = [], []
        for weights in sets:
            used = [(j, w) for j, w in enumerate(weights) if w][first:first + 4]
            used += [(0, 0)] * (4 - len(used))
            own_joints.append([j for j, _ in used])
            own_weights.append([w for _, w in used])
        attributes["JOINTS_%d" % (first // 4)] = rig.accessor(own_joints, BYTE, target=34962)
        attributes["WEIGHTS_%d" % (first // 4)] = rig.accessor(own_weights, target=34962)
    rig.mesh("bar", attributes, indices)
    step = length / joints
    inverse = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -step * j, 0, 1] for j in range(joints)]
    rig.json["skins"] = [{"name": "bones", "joints": list(range(2, 2 + joints)),
                          "inverseBindMatrices": rig.accessor(inverse)}]


def bar_nodes(joints, length, names=None):
    """Returns a root, the bar's node, and a chain of joints."""
    names = names or ["joint %d" % j for j in range(joints)]
    nodes = [{"name": "root", "children": [1, 2]}, {"name": "bar", "mesh": 0, "skin": 0}]
    for j in range(joints):
        node = {"name": names[j], "translation": [0, length / joints if j else 0, 0]}
        if j + 1 < joints:
            node["children"] = [3 + j]
        nodes.append(node)
    return nodes


def between_two(height):
    """Weights of two joints that meet in the middle."""
    upper = min(1, max(0, (height - 0.35) / 0.3))
    return [1 - upper, upper]


def bend():
    """A bar with two joints. Its node is 5 m away, which must not matter."""
    nodes = bar_nodes(2, 1, ["lower", "upper"])
    nodes[1]["translation"] = [5, 0, 0]
    rig = Rig(nodes)
    bar(rig, 21, 1, 2, between_two)
    rest = turn(Y, 0)
    rig.clip("bend", [(3, "rotation", [0, 1], [rest, turn(Z, 120)])])
    rig.clip("twist", [(3, "rotation", [0, 1], [rest, turn(Y, 179.9)])])
    rig.clip("squash", [(2, "scale", [0, 1], [[1, 1, 1], [2, 0.4, 1]])])
    rig.write("bend.gltf")


def chain():
    """A bar with 120 joints, more than one palette of 100."""
    rig = Rig(bar_nodes(120, 3))

    def weigh(height):
        weights = [0] * 120
        at = height * 119
        weights[int(at)] = 1 - at % 1
        if at % 1:
            weights[int(at) + 1] = at % 1
        return weights

    bar(rig, 61, 3, 120, weigh, 0.06, 3)
    rig.clip("roll", [(n, "rotation", [0, 1], [turn(Z, 0), turn(Z, 4)]) for n in range(2, 122)])
    rig.write("chain.gltf")


def weights():
    """A bar with six joints per vertex, whose weights sum to 0.9."""
    rig = Rig(bar_nodes(6, 1))
    shares = [0.35, 0.2, 0.13, 0.1, 0.07, 0.05]
    bar(rig, 9, 1, 6, lambda height: shares if height < 0.5 else shares[::-1])
    rig.clip("sway", [(n, "rotation", [0, 1], [turn(Z, 0), turn(Z, 25)]) for n in range(2, 8)])
    rig.write("weights.gltf")


# ---------------------------------------------------------------- faults


def faults():
    """A bar with a clip per fault that `rigview check` finds in motions."""
    rig = Rig(bar_nodes(2, 1, ["lower", "upper"]))
    bar(rig, 11, 1, 2, between_two)
    lower, upper = 2, 3
    frames = [i / 30 for i in range(31)]

    def swing(i, degrees=40):
        return degrees * math.sin(2 * math.pi * i / 30)

    good = [turn(Z, swing(i)) for i in range(31)]
    rig.clip("good", [(upper, "rotation", frames, good)])
    # The last key is 1 degree short of the first one.
    rig.clip("gap", [(upper, "rotation", frames, good[:30] + [turn(Z, -1)])])
    # The pose is the same at both ends, its direction is not.
    rig.clip("kink", [(upper, "rotation", frames, [turn(Z, 60 * math.sin(math.pi * i / 30)) for i in range(31)])])
    # Halfway, the joint jumps by 60 degrees, and turns back slowly.
    jump = [60 * (30 - i) / 15 if i >= 15 else 0 for i in range(31)]
    rig.clip("pop", [(upper, "rotation", frames, [turn(Z, swing(i, 10) + jump[i]) for i in range(31)])])
    rig.clip("late", [(upper, "rotation", [0.4 + t for t in frames], good)])
    rig.clip("uneven", [(upper, "rotation", frames, good),
                        (lower, "rotation", [0, 0.7], [turn(Y, 0), turn(Y, 20)])])
    rig.clip("still", [(upper, "rotation", frames, good),
                       (lower, "translation", frames, [[0, 0, 0]] * 31)])
    # LINEAR keys of a steady turn: two would do.
    rig.clip("spare", [(upper, "rotation", frames, [turn(Z, 90 * i / 30) for i in range(31)])])
    rig.clip("off grid", [(upper, "rotation", [t * 1.0137 for t in frames], good)])
    rig.clip("twin", [(upper, "rotation", frames, good)])
    rig.clip("drift", [(lower, "translation", frames, [[0.5 * i / 30, 0, 0] for i in range(31)]),
                       (upper, "rotation", frames, good)])
    rig.clip("flat", [(lower, "scale", frames, [[1, 1 - 0.5 * math.sin(math.pi * i / 30), 1] for i in range(31)])])
    rig.write("faults.gltf")


def rig_faults():
    """A bar with three joints and a fourth that moves nothing: the faults of rigs."""
    nodes = bar_nodes(3, 0.9, ["spine", "arm", "arm"])
    nodes[2]["children"].append(5)
    nodes.append({"name": "spare", "translation": [0.35, 0.2, 0]})
    # At rest, a joint is turned, and the one above it is not where the skin was bound.
    rest = turn(Z, -35)
    nodes[3]["rotation"] = rest
    rig = Rig(nodes)

    def weigh(height):
        if 0.1 < height < 0.2:
            return [0.6, 0, 0]
        if height == 0.5:
            return [0, 0, 0]
        at = min(2, max(0, height * 3 - 0.5))
        return [max(0, 1 - abs(at - j)) for j in range(3)]

    bar(rig, 21, 0.9, 3, weigh)
    skin = rig.json["skins"][0]
    skin["joints"].append(5)
    places = [[0, 0, 0], [0, 0.3, 0], [0, 0.6, 0], [0.35, 0.2, 0]]
    skin["inverseBindMatrices"] = rig.accessor(
        [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1] for x, y, z in places])
    rig.clip("mirror", [(3, "scale", [0, 1], [[-1, 1, 1]] * 2)])
    rig.clip("shear", [(2, "scale", [0, 1], [[1, 1, 1], [1.8, 0.7, 1]]),
                       (3, "rotation", [0, 1], [rest, turn(Z, -50)])])
    rig.write("rig-faults.gltf")


def steps():
    """A leg that stands on the ground while the hip travels: once the foot slides along, once it stays."""
    rig = Rig(bar_nodes(2, 1, ["foot", "knee"]))
    bar(rig, 11, 1, 2, between_two, 0.06)
    foot = 2
    times = [i / 10 for i in range(11)]
    lean = [turn(Z, 15 - 30 * t) for t in times]
    rig.clip("slide", [(foot, "translation", times, [[0.4 * t, 0, 0] for t in times]),
                       (foot, "rotation", times, lean)])
    rig.clip("stand", [(foot, "rotation", times, lean)])
    rig.write("steps.gltf")


for write in (keys, turns, clocks, tower, far, bend, chain, weights, faults, rig_faults, steps, walker, tall, avatar, hop, lamp):
    write()
