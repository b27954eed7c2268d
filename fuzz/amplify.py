#!/usr/bin/env python3
"""Writes small files that describe large products, and measures the program's memory and time for them.

    amplify.py OUT                          write the files, each under 5 MB
    amplify.py OUT --run RIGVIEW [NAME ..]  also run the commands on them, and print the peak resident
                                            size in MiB, the seconds and the exit code of each

Every file is generated, with the same bytes on every run. A command fails if a signal ends it, or if it
takes more than 1.2 GiB or 60 seconds.
"""

import argparse
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import time
import zlib

FLOAT, U8, U16, U32 = 5126, 5121, 5123, 5125
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def glb(doc, data=b""):
    """Returns a GLB whose first buffer is `data`."""
    doc = {"asset": {"version": "2.0"}, **doc}
    if data:
        data += b"\0" * (-len(data) % 4)
        doc["buffers"] = [{"byteLength": len(data)}, *doc.get("buffers", [])]
    text = doc.pop("RAW", None) or json.dumps(doc, separators=(",", ":"))
    text = text.encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class Data:
    """The buffer, buffer views and accessors of a file."""

    def __init__(self):
        self.bytes, self.views, self.accessors = bytearray(), [], []

    def view(self, data, **more):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data), **more})
        self.bytes += data
        return len(self.views) - 1

    def accessor(self, data, kind, component, count, **more):
        view = {} if data is None else {"bufferView": self.view(data)}
        self.accessors.append({**view, "type": kind, "componentType": component, "count": count, **more})
        return len(self.accessors) - 1

    def floats(self, kind, *numbers, **more):
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        data = struct.pack(f"<{len(numbers)}f", *numbers)
        return self.accessor(data, kind, FLOAT, len(numbers) // width, **more)

    def triangle(self):
        return self.floats("VEC3", 0, 0, 0, 1, 0, 0, 0, 1, 0, min=[0, 0, 0], max=[1, 1, 0])

    def file(self, **doc):
        doc = {"accessors": self.accessors, "bufferViews": self.views, **doc}
        return glb({key: value for key, value in doc.items() if value != []}, bytes(self.bytes))


def scene(nodes):
    return {"scenes": [{"nodes": list(range(nodes))}], "nodes": None}


def drawn(d, nodes, primitives, **doc):
    """Returns a file with this number of nodes, which all draw one mesh of these primitives."""
    each = {"mesh": 0, **doc.pop("node", {})}
    more = doc.pop("more_nodes", [])
    mesh = {"primitives": primitives, **doc.pop("mesh", {})}
    return d.file(scenes=[{"nodes": list(range(nodes))}], nodes=[each] * nodes + more, meshes=[mesh], **doc)


def skinned(d, joints, vertices):
    """Returns the attributes of points, each moved by the next joint in turn."""
    places = b"".join(struct.pack("<3f", i % 100, i // 100, 0) for i in range(vertices))
    four = b"".join(struct.pack("<4H", i % joints, 0, 0, 0) for i in range(vertices))
    return {
        "POSITION": d.accessor(places, "VEC3", FLOAT, vertices),
        "JOINTS_0": d.accessor(four, "VEC4", U16, vertices),
        "WEIGHTS_0": d.accessor(b"\xff\0\0\0" * vertices, "VEC4", U8, vertices, normalized=True),
    }


def clip(d, channels, end=1.0, name=None):
    """Returns an animation whose channels, pairs of node and path, share one sampler with two keys."""
    times = d.floats("SCALAR", 0, end, min=[0], max=[end])
    values = d.floats("VEC3", 0, 0, 0, 1, 0, 0)
    return animation(times, values, channels, name)


def animation(times, values, channels, name=None):
    made = [{"sampler": 0, "target": {"node": node, "path": path}} for node, path in channels]
    name = {} if name is None else {"name": name}
    return {"samplers": [{"input": times, "output": values}], "channels": made, **name}


# Images.


def png(side, depth=8, interlace=0, color=0):
    row = b"\0" * (1 + side * depth * {0: 1, 2: 3, 6: 4}[color] // 8)
    packer, rows = zlib.compressobj(9), []
    count = side if not interlace else side * 15 // 8 + 8
    for _ in range(count // 64):
        rows.append(packer.compress(row * 64))
    rows.append(packer.flush())
    data = b"".join(rows)
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", side, side, depth, color, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg(side, progressive=False, channels=1):
    """Returns a JPEG whose blocks are all zero: one bit for the DC and one for the AC coefficients."""
    part = lambda kind, body: struct.pack(">BBH", 0xFF, kind, 2 + len(body)) + body
    table = lambda which: part(0xC4, bytes([which, 1] + [0] * 15 + [0]))
    ids = list(range(1, channels + 1))
    frame = struct.pack(">BHHB", 8, side, side, channels) + b"".join(bytes([i, 0x11, 0]) for i in ids)
    scan = bytes([channels] + [x for i in ids for x in (i, 0)] + ([0, 0, 0] if progressive else [0, 63, 0]))
    bits = (side // 8) ** 2 * channels * (1 if progressive else 2)
    out = b"\xff\xd8" + part(0xDB, bytes([0] + [1] * 64)) + part(0xC2 if progressive else 0xC0, frame)
    return out + table(0) + table(0x10) + part(0xDA, scan) + b"\0" * (bits // 8) + b"\xff\xd9"


def webp(side):
    """Returns a lossless WebP of one colour, whose codes have zero bits."""
    bits, at = 0, 0
    for value, width in [(side - 1, 14), (side - 1, 14), (0, 1), (0, 3), (0, 1), (0, 1), (0, 1)] + [(1, 1), (0, 1), (0, 1), (0, 1)] * 5:
        bits |= value << at
        at += width
    body = b"\x2f" + bits.to_bytes((at + 7) // 8 + 4, "little")
    body += b"\0" * (len(body) % 2)
    return b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBPVP8L" + struct.pack("<I", len(body)) + body


def zstd_zeros(size):
    """Returns a Zstandard frame of blocks that repeat one byte."""
    out = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size)
    while size:
        length = min(size, 1 << 17)
        size -= length
        out += (length << 3 | 1 << 1 | (size == 0)).to_bytes(3, "little") + b"\0"
    return out


def ktx2(side):
    """Returns a KTX2 image in UASTC that repeats one block, compressed with Zstandard, with all mip levels."""
    sizes, w = [], side
    while w:
        sizes.append(max(1, w // 4) ** 2 * 16)
        w //= 2
    descriptor = struct.pack("<IIHHBBBBBBBBQ", 44, 0, 2, 40, 166, 1, 2, 0, 3, 3, 0, 0, 16)
    descriptor += struct.pack("<HBBIII", 0, 127, 3, 0, 0, 0xFFFFFFFF)
    levels = [zstd_zeros(size) for size in sizes]
    head = 80 + 24 * len(levels)
    out = b"\xabKTX 20\xbb\r\n\x1a\n"
    out += struct.pack("<9I", 0, 1, side, side, 0, 0, 1, len(levels), 2)
    out += struct.pack("<4I2Q", head, len(descriptor), 0, 0, 0, 0)
    at, index = head + len(descriptor), b""
    for level, size in zip(levels, sizes):
        index += struct.pack("<3Q", at, len(level), size)
        at += len(level)
    return out + index + descriptor + b"".join(levels)


def pictured(pictures, textures=1, **material):
    """Returns a file with a textured triangle per texture, so that all images are used."""
    d = Data()
    uv = d.floats("VEC2", 0, 0, 1, 0, 0, 1)
    attributes = {"POSITION": d.triangle(), "TEXCOORD_0": uv}
    images = [{"bufferView": d.view(bytes), "mimeType": mime} for bytes, mime in pictures]
    ktx = pictures[0][1] == "image/ktx2"
    webps = pictures[0][1] == "image/webp"
    name = "KHR_texture_basisu" if ktx else "EXT_texture_webp"
    source = lambda i: {"extensions": {name: {"source": i}}} if ktx or webps else {"source": i}
    textures = [source(i % len(images)) for i in range(max(textures, len(images)))]
    materials = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}, **material} for i in range(len(textures))]
    primitives = [{"attributes": attributes, "material": i} for i in range(len(materials))]
    used = [name] if ktx or webps else []
    return drawn(d, 1, primitives, images=images, textures=textures, materials=materials, extensionsUsed=used)


# Products of nodes.


@case
def morph_weights_by_nodes():
    d = Data()
    p = d.triangle()
    return drawn(d, 100_000, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * 8000}])


@case
def morph_weights_by_nodes_own():
    d = Data()
    p = d.triangle()
    return drawn(d, 40_000, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * 8000}], node={"weights": [0.5]})


@case
def morph_weights_below_the_limit():
    d = Data()
    p = d.triangle()
    return drawn(d, 30_000, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * 1000}])


