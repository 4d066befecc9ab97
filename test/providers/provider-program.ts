import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { within } from '../support/expectations.ts';
import type { Lifetime } from '../support/lifetime.ts';
import type { QuestionContext } from './questions.ts';

/** The first line that a program reads. It takes of it what its provider needs. */
export interface Connection {
  /** The base URL of an OFREP provider. */
  readonly ofrep: string;
  readonly flagd: { readonly host: string; readonly port: number; readonly selector: string };
  readonly burgee: { readonly url: string; readonly project: string; readonly environment: string | null };
  readonly token: string;
}

/** A line that a program reads after the first one. */
export interface Asked {
  readonly flag: string;
  readonly context: QuestionContext;
  /** The default value in the code, which the provider gives when it cannot answer. */
  readonly fallback: boolean;
}

/** The line that a program writes for each question, in the order of the questions. */
export interface Answered {
  readonly value: boolean;
  readonly variant: string | null;
  /** OpenFeature's error code or another word about the failure; null for an evaluation that succeeded. */
  readonly error: string | null;
}

/** A started program that holds one provider. */
export interface ProviderProgram {
  ask(question: Asked): Promise<Answered>;
}

export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** From the start of the process to a provider that is ready: a Java program on a busy machine takes seconds. */
const readyTimeoutMs = 60_000;
const answerTimeoutMs = 30_000;
const stderrCharsMax = 4_000;

/**
 * Starts a program and waits until its provider is ready: it then writes `{"ready":true}`. It ends with the lifetime,
 * by the end of its input.
 *
 * @throws Error with the end of its standard error, when the program ends early, answers no JSON or takes too long
 */
export async function startProgram(
  t: Lifetime,
  { command, args, cwd }: ProgramCommand,
  connection: Connection,
): Promise<ProviderProgram> {
  const child = spawn(command, args, { cwd });
  const lines = readLines(child);
  t.teardown(async () => {
    child.stdin.end();
    const overdue = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await lines.ended;
    clearTimeout(overdue);
  });
  const say = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`);
  say(connection);
  const first = await lines.next<{ readonly ready: boolean; readonly error?: string }>(readyTimeoutMs);
  if (!first.ready) throw new Error(`the provider is not ready: ${first.error}`);
  return {
    ask: (question) => {
      say(question);
      return lines.next(answerTimeoutMs);
    },
  };
}

interface Lines {
  readonly ended: Promise<void>;
  next<T>(timeoutMs: number): Promise<T>;
}

function readLines(child: ChildProcessWithoutNullStreams): Lines {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharsMax);
  });
  // A write to a program that has ended is reported by the end of its output.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      stderr += error.message;
      resolve();
    });
  });
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ended,
    next: async <T>(timeoutMs: number) => {
      const line = await within(output.next(), timeoutMs, () => `no line of ${child.spawnfile}: ${stderr}`);
      if (line.done) {
        await ended;
        throw new Error(`${child.spawnfile} ended: ${stderr}`);
      }
      return JSON.parse(line.value) as T;
    },
  };
}
