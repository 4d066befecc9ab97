import { execFileSync } from 'node:child_process';
import { cpus, release, type as systemName, totalmem } from 'node:os';
import type { RunFacts } from '../comparison.ts';

/** Files that a run itself writes. Their changes do not count as a modified tree. */
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

/** @returns the commit of a checkout; without git, `unknown` and modified */
export function readCommit(root: string): Pick<RunFacts, 'commit' | 'isModified'> {
  const commit = git(root, ['rev-parse', 'HEAD']);
  const changes = git(root, ['status', '--porcelain', '--', '.', ...written.map((path) => `:!${path}`)]);
  return { commit: commit ?? 'unknown', isModified: changes !== '' };
}

/** The facts of a run that are the same for every scenario. */
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
