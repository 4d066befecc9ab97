/* A process that has a PostgreSQL and does not end: for the test that kills it. */
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { startPostgres } from './postgres-server.ts';

const { binaries } = findPostgres();
const server = await startPostgres({ teardown: () => undefined }, binaries as PostgresBinaries);
console.log(JSON.stringify({ pid: server.pid, directory: server.directory }));
setInterval(() => undefined, 60_000);
