import t from 'tap';
import { createDatabases, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { bearer, createHttpClient } from '../../support/http-client.ts';
import { Acknowledgements, type Attempt } from './acknowledgements.ts';
import { type Installation, installForLoad } from './installation.ts';
import { judgeStore } from './judge-store.ts';

/* The judge of the campaigns must itself notice every kind of loss. */

interface Made {
  readonly installation: Installation;
  readonly known: Acknowledgements;
  readonly attempt: Attempt;
}

/** A store with one acknowledged patch and one denial. */
async function makeOne(t: Parameters<typeof installForLoad>[0]): Promise<Made> {
  const installation = await installForLoad(t, { flags: 2, readers: 1 });
  const server = await bootServer(t, { dataDir: installation.dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  const [target] = installation.single.targets;
  const [reader] = installation.readers;
  if (target === undefined || reader === undefined) throw new Error('nothing was provisioned');
  const known = new Acknowledgements();
  const attempt = { kind: 'patch', target, body: { enabled: true, trafficPercentage: 100 } } as const;
  const request = { method: 'PATCH', path: `/api/v1/flags/${target.flagId}` };
  const body = JSON.stringify(attempt.body);
  const send = (secret: string) => client.send({ ...request, body, headers: bearer(secret) });
  known.take(attempt, await send(installation.single.secret));
  known.take({ kind: 'denial', tokenId: reader.id }, await send(reader.secret));
  await server.stop();
  return { installation, known, attempt };
}

t.test('a store with all acknowledged changes passes; every difference is noticed', async (t) => {
  const { installation, known, attempt } = await makeOne(t);
  const { states, madeUnanswered } = await judgeStore(installation, known);
  t.equal(states.size, 6, 'two flags, and two in two environments');
  t.equal(madeUnanswered, 0);
  const [made] = known.changes;
  if (made === undefined) throw new Error('nothing was acknowledged');
  const [requestId, change] = made;

  const judgedWith = (edit: (copy: Acknowledgements) => void) => {
    const copy = new Acknowledgements();
    copy.changes.set(requestId, change);
    for (const [id, count] of known.denials) copy.denials.set(id, count);
    edit(copy);
    return judgeStore(installation, copy);
  };
  const lost = judgedWith((copy) => copy.changes.set('another', change));
  await t.rejects(lost, { message: /1 acknowledged changes are lost/ });
  const unasked = judgedWith((copy) => copy.changes.clear());
  await t.rejects(unasked, { message: /no client requested/ });
  const refused = judgedWith((copy) => {
    copy.changes.clear();
    copy.refused.add(requestId);
  });
  await t.rejects(refused, { message: /a refused change was made/ });
  const otherwise = judgedWith((copy) =>
    copy.changes.set(requestId, { ...change, state: { ...change.state, enabled: false } }),
  );
  await t.rejects(otherwise, { message: /is recorded as/ });
  const older = judgedWith((copy) =>
    copy.changes.set(requestId, { ...change, updatedAt: change.updatedAt + 1 }),
  );
  await t.rejects(older, { message: /was updated at/ });
  const denied = judgedWith((copy) => copy.denials.set([...copy.denials.keys()][0] ?? '', 2));
  await t.rejects(denied, { message: /has 1 denials; 2 to 2 were made/ });
  const half = judgedWith((copy) => {
    copy.changes.clear();
    copy.unanswered.push({ ...attempt, body: { enabled: true } } as Attempt);
  });
  await t.rejects(half, { message: /no client requested/ }, 'more than was requested');
  const whole = await judgedWith((copy) => {
    copy.changes.clear();
    copy.unanswered.push(attempt);
  });
  t.equal(whole.madeUnanswered, 1);
});

t.test('a missing change log is noticed', async (t) => {
  const { installation, known } = await makeOne(t);
  const root = openEnvironment({ directory: installation.dataDir, mapBytes: 2 ** 30, isReadOnly: false });
  createDatabases(root)['change-log'].clearSync();
  await root.close();
  await t.rejects(judgeStore(installation, known), { message: /the change log has 0 of 1 changes/ });
});
