#!/bin/sh
# Starts the standby as a copy of the primary, which is taken the first time.
set -eu
PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
export PGPASSWORD
until [ -s "$PGDATA/PG_VERSION" ]; do
  mkdir -p "$PGDATA"
  chmod 0700 "$PGDATA"
  pg_basebackup --pgdata "$PGDATA" --wal-method stream --write-recovery-conf \
    --dbname "host=db-1 user=$POSTGRES_USER application_name=standby" || { rm -rf "$PGDATA"; sleep 1; }
done
# After a promotion this server confirms alone, until there is a standby again: it has copied the primary's setting.
exec postgres -c synchronous_standby_names=
