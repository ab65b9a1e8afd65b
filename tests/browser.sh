#!/usr/bin/env bash
# Reports in a real browser, at the width of a desktop and of a phone: they open in two seconds without a message on the console, everything has
# a name for screen readers, and the table sorts and searches. Needs Chromium; without it it says so and does nothing. The arguments are the
# program of the example `report`, if it is built, and other reports.
set -euo pipefail
cd "$(dirname "$0")/.."
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    echo "skipped: there is no Chromium"
    exit 0
fi
program=${1:-}
if [ -z "$program" ]; then
    cargo build --release --example report
    program=${CARGO_TARGET_DIR:-target}/release/examples/report
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" "$folder" >/dev/null
for report in "$folder/report.html" "${@:2}"; do
    page=$folder/page.html
    { cat "$report"; echo "<script>"; cat tests/browser.js; echo "</script>"; } >"$page"
    for width in 1280 500; do
        shown=$(timeout 60 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --window-size="$width,1000" \
            --user-data-dir="$folder/profile" --dump-dom "file://$page" 2>"$folder/log")
        found=$(sed -n 's/.*<pre id="browser-checks">\([^<]*\)<.*/\1/p' <<<"$shown")
        echo "$(basename "$report"), $(wc -c <"$report") bytes, $width wide: ${found:-the checks did not run}"
        if grep CONSOLE "$folder/log" || [[ $found != good:* ]]; then
            exit 1
        fi
    done
done
