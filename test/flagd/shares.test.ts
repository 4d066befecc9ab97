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
