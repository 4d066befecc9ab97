import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from '../src/support/closest-name.ts';
import type { ClosedLoopDriver } from './load/closed-loop.ts';
import { readPeerOption } from './peers/binaries/read-peer-option.ts';
import type { BenchSettings, Scenario } from './scenario.ts';
import { programIn } from './servers/checkout.ts';

/** A run of scenarios, as the command line describes it. */
export interface RunCommand {
  readonly kind: 'run';
  readonly scenarios: readonly Scenario[];
  readonly settings: Omit<BenchSettings, 'elsewhere'>;
  readonly server: { readonly origin: string; readonly token: string } | null;
  /** The file for a list of all results of this run. */
  readonly jsonFile: string | null;
  /** Saved results to compare with. */
  readonly compareWith: string | null;
  /** Whether `bench/results` and the page of results are written. */
  readonly isSaved: boolean;
  /** The given options that decide what is measured, without secrets, for repeating the run. */
  readonly repeatOptions: string;
}

export type BenchCommand =
  | RunCommand
  | { readonly kind: 'list' }
  | { readonly kind: 'page' }
  /** Help was requested, and has been printed. */
  | { readonly kind: 'help' };

/** An invalid command line. The message says what to do. */
export class UsageError extends Error {}

interface GivenOptions {
  readonly duration?: number;
  readonly connections?: number;
  readonly rounds?: number;
  readonly driver?: ClosedLoopDriver;
  readonly quick?: true;
  readonly json?: string;
  readonly compare?: string;
  readonly server?: string;
  readonly token?: string;
  readonly peer?: ReadonlyMap<string, string>;
  readonly before?: string;
  readonly save: boolean;
  readonly page?: true;
}

const peersScenarioName = 'peers';
/** The scenario whose results against an older build are saved, in their own file. */
const savedBefore = 'hostile';
const usual = { seconds: 5, connections: 64, rounds: 5 } as const;
const quick = { seconds: 0.1, connections: 8, rounds: 1 } as const;

function numberBetween(least: number, most: number, isWhole: boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const fits = text.trim() !== '' && value >= least && value <= most;
    if (fits && (!isWhole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(
      `Give ${isWhole ? 'a whole number' : 'a number'} from ${least} to ${most}.`,
    );
  };
}

/** @returns the parsed command line, before names are resolved */
export function buildProgram(): Command {
  return new Command('npm run bench --')
    .argument('[names...]', 'scenarios to run, or all; none lists them')
    .option(
      '--duration <seconds>',
      `duration of each round (${usual.seconds})`,
      numberBetween(0.1, 600, false),
    )
    .option(
      '--connections <n>',
      `connections that carry load (${usual.connections})`,
      numberBetween(1, 10_000, true),
    )
    .option('--rounds <n>', `rounds of each comparison (${usual.rounds})`, numberBetween(1, 100, true))
    .addOption(
      new Option('--driver <name>', 'load generator of the closed loop (all installed ones)').choices([
        'wrk',
        'autocannon',
      ]),
    )
    .option('--quick', 'small sizes, one short round: only checks that a scenario runs; saves nothing')
    .option('--json <file>', 'write all results of this run to one file')
    .option(
      '--compare <file>',
      'show what moved since a saved run: a --json file, or a folder like bench/results',
    )
    .option('--server <url>', 'measure a Burgee that runs elsewhere (http only); saves nothing')
    .option(
      '--token <secret>',
      'for --server: a token with permission write, of a project without environments',
    )
    .option(
      '--peer <name=path>',
      'for peers: a program to compare with, such as flagr=PATH; once for each peer',
      readPeerOption,
    )
    .option(
      '--before <folder>',
      `compare this build with a built checkout of an older commit; saves nothing, except ${savedBefore} in its own file`,
    )
    .option('--no-save', 'leave bench/results and docs/benchmarks.md as they are')
    .option('--page', 'only write docs/benchmarks.md from bench/results')
    .configureHelp({ helpWidth: 110 })
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();
}

function parse(program: Command, args: readonly string[]): 'help' | 'parsed' {
  try {
    program.parse(args, { from: 'user' });
    return 'parsed';
  } catch (fault) {
    if (!(fault instanceof CommanderError)) throw fault;
    if (fault.exitCode === 0) return 'help';
    throw new UsageError(fault.message.replace(/^error: /, ''));
  }
}

function findScenarios(names: readonly string[], catalogue: readonly Scenario[]): readonly Scenario[] {
  const known = catalogue.map(({ name }) => name);
  const unknown = names.filter((name) => name !== 'all' && !known.includes(name));
  if (unknown.length > 0) {
    const texts = unknown.map((name) => `there is no scenario ${name}${didYouMean(name, [...known, 'all'])}`);
    throw new UsageError(`${texts.join('; ')}\nThere are: ${known.join(', ')}, all.`);
  }
  return names.includes('all') ? catalogue : catalogue.filter(({ name }) => names.includes(name));
}

function chooseDrivers(
  given: ClosedLoopDriver | undefined,
  available: readonly ClosedLoopDriver[],
): readonly ClosedLoopDriver[] {
  if (given === undefined) return available;
  if (!available.includes(given))
    throw new UsageError(
      `${given} is not installed: install it (apt-get install ${given}), or leave --driver out`,
    );
  return [given];
}

function findServer({ server, token }: GivenOptions): RunCommand['server'] {
  if (server === undefined) {
    if (token !== undefined) throw new UsageError('--token is for --server URL: name the server, too');
    return null;
  }
  if (token === undefined)
    throw new UsageError('--server needs --token SECRET: a Management API token with permission write');
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '')
    throw new UsageError(
      `--server ${server}: give an address like http://192.0.2.1:8080; the load generators speak plain HTTP`,
    );
  return { origin: url.origin, token };
}

