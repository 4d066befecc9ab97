import t from 'tap';
import { startOneFlagServers } from '../../../bench/servers/one-flag-servers.ts';
import { checkSameAnswers, readAnswer } from '../../../bench/servers/same-answers.ts';
import { startBareServer } from '../../../bench/servers/start-limits.ts';
import { withServers } from '../../../bench/servers/with-servers.ts';

t.test('Burgee and what it is compared with answer alike, whether the flag is on or off', (t) =>
  withServers(async (keep) => {
    const { flagId, servers } = await startOneFlagServers(keep);
    const originOf = (name: string): string => servers.find((one) => one.name === name)?.server.origin ?? '';
    const seen = new Set<string>();
    for (let user = 0; user < 50; user += 1) {
      const path = `/v1/flags/${flagId}?targetingKey=user-${user}`;
      const burgee = await readAnswer(originOf('burgee'), path);
      t.strictSame(await readAnswer(originOf('in-gateway'), path), burgee);
      seen.add(burgee.body.toString('utf8'));
    }
    t.equal(seen.size, 2);
  }),
);

t.test('a contender that answers otherwise is found before anything is measured', (t) =>
  withServers(async (keep) => {
    const one = await keep(startBareServer('{"enabled":true}'));
    const other = await keep(startBareServer('{"enabled":false}'));
    const path = '/v1/flags/any';
    await checkSameAnswers(path, { one: one.origin, same: one.origin });
    const message = /answered differently:\none: 200, 16 bytes.*\nother: 200, 17 bytes/;
    await t.rejects(checkSameAnswers(path, { one: one.origin, other: other.origin }), { message });
  }),
);

t.test('a body of any length is answered', (t) =>
  withServers(async (keep) => {
    const body = 'x'.repeat(1_000_000);
    const { origin } = await keep(startBareServer(body));
    const answer = await readAnswer(origin, '/v1/flags/project/any');
    t.equal(answer.body.toString('utf8'), body);
  }),
);
