import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { builtClient, installClient, startTwoFlags, UserOfClient } from './client-package.ts';

/* The packed client on the oldest Node that it supports: a real one, from npm. */
t.setTimeout(300_000);

const root = repositoryRoot();

/** @returns the path of the oldest Node that the client supports, or the reason why there is none. */
async function takeOldestNode(t: Test): Promise<{ readonly node: string; readonly skip: string | false }> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { node: '', skip: 'needs Linux on x64' };
  try {
    const { takeNode } = createRequire(import.meta.url)(join(root, 'scripts', 'choose-node.cjs'));
    const nodes = await import(pathToFileURL(join(root, 'scripts', 'lib', 'newer-nodes.mjs')).href);
    return { node: takeNode(nodes.oldestNodeOfClient, temporaryDirectory(t)), skip: false };
  } catch (fault) {
    if (process.env['CI'] !== undefined) throw fault;
    return { node: '', skip: `npm's registry is needed: ${(fault as Error).message}` };
  }
}

const { node, skip } = await takeOldestNode(t);

t.test('it runs on the oldest Node that it supports', { skip }, async (t) => {
  const directory = temporaryDirectory(t);
  installClient(builtClient, directory);
  const server = await startTwoFlags(t);
  const user = new UserOfClient(directory, node);
  t.match(execFileSync(node, ['--version'], { encoding: 'utf8' }), /^v18[.]/);
  t.equal(await user.run(t, user.firstAnswer(server), server), 'true');
  const file = 'node_modules/burgee-client/examples/worker-process.mjs';
  t.match(await user.run(t, file, server), /job 3 is done/);
  t.equal(await user.run(t, user.commonJs(), server), 'cjs true true');
});
