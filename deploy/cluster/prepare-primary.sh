#!/bin/sh
# Runs once, when the image of PostgreSQL makes the database of the primary: lets the standby in, keeps for it what it has
# missed while it was down, and makes every commit wait for it, from the next start on.
set -eu
echo "host replication $POSTGRES_USER all scram-sha-256" >>"$PGDATA/pg_hba.conf"
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --command "alter system set wal_keep_size = '1GB'" \
  --command "alter system set synchronous_standby_names = 'standby'"
