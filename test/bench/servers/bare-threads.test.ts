import t from 'tap';
import { bareThreadsProgram } from '../../../bench/servers/programs.ts';
import { checkSameAnswers, readAnswer } from '../../../bench/servers/same-answers.ts';
import { startBareServer, startBareThreads } from '../../../bench/servers/start-limits.ts';
import { startProgram } from '../../../bench/servers/start-program.ts';
import { withServers } from '../../../bench/servers/with-servers.ts';

t.test('bare threads answer on every connection, as one bare server does', (t) =>
  withServers(async (keep) => {
    const body = '{"enabled":true}';
    const one = await keep(startBareServer(body));
    const several = await keep(startBareThreads(body, 3));
    const path = '/v1/flags/any?targetingKey=user-1';
    await checkSameAnswers(path, { one: one.origin, several: several.origin });
    // Each on a connection of its own. There are more connections than threads, so that each thread gets some.
    const answers = await Promise.all(Array.from({ length: 30 }, () => readAnswer(several.origin, path)));
    for (const answer of answers) t.equal(answer.body.toString('utf8'), body);
    for (const { origin } of [one, several]) t.equal((await readAnswer(origin, '/health')).status, 200);
  }),
);

t.test('bare threads that cannot read their body are an error that says why', async (t) => {
  await t.rejects(startProgram([bareThreadsProgram, '/no/such/file', '2']), {
    message: /ended before it listened:[\s\S]*ENOENT/,
  });
});
