import { execFileSync } from 'node:child_process';
import { cpus, release, type as systemName, totalmem } from 'node:os';
import type { RunFacts } from '../comparison.ts';

/** What a run itself writes: it makes no tree another one. */
const written = ['bench/results', 'docs/benchmarks', 'docs/benchmarks.md'];

function git(root: string, args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** @returns the commit of a checkout; `unknown` where there is none, and so modified as far as anybody can tell */
function readCommit(root: string): Pick<RunFacts, 'commit' | 'isModified'> {
  const commit = git(root, ['rev-parse', 'HEAD']);
  const changes = git(root, ['status', '--porcelain', '--', '.', ...written.map((path) => `:!${path}`)]);
  return { commit: commit ?? 'unknown', isModified: changes !== '' };
}

/** Where and how a run is made, as far as it is the same for every scenario. */
export function readRunFacts(root: string): Omit<RunFacts, 'command' | 'at'> {
  const processors = cpus();
  return {
    ...readCommit(root),
    node: process.versions.node,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    kernel: `${systemName()} ${release()}`,
  };
}
