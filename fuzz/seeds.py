#!/usr/bin/env python3
"""Writes seed corpora and dictionaries for the fuzz targets from a folder of models.

    seeds.py SHARED OUT      OUT/corpus/{container,codecs}/*, OUT/{container,codecs}.dict

Small models become seeds of `container`, unchanged and packed into one GLB; FBX and BVH files unchanged. The compressed streams, images
and short accessors of all models become seeds of `codecs`, in the layout of src/template.rs.
"""

import base64
import hashlib
import json
import pathlib
import struct
import sys

LONGEST = 48 * 1024
COMPONENTS = [5120, 5121, 5122, 5123, 5125, 5126]
SIZES = dict(zip(COMPONENTS, [1, 1, 2, 2, 4, 4]))
TYPES = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"]
WIDTHS = dict(zip(TYPES, [1, 2, 3, 4, 4, 9, 16]))
ATTRIBUTES = ["POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0", "JOINTS_0", "WEIGHTS_0"]
PATHS = ["translation", "rotation", "scale", "weights"]
INTERPOLATIONS = ["LINEAR", "STEP", "CUBICSPLINE"]
MODES = ["ATTRIBUTES", "TRIANGLES", "INDICES"]
FILTERS = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"]
MESHOPT = ["EXT_meshopt_compression", "KHR_meshopt_compression"]


def read(path):
    """Returns a file's document, and functions that return a buffer's bytes and a URI's data."""
    data = path.read_bytes()
    body = b""
    if data[:4] == b"glTF":
        if data[4] != 2:
            return None, None
        length = struct.unpack_from("<I", data, 12)[0]
        text, body = data[20 : 20 + length], data[28 + length :]
    else:
        text = data
    try:
        document = json.loads(text)
        assert isinstance(document["asset"], dict)
    except Exception:
        return None, None

    def fetch(uri):
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return (path.parent / uri).read_bytes()

    def buffer(i):
        uri = document["buffers"][i].get("uri")
        return fetch(uri) if uri else body

    return document, (buffer, fetch)