function repeatOptionsOf(given: GivenOptions): string {
  const names = ['duration', 'connections', 'rounds', 'driver', 'server'] as const;
  const options = names.flatMap((name) => (given[name] === undefined ? [] : [`--${name} ${given[name]}`]));
  const token = given.token === undefined ? [] : ['--token "$TOKEN"'];
  // A program's path means nothing on another machine.
  const peers = [...(given.peer ?? new Map())].map(([name]) => `--peer ${name}=PATH`);
  const before = given.before === undefined ? [] : ['--before PATH'];
  return [...(given.quick === true ? ['--quick'] : []), ...options, ...token, ...peers, ...before].join(' ');
}

function findPeerPrograms(
  { peer }: GivenOptions,
  scenarios: readonly Scenario[],
): RunCommand['settings']['peerPrograms'] {
  if (peer !== undefined && !scenarios.some(({ name }) => name === peersScenarioName))
    throw new UsageError(`--peer is for the scenario ${peersScenarioName}: name it, too`);
  return peer ?? new Map();
}

function beforeHint(known: readonly Scenario[]): string {
  const possible = known.filter(({ runsBefore }) => runsBefore === true).map(({ name }) => name);
  return `name some of ${possible.join(', ')}`;
}

function findCheckoutBefore(
  { before, server }: GivenOptions,
  scenarios: readonly Scenario[],
  known: readonly Scenario[],
): string | null {
  if (before === undefined) return null;
  if (server !== undefined)
    throw new UsageError('--before starts two builds on this machine: leave --server out, or run it there');
  const others = scenarios.filter(({ runsBefore }) => runsBefore !== true).map(({ name }) => name);
  if (others.length > 0)
    throw new UsageError(`--before cannot be given for ${others.join(', ')}: ${beforeHint(known)}`);
  const folder = resolve(before);
  if (!existsSync(programIn(folder)))
    throw new UsageError(`--before ${before}: that is no built checkout; run npm run build there`);
  return folder;
}

/** A comparison with an older build is not a result of this commit alone, so it is saved only in its own file. */
function savesBefore({ before }: GivenOptions, scenarios: readonly Scenario[]): boolean {
  return before === undefined || scenarios.every(({ name }) => name === savedBefore);
}

function requireNoOthers(names: readonly string[], given: GivenOptions): void {
  const { save, page, ...others } = given;
  const [other] = Object.keys(others);
  if (page !== true && (other !== undefined || !save))
    throw new UsageError(
      `name the scenarios to run, or all, before ${other === undefined ? '--no-save' : `--${other}`}`,
    );
  if (page === true && (other !== undefined || names.length > 0 || !save))
    throw new UsageError('--page runs nothing: give it alone');
}

/**
 * @param available the installed drivers
 * @throws UsageError
 */
export function readCommand(
  args: readonly string[],
  catalogue: readonly Scenario[],
  available: readonly ClosedLoopDriver[],
): BenchCommand {
  const program = buildProgram();
  if (parse(program, args) === 'help') return { kind: 'help' };
  const names = program.args;
  const given = program.opts<GivenOptions>();
  if (names.length === 0 || given.page === true) {
    requireNoOthers(names, given);
    return { kind: given.page === true ? 'page' : 'list' };
  }
  const defaults = given.quick === true ? quick : usual;
  const server = findServer(given);
  const scenarios = findScenarios(names, catalogue);
  return {
    kind: 'run',
    scenarios,
    settings: {
      seconds: given.duration ?? defaults.seconds,
      connections: given.connections ?? defaults.connections,
      rounds: given.rounds ?? defaults.rounds,
      drivers: chooseDrivers(given.driver, available),
      isQuick: given.quick === true,
      peerPrograms: findPeerPrograms(given, scenarios),
      checkoutBefore: findCheckoutBefore(given, scenarios, catalogue),
    },
    server,
    jsonFile: given.json ?? null,
    compareWith: given.compare ?? null,
    isSaved: given.save && given.quick !== true && server === null && savesBefore(given, scenarios),
    repeatOptions: repeatOptionsOf(given),
  };
}
