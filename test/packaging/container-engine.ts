import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '../support/lifetime.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Podman and buildah with a store of their own, which is removed with the test. */
export interface ContainerEngine {
  /** Has `docker`, for the lines of the documentation, and `burgee`, which serves in a container: spawnBurgee runs it. */
  readonly folder: string;
  /** Writes the image to a file, as `npm run release` does. */
  save(file: string, effort: number): void;
  podman(...words: readonly string[]): Output;
  /** Runs a program in a container of the image. Its files are read-only. */
  run(options: readonly string[], program: readonly string[]): ChildProcessWithoutNullStreams;
  /** Ends and removes every container. */
  clear(): void;
}

interface ImageScript {
  storageIn(folder: string): readonly string[];
  saveImage(folder: string, tag: string, file: string, effort: number): void;
}

const root = repositoryRoot();
const script = pathToFileURL(join(root, 'scripts', 'lib', 'image.mjs')).href;

/**
 * What a container gets everywhere: the network of this machine, since not every machine can make a bridge, and limits
 * that every hard limit allows. `crun` needs another version of cgroups than some machines have.
 */
const everywhere = ['--network', 'host', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
const hardened = [
  ...['--rm', '--no-healthcheck', '--read-only', '--user', '1000:1000', '--tmpfs', '/tmp'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
];

/** @param port on which the lines of the documentation serve */
export async function createEngine(t: Lifetime, port: number): Promise<ContainerEngine> {
  const { storageIn, saveImage } = (await import(script)) as ImageScript;
  const folder = temporaryDirectory(t);
  const options = [...storageIn(folder), '--runtime', 'runc'];
  const run = [...options, 'run', ...everywhere];
  const build = `const { buildImage } = await import('${script}'); buildImage('${root}', '${folder}', 'burgee');`;
  const programs = {
    docker: `#!/bin/sh
command=$1
shift
case $command in
  build) exec node --input-type=module -e "${build}" ;;
  run) exec podman ${run.join(' ')} --env BURGEE_PORT=${port} "$@" ;;
  *) exec podman ${options.join(' ')} "$command" "$@" ;;
esac
`,
    burgee: `#!/bin/sh
[ "$1" = serve ] || exec '${join(root, 'scripts', 'burgee')}' "$@"
data=$(echo "$*" | sed -n 's/.*--data-dir \\([^ ]*\\).*/\\1/p')
mkdir -p "$data" && chown -R 1000:1000 "$data"
exec podman ${[...run, ...hardened].join(' ')} --volume "$data:$data" --env 'BURGEE_*' burgee "$@"
`,
  };
  mkdirSync(join(folder, 'bin'));
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, 'bin', name), text, { mode: 0o755 });
  const podman = (...words: readonly string[]): Output =>
    spawnSync('podman', [...options, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const clear = (): void => {
    podman('rm', '--force', '--all');
  };
  t.teardown(clear);
  return {
    folder: join(folder, 'bin'),
    save: (file, effort) => saveImage(folder, 'burgee', file, effort),
    podman,
    run: (own, [program = '', ...words]) =>
      spawn('podman', [...run, ...hardened, ...own, '--entrypoint', program, 'burgee', ...words]),
    clear,
  };
}
