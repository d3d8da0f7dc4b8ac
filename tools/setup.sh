# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by ./run and ./test: installs what is missing, configures and builds. All it says goes to stderr, so that the output
# of what runs afterwards stays clean. Expects $root, the folder of the repository.

# Debian 12 names and what they are for.
packages_build=(
    "build-essential        C++ compiler"
    "cmake                  configures the build"
    "ninja-build            runs the build"
    "ccache                 compiles again only what really changed"
    "pkg-config             finds libraries"
    "libjpeg62-turbo-dev    JPEG"
    "libspng-dev            PNG"
    "libhwy-dev             SIMD in the CPU kernels (Highway)"
    "nlohmann-json3-dev     project, run and machine files"
    "libcli11-dev           command line"
    "opencl-headers         OpenCL devices: headers"
    "ocl-icd-opencl-dev     OpenCL devices: loader"
    "pocl-opencl-icd        an OpenCL device on every machine (PoCL, on the CPU)"
    "libgtest-dev           tests"
)
packages_all_tests=(
    "clang-format           ./test --all checks the formatting (version 14)"
)

say() { printf '%s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

jobs_to_use() { printf '%s' "${LANEWRIGHT_JOBS:-$(nproc)}"; }

is_debian() { command -v dpkg-query apt-get >/dev/null && grep -qxE 'ID=debian' /etc/os-release; }

# The lines of "$@" whose package is not installed.
missing_packages() {
    local installed line
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${@%% *}" 2>/dev/null | sed -n 's/^ii *//p' || true)
    for line in "$@"; do
        grep -qxF -- "${line%% *}" <<<"$installed" || printf '%s\n' "$line"
    done
}

# setup PACKAGE-LINE... : makes sure that these are installed. A stamp in build/ remembers the answer.
setup() {
    [ -z "${LANEWRIGHT_SKIP_SETUP:-}" ] || return 0
    local stamp="$root/build/.setup-stamp" key missing command
    key=$(printf '%s\n' "$@" | cksum)
    ! grep -qxF -- "$key" "$stamp" 2>/dev/null || return 0

    if ! is_debian; then
        say "Lanewright needs these (names of Debian 12):"
        printf '  %s\n' "$@" >&2
        stop "This is not Debian, so nothing was installed. Install their counterparts, then set LANEWRIGHT_SKIP_SETUP=1 and start again."
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} -gt 0 ]; then
        say "Installing from Debian:"
        printf '  %s\n' "${missing[@]}" >&2
        command=(apt-get)
        if [ "$(id -u)" != 0 ]; then
            command -v sudo >/dev/null || stop "Neither root nor sudo here. As root: apt-get install ${missing[*]%% *}"
            command=(sudo DEBIAN_FRONTEND=noninteractive apt-get)
        fi
        export DEBIAN_FRONTEND=noninteractive
        quietly "apt-get update" "${command[@]}" -o DPkg::Lock::Timeout=300 update -q
        quietly "apt-get install" "${command[@]}" -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "${missing[@]%% *}"
    fi
    mkdir -p "$root/build"
    printf '%s\n' "$key" >>"$stamp"
}

# quietly NAME COMMAND... : shows the command's output only when it fails, and then stops.
quietly() {
    local name=$1 log
    shift
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        stop "$name failed; its output is above."
    fi
    rm -f "$log"
}

# Reads ninja's lines: steps become a progress display, what the compiler says is passed on.
show_progress() {
    local line done total next=0
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
            if [ -t 2 ]; then
                printf '\r\033[K  %d of %d steps' "$done" "$total" >&2
                [ "$done" != "$total" ] || printf '\r\033[K' >&2
            elif [ "$done" -ge "$next" ] && [ "$total" -ge 20 ]; then
                say "  $done of $total steps"
                next=$((done + (total + 4) / 5))
            fi
        elif [[ $line != "ninja: no work to do."* && $line != "ninja: Entering"* && $line != -- ]]; then
            say "$line"
        fi
    done
}

# build PRESET [TARGET...] : configures when needed and builds; returns non-zero when either failed.
build() {
    local preset=$1 folder="$root/build/$1" key status=0
    shift
    mkdir -p "$folder"
    exec 9>"$folder/.lock"
    flock 9 # two of us in one folder would trip over each other
    # What a configuration depends on and ninja does not see: presets, packages, a CUDA toolkit.
    key=$({
        cat "$root/CMakePresets.json" "$root/build/.setup-stamp" || true
        command -v nvcc || ls /usr/local/cuda/bin/nvcc || true
    } 2>/dev/null | cksum)
    if [ ! -e "$folder/build.ninja" ] || [ "$(cat "$folder/.configure-stamp" 2>/dev/null)" != "$key" ]; then
        say "Configuring build/$preset"
        rm -f "$folder/.configure-stamp"
        (cd "$root" && cmake --preset "$preset") >"$folder/configure.log" 2>&1 </dev/null || {
            cat "$folder/configure.log" >&2
            return 1
        }
        printf '%s' "$key" >"$folder/.configure-stamp"
        sed -n '/features have been disabled/,/^--/s/^ \* /  without /p' "$folder/configure.log" >&2
        say "Building build/$preset"
    fi
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$(jobs_to_use)" "$@" 2>&1 </dev/null 9>&- | show_progress || status=1
    exec 9>&-
    return $status
}
