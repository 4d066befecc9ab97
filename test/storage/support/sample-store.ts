import type { Test } from 'tap';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import { openStoreReader, type StoreReader } from '../../../src/storage/store-reader.ts';
import { createStoreVersionMemory } from '../../../src/support/store-version.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import {
  audienceOf,
  auditEntryOf,
  creationOf,
  denialOf,
  evaluationCountOf,
  flagChangeOf,
  flagOf,
  identityOf,
  keptAnswerOf,
  linkOf,
  memberOf,
  organisationOf,
  outboxDeliveryOf,
  projectOf,
  sessionOf,
  tokenOf,
  tokenUseOf,
} from './records.ts';

export const mapBytes = 2 ** 30;

export interface NewStore {
  readonly directory: string;
  readonly store: Store;
  readonly reader: StoreReader;
  /** The memory of the store's `StoreVersion`. */
  readonly version: SharedArrayBuffer;
}

/** A new store and a reader of it, closed after the test. */
export function newStore(t: Test, options: { readonly changeLogEntriesMax?: number } = {}): NewStore {
  const directory = temporaryDirectory(t);
  const version = createStoreVersionMemory();
  const store = openStore({ directory, mapBytes, storeVersion: version, ...options });
  const reader = openStoreReader({ directory, mapBytes });
  t.teardown(async () => {
    await reader.close();
    await store.close();
  });
  return { directory, store, reader, version };
}

/** One record of every kind, all consistent. */
export function sampleRecords() {
  const organisation = organisationOf();
  const member = memberOf({ organisationId: organisation.id });
  const environments = [{ number: 0, name: '__proto__', isProtected: true }];
  const slugs = ['shop', 'former'].map((slug) => `${slug}-${organisation.id.toLowerCase()}`);
  const project = projectOf(organisation.id, { isMultiEnvironment: true, environments, slugs });
  const audience = audienceOf(project.id);
  const state = { enabled: true, trafficPercentage: 50, cohortOverride: ['own'], audienceId: audience.id };
  const flag = flagOf(project.id, { name: 'checkout', states: new Map([[0, state]]) });
  const token = tokenOf(project.id);
  const denial = denialOf(token.id);
  const audit = [1, 2, 3].map((at) => auditEntryOf(organisation.id, { at }));
  const keptAnswer = keptAnswerOf(token);
  const access = {
    session: sessionOf(member.id),
    link: linkOf(organisation.id),
    identity: identityOf(member.id),
  };
  return { organisation, member, project, audience, flag, token, denial, audit, keptAnswer, ...access };
}

export type SampleRecords = ReturnType<typeof sampleRecords>;

/** What makes the records. */
export function sampleChanges(sample: SampleRecords): RecordChange[] {
  return [
    creationOf('organisation', sample.organisation),
    creationOf('member', sample.member),
    creationOf('project', sample.project),
    creationOf('audience', sample.audience),
    flagChangeOf(null, sample.flag),
    creationOf('token', sample.token),
    creationOf('session', sample.session),
    creationOf('one-time-link', sample.link),
    creationOf('identity', sample.identity),
    { kind: 'activity', denial: sample.denial },
    { kind: 'token-use', use: tokenUseOf(sample.token.id) },
    { kind: 'outbox', entry: { kind: 'denial-email', denial: sample.denial } },
    { kind: 'evaluation-count', count: evaluationCountOf(sample.flag.id) },
    { kind: 'outbox-delivery', sequence: 1, delivery: outboxDeliveryOf() },
    { kind: 'kept-answer', before: null, after: sample.keptAnswer },
    ...sample.audit.map((entry) => ({ kind: 'audit', entry }) as const),
  ];
}

export function writeSample(store: Store): SampleRecords {
  const sample = sampleRecords();
  store.write(({ apply }) => apply(sampleChanges(sample)));
  return sample;
}
