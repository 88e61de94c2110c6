#!/bin/sh
# Debian's arm64 libraries for a cross-build, unpacked into a directory; the system's own packages
# and lists stay as they are.
# usage: cmake/aarch64-sysroot.sh DIRECTORY
set -eu
mkdir -p "$1"
root=$(cd "$1" && pwd)
[ -e "$root/complete" ] && exit 0
apt="-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::status=/dev/null
     -o Dir::State::Lists=$root/lists -o Dir::Cache=$root/cache -o APT::Sandbox::User=root"
mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/packages"
apt-get $apt -qq update
cd "$root/packages"
apt-get $apt -qq download libfmt-dev libfmt9 libgtest-dev librapidcheck-dev libeigen3-dev \
  nlohmann-json3-dev libtomlplusplus-dev libtomlplusplus3 libcli11-dev librandom123-dev \
  libmujoco-dev libmujoco2.2.2 libccd2 liblodepng0 libqhull-r8.0 libtinyxml2-9 libexpat1-dev \
  libexpat1
for package in *.deb; do dpkg -x "$package" "$root"; done
touch "$root/complete"
