#!/usr/bin/env bash
# What coverage costs: CPU time with and without it, the best of several runs each, which is what noise disturbs least.
#   docs/coverage-cost.sh FILE…
set -euo pipefail
tour=${CARGO_TOUR:-cargo-tour}
runs=${RUNS:-5}
# shellcheck disable=SC2086
cpu() { # arguments: the CPU time of a run, in seconds
    ( TIMEFORMAT='%U %S'; { time "$tour" tour check "$@" ${OPTIONS:-} >/dev/null 2>&1 || true; } 2>&1 ) | awk '{ print $1 + $2 }'
}
printf '%-60s %10s %10s %8s\n' file without with share
total_with=0 total_without=0
for file in "$@"; do
    # In turns, so that what else the machine does disturbs both alike.
    times=$(for _ in $(seq "$runs"); do echo "$(cpu "$file" --no-coverage) $(cpu "$file")"; done)
    without=$(cut -d' ' -f1 <<<"$times" | sort -n | head -1)
    with=$(cut -d' ' -f2 <<<"$times" | sort -n | head -1)
    awk -v f="${file##*/}" -v a="$without" -v b="$with" 'BEGIN { printf "%-60s %8.2f s %8.2f s %+7.1f %%\n", substr(f, 1, 60), a, b, (a > 0 ? 100 * (b - a) / a : 0) }'
    total_with=$(awk -v a="$total_with" -v b="$with" 'BEGIN { print a + b }')
    total_without=$(awk -v a="$total_without" -v b="$without" 'BEGIN { print a + b }')
done
awk -v a="$total_without" -v b="$total_with" 'BEGIN { printf "%-60s %8.2f s %8.2f s %+7.1f %%\n", "all", a, b, 100 * (b - a) / a }'
