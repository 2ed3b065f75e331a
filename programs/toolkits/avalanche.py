"""avalanchers: particles flow down a valley, by compute shaders with atomics. Prints the sums of what they leave."""

import os

os.environ.setdefault("WGPU_BACKEND", "dx12")

import avalanchers
import numpy as np

SIDE = 64
row, column = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
valley = (600 - 7 * row + 2 * np.abs(column - SIDE / 2)).astype(np.float32)
released = np.zeros((SIDE, SIDE), np.float32)
released[4:12, 24:40] = 1
simulation = avalanchers.PySimulation.new()
simulation.set_dem_default(valley, 5.0)
simulation.set_release_areas(released)
simulation.prepare()
simulation.run()
print("avalanche", int(np.asarray(simulation.cell_count).sum()), round(float(np.nansum(simulation.peak_velocity))))
