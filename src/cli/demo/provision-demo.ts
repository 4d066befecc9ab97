import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';
import { createOperator } from '../../operator/operator.ts';
import { claimDirectory } from '../../storage/lmdb/claim.ts';
import { openStore, type Store } from '../../storage/store.ts';
import { FreeSpace } from '../../writer/free-space.ts';
import { OperatorCommands } from '../../writer/operator-commands.ts';
import { localOperatorPort } from '../../writer/operator-port-client.ts';
import { CommandFailure } from '../command-failure.ts';
import {
  demoDocument,
  demoNamesDocument,
  demoOwnerEmail,
  demoTokenNames,
  exampleGate,
  websiteFlagNames,
} from './demo-provision.ts';
import { welcomeText } from './welcome-text.ts';

/** There from before the demo is made until its tokens have been shown. */
const unshownName = 'demo-not-shown-yet';

export interface DemoOutcome {
  readonly isMade: boolean;
  /** A link for the Owner of a demo that was there already. */
  readonly signInUrl: string | null;
}

/** The part of what `apply` prints that is shown. */
interface DemoAnswer {
  readonly projects: Readonly<
    Record<
      string,
      {
        readonly flags: Readonly<Record<string, string>>;
        readonly tokens: Readonly<Record<string, { readonly id: string; readonly secret: string | null }>>;
      }
    >
  >;
}

/**
 * Makes the demo in an empty data directory and shows how to use it, once. Interrupted between the two, it would leave
 * tokens that nobody has seen: then a file in the directory says so, and the next call replaces them by new ones.
 *
 * @param show must have written the text when it resolves.
 * @returns what was not shown: where the directory holds the demo already, a new link for its Owner.
 */
export async function provisionDemo(
  config: Config,
  show: (text: string) => Promise<void>,
): Promise<DemoOutcome> {
  const { dataDir: directory, mapBytes } = config;
  const claim = claimDirectory(directory);
  try {
    const store = openStore({ directory, mapBytes });
    try {
      const unshown = join(directory, unshownName);
      if (!store.isEmpty() && !existsSync(unshown)) {
        return { isMade: false, signInUrl: signInUrl(store, config) };
      }
      writeDurably(unshown);
      const answer = store.isEmpty()
        ? await apply(store, config, demoDocument())
        : await replaceTokens(store, config);
      await show(describe(config, answer, signInUrl(store, config)));
      rmSync(unshown);
      return { isMade: true, signInUrl: null };
    } finally {
      await store.close();
    }
  } finally {
    claim.release();
  }
}

function writeDurably(path: string): void {
  const descriptor = openSync(path, 'w', 0o600);
  writeSync(
    descriptor,
    'The demo in this directory has tokens that were not shown yet: run `burgee demo` or `npm start`.\n',
  );
  fsyncSync(descriptor);
  closeSync(descriptor);
}

async function apply(store: Store, config: Config, document: ProvisionDocument): Promise<DemoAnswer> {
  const port = localOperatorPort(operatorCommands(store, config));
  const operator = createOperator({ port, tokenPrefix: config.tokenPrefix, baseUrl: consoleUrl(config) });
  const file = Buffer.from(JSON.stringify(document));
  const outcome = await operator.apply(file, () => undefined, new AbortController().signal);
  if (!outcome.ok) throw new CommandFailure('The demo could not be made.', outcome.problems);
  return JSON.parse(new TextDecoder().decode(outcome.document)) as DemoAnswer;
}

function operatorCommands(store: Store, { dataDir }: Config): OperatorCommands {
  return new OperatorCommands(store, new FreeSpace(dataDir, 0));
}

/** Nobody has the tokens of an interrupted demo: revoked, they are free to be made again. */
async function replaceTokens(store: Store, config: Config): Promise<DemoAnswer> {
  const names = demoNamesDocument();
  const commands = operatorCommands(store, config);
  const { projects } = await apply(store, config, names);
  for (const { tokens } of Object.values(projects)) {
    for (const { id } of Object.values(tokens)) commands.revokeToken({ tokenId: id });
  }
  return apply(store, config, names);
}

/** @returns null when there is no such member any more: this is no demo, or no longer one. */
function signInUrl(store: Store, config: Config): string | null {
  const args = { email: demoOwnerEmail, organisation: null, baseUrl: consoleUrl(config) };
  const outcome = operatorCommands(store, config).makeSignInLink(args);
  return outcome.ok ? outcome.value.url : null;
}

function describe(config: Config, { projects }: DemoAnswer, ownerUrl: string | null): string {
  const flagId = (project: string, flag: string): string => projects[project]?.flags[flag] ?? '';
  const secret = (name: string): string => projects['kubernetes']?.tokens[name]?.secret ?? '';
  return welcomeText({
    url: localUrl(config),
    ownerUrl: ownerUrl ?? '',
    dataDir: config.dataDir,
    readSecret: secret(demoTokenNames.read),
    writeSecret: secret(demoTokenNames.write),
    percentageFlagId: flagId('kubernetes', exampleGate('beta')),
    cohortFlagId: flagId('kubernetes', exampleGate('alpha')),
    audienceFlagId: flagId('website', websiteFlagNames.audience),
  });
}

/** The base URL, unless nobody has set one and it would name every address at once. */
function consoleUrl(config: Config): string {
  const isEverywhere = /^http:\/\/(0\.0\.0\.0|\[::\])(:|$)/.test(config.baseUrl);
  return isEverywhere ? localUrl(config) : config.baseUrl;
}

/** Where this machine reaches the service, whatever its public address. */
function localUrl({ host, port }: Config): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
