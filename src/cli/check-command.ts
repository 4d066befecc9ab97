import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { WalkLine } from './check-walk-protocol.ts';
import type { Action } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee check --data-dir ./data
  burgee check --data-dir ./data --json
`;

/** A store that is damaged all over is described well enough by these. */
const findingsListedMax = 1000;

const walkFile = fileURLToPath(new URL('./check-walk.js', import.meta.url));

export function defineCheck(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('check');
  command.description(
    'Walk everything that is stored and say what does not hold. ' +
      'Works beside a running server. Exits 0 when all is well, 1 otherwise.',
  );
  addSettingOptions(command, ['dataDir']).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { dataDir } = configFrom(options);
    const report = await walk(dataDir);
    if (options['json'] === true) await printJson(report);
    else await printResult(describe(dataDir, report));
    return report.isClean ? exitCodes.done : exitCodes.failed;
  };
  return { command, action: { run } };
}

interface CheckReport {
  readonly isClean: boolean;
  readonly findings: readonly string[];
  readonly findingCount: number;
  /** Entries of each database; null when the walk did not come to its end. */
  readonly counts: Readonly<Record<string, number>> | null;
}

/** Walks in a process of its own. @throws {CommandFailure} when there is no store to walk. */
async function walk(directory: string): Promise<CheckReport> {
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

const lastWordsMax = 2000;

class WalkReader {
  readonly #findings: string[] = [];
  #findingCount = 0;
  #counts: Readonly<Record<string, number>> | null = null;
  #refusal: string | null = null;

  read(line: string): void {
    const message = parseLine(line);
    if (message === null) return;
    if (message.kind === 'finding') this.#add(`${message.finding.where}: ${message.finding.what}`);
    else if (message.kind === 'walked') this.#counts = message.counts;
    else this.#refusal = message.message;
  }

  /** @param end how the process ended. */
  report(end: string, lastWords: string): CheckReport {
    if (this.#refusal !== null) throw new CommandFailure(this.#refusal);
    if (this.#counts === null) {
      this.#add(`the store is damaged: reading it ended the process (${end}) ${lastWords.trim()}`.trim());
    }
    const findingCount = this.#findingCount;
    return { isClean: findingCount === 0, findings: this.#findings, findingCount, counts: this.#counts };
  }

  #add(finding: string): void {
    this.#findingCount++;
    if (this.#findings.length < findingsListedMax) this.#findings.push(finding);
  }
}

/** A process that ends in the middle of a line leaves half of one; that it never said `walked` tells the rest. */
function parseLine(line: string): WalkLine | null {
  try {
    return JSON.parse(line) as WalkLine;
  } catch {
    return null;
  }
}

function describe(directory: string, { findings, findingCount, counts }: CheckReport): string {
  const walked =
    counts === null ? '' : ` ${Object.values(counts).reduce((sum, count) => sum + count, 0)} entries.`;
  if (findingCount === 0) return `${directory} is clean:${walked}\n`;
  const more = findingCount > findings.length ? [`and ${findingCount - findings.length} more`] : [];
  const lines = [...findings, ...more].map((finding) => `  - ${finding}\n`);
  return `${directory} is damaged: ${findingCount} findings.\n${lines.join('')}Restore it from a backup.\n`;
}
