import t from 'tap';
import { createRandom } from '../support/random.ts';
import type { Campaign } from './campaign.ts';
import { runCampaign } from './run-campaign.ts';

/** A campaign that draws one number in each case, and fails where `isWrong` is true. */
function drawing(drawn: number[], isWrong: (number: number) => boolean): Campaign {
  return {
    name: 'drawing',
    summary: 'numbers are drawn',
    sampleCount: 3,
    fullCount: 10,
    run: async ({ cases }) => {
      for (const { number, random } of cases()) {
        drawn.push(random.next());
        if (isWrong(number)) throw new Error('a wrong number');
      }
      return { draws: drawn.length };
    },
  };
}

t.test('a seed and a case number repeat a case', async (t) => {
  const all: number[] = [];
  const alone: number[] = [];
  const lines: string[] = [];
  const options = { count: 5, seed: 42, isFull: true, note: (line: string) => lines.push(line) };
  t.same(
    await runCampaign(
      drawing(all, () => false),
      options,
    ),
    { draws: 5 },
  );
  await runCampaign(
    drawing(alone, () => false),
    { ...options, onlyCase: 4 },
  );
  t.same(alone, [all[3]]);
  t.equal(new Set(all).size, 5, 'cases differ');
  t.match(lines[0], /count 5, seed 42$/);
  t.match(lines[1], /passed in .*draws 5$/);
});

t.test('a violation names the seed, the case and the command', async (t) => {
  const lines: string[] = [];
  const options = { count: 5, seed: 7, isFull: true, note: (line: string) => lines.push(line) };
  const failing = runCampaign(
    drawing([], (number) => number === 3),
    options,
  );
  await t.rejects(failing, { message: /seed 7 in case 3 .*a wrong number/ });
  t.match(lines.at(-1), /FAILED in case 3 \(alone: npm run campaign -- drawing 5 7 3\)/);
});

t.test('resources that a campaign has opened are closed at its end, the last one first', async (t) => {
  const ended: string[] = [];
  const campaign: Campaign = {
    ...drawing([], () => false),
    run: async ({ teardown }) => {
      teardown(() => ended.push('first'));
      teardown(() => ended.push('second'));
      throw new Error('over');
    },
  };
  await t.rejects(runCampaign(campaign, { count: 1, seed: 1, isFull: false, note: () => undefined }));
  t.same(ended, ['second', 'first']);
});

t.test('random numbers stay within their bounds and differ', async (t) => {
  const random = createRandom(1);
  const drawn = Array.from({ length: 10_000 }, () => random.integer(-3, 3));
  t.same(
    [...new Set(drawn)].sort((a, b) => a - b),
    [-3, -2, -1, 0, 1, 2, 3],
  );
  t.same(createRandom(1).shuffle([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
  t.not(createRandom(1).next(), createRandom(2).next());
  t.equal(createRandom(1).fork(5).next(), createRandom(1).fork(5).next());
});
