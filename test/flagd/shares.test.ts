import t from 'tap';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer, bootFlagd, callSync, grpcClient } from './flagd-fixture.ts';

t.setTimeout(60_000);

t.test('an organisation leaves streams for others, however many projects it has', async (t) => {
  const dataDir = temporaryDirectory(t);
  const projectNamed = (name: string) => ({
    name,
    flags: [{ name: 'banner', enabled: true, trafficPercentage: 100 }],
    tokens: [{ name, permission: 'read' }],
  });
  const organisation = (name: string, projects: readonly string[]) => ({
    ...{ name, plan: 'enterprise' },
    projects: projects.map(projectNamed),
  });
  const organisations = [organisation('Crowd', ['one', 'two', 'three']), organisation('Quiet', ['calm'])];
  const provisioned = await provision(dataDir, temporaryDirectory(t), { organisations });
  const { flagdPort } = await bootFlagd(t, dataDir, { BURGEE_SYNC_STREAMS_MAX: '20' });

  /** Opens streams until one is refused. @returns how many were opened, and the refusal */
  const fill = async (name: string) => {
    const project = projectOf(provisioned, name);
    const metadata = bearer(tokenOf(project, name).secret);
    for (let opened = 0; ; opened += 1) {
      const stream = callSync(grpcClient(t, flagdPort), { selector: project.id, metadata });
      const end = await Promise.race([stream.configuration(0).then(() => null), stream.ended]);
      if (end !== null) return { opened, code: end.code };
    }
  };
  const code = 'RESOURCE_EXHAUSTED';
  t.same(await fill('one'), { opened: 16, code }, 'four fifths for one project');
  t.same(await fill('two'), { opened: 1, code }, 'five sixths for one organisation');
  t.same(await fill('three'), { opened: 0, code });
  t.same(await fill('calm'), { opened: 3, code }, 'the others are left for others');
});

t.test('a configuration does not wait for a long one of another organisation', async (t) => {
  const dataDir = temporaryDirectory(t);
  // Longer than a configuration may be: it is refused when most of it was read, and the refusal is sent at once.
  const cohorts = Array.from({ length: 20_000 }, (_, index) => `customer ${index}`.padEnd(24, '.'));
  const organisations = [
    ['Long', 40],
    ['Short', 1],
  ].map(([name, count]) => ({
    ...{ name, plan: 'enterprise' },
    projects: [
      {
        name,
        flags: Array.from({ length: Number(count) }, (_, index) => ({
          ...{ name: `${index}`, enabled: true },
          ...(name === 'Long' ? { cohorts } : {}),
        })),
        tokens: [{ name, permission: 'read' }],
      },
    ],
  }));
  const provisioned = await provision(dataDir, temporaryDirectory(t), { organisations });
  const { flagdPort } = await bootFlagd(t, dataDir);
  // On one connection, so that the calls arrive in this order.
  const client = grpcClient(t, flagdPort);
  const ended: string[] = [];
  const ask = async (name: string): Promise<void> => {
    const project = projectOf(provisioned, name);
    const metadata = bearer(tokenOf(project, name).secret);
    const call = callSync(client, { method: 'FetchAllFlags', selector: project.id, metadata });
    const { code } = await call.ended;
    ended.push(`${name}: ${code}`);
  };
  await Promise.all([ask('Long'), ask('Short')]);
  t.strictSame(ended, ['Short: OK', 'Long: RESOURCE_EXHAUSTED']);
});
