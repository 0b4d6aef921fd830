#!/usr/bin/env bash
# Measures Tromino beside ONNX Runtime Web, and plays the evaluation games, in a real Chromium on a GPU host.
# Run it in the repository's root on the host, with the GPU kit unpacked and its environment set (see README.md). It needs bench/dist.
# Writes to $OUT: results.jsonl (a line for each row, as it comes), log.txt, agree.json and play.json. Every stage has a limit of its
# own, and the whole ends within BUDGET_SECONDS (default 420): a stage that fails or hangs costs the others nothing. ONLY, a regular
# expression, picks stages by name.
set -u
: "${OUT:?set OUT to the folder for the results}" "${CHROMIUM_PATH:?source the GPU kit first}"
kit=${GPU_KIT:-.gpu/c}
gpu_home=${GPU_HOME:-/tmp/gpu-host}
work=${WORK:-/tmp/tromino-bench}
games=${GAMES:-50} pieces=${PIECES:-150}
scale=${LIMIT_SCALE:-1}
deadline=$((SECONDS + scale * ${BUDGET_SECONDS:-420}))
mkdir -p "$OUT" "$work"
log=$OUT/log.txt results=$OUT/results.jsonl
: >"$log" && : >"$results"
note() { echo "$*" | tee -a "$log"; }

# stage LIMIT_SECONDS NAME COMMAND...: runs it within its limit and what is left of the whole.
stage() {
  local limit=$(($1 * scale)) name=$2 left=$((deadline - SECONDS)) start=$SECONDS code
  shift 2
  [[ $name =~ ${ONLY:-.} ]] || return 0
  [ "$left" -lt "$limit" ] && limit=$left
  if [ "$limit" -lt 5 ]; then note "== $name: no time left"; return 1; fi
  note "== $name (at most $limit s)"
  timeout -k 5 "$limit" "$@" >>"$log" 2>&1
  code=$?
  note "== $name: exit $code after $((SECONDS - start)) s"
  return $code
}

