"""The draw with the most vertices: its target as a picture, and its first vertices as they go in and come out."""

import sys

import numpy
import reprise

KINDS = {"R32G32_FLOAT": "2<f4", "R32G32B32_FLOAT": "3<f4", "R32G32B32A32_FLOAT": "4<f4", "R8G8B8A8_UNORM": "4u1"}

trace = reprise.open(sys.argv[1])
draws = trace.calls(methods=["DrawInstanced", "DrawIndexedInstanced"])
draw = max(draws, key=lambda call: call.args.get("IndexCountPerInstance") or call.args["VertexCountPerInstance"])
bound = trace.state(draw.call)["bound"]
views = {view["slot"]: view for view in bound["input"]["vertices"]}
buffers = {slot: {"buffer": view["location"]["resource"]["id"]} for slot, view in views.items()}
made = trace.call(next(one["call"] for one in trace.objects() if one["id"] == bound["pipeline"]["object"]["id"]))
with trace.replay().run_to(draw.call, look=[{"target": 0}, *buffers.values()]) as replay:
    target = replay.targets()[0]
    data = {slot: replay.buffer(wish["buffer"]) for slot, wish in buffers.items()}
    out = replay.mesh()

rgb = (numpy.clip(target.values[:, :, :3], 0, 1) * 255).round().astype("u1")
with open("target.ppm", "wb") as file:
    file.write(b"P6 %d %d 255\n" % (target.width, target.height) + rgb.tobytes())
print(f"call {draw.call} draws to {target.format}; target.ppm has the picture")
for element in made.args["pDesc"]["InputLayout"]["pInputElementDescs"]:
    view, kind = views[element["InputSlot"]], KINDS.get(element["Format"].replace("DXGI_FORMAT_", ""))
    first = view["location"]["offset"] + element["AlignedByteOffset"]
    if kind:
        print(" in", element["SemanticName"], numpy.frombuffer(data[element["InputSlot"]], kind, 1, first)[0])
for name, values in out.columns.items():
    print(" out", name, values[0])
