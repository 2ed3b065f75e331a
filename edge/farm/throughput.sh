#!/bin/sh
# The farm beside `xargs -P`, interleaved: throughput.sh REPRISE FARM PROCESSES ROUNDS TRACE...
# Seconds of wall time of each round, on standard output. The farm's include its start and the writing of results.
set -eu
reprise=$1 farm=$2 processes=$3 rounds=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    printf '[suite]\nname = "throughput"\nprogram = "%s"\ncache_dir = "%s/cache"\n' "$reprise" "$folder"
    for trace in "$@"; do printf '[[trace]]\npath = "%s"\n' "$trace"; done
} >"$folder/suite.toml"
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    begin=$(date +%s.%N)
    "$farm" run "$folder/suite.toml" --results "$folder/results.$round" --local -q --jobs "$processes" >&2 || true
    echo "farm $round $(echo "$(date +%s.%N) - $begin" | bc)"
    begin=$(date +%s.%N)
    printf '%s\n' "$@" | xargs -P"$processes" -I{} sh -c '"$0" replay --json --frame-hashes "$2/$$" "$1" >"$2/$$.json" 2>&1 || true' \
        "$reprise" {} "$folder"
    echo "xargs $round $(echo "$(date +%s.%N) - $begin" | bc)"
done
