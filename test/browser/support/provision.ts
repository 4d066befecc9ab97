import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBurgeeOrThrow } from '../../support/burgee-command.ts';
import { owner } from './sign-in.ts';

/** Declares one project of an organisation whose Owner signs in with a password. For `prepare` of a stage. */
export function provision(project: object): (dataDir: string, scratchDir: string) => Promise<void> {
  return async (dataDir, scratchDir) => {
    const file = join(scratchDir, 'stage.json');
    const members = [{ ...owner, role: 'owner' }];
    const organisation = { name: 'Acme', plan: 'enterprise', members, projects: [project] };
    writeFileSync(file, JSON.stringify({ organisations: [organisation] }));
    await runBurgeeOrThrow(['apply', file, '--data-dir', dataDir]);
  };
}
