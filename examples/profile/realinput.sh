#!/usr/bin/env bash
# Profiles a real tree and holds the tool to what the system's own tools say of it:
# a tar of Go's source, also by gzip -6, zstd -3, zstd -19 and lz4, and as two gzip
# members one behind the other. Takes a minute or two and about 400 MB of disk.
#
#   examples/profile/realinput.sh [FOLDER]
#
# FOLDER is made if it is not there, and kept; without it a temporary one is used.
# Needs Go, GNU tar, gzip, zstd and lz4.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${1:-$work/real}
mkdir -p "$folder"
original=$folder/src.tar

[ -e "$original" ] || tar --sort=name -C "$(go env GOROOT)" -cf "$original" src
gzip -6 -c "$original" >"$folder/src-6.tar.gz"
zstd -q -f -3 "$original" -o "$folder/src-3.tar.zst"
zstd -q -f -19 -T0 "$original" -o "$folder/src-19.tar.zst"
lz4 -q -f "$original" "$folder/src.tar.lz4"
half=$(($(wc -c <"$original") / 2))
{ head -c "$half" "$original" | gzip -6 -c && tail -c +"$((half + 1))" "$original" | gzip -6 -c; } >"$folder/src-two-members.tar.gz"

go build -o "$work/" ./examples/profile ./examples/thaw
failed=0
fail() {
	echo "FAILED: $*" >&2
	failed=1
}

"$work/profile" "$folder" | tee "$work/report" || fail "profile exits with $?"
grep -q '^  COMPLETE: every' "$work/report" || fail "the read is not complete"
for codec in gzip lz4 none zstd; do
	grep -q "^  $codec " "$work/report" || fail "no codec $codec in the report"
done
# The shares as printed, in tenths, above the line "wall".
shares=$(awk '/^  stage/ { on = 1; next } /^  wall/ { on = 0 } on { sub(/ %.*/, ""); n += 10 * $NF } END { printf "%.0f", n }' "$work/report")
[ "$shares" = 1000 ] || fail "the shares add up to $shares tenths of a percent"

# wc counts line ends; what stands behind the last one is a record too.
lines=$(wc -l <"$original")
[ -z "$(tail -c 1 "$original" | tr -d '\n' | tr '\0' x)" ] || lines=$((lines + 1))
echo
for file in "$folder"/*; do
	name=$(basename "$file")
	"$work/thaw" cat -q "$file" | cmp - "$original" || fail "$name: thaw cat gives other bytes"
	records=$("$work/thaw" records -q -frame lines "$file" | wc -l)
	[ "$records" = "$lines" ] || fail "$name: $records records of $lines lines"
	printf '%-26s %11d bytes  cat equal  %d records\n' "$name" "$(wc -c <"$file")" "$records"
done
exit "$failed"
