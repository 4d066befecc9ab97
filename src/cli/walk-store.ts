import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processEntries } from '../entry-files.ts';
import type { WalkLine } from './check-walk.ts';
import { CommandFailure, DamageFound } from './command-failure.ts';

/** A badly damaged store is described well enough by these. */
const findingsListedMax = 1000;

const walkFile = fileURLToPath(processEntries.checkWalk);
const lastWordsMax = 2000;

export interface CheckReport {
  readonly isClean: boolean;
  readonly findings: readonly string[];
  readonly findingCount: number;
  /** Entries of each database; null when the walk did not finish. */
  readonly counts: Readonly<Record<string, number>> | null;
}

/** With these a process ends that reads a damaged page; with any other the walk says nothing about the store. */
const damageSignals = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT']);

/** Whether a process that reads a store has ended because of damage. @param end a signal, or an exit code in words */
export function isEndByDamage(end: string): boolean {
  return damageSignals.has(end);
}

/**
 * Walks a store in a process of its own.
 * @throws {CommandFailure} when there is no store to walk, or the walk could not be completed.
 */
export async function walkStore(directory: string): Promise<CheckReport> {
  const child = spawn(process.execPath, [walkFile, directory], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const reader = new WalkReader();
  createInterface({ input: child.stdout }).on('line', (line) => reader.read(line));
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsMax);
  });
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return reader.report(signal === null ? `exit ${code}` : signal, lastWords);
}

class WalkReader {
  readonly #findings: string[] = [];
  #findingCount = 0;
  #counts: Readonly<Record<string, number>> | null = null;
  #refusal: CommandFailure | null = null;

  read(line: string): void {
    const message = parseLine(line);
    if (message === null) return;
    if (message.kind === 'finding') this.#add(`${message.finding.where}: ${message.finding.what}`);
    else if (message.kind === 'walked') this.#counts = message.counts;
    else this.#refusal = new (message.isDamage ? DamageFound : CommandFailure)(message.message);
  }

  /** @param end how the process ended. */
  report(end: string, lastWords: string): CheckReport {
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#counts === null) {
      const fault = faultIn(lastWords);
      const how = fault === null ? end : `${end}, ${fault}`;
      if (isEndByDamage(end)) this.#add(`the store is damaged: reading it ended the process (${how})`);
      else if (this.#findingCount === 0) {
        throw new CommandFailure(
          `The store could not be checked: the process that read it has ended (${how}). ` +
            'This says nothing about the store. Check that the machine has enough memory, and run the command again.',
        );
      }
    }
    const findingCount = this.#findingCount;
    return { isClean: findingCount === 0, findings: this.#findings, findingCount, counts: this.#counts };
  }

  #add(finding: string): void {
    this.#findingCount++;
    if (this.#findings.length < findingsListedMax) this.#findings.push(finding);
  }
}

/** @returns the error message from a dead process' stderr, without its stack; null if it wrote none */
function faultIn(lastWords: string): string | null {
  const lines = lastWords.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /^(Uncaught )?\w*Error\b/.test(line)) ?? lines.at(-1) ?? null;
}

/**
 * A process that dies in the middle of a line leaves half of one, which is ignored: without `walked` the walk did not
 * finish.
 */
function parseLine(line: string): WalkLine | null {
  try {
    return JSON.parse(line) as WalkLine;
  } catch {
    return null;
  }
}