def packed(document, buffer):
    text = json.dumps(document, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if buffer:
        chunks += struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def whole(document, sources):
    """Returns the model as one GLB."""
    buffer, fetch = sources
    document = json.loads(json.dumps(document))
    out = b""
    starts = []
    for i, _ in enumerate(document.get("buffers", [])):
        starts.append(len(out))
        try:
            out += buffer(i)
        except Exception:
            return None
        out += b"\0" * (-len(out) % 4)
    for view in document.get("bufferViews", []):
        for place in [view] + [e for e in view.get("extensions", {}).values() if "buffer" in e]:
            place["byteOffset"] = place.get("byteOffset", 0) + starts[place["buffer"]]
            place["buffer"] = 0
    for image in document.get("images", []):
        if "uri" in image:
            try:
                picture = fetch(image.pop("uri"))
            except Exception:
                return None
            views = document.setdefault("bufferViews", [])
            views.append({"buffer": 0, "byteOffset": len(out), "byteLength": len(picture)})
            image["bufferView"] = len(views) - 1
            out += picture + b"\0" * (-len(picture) % 4)
    if out:
        document["buffers"] = [{"byteLength": len(out)}]
    return packed(document, out)


def view_bytes(document, sources, place):
    start = place.get("byteOffset", 0)
    return sources[0](place["buffer"])[start : start + place["byteLength"]]


def roles(document):
    """Returns each accessor's use: a role, an attribute, a path and an interpolation."""
    found = {}
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            for name, i in primitive.get("attributes", {}).items():
                if name in ATTRIBUTES:
                    found.setdefault(i, (0, ATTRIBUTES.index(name), 0, 0))
            if "indices" in primitive:
                found.setdefault(primitive["indices"], (1, 0, 0, 0))
            for target in primitive.get("targets", []):
                for name, i in target.items():
                    found.setdefault(i, (2, ATTRIBUTES.index(name) if name in ATTRIBUTES else 0, 0, 0))
    for skin in document.get("skins", []):
        if "inverseBindMatrices" in skin:
            found.setdefault(skin["inverseBindMatrices"], (3, 0, 0, 0))
    for animation in document.get("animations", []):
        for channel in animation.get("channels", []):
            sampler = animation["samplers"][channel["sampler"]]
            path = channel["target"].get("path")
            kinds = (PATHS.index(path) if path in PATHS else 0,
                     INTERPOLATIONS.index(sampler.get("interpolation", "LINEAR")))
            found.setdefault(sampler["input"], (4, 0, *kinds))
            found.setdefault(sampler["output"], (5, 0, *kinds))
    for node in document.get("nodes", []):
        instances = node.get("extensions", {}).get("EXT_mesh_gpu_instancing", {})
        for name, i in instances.get("attributes", {}).items():
            if name in ("TRANSLATION", "ROTATION", "SCALE"):
                found.setdefault(i, (6, ("TRANSLATION", "ROTATION", "SCALE").index(name), 0, 0))
    return found


def described(accessor, role, count):
    p = bytearray(32)
    p[1], p[2] = COMPONENTS.index(accessor["componentType"]), TYPES.index(accessor["type"])
    p[3] = int(accessor.get("normalized", False))
    if role[0] == 0 and role[1] >= 6 or role[0] == 3:
        p[3] |= 1 << 4
    p[4:6] = struct.pack("<H", count)
    kind, attribute, path, interpolation = role
    p[16], p[17], p[18], p[19], p[20], p[21] = kind, 4, interpolation, attribute, 4, path
    return p


def accessor_seeds(document, sources):
    roles_of = roles(document)
    seen = set()
    for i, accessor in enumerate(document.get("accessors", [])):
        role = roles_of.get(i)
        if role is None or accessor.get("componentType") not in COMPONENTS:
            continue
        key = (accessor["componentType"], accessor["type"], role)
        if key in seen:
            continue
        seen.add(key)
        size = SIZES[accessor["componentType"]] * WIDTHS[accessor["type"]]
        views = document.get("bufferViews", [])
        view = views[accessor["bufferView"]] if "bufferView" in accessor else None
        if view is not None and "extensions" in view:
            extension = next((n for n in MESHOPT if n in view["extensions"]), None)
            if extension:
                stream = view["extensions"][extension]
                data = view_bytes(document, sources, stream)
                if len(data) <= LONGEST and stream["count"] < 65536 and stream["byteStride"] < 256:
                    p = described(accessor, role, stream["count"])
                    p[0], p[8], p[9] = 2, stream["byteStride"], MESHOPT.index(extension)
                    p[10] = MODES.index(stream["mode"])
                    p[11] = FILTERS.index(stream.get("filter", "NONE"))
                    p[3] |= 2
                    yield bytes(p) + data
            continue
        count = min(accessor["count"], 4 if role[0] == 5 else 40)
        stride = view.get("byteStride", 0) if view else 0
        data = b""
        if view:
            data = view_bytes(document, sources, view)[accessor.get("byteOffset", 0) :]
            data = data[: (count - 1) * (stride or size) + size]
        p = described(accessor, role, count)
        p[0] = 0
        p[3] |= (2 if view else 0) | (8 if stride else 0)
        p[8] = stride
        yield bytes(p) + data
        if "sparse" in accessor or role[0] in (0, 2):
            # The same with a sparse part that overwrites three elements.
            indices = struct.pack("<3H", 0, 1, max(2, count - 1))
            q = bytearray(p)
            q[3] |= 4
            q[9] = COMPONENTS.index(5123)
            q[10:16] = struct.pack("<3H", min(3, count), len(data) + len(data) % 2, 0)
            yield bytes(q) + data + b"\0" * (len(data) % 2) + indices


def draco_seeds(document, sources):
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            draco = primitive.get("extensions", {}).get("KHR_draco_mesh_compression")
            if not draco:
                continue
            data = view_bytes(document, sources, document["bufferViews"][draco["bufferView"]])
            accessors = document["accessors"]
            count = accessors[primitive["attributes"]["POSITION"]]["count"]
            corners = accessors[primitive["indices"]]["count"]
            if len(data) > LONGEST or count > 65535:
                continue
            p = bytearray(32)
            p[0] = 1
            p[3] = 1 << 4 if corners < 65536 else 0
            p[4:8] = struct.pack("<HH", count, corners & 0xFFFF)
            for name, number in draco["attributes"].items():
                if name in ATTRIBUTES and number < 256:
                    i = ATTRIBUTES.index(name)
                    accessor = accessors[primitive["attributes"][name]]
                    p[1] |= 1 << i
                    p[8 + i] = number
                    p[16 + i] = TYPES.index(accessor["type"])
                    p[24 + i] = COMPONENTS.index(accessor["componentType"])
            yield bytes(p) + data


def picture_seeds(document, sources):
    for image in document.get("images", []):
        try:
            if "uri" in image:
                data = sources[1](image["uri"])
            else:
                data = view_bytes(document, sources, document["bufferViews"][image["bufferView"]])
        except Exception:
            continue
        kinds = {b"\x89PNG": 0, b"\xff\xd8": 0, b"\xabKTX": 1, b"RIFF": 2}
        kind = next((k for magic, k in kinds.items() if data.startswith(magic)), None)
        if kind is not None and len(data) <= LONGEST:
            p = bytearray(32)
            p[0], p[1] = 3, kind
            yield bytes(p) + data


def words(value, found):
    if isinstance(value, dict):
        for key, item in value.items():
            found.add(key)
            words(item, found)
    elif isinstance(value, list):
        for item in value[:4]:
            words(item, found)
    elif isinstance(value, str) and value.isascii() and len(value) < 40 and value.replace("_", "").isupper():
        found.add(value)


def write(folder, data):
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main(shared, out):
    container, codecs = out / "corpus/container", out / "corpus/codecs"
    container.mkdir(parents=True, exist_ok=True)
    codecs.mkdir(parents=True, exist_ok=True)
    found = set()
    files = sorted(p for p in shared.rglob("*") if p.suffix in (".gltf", ".glb"))
    for path in sorted(p for p in shared.rglob("*") if p.suffix in (".fbx", ".bvh")):
        if path.stat().st_size <= LONGEST:
            write(container, path.read_bytes())
    for path in files:
        if path.is_file() and path.stat().st_size <= LONGEST:
            write(container, path.read_bytes())
        if "models" not in path.relative_to(shared).parts[:1]:
            continue
        document, sources = read(path)
        if document is None or not isinstance(document.get("nodes", []), list):
            continue
        words(document, found)
        total = sum(b.get("byteLength", 0) for b in document.get("buffers", []))
        if total <= LONGEST:
            glb = whole(document, sources)
            if glb and len(glb) <= LONGEST:
                write(container, glb)
        for seeds in (accessor_seeds, draco_seeds, picture_seeds):
            for seed in seeds(document, sources):
                write(codecs, seed)
    escaped = sorted(w.replace("\\", "\\\\").replace('"', '\\"') for w in found if 1 < len(w) < 50 and w.isascii() and w.isprintable())
    lines = [f'"\\"{word}\\""' for word in escaped] + ['"glTF"', '"JSON"', '"BIN\\x00"']
    lines += [f'"{n}"' for n in ("Kaydara FBX Binary", "; FBX ", "HIERARCHY", "CHANNELS", "MOTION", "-1", "4294967296", "1e39", "[]", "{}", "null")]
    (out / "container.dict").write_text("\n".join(lines) + "\n")
    magic = ['"DRACO"', '"\\x89PNG"', '"IHDR"', '"IDAT"', '"tRNS"', '"PLTE"', '"RIFF"', '"WEBP"', '"VP8X"', '"VP8L"',
             '"VP8 "', '"ALPH"', '"\\xabKTX 20\\xbb"', '"sB"', '"\\xff\\xd8"', '"\\xff\\xc0"', '"\\xff\\xda"', '"\\xff\\xff"', '"\\xa0"', '"\\xa1"', '"\\xe0"', '"\\xe1"', '"\\xd1"']
    (out / "codecs.dict").write_text("\n".join(magic) + "\n")
    for folder in (container, codecs):
        print(folder, len(list(folder.iterdir())), "seeds")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
