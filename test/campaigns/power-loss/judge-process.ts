import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '../../support/lifetime.ts';
import type { JudgeAnswer } from './store-judge.ts';

const judgeFile = fileURLToPath(new URL('./store-judge.js', import.meta.url));

export type Judgement = JudgeAnswer | { readonly kind: 'ended'; readonly by: string };

/** The process that opens images. If an image ends the process, a new one takes its place. */
export class JudgeProcess {
  #child: ChildProcess | null = null;

  constructor(t: Lifetime) {
    t.teardown(() => this.#child?.kill('SIGKILL'));
  }

  judge(directory: string): Promise<Judgement> {
    const child = this.#child ?? fork(judgeFile, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child = child;
    return new Promise((resolve) => {
      const finish = (judgement: Judgement): void => {
        child.removeAllListeners();
        resolve(judgement);
      };
      child.once('message', (answer: JudgeAnswer) => finish(answer));
      child.once('exit', (code, signal) => {
        this.#child = null;
        finish({ kind: 'ended', by: String(signal ?? code) });
      });
      child.send(directory);
    });
  }
}
