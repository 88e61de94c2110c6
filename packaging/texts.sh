#!/bin/sh
# The texts of the packages: the manual page, made of what the program says with --help and of the
# exit codes in docs/architecture.md, and the changelog, whose version must be the program's.
#   texts.sh PROGRAM VERSION OUT
set -eu
program=$1 version=$2 out=$3
here=$(dirname "$0")
mkdir -p "$out"

head -n 1 "$here/changelog" | grep -qF "bpo ($version-" || {
  echo "packaging/changelog: its first entry is not of version $version" >&2
  exit 1
}
exits=$(sed -n '/^## Exit codes/,/^## /{/^#/!{/./p}}' "$here/../docs/architecture.md" | tr -d '`')
[ -n "$exits" ] || {
  echo "docs/architecture.md: it has no section 'Exit codes' for the manual page" >&2
  exit 1
}
gzip -9nc "$here/changelog" > "$out/changelog.gz"
cp "$here/copyright" "$out/copyright"

# Roff takes a backslash, and a dot or an apostrophe at a line's start, for its own.
plain() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }
{
  echo ".TH BPO 1 \"\" \"bpo $version\" \"User Commands\""
  echo ".SH NAME"
  echo "bpo \\- policies that adapt to models they do not know"
  echo ".SH SYNOPSIS"
  echo ".B bpo"
  echo "VERB [ARGUMENTS]"
  echo ".SH DESCRIPTION"
  echo ".nf"
  "$program" --help | plain
  echo ".fi"
  "$program" --help | sed -n '/^Subcommands:/,/^$/p' | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' |
    while read -r verb; do
      echo ".SH $(echo "$verb" | tr a-z A-Z)"
      echo ".nf"
      "$program" "$verb" --help | plain
      echo ".fi"
    done
  echo ".SH EXIT STATUS"
  echo "$exits" | plain
} | gzip -9nc > "$out/bpo.1.gz"
