#!/usr/bin/env bash
# `make stress`, which is KIND=frames: RUNS SEED, either may be empty.
exec "$(dirname "$0")/../frames/stress/run" "${1:-5000}" "${2:-1}" 2000
