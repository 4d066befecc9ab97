import { rmSync } from 'node:fs';
import { expect } from '../../support/expectations.ts';
import type { ClusterLoad } from './cluster-load.ts';
import { allAttached, type ClusterStage } from './cluster-stage.ts';

const attachedMsMax = 60_000;
const lostChanges = 5;

/**
 * Restores PostgreSQL to an earlier moment, while nobody changes anything else: what was created since is gone from every
 * node, and nothing of before is.
 */
export async function restoreEarlier(stage: ClusterStage, load: ClusterLoad): Promise<string> {
  const { postgres } = stage;
  // A standby would go on from what it has.
  if (stage.standby !== null) return 'not restored';
  await postgres.stop();
  const copy = `${postgres.directory}-earlier`;
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
  await allAttached(stage, attachedMsMax);
  for (const { server, name } of stage.places) {
    if (server === null) continue;
    for (const id of lost) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/v1/flags/${id}`);
      await answer.text();
      if (answer.status !== 404)
        load.faults.push(`${name} shows a flag that PostgreSQL has lost: ${answer.status}`);
    }
  }
  return 'PostgreSQL restored to an earlier moment';
}
