#!/usr/bin/env bash
# The measures for the programs of Table 7.1 of the thesis on verification coverage, beside its Table 7.3 (in brackets).
#   docs/coverage-table.sh FOLDER-c-OF-SV-BENCHMARKS [TIMEOUT]
set -euo pipefail
folder=${1:?the folder c of sv-benchmarks}
limit=${2:-60s}
tour=${CARGO_TOUR:-cargo-tour}

# name, file pattern, data model, the five values of Table 7.3
programs='arra array-examples/array_doub_access_init_const* ilp32 85 100 67 45 45
brs1 array-fpi/brs1f* ilp32 96 100 50 21 21
zero array-fpi/zero_sum_const1* ilp32 67 100 60 23 23
diam bitvector-loops/diamond_false-unreach-call2.c ilp32 96 100 50 28 28
jain bitvector/jain_5*.c ilp32 91 100 100 75 75
num_ bitvector/num_conversion_2*.c ilp32 88 100 60 70 70
kbfi ntdrivers-simplified/kbfiltr_simpl1*.c ilp32 99 100 0 25 22
s3_s ssh-simplified/s3_srvr_1b*.c ilp32 94 100 75 22 22
test locks/test_locks_7*.c ilp32 97 100 0 26 26
mult loop-acceleration/multivar_true-unreach-call1.c ilp32 80 100 100 78 78
nest loops/nested_1b* ilp32 100 100 100 86 86
simp loop-acceleration/simple_vardep_1* ilp32 83 100 100 76 76
32_1 ldv-linux-3.4-simple/32_1_cilled_*bgrt* lp64 96 81 0 58 58
dirn busybox-1.22.0/dirname_true*.i lp64 90 96 0 66 66'

echo '| program | verdict | visited lines | visited variables | abstraction variables | considered locations | relevant variables |'
echo '|---|---|---|---|---|---|---|'
while read -r name pattern model lines variables abstraction considered relevant; do
    file=$(compgen -G "$folder/$pattern" | head -1 || true)
    if [ -z "$file" ]; then
        echo "| $name | not in the collection | | | | | |"
        continue
    fi
    out=$("$tour" tour check "$file" --data-model "$model" --analysis predicate --property unreach-call \
        --timeout "$limit" --stats 2>/dev/null || true)
    of() { printf '%s\n' "$out" | awk -v id="$1" '$1 == id { printf "%.0f %%", 100 * $2 }'; }
    verdict=$(printf '%s\n' "$out" | sed -n 's/^VERDICT: //p')
    echo "| $name | $verdict | $(of visited-lines) [$lines] | $(of visited-variables) [$variables]" \
        "| $(of abstraction-variables) [$abstraction] | $(of considered-locations) [$considered]" \
        "| $(of relevant-variables) [$relevant] |"
done <<< "$programs"