@case
def morph_draws():
    d = Data()
    p = d.triangle()
    return drawn(d, 3_000, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}]}] * 1000)


@case
def joints_by_nodes():
    d = Data()
    attributes = skinned(d, 10_000, 10_000)
    skins = [{"joints": list(range(20_000, 30_000))}]
    return drawn(d, 20_000, [{"mode": 0, "attributes": attributes}], node={"skin": 0}, more_nodes=[{}] * 10_000, skins=skins)


@case
def joints_by_primitives_by_nodes():
    d = Data()
    attributes = skinned(d, 3000, 3000)
    skins = [{"joints": list(range(2000, 5000))}]
    return drawn(d, 2000, [{"mode": 0, "attributes": attributes}] * 200, node={"skin": 0}, more_nodes=[{}] * 3000, skins=skins)


@case
def joints_by_skins():
    d = Data()
    attributes = skinned(d, 2000, 2000)
    skins = [{"joints": list(range(400, 2400))}] * 400
    nodes = [{"mesh": 0, "skin": i} for i in range(400)] + [{}] * 2000
    return d.file(scenes=[{"nodes": list(range(400))}], nodes=nodes, skins=skins, meshes=[{"primitives": [{"mode": 0, "attributes": attributes}]}])


@case
def skins_alone():
    skins = [{"joints": [0] * 1000}] * 2000
    return glb({"scenes": [{"nodes": [0]}], "nodes": [{}], "skins": skins})


