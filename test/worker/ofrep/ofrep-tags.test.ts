import { createHash } from 'node:crypto';
import t from 'tap';
import { type Answer, startOfrep } from './ofrep-fixture.ts';

t.setTimeout(120_000);

/** Answers of a project of so many flags have three pieces. */
const flagsOfLong = 700;
const long = {
  name: 'long',
  flags: Array.from({ length: flagsOfLong }, (_unused, index) => ({
    name: `flag-${index}`,
    enabled: true,
    trafficPercentage: 50,
  })),
  tokens: [{ name: 'ci', permission: 'write' }],
};

function tagOf({ text }: Answer): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}

t.test('the tag of all flags is the hash of the answer, for long and short ones asked in turn', async (t) => {
  const { apply, ask, solo } = await startOfrep(t, { BURGEE_WORKERS: '1' });
  const { projects } = (await apply(long)) as { projects: Record<string, { id: string }> };
  const longId = projects['long']?.id ?? '';
  const askAbout = (user: number) => {
    const body = { context: { targetingKey: `user-${user}` } };
    return Promise.all([ask(`/projects/${longId}`, null, body), ask(`/projects/${solo.id}`, null, body)]);
  };
  const tags = new Set<unknown>();
  for (let round = 0; round < 8; round += 1) {
    const answers = (await Promise.all([0, 1, 2, 3].map((user) => askAbout(user)))).flat();
    for (const answer of answers) {
      t.equal(answer.status, 200);
      t.equal(answer.headers.get('etag'), tagOf(answer));
      tags.add(answer.headers.get('etag'));
    }
    const [longAnswer] = answers;
    t.equal(longAnswer?.json.flags.length, flagsOfLong);
    t.ok((longAnswer?.text.length ?? 0) > 2 * 64 * 1024, 'several pieces');
    const keys = longAnswer?.json.flags.map(({ key }: { key: string }) => key);
    t.equal(new Set(keys).size, flagsOfLong);
  }
  t.ok(
    tags.size >= 5 && tags.size <= 8,
    `${tags.size}: contexts have answers of their own, the same each time`,
  );
});
