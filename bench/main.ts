/** The command `npm run bench`: see README.md. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from './catalogue.ts';
import type { ResultFile } from './comparison.ts';
import { Interrupted, listenForSignals } from './interruption.ts';
import { availableDrivers } from './load/closed-loop.ts';
import { buildProgram, type RunCommand, readCommand, UsageError } from './options.ts';
import { compareRuns } from './report/compare-runs.ts';
import { movementsText } from './report/movements-text.ts';
import { Progress } from './report/progress.ts';
import { reportText } from './report/report-text.ts';
import { saveResult, writeResultList } from './report/result-store.ts';
import { readRunFacts } from './report/run-facts.ts';
import { writePage } from './report/write-page.ts';
import { type RunOutcome, runScenarios } from './run-scenarios.ts';
import type { BenchSettings } from './scenario.ts';
import { findServerElsewhere } from './server-elsewhere.ts';

const usageExitCode = 2;

/** Loaded when needed, because it loads hundreds of modules for validation. */
const loadReader = () => import('./report/result-file.ts');

/** @returns the checkout: this program runs from `dist` */
function findRoot(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}

function printList(): void {
  const rows = catalogue.map(({ name, summary }) => `  ${name.padEnd(25)}${summary}`);
  console.log(`Scenarios:\n${rows.join('\n')}\n\n${buildProgram().helpInformation().trimEnd()}`);
}

/** @returns the command without the scenarios that cannot measure a remote server */
function keepThoseElsewhere(command: RunCommand): RunCommand {
  const scenarios = command.scenarios.filter(({ runsElsewhere }) => runsElsewhere);
  for (const { name } of command.scenarios.filter(({ runsElsewhere }) => !runsElsewhere))
    console.error(`${name}: starts servers of its own, and cannot run elsewhere`);
  if (scenarios.length === 0) {
    const possible = catalogue.filter(({ runsElsewhere }) => runsElsewhere).map(({ name }) => name);
    throw new UsageError(`with --server, name some of: ${possible.join(', ')}`);
  }
  return { ...command, scenarios };
}

/** @throws UsageError when no file can be written there */
function checkJsonFile(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new UsageError(`--json ${path}: there is no such folder`);
  if (existsSync(path) && !statSync(path).isFile())
    throw new UsageError(`--json ${path}: that is not a plain file; name one, or a new one`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new UsageError(`--json ${path}: this user may not write to that folder`);
  }
}

async function writeSavedPage(root: string): Promise<void> {
  const { readSavedResults } = await loadReader();
  writePage(root, readSavedResults(root), catalogue);
}

/** Checks what the command line names before minutes of measuring. */
async function prepare(given: RunCommand): Promise<{
  readonly command: RunCommand;
  readonly elsewhere: BenchSettings['elsewhere'];
  readonly saved: readonly ResultFile[];
}> {
  const command = given.server === null ? given : keepThoseElsewhere(given);
  if (command.jsonFile !== null) checkJsonFile(command.jsonFile);
  try {
    return {
      command,
      saved: command.compareWith === null ? [] : (await loadReader()).readResults(command.compareWith),
      elsewhere:
        command.server === null
          ? null
          : await findServerElsewhere(command.server.origin, command.server.token),
    };
  } catch (fault) {
    throw new UsageError(fault instanceof Error ? fault.message : String(fault));
  }
}

/** Each result is saved at once, because a later scenario may fail. */
async function measure(
  command: RunCommand,
  elsewhere: BenchSettings['elsewhere'],
  signal: AbortSignal,
  root: string,
): Promise<RunOutcome> {
  const progress = new Progress(process.stderr);
  return await runScenarios(command, {
    facts: readRunFacts(root),
    elsewhere,
    signal,
    progress,
    onResult: (result) => {
      progress.clear();
      console.log(`\n${reportText(result.report, command.settings.isQuick)}\n`);
      if (command.isSaved) saveResult(root, result);
    },
  });
}

async function run(given: RunCommand, root: string): Promise<number> {
  const signal = listenForSignals();
  const { command, elsewhere, saved } = await prepare(given);
  const { results, failures } = await measure(command, elsewhere, signal, root);
  if (command.jsonFile !== null) writeResultList(command.jsonFile, results);
  if (command.isSaved && results.length > 0) await writeSavedPage(root);
  if (command.compareWith !== null)
    console.log(movementsText(compareRuns(saved, results), command.compareWith));
  if (command.settings.isQuick && results.length > 0)
    console.log('Quick: this shows that the scenarios run. The figures mean nothing.');
  for (const { scenario, message } of failures) console.error(`FAILED ${scenario}: ${message}`);
  if (signal.reason instanceof Interrupted) {
    console.error(signal.reason.message);
    return signal.reason.exitCode;
  }
  return failures.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const root = findRoot();
  const command = readCommand(process.argv.slice(2), catalogue, availableDrivers());
  switch (command.kind) {
    case 'help':
      return 0;
    case 'list':
      printList();
      return 0;
    case 'page':
      await writeSavedPage(root);
      return 0;
    case 'run':
      return await run(command, root);
  }
}

try {
  process.exit(await main());
} catch (fault) {
  const message = fault instanceof Error ? fault.message : String(fault);
  const isUsage = fault instanceof UsageError;
  console.error(isUsage ? `${message}\nnpm run bench shows the scenarios and the options.` : fault);
  process.exit(isUsage ? usageExitCode : 1);
}