@case
def skins_of_one_joint():
    return glb({"scenes": [{"nodes": [0]}], "nodes": [{}], "skins": [{"joints": [0]}] * 300_000})


@case
def bind_matrices_without_a_view():
    d = Data()
    d.accessor(None, "MAT4", FLOAT, 15_000_000)
    return d.file(scenes=[{"nodes": [0]}], nodes=[{}], skins=[{"joints": [0], "inverseBindMatrices": 0}] * 20)


@case
def primitives_by_nodes():
    d = Data()
    return drawn(d, 1000, [{"attributes": {"POSITION": d.triangle()}}] * 3000)


@case
def primitives_by_nodes_many():
    d = Data()
    return drawn(d, 150_000, [{"attributes": {"POSITION": d.triangle()}}] * 30_000)


@case
def primitives_by_nodes_blended():
    d = Data()
    primitive = {"attributes": {"POSITION": d.triangle()}, "material": 0}
    return drawn(d, 1000, [primitive] * 3000, materials=[{"alphaMode": "BLEND"}])


@case
def primitives_by_nodes_skinned():
    d = Data()
    primitive = {"mode": 0, "attributes": skinned(d, 10, 10)}
    return drawn(d, 1000, [primitive] * 3000, node={"skin": 0}, more_nodes=[{}] * 10, skins=[{"joints": list(range(1000, 1010))}])


@case
def draws_below_the_limit():
    d = Data()
    primitive = {"attributes": {"POSITION": d.triangle()}, "material": 0}
    return drawn(d, 200, [primitive] * 200, materials=[{"alphaMode": "BLEND"}])


