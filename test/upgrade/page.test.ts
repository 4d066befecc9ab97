import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fixtureOf, recordedVersions } from '../support/versions.ts';

/* docs/upgrade.md, with the store of each released version: its commands before, after, and to go back. */
const root = repositoryRoot();
const page = readFileSync(join(root, 'docs', 'upgrade.md'), 'utf8');
const blocks = Array.from(page.matchAll(/^ *```bash\n([\s\S]*?)^ *```$/gm), ([, code = '']) => code);
const flag = 'k3VvX0aPq7Lw2ZtR9bNd';

for (const version of recordedVersions) {
  t.test(`from ${version}: back up, upgrade, change, and go back`, async (t) => {
    const directory = temporaryDirectory(t);
    const dataDir = join(directory, 'burgee', 'data');
    mkdirSync(join(directory, 'backups'));
    cpSync(fixtureOf(version, 'backup'), dataDir, { recursive: true });
    rmSync(join(dataDir, 'backup.json'));
    const paste = (part: string): string => {
      const code =
        blocks.find((block) => block.includes(`burgee ${part} `)) ?? `echo no block has ${part}; exit 1`;
      const commands = code
        .replaceAll('/var/lib', directory)
        .replaceAll('/backups', join(directory, 'backups'));
      const pasted = spawnSync('bash', ['-e'], {
        cwd: root,
        env: { PATH: `${join(root, 'scripts')}:${process.env['PATH']}` },
        encoding: 'utf8',
        input: commands,
      });
      t.equal(pasted.status, 0, pasted.stdout + pasted.stderr);
      return pasted.stdout;
    };
    const { secret } = JSON.parse(readFileSync(fixtureOf(version, 'protocols.json'), 'utf8')) as {
      secret: string;
    };
    /** Serves a directory, makes a change unless there is none, and reads the flag. */
    const seen = async (directory: string, change?: object) => {
      const server = await bootServer(t, { dataDir: directory });
      const client = createHttpClient(t, { port: server.port });
      const path = `/api/v1/flags/${flag}?env=production`;
      const headers = { ...bearer(secret), 'content-type': 'application/json' };
      if (change !== undefined)
        await client.send({ method: 'PATCH', path, headers, body: JSON.stringify(change) });
      const { text } = await client.send({ path, headers });
      await server.stop();
      return JSON.parse(text);
    };
    t.match(paste('backup'), /burgee \d/);
    t.match(await seen(dataDir, { trafficPercentage: 7 }), { trafficPercentage: 7, enabled: true });
    paste('check');
    paste('restore');
    t.match(
      await seen(join(directory, 'burgee', 'before')),
      { trafficPercentage: 50, enabled: true },
      'as it was backed up',
    );
  });
}

t.test('every command of the page is pasted', async (t) => {
  t.equal(blocks.length, 3);
});
