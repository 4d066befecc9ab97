import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { batchAt, commit } from '../../../src/cluster/sql/commit-statements.ts';
import { confirmHead } from '../../../src/cluster/sql/head-statements.ts';
import { findPostgres, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import { startPostgres, startStandby } from '../../support/postgres/postgres-server.ts';
import { connectForTest, makeTestCluster, requestOn } from './support/test-cluster.ts';

const { binaries, skip } = findPostgres();

/*
 * A commit waits for its standby when the server crashes. Started again, the server shows the row, which the standby does not
 * have: a node that asks what became of its commit must not take that for stored.
 */
t.test(
  'what a server shows after a crash is confirmed by its standby, or not at all',
  { skip },
  async (t) => {
    const primary = await startPostgres(t, binaries as PostgresBinaries);
    const standby = await startStandby(t, binaries as PostgresBinaries, primary, { isSynchronous: true });
    const database = { url: primary.url(), freshSchema: () => 'crashed' };
    const cluster = await makeTestCluster(t, database);
    const first = await cluster.connect();
    await confirmHead(first);

    await standby.stop();
    const request = requestOn(cluster.beginning);
    const waiting = commit(first, request).catch(() => null);
    await pause(300);
    await primary.killHard();
    await waiting;
    await primary.start();

    const second = await connectForTest(t, primary.url(), cluster.schema);
    t.equal(await batchAt(second, request.row.position), request.row.batch, 'the row is shown');
    await t.rejects(confirmHead(second), /no answer within/, 'nothing says that the standby has it');
    await standby.start();
    const third = await connectForTest(t, primary.url(), cluster.schema);
    await confirmHead(third);
  },
);
