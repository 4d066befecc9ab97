import { setTimeout } from 'node:timers/promises';
import { eventually, expect } from '../support/expectations.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Campaign } from './campaign.ts';
import { Site } from './load/site.ts';

const clients = 16;
/** Of each project: with its two environments, the second one has four registers. */
const flagsPerProject = 2;
/** Of each server: on a busy machine fewer would prove little. */
const answersMin = 400;
const enoughWithinMs = 60_000;
const runMs = { full: 10_000, sample: 3000 };

/** Many clients change and read few flags, also when servers are killed. `Site.judge` decides whether one order explains it. */
export const linearizability: Campaign = {
  name: 'linearizability',
  summary:
    '16 clients change and read 4 flags through both APIs, with and without kill -9: an order of all that was answered explains every answer',
  sampleCount: 2,
  fullCount: 20,
  async run({ cases, isFull }) {
    const counts = { runs: 0, kills: 0, answers: 0, 'unanswered writes': 0 };
    for (const { number, random } of cases()) {
      const lives = number % 2 === 0 ? random.integer(2, 4) : 1;
      const lifeMs = (isFull ? runMs.full : runMs.sample) / lives;
      await withLifetime(async (t) => {
        const site = await Site.open(t, { flags: flagsPerProject, readers: 1 });
        const settings = { BURGEE_WORKERS: String(random.integer(2, 3)) };
        const onAnswer = (): void => {
          counts.answers += 1;
        };
        for (let life = 1; life <= lives; life += 1) {
          const server = await site.boot(t, settings);
          const load = { random: random.fork(life), clients, runName: `life ${life}`, onAnswer };
          const ms = lifeMs * (0.5 + random.next());
          const isKilled = life < lives;
          await site.loadDuring(t, server, { ...load, isKilled }, async () => {
            const begunAt = counts.answers;
            await setTimeout(ms);
            const isEnough = (): boolean => counts.answers - begunAt >= answersMin;
            const enough = eventually(isEnough, enoughWithinMs, 'too few answers come');
            const ended = server.ended.then((end) => expect(false, `the server ended with ${end}`));
            await Promise.race([enough, ended]);
          });
          if (isKilled) counts.kills += 1;
          else await server.stop();
          await site.judge({ isChecked: life === lives });
        }
        counts['unanswered writes'] += site.unanswered;
      });
      counts.runs += 1;
    }
    return counts;
  },
};
