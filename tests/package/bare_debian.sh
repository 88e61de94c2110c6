#!/bin/sh
# The packages on a bare Debian 12: made by debootstrap, without a compiler. Installs them, trains
# Tiger and measures it, and says how long that took from the package to the first result.
#   bare_debian.sh PACKAGES WORK     needs root, debootstrap and a mirror that apt knows
set -eu
packages=$1 work=$2 root=$2/root
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep debian | grep -v security | head -n 1)
for name in bpo libbpo-dev python3-bpo; do
  ls "$packages/$name"_*.deb > /dev/null 2>&1 ||
    { echo "$packages: no ${name}_*.deb; \`make deb\` makes it, python3-bpo where PyPI can be reached"; exit 1; }
done
mkdir -p "$work"
if [ ! -e "$root/.made" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" > "$work/debootstrap.log"
  touch "$root/.made"
fi
# Every run begins with the same bare system.
rm -rf "$work/bare"
cp -a "$root" "$work/bare"
bare=$work/bare
cp -L /etc/resolv.conf "$bare/etc/" 2> /dev/null || true
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
  if [ -e "$file" ]; then cp "$file" "$bare$file"; fi
done
cp "$packages"/*.deb "$bare/tmp/"
inside() { chroot "$bare" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
trap 'umount "$bare/proc" 2> /dev/null || true' EXIT
mount -t proc proc "$bare/proc"
for tool in cc gcc g++ clang; do
  if inside sh -c "command -v $tool" > /dev/null; then echo "$tool is there"; exit 1; fi
done
inside apt-get update -qq

begin=$(date +%s.%N)
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/bpo_*.deb' > "$work/install.log" 2>&1
installed=$(date +%s.%N)
inside bpo train tiger --seed 0 --out /tmp/tiger --quiet
inside bpo eval /tmp/tiger --exact
end=$(date +%s.%N)
inside bpo export /tmp/tiger --to c /tmp/policy
# The rest of `make demo`.
inside bpo play /tmp/tiger --trace --set problem.horizon=12 > /dev/null
inside bpo train tiger --algo up-mle --seed 0 --out /tmp/up-mle --quiet
inside bpo report /tmp/tiger /tmp/up-mle -o /tmp/demo.html
inside test -s /tmp/demo.html
inside sh -c 'test -s /usr/share/man/man1/bpo.1.gz && test -s /usr/share/doc/bpo/changelog.gz' ||
  inside sh -c 'grep -q share/man /etc/dpkg/dpkg.cfg.d/*' || { echo "no manual page"; exit 1; }
inside bpo --version
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/libbpo-dev_*.deb' > "$work/dev.log" 2>&1
inside sh -c 'test -s /usr/include/bpo_runtime.h && test -e /usr/lib/libbpo-runtime.so'
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/python3-bpo_*.deb' > "$work/python.log" 2>&1
inside python3 -c 'import bpo; print(bpo.load("/tmp/tiger").act([2]))'
echo "$begin $installed $end" | awk '{
  printf "package to first result: %.1f s (installing %.1f s, training and measuring %.1f s)\n",
         $3 - $1, $2 - $1, $3 - $2
  exit $3 - $1 > 60 }'
