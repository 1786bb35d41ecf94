# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Shared by the scripts in this folder; source it after `set -euo pipefail`. It runs nothing by itself.
#
# Environment:
#   BPERF_CACHE     where downloads are kept (default ${XDG_CACHE_HOME:-$HOME/.cache}/bperf-mini)
#   BPERF_MIRROR    Debian archive to use instead of the one in apt's sources (BPERF_SECURITY_MIRROR: the same for *-security)

# shellcheck disable=SC2034 # used by those who source this
TOP=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
CACHE=${BPERF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/bperf-mini}
ME=${0##*/}

# A download that could not be had (a mirror problem, not a failing test).
E_FETCH=3

say() { printf '%s: %s\n' "$ME" "$*" >&2; }
die() { say "$*"; exit 1; }
die_usage() { say "$*; see $ME --help"; exit 2; }

# The head comment of the running script, from its second paragraph mark to the first line that is no comment.
usage() { sed -n '/^# Usage:/,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# Debian's architecture -> the name by which compilers know it. musl's folders have the same with "musl" in place of "gnu".
triple_of()
{
	case $1 in
	amd64) echo x86_64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	armhf) echo arm-linux-gnueabihf ;;
	riscv64) echo riscv64-linux-gnu ;;
	*) die "architecture '$1': expected amd64, arm64, armhf or riscv64" ;;
	esac
}

host_arch()
{
	case $(uname -m) in
	x86_64) echo amd64 ;;
	aarch64) echo arm64 ;;
	armv7l) echo armhf ;;
	*) uname -m ;;
	esac
}

# scratch: sets SCRATCH to a new folder on the cache's file system (so that a rename from it is atomic), removed at exit.
SCRATCH=
scratch()
{
	mkdir -p "$CACHE/tmp"
	SCRATCH=$(mktemp -d "$CACHE/tmp/$ME.XXXXXX")
	trap 'rm -rf "$SCRATCH"' EXIT
}

# locked NAME COMMAND...: COMMAND while holding the cache's lock of that name; says so when it has to wait. COMMAND runs without
# errexit.
locked()
{
	local lock_file=$CACHE/lock/$1 lock_fd lock_rc=0
	shift
	mkdir -p "$CACHE/lock"
	exec {lock_fd}>"$lock_file"
	if ! flock -n "$lock_fd"; then
		say "waiting for another run that holds $lock_file"
		flock "$lock_fd"
	fi
	"$@" || lock_rc=$?
	exec {lock_fd}>&-
	return "$lock_rc"
}

# --- apt with a private state --------------------------------------------------------------------------------------------