@case
def instances_by_primitives():
    d = Data()
    d.accessor(None, "VEC3", FLOAT, 4_000_000)
    node = {"extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}
    return drawn(d, 1, [{"attributes": {"POSITION": d.triangle()}}], node=node, extensionsUsed=["EXT_mesh_gpu_instancing"])


@case
def instances_by_nodes():
    d = Data()
    d.accessor(None, "VEC3", FLOAT, 1000)
    node = {"extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}
    return drawn(d, 4000, [{"attributes": {"POSITION": d.triangle()}}], node=node, extensionsUsed=["EXT_mesh_gpu_instancing"])


@case
def instances_blended():
    d = Data()
    d.accessor(None, "VEC3", FLOAT, 1000)
    node = {"extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}}
    primitive = {"attributes": {"POSITION": d.triangle()}, "material": 0}
    return drawn(d, 4, [primitive] * 1000, node=node, materials=[{"alphaMode": "BLEND"}], extensionsUsed=["EXT_mesh_gpu_instancing"])


@case
def scenes_by_nodes():
    nodes = [{"children": [i + 1]} for i in range(99_999)] + [{}]
    return glb({"scenes": [{"nodes": [0]}] * 100_000, "nodes": nodes})


@case
def deep_hierarchy():
    d = Data()
    p = d.triangle()
    nodes = [{"children": [i + 1]} for i in range(99_999)] + [{"mesh": 0}]
    return d.file(scenes=[{"nodes": [0]}], nodes=nodes, meshes=[{"primitives": [{"attributes": {"POSITION": p}}]}])


@case
def deep_skeleton():
    d = Data()
    nodes = [{"children": [i + 1]} for i in range(59_999)] + [{}, {"mesh": 0, "skin": 0}]
    primitive = {"mode": 0, "attributes": skinned(d, 60_000, 60_000)}
    joints = list(range(0, 60_000))
    return d.file(scenes=[{"nodes": [0, 60_000]}], nodes=nodes, meshes=[{"primitives": [primitive]}], skins=[{"joints": joints}])


@case
def deep_skeletons():
    nodes = [{"children": [i + 1]} for i in range(19_999)] + [{}]
    skins = [{"joints": [19_999 - i, 0]} for i in range(20_000)]
    return glb({"scenes": [{"nodes": [0]}], "nodes": nodes, "skins": skins})


# Long lists of tiny entries.


def empties(key, item, count, **doc):
    doc = json.dumps({"asset": {"version": "2.0"}, **doc}, separators=(",", ":"))[:-1]
    return glb({"RAW": f'{doc},"{key}":[{",".join([item] * count)}]' + "}"})


@case
def nodes_alone():
    return empties("nodes", "{}", 1_600_000)


@case
def nodes_in_a_scene():
    roots = list(range(500_000))
    return empties("nodes", "{}", 500_000, scenes=[{"nodes": roots}])


@case
def materials_alone():
    d = Data()
    return empties("materials", "{}", 1_600_000)


@case
def materials_used():
    d = Data()
    p = d.triangle()
    primitives = [{"attributes": {"POSITION": p}, "material": i} for i in range(60_000)]
    return drawn(d, 1, primitives, materials=[{}] * 60_000)


@case
def meshes_alone():
    return empties("meshes", '{"primitives":[]}', 270_000)


@case
def primitives_alone():
    d = Data()
    return drawn(d, 1, [{"attributes": {"POSITION": d.triangle()}}] * 150_000)


@case
def primitives_without_positions():
    return empties("meshes", '{"primitives":[{"attributes":{}}]}', 140_000)


@case
def animations_alone():
    return empties("animations", '{"channels":[],"samplers":[]}', 160_000, nodes=[{}])


@case
def textures_alone():
    return empties("textures", "{}", 1_600_000)


@case
def images_alone():
    return empties("images", "{}", 1_600_000)


@case
def cameras_alone():
    camera = '{"type":"perspective","perspective":{"yfov":1,"znear":1}}'
    return empties("cameras", camera, 80_000)


@case
def accessors_alone():
    return empties("accessors", '{"componentType":5126,"type":"VEC3","count":1}', 100_000)


@case
def extras_of_lists():
    return glb({"RAW": '{"asset":{"version":"2.0"},"extras":[' + "[]," * 1_600_000 + "[]]}"})


@case
def extras_of_objects():
    return glb({"RAW": '{"asset":{"version":"2.0"},"extras":[' + '{"":0},' * 700_000 + "0]}"})


@case
def long_names():
    name = "x" * 1_000_000
    return glb({"scenes": [{"nodes": [0, 1], "name": name}], "nodes": [{"name": name}, {"name": name}], "materials": [{"name": name}]})


@case
def name_by_clips():
    d = Data()
    one = clip(d, [(0, "translation")])
    clips = [{**one, "name": "c"}] * 10_000
    return d.file(scenes=[{"nodes": [0]}], nodes=[{"name": "x" * 3_000_000}], animations=clips)


@case
def metadata_by_nodes():
    used = {"KHR_xmp_json_ld": {"packet": 0}}
    packet = {"@context": {"dc": "http://purl.org/dc/elements/1.1/"}, "dc:title": "x" * 1_000_000}
    return glb({"extensionsUsed": ["KHR_xmp_json_ld"], "extensions": {"KHR_xmp_json_ld": {"packets": [packet]}},
                "scenes": [{"nodes": [0]}], "nodes": [{"extensions": used}] * 50_000, "meshes": [], "materials": [{"extensions": used}] * 20_000})


@case
def variants_by_primitives():
    d = Data()
    names = [{"name": "v"}] * 1000
    mapping = {"KHR_materials_variants": {"mappings": [{"material": 0, "variants": list(range(1000))}]}}
    primitives = [{"attributes": {"POSITION": d.triangle()}, "extensions": mapping}] * 800
    return drawn(d, 100, primitives, materials=[{}], extensionsUsed=["KHR_materials_variants"], extensions={"KHR_materials_variants": {"variants": names}})


# Data that does not exist in the file, or that is used many times.


@case
def indices_without_a_view():
    d = Data()
    p = d.triangle()
    i = d.accessor(None, "SCALAR", U32, 250_000_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "indices": i}])


@case
def indices_without_a_view_too_many():
    d = Data()
    p = d.triangle()
    i = d.accessor(None, "SCALAR", U32, 700_000_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "indices": i}])


