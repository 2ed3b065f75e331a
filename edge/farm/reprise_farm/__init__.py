"""Replays suites of traces on many machines.

The program `reprise` does the work. Ray places it on many machines; on one, the run does.

Invariant: each job of a plan has exactly one result once a run is complete, whichever machine, or driver of the run,
died meanwhile.
"""