# archive_of SUITE: the URI of the configured archive that has SUITE. No host name is written anywhere in this project: it is
# the one that this machine's own apt sources name. An archive of security updates that is not configured is taken to lie
# beside the main one.
archive_of()
{
	local suite=$1 kind=main sites
	case $suite in *-security | *-security/*) kind=security ;; esac
	case $kind in
	main) [ -z "${BPERF_MIRROR:-}" ] || { echo "$BPERF_MIRROR"; return; } ;;
	security) [ -z "${BPERF_SECURITY_MIRROR:-}" ] || { echo "$BPERF_SECURITY_MIRROR"; return; } ;;
	esac
	# shellcheck disable=SC2016 # apt-get expands these
	sites=$(apt-get indextargets --format '$(RELEASE) $(SITE)' 'Created-By: Packages' 'Component: main') ||
		return 1
	awk -v kind="$kind" '
		$2 ~ /^cdrom:/ || $2 !~ /debian/ { next }
		$1 ~ /-security$|\/updates$/ { if (!security) security = $2; next }
		$1 ~ /^(buster|bullseye|bookworm|trixie|forky|sid|stable|oldstable|testing|unstable)/ { if (!main) main = $2 }
		END {
			if (kind == "main") print main
			else if (security) print security
			else if (main ~ /\/debian\/?$/) { sub(/\/$/, "", main); print main "-security" }
		}' <<<"$sites" | grep .
}

# apt_private SUITE ARCH TOOL ARGS...: TOOL (apt-get or apt-cache) on that one suite and architecture, with lists and cache of
# its own: the system's apt state is neither read nor written, and none of its hooks run. Exit status is TOOL's.
apt_private()
{
	local suite=$1 arch=$2 tool=$3 dir=$CACHE/apt/$1-$2 site keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	shift 3
	[ -e "$keyring" ] || keyring=${keyring%.gpg}.pgp
	if ! site=$(archive_of "$suite"); then
		say "no Debian archive for $suite in this machine's apt sources (set BPERF_MIRROR)"
		return "$E_FETCH"
	fi
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	echo "deb [target=Packages signed-by=$keyring] $site $suite main" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State::Lists "$dir/lists";
		Dir::State::status "/dev/null";
		Dir::Cache "$dir/cache";
		Dir::Cache::srcpkgcache "";
		Dir::Cache::pkgcache "pkgcache.bin";
		APT::Architecture "$arch";
		#clear APT::Architectures;
		APT::Architectures { "$arch"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::GzipIndexes "true";
		Acquire::Retries "2";
		Acquire::http::Timeout "30";
		Acquire::https::Timeout "30";
	END
	"$tool" -c "$dir/apt.conf" "$@"
}

# apt_lists SUITE ARCH [force]: the index of that suite is there and of today. An old one is good enough where the mirror is
# out of reach; with none at all it fails with E_FETCH.
apt_lists() { locked "apt-$1-$2" apt_lists_locked "$@"; }
apt_lists_locked()
{
	local suite=$1 arch=$2 force=${3:-} dir=$CACHE/apt/$1-$2 start=$SECONDS
	if [ -z "$force" ] && [ -n "$(find "$dir/updated" -mmin -1440 2>/dev/null)" ]; then
		return 0
	fi
	say "fetching the package index of $suite for $arch"
	mkdir -p "$dir"
	if apt_private "$suite" "$arch" apt-get -q -o APT::Update::Error-Mode=any update >"$dir/update.log" 2>&1; then
		touch "$dir/updated"
		say "index of $suite for $arch: $(du -sh "$dir/lists" | cut -f1), $((SECONDS - start)) s"
		return 0
	fi
	grep -m 2 -E '^(E|W|Err)' "$dir/update.log" >&2 || tail -n 2 "$dir/update.log" >&2
	[ -e "$dir/updated" ] || return "$E_FETCH"
	say "index of $suite for $arch could not be renewed: using the one of $(date -r "$dir/updated" +%F)"
}

# apt_fetch SUITE ARCH PACKAGE...: the .deb files into the current folder. E_FETCH when one could not be had.
apt_fetch()
{
	local suite=$1 arch=$2 bytes start=$SECONDS
	shift 2
	# one line a file: 'URI' NAME SIZE HASH
	bytes=$(apt_private "$suite" "$arch" apt-get -q download --print-uris "$@" 2>/dev/null |
		awk '{ n += $3 } END { printf "%.1f", n / 1000000 }') || return "$E_FETCH"
	say "downloading $* for $arch from $suite: $bytes MB"
	if [ -t 2 ]; then
		apt_private "$suite" "$arch" apt-get download "$@" >&2 || return "$E_FETCH"
	elif ! apt_private "$suite" "$arch" apt-get -q download "$@" >download.log 2>&1; then
		grep -m 2 -E '^(E|W|Err)' download.log >&2 || tail -n 2 download.log >&2
		return "$E_FETCH"
	fi
	say "downloaded $bytes MB in $((SECONDS - start)) s"
}

# apt_obtain SUITE ARCH PACKAGE...: apt_lists and apt_fetch, with a second try on a fresh index, as an old one names files that
# the mirror has replaced since.
apt_obtain()
{
	apt_lists "$1" "$2" || return
	apt_fetch "$@" && return
	apt_lists "$1" "$2" force || return
	apt_fetch "$@"
}

# deb_extract FILE.deb DIR MEMBER...: only these members (tar patterns, each starting with ./), without complaint about those
# that are not there.
deb_extract()
{
	local deb=$1 dir=$2
	shift 2
	mkdir -p "$dir"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --no-same-owner --wildcards "$@" 2>/dev/null || true
}
