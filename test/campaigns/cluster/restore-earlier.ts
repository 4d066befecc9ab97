import { renameSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, expect } from '../../support/expectations.ts';
import type { ClusterLoad } from './cluster-load.ts';
import { allAttached, type ClusterStage } from './cluster-stage.ts';
import type { Nemesis } from './nemesis.ts';

const attachedMsMax = 60_000;
const lostChanges = 5;
/** A creation is answered within a client's limit. */
const heldMsMax = 60_000;

/**
 * Restores PostgreSQL to an earlier moment while clients change flags, and go on to do so: the nodes' rows and the new ones have
 * the same positions then, and another content. What was acknowledged before the copy was made is kept, what was afterwards is
 * lost by declaration, and all that is acknowledged after the restore counts again.
 */
export async function restoreUnderLoad({ stage, random }: Nemesis, load: ClusterLoad): Promise<void> {
  const { postgres } = stage;
  // A standby would go on from what it has.
  if (stage.standby !== null) return;
  await load.hold(heldMsMax);
  await postgres.stop();
  load.keep();
  const copy = `${postgres.directory}-earlier`;
  await postgres.copyTo(copy);
  await postgres.start();
  await pause(random.integer(500, 5000));
  await postgres.killHard();
  load.loseHistory();
  rmSync(postgres.directory, { recursive: true });
  renameSync(copy, postgres.directory);
  // Sometimes nodes have lost their leases by then.
  await pause(random.integer(0, 4000));
  await postgres.start();
}

/**
 * Restores PostgreSQL to an earlier moment, while nobody changes anything else: what was created since is gone from every
 * node, and nothing of before is.
 * @returns whether it was: not where there is a standby
 */
export async function restoreEarlier(stage: ClusterStage): Promise<boolean> {
  const { postgres } = stage;
  // A standby would go on from what it has.
  if (stage.standby !== null) return false;
  await postgres.stop();
  const copy = `${postgres.directory}-before`;
  await postgres.copyTo(copy);
  await postgres.start();
  await allAttached(stage, attachedMsMax);
  const [first] = stage.places.filter(({ server }) => server !== null);
  const lost: string[] = [];
  for (let change = 0; change < lostChanges; change += 1) {
    const answer = await fetch(`http://127.0.0.1:${first?.server?.port}/api/v1/flags`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stage.secret}` },
      body: JSON.stringify({ name: `lost ${change}` }),
    });
    const text = await answer.text();
    if (answer.status === 201) lost.push((JSON.parse(text) as { id: string }).id);
  }
  expect(lost.length > 0, 'a change was made that is to be lost');
  await postgres.stop();
  rmSync(postgres.directory, { recursive: true });
  await postgres.fill(copy);
  await postgres.start();
  for (const { server, name } of stage.places) {
    if (server === null) continue;
    for (const id of lost) {
      // Until its lease of before runs out a node does not know.
      const isGone = async (): Promise<boolean> => {
        const answer = await fetch(`http://127.0.0.1:${server.port}/v1/flags/${id}`);
        await answer.text();
        return answer.status === 404;
      };
      await eventually(isGone, attachedMsMax, `${name} shows no flag that PostgreSQL has lost`);
    }
  }
  await allAttached(stage, attachedMsMax);
  return true;
}
