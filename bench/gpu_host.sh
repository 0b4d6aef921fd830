#!/usr/bin/env bash
# Measures Tromino beside ONNX Runtime Web, and plays the evaluation games, in a real Chromium on a GPU host.
# Run it in the repository's root on the host, with the GPU kit unpacked and its environment set (see README.md). It needs bench/dist.
# Writes to $OUT: results.jsonl (a line for each row, as it comes), log.txt and play.json. Every stage has a limit of its
# own, and the whole ends within BUDGET_SECONDS (default 470): a stage that fails or hangs costs the others nothing. ONLY, a regular
# expression, picks stages by name.
set -u
: "${OUT:?set OUT to the folder for the results}" "${CHROMIUM_PATH:?source the GPU kit first}"
kit=${GPU_KIT:-.gpu/c}
gpu_home=${GPU_HOME:-/tmp/gpu-host}
work=${WORK:-/tmp/tromino-bench}
games=${GAMES:-50} pieces=${PIECES:-150}
scale=${LIMIT_SCALE:-1}
deadline=$((SECONDS + scale * ${BUDGET_SECONDS:-470}))
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

# page LIMIT SUITE MODEL [CHROMIUM_FLAGS...]: one suite of one model in one browser.
page() {
  local limit=$1 suite=$2 model=$3 name=$2-$3 folder before
  shift 3
  folder=$(site "$name")
  before=$(wc -l <"$log")
  cp "bench/suites/$suite.json" "$folder/suite.json"
  local onnx=""
  [ -s "$folder/$model.onnx" ] && onnx=",\"onnx\":\"$model.onnx\""
  echo "{\"models\":[{\"name\":\"$model\",\"folder\":\"$model/\",\"expected\":\"$model.json\"$onnx}]}" >"$folder/bench.json"
  stage "$limit" "$name" bash -c 'run_page "$@"' _ "$folder" "$(((limit - 5) * scale))" "$@"
  tail -n +"$((before + 1))" "$log" | sed -nE \
    -e "s/^\[page\] environment (\{.*\})$/{\"page\":\"$name\",\"environment\":\1}/p" \
    -e "s/^\[page\] row (\{.*\})$/{\"page\":\"$name\",\"row\":\1}/p" >>"$results"
}

export_shipped() { python3 bench/export_shipped.py models/polyomino-dense "$work/models"; }
# The kit's script goes on to models that are not measured here, so it is ended when this one is complete.
export_llama() {
  python3 "$kit/peers/export_models.py" "$work/models" >"$work/export.log" 2>&1 &
  local pid=$!
  trap 'kill "$pid" 2>/dev/null' EXIT
  while kill -0 "$pid" 2>/dev/null && ! grep -q '"model": "llama135m-cls"' "$work/export.log"; do sleep 0.5; done
  grep '"model"' "$work/export.log" || { tail -20 "$work/export.log"; return 1; }
}
export -f export_shipped export_llama
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

llama=llama135m-cls shipped=polyomino-dense
mkdir -p "$work/models"
if [ -z "${SKIP_EXPORT:-}" ]; then
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | tee -a "$log"
  (stage 120 export-shipped bash -c export_shipped) &
  shipped_export=$!
  stage 150 export-llama bash -c export_llama
  wait "$shipped_export"
fi
page 40 tromino-first $shipped
page 40 ort-first $shipped
page 120 tromino-first $llama
page 60 ort-first $llama
play 120
page 30 phases $shipped
page 60 phases $llama
# The flag lets timestamps be as fine as the device's clock.
page 20 profile $shipped --enable-webgpu-developer-features
page 30 profile $llama --enable-webgpu-developer-features
page 30 variants $shipped
page 90 variants $llama
page 40 slices $llama
page 20 prepared $shipped
page 30 prepared $llama
load_page $shipped
load_page $llama
note "== all done after $SECONDS s; rows: $(grep -c '"row"' "$results")"
grep -E '^\[page\] (model|teacher|random legal|games survived|lines, of)' "$log" || true
