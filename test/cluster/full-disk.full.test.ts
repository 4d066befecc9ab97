import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import {
  allAttached,
  type ClusterStage,
  type NodePlace,
  openStage,
  patchCohorts,
} from '../campaigns/cluster/cluster-stage.ts';
import { eventually } from '../support/expectations.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';

const { skip } = findPostgres();
const attachedMsMax = 60_000;
t.setTimeout(180_000);
const file = t;
let opened: Promise<ClusterStage> | null = null;

/** One stage for all tests: each frees the disk again. @returns it with all nodes attached */
async function sharedStage(): Promise<ClusterStage> {
  opened ??= openStage(file, { hasSmallDisk: true });
  const stage = await opened;
  await allAttached(stage, attachedMsMax);
  return stage;
}

async function evaluate({ server }: NodePlace, flag: string, cohort: string) {
  const answer = await fetch(`http://127.0.0.1:${server?.port}/v1/flags/${flag}?cohort=${cohort}`);
  const { enabled } = (await answer.json()) as { enabled: boolean };
  return { status: answer.status, enabled, state: answer.headers.get('burgee-state') };
}

// Long lists need more pages than the replica has free; for short ones those may do, until a write of one page fails.
for (const [size, items] of Object.entries({ short: 0, long: 20_000 })) {
  t.test(
    `a node whose disk is full evaluates on, is never stale, and follows again: ${size} changes`,
    { skip },
    async (t) => {
      const stage = await sharedStage();
      const [first, , third] = stage.places as [NodePlace, NodePlace, NodePlace];
      if (third.disk === null) {
        t.plan(0, 'this machine does not allow to mount a disk; the campaign full-disk has a shim for that');
        return;
      }
      const toldBefore = third.server?.lines.length ?? 0;
      const [flag = ''] = stage.flags;
      t.equal((await patchCohorts(stage, first, flag, ['before'])).status, 200);
      await third.disk.fill(0);
      const filling = Array.from({ length: items }, (_, index) => `absent-${index}`.padEnd(30, '.'));
      let [stale, detached, confirmed] = [0, 0, 0];
      for (let change = 1; change <= 30; change += 1) {
        const { status, text } = await patchCohorts(stage, first, flag, [...filling, `v${change}`]);
        t.ok(status === 200 || text.includes('Stored, not confirmed everywhere'), `${status} ${text}`);
        const answer = await evaluate(third, flag, `v${change}`);
        t.equal(answer.status, 200, 'it evaluates');
        if (status === 200) confirmed += 1;
        if (answer.state === 'detached') detached += 1;
        else if (status === 200 && !answer.enabled) stale += 1;
      }
      t.equal(stale, 0);
      const told = (third.server?.lines ?? [])
        .slice(toldBefore)
        .filter((line) => /MiB free|follows its cluster again/.test(line));
      t.ok(told.length <= 10, `it has said ${told.length} times that it does not follow, or does again`);
      t.ok(detached > 0, `${detached} answers were of a detached node, ${confirmed} changes confirmed`);
      third.disk.free();
      await allAttached(stage, attachedMsMax);
      t.match(await evaluate(third, flag, 'v30'), { status: 200, enabled: true, state: null });
    },
  );
}

t.test('a node whose disk is full outlives changes that are sent to it, too', { skip }, async (t) => {
  const stage = await sharedStage();
  const third = stage.places[2] as NodePlace;
  if (third.disk === null) {
    t.plan(0, 'this machine does not allow to mount a disk; the campaign full-disk has a shim for that');
    return;
  }
  const toldBefore = third.server?.lines.length ?? 0;
  const statuses = new Map<string, number>();
  let isOver = false;
  const write = async (client: number): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const place = stage.places[(client + turn) % stage.places.length] as NodePlace;
      const flag = stage.flags[client % stage.flags.length] ?? '';
      const { status } = await patchCohorts(stage, place, flag, [`client ${client} turn ${turn}`]);
      const key = `${place.name} ${status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
  };
  const written = Promise.all(Array.from({ length: 12 }, (_, client) => write(client)));
  await pause(1000);
  await third.disk.fill(0);
  await eventually(() => (statuses.get('node 2 503') ?? 0) > 0, attachedMsMax, 'it refuses changes');
  await pause(2000);
  const stored = (): number => (statuses.get('node 0 200') ?? 0) + (statuses.get('node 1 200') ?? 0);
  const before = stored();
  await eventually(() => stored() > before + 20, 20_000, 'the others go on changing things');
  third.disk.free();
  isOver = true;
  await written;
  t.same(
    [...statuses.keys()].filter((key) => !/ (200|503)$/.test(key)),
    [],
  );
  await allAttached(stage, attachedMsMax);
  const lines = (third.server?.lines ?? []).slice(toldBefore);
  t.ok(
    lines.some((line) => /has \d+ MiB free/.test(line)),
    'it says why it does not follow',
  );
  // lmdb's own words when the disk has refused a write, after which only a new process is sound.
  t.notOk(lines.some((line) => line.includes('Write error')));
});
