import t from 'tap';
import { bareLimit, nodeHttpLimit, startOneFlagServers } from '../../../bench/servers/one-flag-servers.ts';
import { checkSameAnswers, readAnswer } from '../../../bench/servers/same-answers.ts';
import { startBareServer } from '../../../bench/servers/start-limits.ts';
import { withServers } from '../../../bench/servers/with-servers.ts';

t.test('contenders answer as Burgee does when the flag is on', (t) =>
  withServers(async (keep) => {
    const { flagId, servers } = await startOneFlagServers(keep, 1, [bareLimit, nodeHttpLimit]);
    const bodies = new Set<string>();
    for (let user = 0; user < 50; user += 1) {
      const path = `/v1/flags/${flagId}?targetingKey=user-${user}`;
      const answers = await Promise.all(servers.map(({ server }) => readAnswer(server.origin, path)));
      const [burgee, ...others] = answers.map(({ body, ...rest }) => ({
        ...rest,
        body: body.toString('utf8'),
      }));
      bodies.add(burgee?.body ?? '');
      if (burgee?.body.includes('true')) for (const other of others) t.strictSame(other, burgee);
    }
    t.equal(bodies.size, 2, 'the flag is on for some keys and off for others');
  }),
);

t.test('a contender that answers differently is found before anything is measured', (t) =>
  withServers(async (keep) => {
    const one = await keep(startBareServer('{"enabled":true}'));
    const other = await keep(startBareServer('{"enabled":false}'));
    const path = '/v1/flags/any';
    await checkSameAnswers(path, { one: one.origin, same: one.origin });
    const message = /answered differently:\none: 200, 16 bytes.*\nother: 200, 17 bytes/;
    await t.rejects(checkSameAnswers(path, { one: one.origin, other: other.origin }), { message });
  }),
);