# site NAME: a fresh folder with the pages, ONNX Runtime Web and the models, without copying the large files.
site() {
  local folder=$work/site-$1
  rm -rf "$folder" && mkdir -p "$folder/home" && cp -r bench/dist/. "$folder/"
  ln -s "$gpu_home/ort" "$folder/ort"
  for file in "$work"/models/*; do ln -s "$file" "$folder/"; done
  echo "$folder"
}

# A fresh browser, profile and driver cache for each page: the first call of its first section is cold.
run_page() { # FOLDER SECONDS [CHROMIUM_FLAGS...]
  env HOME="$1/home" __GL_SHADER_DISK_CACHE_PATH="$1/home" node "$kit/run-page.mjs" "$@"
}
export -f run_page
export kit

# entry MODEL: what bench.json says of a model, nothing where it was not exported.
entry() {
  local name=$1 task=classification folder=$1 expected=$1 onnx=$1 onnx_expected=""
  case $name in
    # Four bits a weight on both sides, each quantised in its own way.
    *-nf4) onnx=${name%-nf4}-q4 onnx_expected=$onnx ;;
    bert16-qa*) task=span-logits folder=bert16-qa expected=bert16-qa ;;
    magicbox) task=answers ;;
    # The other engine alone without the rounding of activations, which is another computation; Tromino runs the same model as beside magicbox.onnx.
    magicbox-plain) task=answers folder=magicbox expected=magicbox onnx_expected=$onnx ;;
  esac
  [ -s "$work/models/$expected.json" ] && [ -d "$work/models/$folder" ] || return 0
  printf '{"name":"%s","task":"%s","folder":"%s/","expected":"%s.json"' "$name" "$task" "$folder" "$expected"
  [ -s "$work/models/$onnx.onnx" ] && printf ',"onnx":"%s.onnx"' "$onnx"
  [ -n "$onnx_expected" ] && [ -s "$work/models/$onnx_expected.json" ] && printf ',"onnxExpected":"%s.json"' "$onnx_expected"
  printf '}\n'
}

# page_error PAGE CODE: a line for the results that says what a failed page printed last. Standard input is what it printed.
page_error() {
  grep -vE '^\[page\] (row|environment) ' | tail -3 | node -e '
    const [page, code] = process.argv.slice(1);
    const last = require("node:fs").readFileSync(0, "utf8").trim().split("\n").join(" | ");
    console.log(JSON.stringify({ page, error: `exit ${code}: ${last}` }));' "$1" "$2"
}

# page LIMIT SUITE MODEL[,MODEL...] [CHROMIUM_FLAGS...]: one suite in one browser, one model after the other.
page() {
  local limit=$1 suite=$2 models=$3 name=$2-$3 seconds=$((($1 - 5) * scale)) folder before entries printed code=0
  shift 3
  [[ $name =~ ${ONLY:-.} ]] || return 0
  entries=$(for model in ${models//,/ }; do entry "$model"; done)
  if [ -z "$entries" ]; then note "== $name: no model"; return 0; fi
  folder=$(site "$name")
  before=$(wc -l <"$log")
  cp "bench/suites/$suite.json" "$folder/suite.json"
  # Two seconds less than the browser has: a section that hangs gets a row that says so.
  echo "{\"limitMs\":$((seconds * 1000 - 2000)),\"models\":[$(paste -sd, <<<"$entries")]}" >"$folder/bench.json"
  stage "$limit" "$name" bash -c 'run_page "$@"' _ "$folder" "$seconds" "$@" || code=$?
  printed=$(tail -n +"$((before + 1))" "$log")
  sed -nE \
    -e "s/^\[page\] environment (\{.*\})$/{\"page\":\"$name\",\"environment\":\1}/p" \
    -e "s/^\[page\] row (\{.*\})$/{\"page\":\"$name\",\"row\":\1}/p" <<<"$printed" >>"$results"
  if [ "$code" -ne 0 ] || grep -q '^\[page\] failed: ' <<<"$printed"; then page_error "$name" "$code" <<<"$printed" >>"$results"; fi
}

packed_scores() { # FOLDER_OR_ONNX DENSE_MODEL NAME
  python3 bench/packed_scores.py "$1" "$work/models/$2.json" "$work/models/$3.json"
}

# The shipped models: the dense player for both engines, the packed ones with the scores of their own weights.
export_shipped() {
  local format
  python3 bench/export_shipped.py models/polyomino-dense "$work/models" || return 1
  for format in nf4 ternary; do
    cp -rT "models/polyomino-$format" "$work/models/polyomino-$format"
    packed_scores "models/polyomino-$format" polyomino-dense "polyomino-$format" || return 1
  done
}

export_magicbox() { python3 bench/export_magicbox.py models/magicbox "$work/models"; }

# The kit's models. When its Llama classifier is there it is quantised, while the script goes on.
export_peers() {
  local models=$work/models pid failed=0
  python3 "$kit/peers/export_models.py" "$models" >"$work/export.log" 2>&1 &
  pid=$!
  trap 'kill "$pid" 2>/dev/null' EXIT
  while kill -0 "$pid" 2>/dev/null && ! grep -q '"model": "llama135m-cls"' "$work/export.log"; do sleep 0.5; done
  rm -rf "$models/llama135m-cls-nf4"
  node bench/dist/host/quantize.mjs "$models/llama135m-cls" "$models/llama135m-cls-nf4" || failed=1
  packed_scores "$models/llama135m-cls-nf4" llama135m-cls llama135m-cls-nf4 || failed=1
  wait "$pid" || { tail -20 "$work/export.log"; failed=1; }
  grep '"model"' "$work/export.log"
  packed_scores "$models/llama135m-cls-q4.onnx" llama135m-cls llama135m-cls-q4 || failed=1
  return $failed
}
export -f packed_scores export_shipped export_magicbox export_peers
export work

# Peak memory of the page's process while it loads: a file of 540 MB must not be in it whole.
sample_memory() {
  local peak=0 kilobytes processes
  while :; do
    processes=$(grep -la -- --type=renderer /proc/[0-9]*/cmdline 2>/dev/null)
    for process in $processes; do
      kilobytes=$(awk '/^VmRSS/ {print $2}' "${process%cmdline}status" 2>/dev/null)
      [ "${kilobytes:-0}" -gt "$peak" ] && peak=$kilobytes && echo "$peak" >"$work/renderer-peak"
    done
    sleep 0.1
  done
}
load_page() { # MODEL
  [[ load-$1 =~ ${ONLY:-.} ]] || return 0
  rm -f "$work/renderer-peak"
  sample_memory & local sampler=$!
  page 40 load "$1"
  kill "$sampler" && wait "$sampler" 2>/dev/null
  note "$1: the page's process held at most $(($(cat "$work/renderer-peak" 2>/dev/null || echo 0) / 1024)) MiB resident while loading"
}

