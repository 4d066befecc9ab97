import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '../../support/lifetime.ts';

/** A running program of this folder, and what it printed. */
export interface RunningProgram {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves once so many lines pass. */
  lineCount(passes: (line: string) => boolean, count: number): Promise<void>;
}

export function runProgram(t: Lifetime, name: string, args: readonly string[]): RunningProgram {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const lookers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of lookers) look();
  });
  t.teardown(async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    if (child.exitCode === null) await once(child, 'exit');
    clearTimeout(timer);
  });
  return {
    child,
    lines,
    lineCount: (passes, count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (lines.filter(passes).length < count) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        child.once('exit', () => reject(new Error(`it ended with ${lines.slice(-5).join('; ')}`)));
        look();
      }),
  };
}