@case
def strip_without_a_view():
    d = Data()
    p = d.triangle()
    i = d.accessor(None, "SCALAR", U8, 60_000_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "indices": i, "mode": 5}])


@case
def indices_reused():
    d = Data()
    p = d.triangle()
    i = d.accessor(b"\0\1\2" * 1_000_000, "SCALAR", U8, 3_000_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "indices": i}] * 80)


@case
def positions_without_a_view():
    d = Data()
    p = d.accessor(None, "VEC3", FLOAT, 15_000_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}}])


@case
def points_without_a_view():
    d = Data()
    p = d.accessor(None, "VEC3", FLOAT, 5_000_000)
    return drawn(d, 2, [{"mode": 0, "attributes": {"POSITION": p}}])


@case
def sparse_without_a_view():
    d = Data()
    indices, values = d.view(struct.pack("<I", 7)), d.view(struct.pack("<3f", 1, 2, 3))
    sparse = {"count": 1, "indices": {"bufferView": indices, "componentType": U32}, "values": {"bufferView": values}}
    p = d.accessor(None, "VEC3", FLOAT, 12_000_000, sparse=sparse)
    return drawn(d, 1, [{"attributes": {"POSITION": p}}])


@case
def positions_reused():
    d = Data()
    p = d.accessor(b"\0\0\x80\x3f" * 900_000, "VEC3", FLOAT, 300_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}}] * 50)


@case
def targets_of_nothing():
    d = Data()
    return drawn(d, 1, [{"attributes": {"POSITION": d.triangle()}, "targets": [{}] * 1_000_000}])


@case
def targets_many():
    d = Data()
    p = d.triangle()
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * 250_000}])


@case
def targets_by_vertices():
    d = Data()
    p = d.accessor(None, "VEC3", FLOAT, 300_000)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * 150}])


@case
def target_names():
    d = Data()
    p = d.triangle()
    mesh = {"extras": {"targetNames": [""] * 600_000}}
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "targets": [{}] * 600_000}], mesh=mesh)


