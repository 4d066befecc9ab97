import { rmSync } from 'node:fs';
import { eventually, expect } from '../../support/expectations.ts';
import { allAttached, type ClusterStage } from './cluster-stage.ts';

const attachedMsMax = 60_000;
const lostChanges = 5;

/**
 * Restores PostgreSQL to an earlier moment, while nobody changes anything else: what was created since is gone from every
 * node, and nothing of before is.
 */
export async function restoreEarlier(stage: ClusterStage): Promise<string> {
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
  return 'PostgreSQL restored to an earlier moment';
}
