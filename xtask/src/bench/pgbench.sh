# pgbench for $3 seconds on the cluster in $2, which is made when it is first asked for, by PostgreSQL's programs in $1. Its server
# runs only meanwhile, with the settings that ioproof gives its own.
set -e
export PATH="$1:$PATH" LC_ALL=C PGHOST="$2" PGDATABASE=postgres
data=$2/data
[ -d "$data" ] || {
    initdb -A trust --no-sync -D "$data" >/dev/null
    new=1
}
options="-k $2 -c listen_addresses= -c max_wal_size=1GB -c checkpoint_timeout=30s -c wal_sync_method=fdatasync"
pg_ctl -w -D "$data" -l "$data.log" -o "$options" start >/dev/null
trap 'pg_ctl -w -m fast -D "$data" stop >/dev/null' EXIT
# As many branches as ioproof makes for 128 MiB.
[ -z "$new" ] || pgbench -i -q -s 8 2>/dev/null
psql -X -q -c CHECKPOINT
pgbench -n -b tpcb-like -c 1 -T "$3"