@case
def tangents_of_reused_data():
    d = Data()
    n = 90_000
    grid = [(i % 300, i // 300) for i in range(n)]
    attributes = {
        "POSITION": d.accessor(b"".join(struct.pack("<3f", x, y, x * y % 7) for x, y in grid), "VEC3", FLOAT, n),
        "NORMAL": d.accessor(struct.pack("<3f", 0, 0, 1) * n, "VEC3", FLOAT, n),
        "TEXCOORD_0": d.accessor(b"".join(struct.pack("<2f", x * 7 % 5, y * 3 % 4) for x, y in grid), "VEC2", FLOAT, n),
    }
    image = d.view(png(64))
    primitives = [{"attributes": attributes, "material": 0}] * 60
    return drawn(d, 1, primitives, images=[{"bufferView": image, "mimeType": "image/png"}], textures=[{"source": 0}], materials=[{"normalTexture": {"index": 0}}])


@case
def tangents_without_a_view():
    d = Data()
    n = 4_000_000
    attributes = {"POSITION": d.accessor(None, "VEC3", FLOAT, n), "NORMAL": d.floats("VEC3", 0, 0, 1), "TEXCOORD_0": d.accessor(None, "VEC2", FLOAT, n)}
    attributes["NORMAL"] = attributes["POSITION"]
    image = d.view(png(64))
    primitives = [{"attributes": attributes, "material": 0}]
    return drawn(d, 1, primitives, images=[{"bufferView": image, "mimeType": "image/png"}], textures=[{"source": 0}], materials=[{"normalTexture": {"index": 0}}])


@case
def split_by_palettes():
    d = Data()
    joints, n = 60_000, 60_000
    attributes = skinned(d, joints, n)
    indices = d.accessor(b"".join(struct.pack("<3H", i * 7919 % n, i * 104_729 % n, i * 1_299_709 % n) for i in range(200_000)), "SCALAR", U16, 600_000)
    skins = [{"joints": list(range(1, 1 + joints))}]
    return drawn(d, 1, [{"attributes": attributes, "indices": indices}] * 8, node={"skin": 0}, more_nodes=[{}] * joints, skins=skins)


@case
def split_in_order():
    d = Data()
    joints, n = 60_000, 60_000
    attributes = skinned(d, joints, n)
    indices = d.accessor(b"".join(struct.pack("<3H", i * 7919 % n, i * 104_729 % n, i * 1_299_709 % n) for i in range(200_000)), "SCALAR", U16, 600_000)
    skins = [{"joints": list(range(1, 1 + joints))}]
    primitives = [{"attributes": attributes, "indices": indices, "material": 0}] * 8
    return drawn(d, 1, primitives, node={"skin": 0}, more_nodes=[{}] * joints, skins=skins, materials=[{"alphaMode": "BLEND"}])


@case
def meshopt_views():
    """Sixteen equal vertices, in blocks of 256 vertices that take 68 bytes."""
    count, stride = 256 * 4000, 16
    stream = b"\xa0" + (b"\0" * 4 * stride) * (count // 256) + b"\0" * 32
    d = Data()
    d.view(stream)
    length = count * stride
    extension = {"buffer": 0, "byteLength": len(stream), "byteStride": stride, "count": count, "mode": "ATTRIBUTES"}
    views = [{"buffer": 1, "byteLength": length, "byteStride": stride, "extensions": {"EXT_meshopt_compression": extension}}] * 60
    accessors = [{"bufferView": i, "componentType": FLOAT, "type": "VEC3", "count": count} for i in range(60)]
    primitives = [{"mode": 0, "attributes": {"POSITION": i}} for i in range(60)]
    buffers = [{"byteLength": length, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}]
    doc = {"buffers": buffers, "bufferViews": views, "accessors": accessors, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
           "meshes": [{"primitives": primitives}], "extensionsUsed": ["EXT_meshopt_compression"], "extensionsRequired": ["EXT_meshopt_compression"]}
    return glb(doc, bytes(d.bytes))


# Images.


@case
def png_largest():
    return pictured([(png(16384), "image/png")])


@case
def png_largest_interlaced():
    return pictured([(png(16384, interlace=1), "image/png")])


@case
def png_large():
    return pictured([(png(12288, depth=1), "image/png")])


@case
def pngs_many():
    return pictured([(png(4096, depth=1), "image/png")] * 100)


@case
def png_by_textures():
    return pictured([(png(8192, depth=1), "image/png")], textures=2000)


@case
def png_in_all_contents():
    one = png(8192, depth=1)
    d = Data()
    attributes = {"POSITION": d.triangle(), "TEXCOORD_0": d.floats("VEC2", 0, 0, 1, 0, 0, 1)}
    images = [{"bufferView": d.view(one), "mimeType": "image/png"}]
    textures = [{"source": 0}, {"source": 0, "sampler": 0}]
    base = lambda texture: {"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}, "metallicRoughnessTexture": {"index": texture}}}
    materials = [{**base(texture), "alphaMode": mode} for texture in (0, 1) for mode in ("OPAQUE", "MASK")]
    primitives = [{"attributes": attributes, "material": i} for i in range(4)]
    return drawn(d, 1, primitives, images=images, textures=textures, materials=materials, samplers=[{"minFilter": 9729}])


@case
def jpeg_largest():
    return pictured([(jpeg(16384), "image/jpeg")])


@case
def jpeg_progressive():
    return pictured([(jpeg(8192, progressive=True), "image/jpeg")] * 3)


@case
def jpeg_of_three():
    return pictured([(jpeg(8192, channels=3), "image/jpeg")] * 2)


@case
def webp_largest():
    return pictured([(webp(16384), "image/webp")])


@case
def ktx2_levels():
    return pictured([(ktx2(8192), "image/ktx2")] * 3)


@case
def ktx2_largest():
    return pictured([(ktx2(16384), "image/ktx2")])


# Clips.


@case
def clip_of_years():
    d = Data()
    one = clip(d, [(0, "translation")], end=1e9)
    return d.file(scenes=[{"nodes": [0]}], nodes=[{}], animations=[one])


@case
def clip_of_days():
    d = Data()
    one = clip(d, [(0, "translation")], end=400_000.0)
    return d.file(scenes=[{"nodes": [0]}], nodes=[{}], animations=[one])


@case
def keys_by_nodes():
    d = Data()
    one = clip(d, [(i, "translation") for i in range(40_000)], end=100.0)
    return d.file(scenes=[{"nodes": list(range(40_000))}], nodes=[{}] * 40_000, animations=[one])


@case
def keys_beside_nodes():
    d = Data()
    one = clip(d, [(0, "translation")], end=20_000.0)
    return d.file(scenes=[{"nodes": list(range(400_000))}], nodes=[{}] * 400_000, animations=[one])


@case
def clips_by_nodes():
    d = Data()
    one = clip(d, [(0, "translation")])
    return d.file(scenes=[{"nodes": list(range(100_000))}], nodes=[{}] * 100_000, animations=[one] * 20_000)


@case
def clips_by_channels():
    d = Data()
    one = clip(d, [(i, "translation") for i in range(100)])
    return d.file(scenes=[{"nodes": list(range(100))}], nodes=[{}] * 100, animations=[one] * 800)


@case
def clips_by_vertices():
    d = Data()
    one = clip(d, [(0, "translation")])
    p = d.accessor(None, "VEC3", FLOAT, 1_000_000)
    return drawn(d, 1, [{"mode": 0, "attributes": {"POSITION": p}}], animations=[one] * 2000)


@case
def keys_without_a_view():
    d = Data()
    times = d.floats("SCALAR", 0, 1)
    values = d.accessor(None, "SCALAR", FLOAT, 40_000_000)
    p = d.triangle()
    channels = [(0, "weights")] * 10
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}]}], animations=[animation(times, values, channels)])


