import type { Test } from 'tap';
import type { ProvisionDocument } from '../../src/contracts/provision/provision-document.ts';
import type { AppliedProject, ApplyOutcome, OperatorContext } from '../../src/operator/apply-file.ts';
import { createOperator, type Operator } from '../../src/operator/operator.ts';
import { openStore, type Store } from '../../src/storage/store.ts';
import { openStoreReader, type StoreReader } from '../../src/storage/store-reader.ts';
import { localCommits } from '../../src/writer/thread/commits.ts';
import { FreeSpace } from '../../src/writer/thread/free-space.ts';
import { localWriter, OperatorCommands } from '../../src/writer/thread/operator-commands.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const mapBytes = 2 ** 30;

/** A new store, the operator that has it open, and a reader beside it. */
export interface OpenedOperator {
  readonly directory: string;
  readonly store: Store;
  readonly operator: Operator;
  readonly commands: OperatorCommands;
  readonly context: OperatorContext;
  /** Queries on the present state of the store. */
  reader(): StoreReader;
  apply(document: unknown): Promise<ApplyOutcome>;
}

export function openOperator(t: Test): OpenedOperator {
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes });
  const reader = openStoreReader({ directory, mapBytes });
  t.teardown(async () => {
    await reader.close();
    await store.close();
  });
  const freeSpace = new FreeSpace(directory, 0);
  const commands = new OperatorCommands({
    commits: localCommits(store),
    freeSpace,
    baseUrl: 'http://127.0.0.1',
  });
  const context = { callWriter: localWriter(commands), tokenPrefix: 'burgee' };
  const operator = createOperator(context);
  return {
    directory,
    store,
    operator,
    commands,
    context,
    reader: () => {
      reader.renew();
      return reader;
    },
    apply: (document) =>
      operator('apply', Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))),
  };
}

/** What was applied of a project. @throws unless the document was applied */
export function projectOf(outcome: ApplyOutcome, name: string): AppliedProject {
  if (!outcome.ok) throw new Error(outcome.problems.join('\n'));
  const project = Object.getOwnPropertyDescriptor(outcome.projects, name)?.value;
  if (project === undefined) throw new Error(`no project ${name}`);
  return project;
}

/** The problems; empty if the document was applied. */
export function problemsOf(outcome: ApplyOutcome): readonly string[] {
  return outcome.ok ? [] : outcome.problems;
}

/** A document with one organisation and the given projects. */
export function acme(...projects: readonly unknown[]): ProvisionDocument {
  return { organisations: [{ name: 'Acme', plan: 'enterprise', projects }] } as ProvisionDocument;
}

/** The example of the documentation. */
export const exampleDocument = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      trialEndsAt: null,
      subscription: 'active',
      members: [
        { name: 'Owner', email: 'owner@example.test', role: 'owner', password: 'correct horse battery' },
      ],
      projects: [
        {
          name: 'shop',
          environments: ['production', 'staging'],
          audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
          flags: [
            {
              name: 'checkout',
              description: '',
              tags: [],
              cohorts: ['flag-wide'],
              environments: {
                staging: { enabled: true, trafficPercentage: 50, cohorts: ['own'], audience: 'Pro' },
              },
            },
          ],
          tokens: [{ name: 'ci', permission: 'write', environments: ['staging'], expiresAt: 0 }],
        },
      ],
    },
  ],
};
