import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { localUrl } from '../../config/settings.ts';
import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';
import type { AppliedProject } from '../../operator/apply-file.ts';
import type { Operator } from '../../operator/operator.ts';
import { claimDirectory } from '../../storage/lmdb/claim.ts';
import { openStore } from '../../storage/store.ts';
import { CommandFailure } from '../command-failure.ts';
import { operatorOn } from '../operator-session.ts';
import {
  alphaCohort,
  demoDocument,
  demoNamesDocument,
  demoOwnerEmail,
  demoTokenNames,
  exampleGate,
  newestEnvironment,
  websiteFlagNames,
} from './demo-document.ts';

/** This file exists from before the demo is made until its tokens have been shown. */
const unshownName = 'demo-not-shown-yet';

type DemoProjects = Readonly<Record<string, AppliedProject>>;

interface DemoOutcome {
  readonly isMade: boolean;
  /** A sign-in link for the Owner, when the demo existed already. */
  readonly signInUrl: string | null;
}

/**
 * Makes the demo in an empty data directory and shows how to use it, once. If the process dies between the two, the
 * tokens were never shown: a file in the directory records this, and the next call replaces them with new ones.
 *
 * @param show must have written the text when it resolves.
 * @returns what was not shown: for an existing demo, a new sign-in link for its Owner.
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
      const operator = operatorOn(store, config);
      if (!store.isEmpty() && !existsSync(unshown)) {
        return { isMade: false, signInUrl: await signInUrl(operator) };
      }
      writeDurably(unshown);
      const projects = store.isEmpty()
        ? await apply(operator, demoDocument())
        : await replaceTokens(operator);
      await show(describe(config, projects, await signInUrl(operator)));
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
    'The demo in this directory has tokens that were never shown: run `burgee demo` or `npm start`.\n',
  );
  fsyncSync(descriptor);
  closeSync(descriptor);
}

async function apply(operator: Operator, document: ProvisionDocument): Promise<DemoProjects> {
  const outcome = await operator('apply', Buffer.from(JSON.stringify(document)));
  if (!outcome.ok) throw new CommandFailure('The demo could not be made.', outcome.problems);
  return outcome.projects;
}

/** The tokens of an interrupted demo were never shown: revokes them, so that their names are free for new ones. */
async function replaceTokens(operator: Operator): Promise<DemoProjects> {
  const names = demoNamesDocument();
  for (const { tokens } of Object.values(await apply(operator, names))) {
    for (const { id } of Object.values(tokens)) await operator('revoke-token', { tokenId: id });
  }
  return apply(operator, names);
}

/** @returns null when there is no such member: the store is not a demo, or no longer one. */
async function signInUrl(operator: Operator): Promise<string | null> {
  const outcome = await operator('make-sign-in-link', { email: demoOwnerEmail, organisation: null });
  return outcome.ok ? outcome.value.url : null;
}

function describe(config: Config, projects: DemoProjects, ownerUrl: string | null): string {
  const flagId = (project: string, flag: string): string => projects[project]?.flags[flag] ?? '';
  const secret = (name: string): string => projects['kubernetes']?.tokens[name]?.secret ?? '';
  return welcomeText({
    url: localUrl(config),
    ownerUrl: ownerUrl ?? '',
    projectId: projects['kubernetes']?.id ?? '',
    dataDir: config.dataDir,
    readSecret: secret(demoTokenNames.read),
    writeSecret: secret(demoTokenNames.write),
    percentageFlagId: flagId('kubernetes', exampleGate('beta')),
    cohortFlagId: flagId('kubernetes', exampleGate('alpha')),
    audienceFlagId: flagId('website', websiteFlagNames.audience),
  });
}

interface WelcomeFacts {
  /** The address at which the service will answer. */
  readonly url: string;
  /** A link that signs the demo's Owner in to the console, once. */
  readonly ownerUrl: string;
  readonly projectId: string;
  readonly dataDir: string;
  readonly readSecret: string;
  readonly writeSecret: string;
  /** Ids of flags to try. */
  readonly percentageFlagId: string;
  readonly cohortFlagId: string;
  readonly audienceFlagId: string;
}

/**
 * The text that a new user sees once. Each `curl` line is complete, with no placeholder to fill in, so it can be
 * pasted.
 */
function welcomeText(facts: WelcomeFacts): string {
  const { url, dataDir, readSecret, writeSecret } = facts;
  const environment = `env=${newestEnvironment}`;
  const flagUrl = `${url}/v1/flags`;
  return `
Burgee will answer at ${url} in a moment. Its documentation: ${url}/docs

${dataDir} was empty, so it now holds a demo: Kubernetes' feature gates, and a small website.
Open the console with this link; it works once, within 24 hours. The next start prints another one:

  ${facts.ownerUrl}

Two tokens of the project "kubernetes", shown this once:

  read   ${readSecret}
  write  ${writeSecret}

OpenFeature's providers get this address, by OFREP:

  ${url}/projects/${facts.projectId}/${newestEnvironment}

Is a beta gate on for this targeting key? It is for 10 % of all keys, always the same ones.
curl '${flagUrl}/${facts.percentageFlagId}?${environment}&targetingKey=node-1'

Is an alpha gate on for this cohort? It is for no other.
curl '${flagUrl}/${facts.cohortFlagId}?${environment}&cohort=${alphaCohort}'

Is a flag of the website on for customers of this plan? Try plan=free.
curl '${flagUrl}/${facts.audienceFlagId}?targetingKey=visitor-1&plan=pro'

List the gates of one version:
curl -H 'Authorization: Bearer ${readSecret}' '${url}/api/v1/flags?${environment}'

Turn the beta gate on for everybody, then ask for it again:
curl -X PATCH -H 'Authorization: Bearer ${writeSecret}' -H 'Content-Type: application/json' -d '{"trafficPercentage": 100}' '${url}/api/v1/flags/${facts.percentageFlagId}?${environment}'

`;
}
