import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';
import { copiesOf, execForm, findAll, parseDockerfile, type Stage, stageOf } from './dockerfile.ts';
import { unprivilegedPath } from './unprivileged.ts';

/** The file systems of the Dockerfile's stages, made without a container engine in folders of one directory. */
export interface ImageTree {
  /** The content of `/app` in the image. */
  readonly app: string;
}

/**
 * Carries out the stages' COPY and npm instructions. Only the full install of the build stage is not repeated: it uses
 * this checkout's `node_modules`.
 *
 * @throws with npm's output when a step fails
 */
export function makeImageTree(directory: string): ImageTree {
  const stages = parseDockerfile(readFileSync(join(repositoryRoot(), 'Dockerfile'), 'utf8'));
  const folderOf = (stage: string): string => join(directory, stage);
  for (const stage of stages) copyAll(stage, folderOf);
  return { app: join(folderOf('runtime'), 'app') };

  function copyAll(stage: Stage, folder: (stage: string) => string): void {
    const app = join(folder(stage.name), 'app');
    mkdirSync(app, { recursive: true });
    for (const { from, sources, target } of copiesOf(stage)) {
      for (const source of sources) {
        const origin = from === null ? join(repositoryRoot(), source) : join(folder(from), source);
        cpSync(origin, placeOf(app, source, target), { recursive: true, verbatimSymlinks: true });
      }
    }
    if (stage.name === 'build')
      symlinkSync(join(repositoryRoot(), 'node_modules'), join(app, 'node_modules'));
    for (const command of stage === stageOf(stages, 'runtime') ? [] : findAll(stage, 'RUN').map(execForm)) {
      if (command !== null && !(stage.name === 'build' && command[1] === 'ci')) runStep(command, app);
    }
  }
}

/** A target that ends in a slash is a folder; any other is the new name of the source. */
function placeOf(app: string, source: string, target: string): string {
  const place = join(app, target, target.endsWith('/') ? basename(source) : '');
  mkdirSync(dirname(place), { recursive: true });
  return place;
}

function runStep([command = '', ...arguments_]: readonly string[], cwd: string): void {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(BURGEE_|TAP|NODE_|npm_)/.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: unprivilegedPath };
  const { status, stdout, stderr, error } = spawnSync(command, arguments_, { cwd, env, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${[command, ...arguments_].join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}

/** Makes everything below a directory readable for all users and writable for none. */
export function makeReadOnly(directory: string): void {
  const { status, stderr } = spawnSync('chmod', ['-R', 'a-w,a+rX', directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Makes it writable again, so that it can be removed. */
export function makeWritable(directory: string): void {
  chmodSync(directory, 0o755);
  spawnSync('chmod', ['-R', 'u+w', directory]);
}