@case
def keys_by_channels():
    d = Data()
    times = d.accessor(struct.pack("<100000f", *range(100_000)), "SCALAR", FLOAT, 100_000)
    values = d.accessor(struct.pack("<3f", 1, 2, 3) * 100_000, "VEC3", FLOAT, 100_000)
    channels = [(i, "translation") for i in range(500)]
    return d.file(scenes=[{"nodes": list(range(500))}], nodes=[{}] * 500, animations=[animation(times, values, channels)])


@case
def keys_that_do_not_merge():
    """Every channel has different times, so a common timeline would have all of them."""
    d = Data()
    samplers, channels = [], []
    values = d.accessor(struct.pack("<3f", 1, 2, 3) * 40, "VEC3", FLOAT, 40)
    for i in range(4000):
        times = d.floats("SCALAR", *[k + i / 4000 for k in range(40)])
        samplers.append({"input": times, "output": values})
        channels.append({"sampler": i, "target": {"node": i, "path": "translation"}})
    return d.file(scenes=[{"nodes": list(range(4000))}], nodes=[{}] * 4000, animations=[{"samplers": samplers, "channels": channels}])


@case
def weights_by_keys():
    d = Data()
    p, keys, targets = d.triangle(), 2000, 8000
    times = d.accessor(struct.pack(f"<{keys}f", *range(keys)), "SCALAR", FLOAT, keys)
    values = d.accessor(None, "SCALAR", FLOAT, keys * targets)
    return drawn(d, 1, [{"attributes": {"POSITION": p}, "targets": [{"POSITION": p}] * targets}], animations=[animation(times, values, [(0, "weights")])])