play() {
  local folder
  folder=$(site play)
  mv "$folder/play.html" "$folder/index.html"
  echo "{\"folder\":\"polyomino-dense/\",\"games\":$games,\"pieces\":$pieces,\"firstSeed\":1,\"maxBatch\":64}" >"$folder/play.json"
  local before; before=$(wc -l <"$log")
  stage "$1" play bash -c 'run_page "$@"' _ "$folder" "$((($1 - 5) * scale))"
  tail -n +"$((before + 1))" "$log" | grep '^{"adapter"' >"$OUT/play.json"
}

# Whether WebGPU answers as the portable backend does: all questions of the hand-written messages.
agree() {
  local folder
  folder=$(site agree)
  mv "$folder/agree.html" "$folder/index.html"
  cp training/magicbox/handwritten/{dev,test}.jsonl "$folder/"
  ln -sfn "$PWD/models/magicbox" "$folder/magicbox"
  echo '{"folder":"magicbox/","messages":["dev.jsonl","test.jsonl"]}' >"$folder/agree.json"
  local before; before=$(wc -l <"$log")
  stage "$1" agree bash -c 'run_page "$@"' _ "$folder" "$((($1 - 5) * scale))"
  tail -n +"$((before + 1))" "$log" | grep '^{"messages"' >"$OUT/agree.json"
}

llama=llama135m-cls shipped=polyomino-dense
mkdir -p "$work/models"
# All models first: nothing is timed while another program computes.
if [ -z "${SKIP_EXPORT:-}" ]; then
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | tee -a "$log"
  (stage 120 export-shipped bash -c export_shipped) &
  shipped_export=$!
  (stage 200 export-magicbox bash -c export_magicbox) &
  magicbox_export=$!
  stage 200 export-peers bash -c export_peers
  wait "$shipped_export" "$magicbox_export"
fi
# Packed weights beside the other engine's, beside dense ones. What goes first in a page is cold there.
page 80 pair $llama-nf4,$llama
page 40 ort-first $llama-nf4
for order in polyomino-nf4,$shipped polyomino-ternary,$shipped $shipped,polyomino-nf4,polyomino-ternary; do
  page 25 formats $order
done
page 40 pair magicbox,magicbox-plain
page 25 ort-first magicbox
page 25 ort-first magicbox-plain
agree 80
page 60 pair bert16-qa-fused,bert16-qa
page 40 ort-first bert16-qa-fused
page 40 ort-first bert16-qa
# The flag lets timestamps be as fine as the device's clock.
fine_clock=--enable-webgpu-developer-features
page 25 profile magicbox,polyomino-nf4,polyomino-ternary,$shipped $fine_clock
page 40 profile $llama-nf4,$llama,bert16-qa $fine_clock
page 60 variants-nf4 $llama-nf4 $fine_clock
page 30 variants-ternary magicbox $fine_clock
page 30 variants-ternary polyomino-ternary $fine_clock
page 30 variants-nf4 polyomino-nf4 $fine_clock
page 30 phases $llama-nf4
page 20 phases polyomino-ternary
page 20 phases magicbox
# The dense models alone.
page 40 tromino-first $shipped
page 40 ort-first $shipped
page 90 tromino-first $llama
page 60 ort-first $llama
page 30 phases $shipped
page 60 phases $llama
page 30 variants $shipped
page 90 variants $llama
page 40 slices $llama
page 20 prepared $shipped
page 30 prepared $llama
load_page $shipped
load_page $llama
load_page $llama-nf4
play 120
note "== all done after $SECONDS s; rows: $(grep -c '"row"' "$results")"
grep -E '^\[page\] (model|teacher|random legal|games survived|lines, of|[0-9]+ messages,|largest difference of scores)' "$log" || true