@case
def pointer_to_a_mesh_of_many_nodes():
    d = Data()
    p, times, values = d.triangle(), d.floats("SCALAR", 0, 1), d.floats("SCALAR", 0, 1)
    target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/meshes/0/weights/0"}}}
    animation = {"samplers": [{"input": times, "output": values}], "channels": [{"sampler": 0, "target": target}] * 2000}
    primitive = {"attributes": {"POSITION": p}, "targets": [{"POSITION": p}]}
    return drawn(d, 100_000, [primitive], animations=[animation], extensionsUsed=["KHR_animation_pointer"])


LIMIT = int(os.environ.get("LIMIT", "60"))

COMMANDS = {
    "info": ["info", "FILE"],
    "pose": ["pose", "FILE", "--json", "--vertices", "3"],
    "screenshot": ["screenshot", "FILE", "-o", "OUT.png", "--size", "320x240"],
    "compression": ["info", "FILE", "--compression"],
    "bake": ["bake", "FILE", "-o", "OUT.glb"],
    "all clips": ["pose", "FILE", "--all-clips"],
    "curve": ["curve", "FILE", "--node", "0", "-o", "OUT.json"],
}
PLAIN = ["info", "pose", "screenshot"]
MOVING = ["compression", "bake", "all clips", "curve"]


def measured(program, command, file, out):
    """Runs a command. Returns its peak resident size in MiB, its seconds, its exit code and its last message."""
    named = {"FILE": str(file), "OUT.png": str(out / "out.png"), "OUT.glb": str(out / "out.glb"), "OUT.json": str(out / "out.json")}
    arguments = [program, *(named.get(word, word) for word in COMMANDS[command])]
    environment = {**os.environ, "RIGVIEW_ADAPTER": "software"}
    bound = lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    start = time.monotonic()
    errors = out / "errors"
    with open(errors, "wb") as stderr:
        child = subprocess.Popen(arguments, env=environment, preexec_fn=bound, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        watch = subprocess.Popen(["sh", "-c", f"sleep {LIMIT}; kill -9 {child.pid}"], stderr=subprocess.DEVNULL, start_new_session=True)
        _, status, usage = os.wait4(child.pid, 0)
        os.killpg(watch.pid, 9)
        watch.wait()
    code = os.waitstatus_to_exitcode(status)
    lines = [line for line in errors.read_text(errors="replace").splitlines() if line.startswith("rigview: ")]
    return usage.ru_maxrss / 1024, time.monotonic() - start, code, lines[-1] if lines else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--run", metavar="RIGVIEW")
    parser.add_argument("--commands", default="")
    parser.add_argument("-v", action="store_true", help="print the last line of standard error")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for name, make in CASES.items():
        if options.names and name not in options.names:
            continue
        file = options.out / f"{name}.glb"
        if not file.exists():
            data = make()
            if len(data) >= 5_000_000:
                print("TOO LARGE", name, len(data))
                continue
            file.write_bytes(data)
        if not options.run:
            continue
        commands = options.commands.split(",") if options.commands else list(PLAIN)
        if not options.commands and b'"animations"' in file.read_bytes():
            commands += MOVING
        cells = []
        for command in commands:
            mib, seconds, code, line = measured(options.run, command, file, options.out)
            failed = code not in (0, 2, 3) or mib > 1.2 * 1024
            bad += failed
            cells.append(f"{command} {mib:5.0f} MiB {seconds:5.1f} s {code}{' BAD' if failed else ''}{' SLOW' if seconds > 10 else ''}")
            if options.v and line:
                cells.append(f"\n      {line[:150]}\n     ")
        print(f"{name:32} {file.stat().st_size / 1e6:5.2f} MB | " + " | ".join(cells), flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
