import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { AuditEntry } from '../../src/domain/audit/audit-entry.ts';
import type { Finding } from '../../src/storage/check/store-walk.ts';
import { checkStore } from '../../src/storage/check.ts';
import {
  describeKey,
  idKey,
  ownedIdKey,
  ownedSequenceKey,
  sequenceKey,
} from '../../src/storage/keys/key-parts.ts';
import { type DatabaseName, databaseNames } from '../../src/storage/keys.ts';
import {
  createDatabases,
  type Databases,
  dataFileOf,
  openEnvironment,
} from '../../src/storage/lmdb/environment.ts';
import type { RecordCodec } from '../../src/storage/records/record-codec.ts';
import { openStore } from '../../src/storage/store.ts';
import { DamagedRecordError, StoreError } from '../../src/storage/store-error.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { activityRecord, tokenUseRecord } from '../../src/storage/tables/activity.ts';
import { audienceRecord } from '../../src/storage/tables/audiences.ts';
import {
  auditRecord,
  auditSubjectKey,
  chainHash,
  encodeAuditEntry,
} from '../../src/storage/tables/audit-record.ts';
import { changeLogRecord } from '../../src/storage/tables/change-log.ts';
import { evaluationCountsRecord, hourFlagKey } from '../../src/storage/tables/evaluation-counts.ts';
import { flagNameKey, flagRecord } from '../../src/storage/tables/flags.ts';
import { identityKey, memberIdentityRecord } from '../../src/storage/tables/identities.ts';
import {
  keptAnswerKey,
  keptAnswerRecord,
  keptAnswersUsageRecord,
} from '../../src/storage/tables/kept-answers.ts';
import { memberEmailKey } from '../../src/storage/tables/members.ts';
import { counterRecord, metaKeys } from '../../src/storage/tables/meta.ts';
import { oneTimeLinkRecord } from '../../src/storage/tables/one-time-links.ts';
import { organisationRecord } from '../../src/storage/tables/organisations.ts';
import { outboxDeliveryRecord, outboxRecord } from '../../src/storage/tables/outbox.ts';
import { projectRecord } from '../../src/storage/tables/projects.ts';
import { sessionRecord } from '../../src/storage/tables/sessions.ts';
import { tokenRecord } from '../../src/storage/tables/tokens.ts';
import { newId } from '../../src/support/random-id.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { denialOf, flagOf, outboxDeliveryOf, tokenOf, tokenUseOf } from './support/records.ts';
import { mapBytes, newStore, type SampleRecords, writeSample } from './support/sample-store.ts';

const other = newId();

function put<T>(tables: Databases, codec: RecordCodec<T>, key: Buffer, record: T): void {
  tables[codec.database].putSync(key, codec.encode(key, record));
}

/** The findings of `burgee check` in a store with one record of each kind, after this damage was written to it. */
async function findingsAfter(
  test: Test,
  damage: (tables: Databases, sample: SampleRecords) => void,
): Promise<{ found: Finding[]; sample: SampleRecords }> {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes });
  const sample = writeSample(store);
  await store.close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  damage(createDatabases(root), sample);
  await root.close();
  return { found: Array.from(checkStore(directory)), sample };
}

/** @param expected the findings, in order: each matches place and fault */
function finds(
  name: string,
  damage: (tables: Databases, sample: SampleRecords) => void,
  ...expected: readonly RegExp[]
): void {
  t.test(`check finds ${name}`, async (test) => {
    const { found: all } = await findingsAfter(test, damage);
    // A record of another length, written past the tables, is not counted: `a wrong total of a project` looks at that.
    const found = all.filter(({ where }) => !where.startsWith('meta/project-records/'));
    const texts = found.map(({ where, what }) => `${where} ${what}`);
    test.equal(texts.length, expected.length, texts.join('\n'));
    for (const [index, pattern] of expected.entries()) test.match(texts[index] ?? '', pattern);
  });
}

t.test('an undamaged store has no findings, and all of it is checked', async (test) => {
  const { directory, store } = newStore(test);
  writeSample(store);
  const walk = checkStore(directory);
  const { done, value } = walk.next();
  test.ok(done);
  const counts = new Map(value as ReadonlyMap<string, number>);
  test.equal(counts.get('meta'), 6);
  test.equal(counts.get('audit'), 3);
  test.equal(counts.get('change-log'), 3);
  for (const [name, count] of counts) test.ok(count >= 1, name);
  test.equal(counts.get('audit-by-subject'), 3);
  test.equal(counts.size, databaseNames.length);
});

t.test('check finds a wrong total of a project', async (test) => {
  const { found, sample } = await findingsAfter(test, ({ flags }, { flag }) => {
    flags.putSync(idKey(other), flags.get(idKey(flag.id)) as Buffer);
  });
  const total = found.find(({ where }) => where === `meta/project-records/${sample.project.id}`);
  test.match(total?.what, /^counts 1 flags and \d+ bytes, and there are 2 flags and \d+ bytes$/);
});

t.test('a key that begins with ff is checked like any other', async (test) => {
  const { directory, store } = newStore(test);
  const { project } = writeSample(store);
  const token = tokenOf(project.id, { secretHash: new Uint8Array(32).fill(0xff) });
  store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }]));
  const { value } = checkStore(directory).next();
  const counts = new Map(value as ReadonlyMap<string, number>);
  test.equal(counts.get('tokens'), 2);
  test.equal(counts.get('tokens-by-secret-hash'), 2);
});

t.test('neither an empty store nor one with a pruned log and activity has findings', async (test) => {
  const { directory, store } = newStore(test, { changeLogEntriesMax: 2 });
  test.strictSame([...checkStore(directory)], []);
  const { token } = writeSample(store);
  const rows = Array.from(
    { length: 1500 },
    () => ({ kind: 'activity', denial: denialOf(token.id) }) as const,
  );
  store.write(({ apply }) => apply(rows));
  test.strictSame([...checkStore(directory)], []);
});

t.test('check reads one snapshot, despite writes beside it', async (test) => {
  const { directory, store, reader } = newStore(test);
  const { flag, token, project, organisation } = writeSample(store);
  const wrong = { ...organisation, revision: 0 };
  store.write(({ apply }) => apply([{ kind: 'organisation', before: organisation, after: wrong }]));
  const walk = checkStore(directory);
  test.match(walk.next().value, { where: `organisations/${organisation.id}` });
  store.write(({ apply }) =>
    apply([
      { kind: 'flag', before: flag, after: null, environment: null },
      { kind: 'token', before: token, after: null },
      { kind: 'project', before: project, after: null },
    ]),
  );
  test.strictSame([...walk], []);
  test.not(
    [...checkStore(directory)].length,
    1,
    'while a check begun now finds the references to the project',
  );
  test.equal(reader.queries.flag(flag.id), undefined, 'and the readers of this thread still read');
});

/** Databases in which nothing shows that an entry was removed. */
const unmissed: ReadonlySet<string> = new Set([
  'activity',
  'token-uses',
  'evaluation-counts',
  'outbox-deliveries',
  'environment-versions',
]);
/** The history of changes, the bytes written on a day, and the oldest entry of the change log. */
const unmissedKeys = /^(meta\/(history|written\/.*)|change-log\/1)$/;

function mayBeMissed(damage: string, name: DatabaseName, key: Buffer): boolean {
  // These index entries have no value, and none is read.
  if (damage === 'changed') return name === 'audit-by-subject';
  return damage === 'removed' && (unmissed.has(name) || unmissedKeys.test(`${name}/${describeKey(key)}`));
}

t.test('check finds any entry that was removed, changed or put under another key', async (test) => {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes });
  writeSample(store);
  await store.close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  test.teardown(() => root.close());
  const tables = createDatabases(root);
  const unnoticed: string[] = [];
  for (const name of databaseNames) {
    const table = tables[name];
    const range = { start: Buffer.of(0), end: Buffer.alloc(64, 0xff) };
    const entries = Array.from(table.getRange(range), (it) => [Buffer.from(it.key), Buffer.from(it.value)]);
    for (const [key = Buffer.of(), value = Buffer.of()] of entries) {
      const changed = Buffer.from(value.length === 0 ? 'x' : value);
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      const otherKey = Buffer.from(key);
      otherKey[0] = (otherKey[0] ?? 0) ^ 1;
      const damages = {
        changed: () => table.putSync(key, changed),
        removed: () => table.removeSync(key),
        moved: () => table.putSync(otherKey, value),
      };
      for (const [damage, inflict] of Object.entries(damages)) {
        inflict();
        const isFound = firstFinding(directory) !== undefined;
        if (!isFound && !mayBeMissed(damage, name, key)) unnoticed.push(`${damage}: ${name}/${key}`);
        // `moved` leaves out the entry that `removed` has removed.
        if (damage !== 'removed') table.putSync(key, value);
        if (damage === 'moved') table.removeSync(otherKey);
      }
    }
  }
  test.same(unnoticed, []);
  test.equal(firstFinding(directory), undefined, 'every damage was undone');
});

/** A store that cannot be opened is refused with the reason, which counts as a finding. */
function firstFinding(directory: string): string | undefined {
  try {
    for (const { where, what } of checkStore(directory)) return `${where} ${what}`;
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

finds(
  'a record with another id than its key, and a revision below 1',
  (tables, { organisation }) =>
    put(tables, organisationRecord, idKey(organisation.id), { ...organisation, id: other, revision: 0 }),
  new RegExp(`^organisations/.* record of ${other}`),
  /^organisations\/.* revision 0/,
);

finds(
  'references to a missing organisation and audience',
  (tables, { organisation, project, audience }) => {
    tables.organisations.removeSync(idKey(organisation.id));
    tables.audiences.removeSync(idKey(audience.id));
    tables['audiences-by-project'].removeSync(ownedIdKey(project.id, audience.id));
  },
  /^members\/.* organisations\/\w+, which is missing/,
  /^projects\/.* organisations\/\w+, which is missing/,
  /^links\/.* organisations\/\w+, which is missing/,
  /^flags\/.* audiences\/\w+, which is missing/,
);

finds(
  'records that refer to a missing project',
  (tables, { project }) => tables.projects.removeSync(idKey(project.id)),
  /^slugs\/former-.* projects\/.*missing/,
  /^slugs\/shop-.* projects\/.*missing/,
  /^flags\/.* projects\/.*missing/,
  /^audiences\/.* projects\/.*missing/,
  /^tokens\/.* projects\/.*missing/,
  /^kept-answers\/.* projects\/.*missing/,
);

finds(
  'sessions, links and identities of a missing member',
  (tables, { member, link }) => {
    tables.members.removeSync(idKey(member.id));
    tables['members-by-email'].removeSync(memberEmailKey(member.email, member.id));
    const purpose = { kind: 'sign-in', memberId: member.id } as const;
    put(tables, oneTimeLinkRecord, idKey(link.id), { ...link, purpose });
  },
  /^sessions\/.* members\/.*missing/,
  /^links\/.* members\/.*missing/,
  /^identities\/.* members\/.*missing/,
);

finds(
  'a project with both an organisation and an owner, or with wrong environments',
  (tables, { project, member }) => {
    const twice = [...project.environments, { number: 5, name: '__proto__', isProtected: false }];
    const wrong = { ...project, ownerMemberId: member.id, environments: twice, isMultiEnvironment: false };
    put(tables, projectRecord, idKey(project.id), wrong);
  },
  /^projects\/.* exactly one/,
  /^projects\/.* single environment/,
  /^projects\/.* twice/,
  /^projects\/.* yet to be given/,
);

finds(
  'a token of a personal project',
  (tables, { project, member }) => {
    const personal = { ...project, organisationId: null, ownerMemberId: member.id };
    put(tables, projectRecord, idKey(project.id), personal);
  },
  /^tokens\/.* personal project/,
);

finds(
  'states of missing environments, impossible percentages and empty overrides',
  (tables, { flag }) => {
    const state = { enabled: true, trafficPercentage: 101, cohortOverride: [], audienceId: null };
    put(tables, flagRecord, idKey(flag.id), { ...flag, states: new Map([[3, state]]) });
  },
  /^flags\/.* environment 3/,
  /^flags\/.* percentage 101/,
  /^flags\/.* empty cohort override/,
);

finds(
  'an audience of another project',
  (tables, { audience, project }) => {
    put(tables, projectRecord, idKey(other), { ...project, id: other, slugs: [] });
    put(tables, audienceRecord, idKey(audience.id), { ...audience, projectId: other });
    tables['audiences-by-project'].removeSync(ownedIdKey(project.id, audience.id));
    tables['audiences-by-project'].putSync(ownedIdKey(other, audience.id), Buffer.alloc(0));
  },
  /^flags\/.* another project/,
);

finds(
  'index entries that name another record, or have another key than their record',
  (tables, { flag, token }) => {
    tables['flags-by-name'].putSync(flagNameKey(flag.projectId, 'a name', flag.id), Buffer.alloc(0));
    tables['tokens-by-project'].putSync(Buffer.from('odd'), Buffer.alloc(0));
    tables['tokens-by-secret-hash'].putSync(Buffer.from(token.secretHash), idKey(other));
  },
  /^flags-by-name\/.* does not fit/,
  /^tokens-by-secret-hash\/.* another record/,
  /^tokens-by-project\/odd .*missing/,
  /^tokens-by-secret-hash\/.* missing/,
);

finds(
  'secret hashes of the wrong length, and an identity under another key',
  (tables, { session, link, token, identity }) => {
    const secretHash = new Uint8Array(3).fill(0xff);
    put(tables, sessionRecord, idKey(session.id), { ...session, secretHash });
    put(tables, oneTimeLinkRecord, idKey(link.id), { ...link, secretHash });
    put(tables, tokenRecord, idKey(token.id), { ...token, secretHash });
    const key = identityKey(identity.issuer, identity.subject);
    put(tables, memberIdentityRecord, key, { ...identity, subject: 'other' });
  },
  /^sessions-by-secret\/ffffff .*missing/,
  /^sessions\/.* hash of 3 bytes/,
  /^sessions-by-secret\/.* does not fit/,
  /^links-by-secret\/ffffff .*missing/,
  /^links\/.* hash of 3 bytes/,
  /^links-by-secret\/.* does not fit/,
  /^identities\/.* another identity/,
  /^identities-by-member\/.* missing/,
  /^identities-by-member\/.* does not fit/,
  /^tokens-by-secret-hash\/ffffff .*missing/,
  /^tokens\/.* hash of 3 bytes/,
  /^tokens-by-secret-hash\/.* does not fit/,
);

/** The stored audit entry with this sequence. */
function auditAt(tables: Databases, ledgerId: string, sequence: number) {
  const key = ownedSequenceKey(ledgerId, sequence);
  return { key, stored: auditRecord.decode(key, tables.audit.get(key) ?? Buffer.alloc(0)) };
}

finds(
  'a removed audit entry',
  (tables, { organisation }) => tables.audit.removeSync(ownedSequenceKey(organisation.id, 2)),
  /^audit\/\w+\/3 follows entry 1/,
  /^audit-by-subject\/.*\/2, which is missing/,
);

finds(
  'the removal of the newest audit entry',
  (tables, { organisation }) => tables.audit.removeSync(ownedSequenceKey(organisation.id, 3)),
  /^audit-by-subject\/.* names audit\/.*\/3, which is missing/,
);

finds(
  'an audit entry whose content was changed and given a new checksum',
  (tables, { organisation, audit }) => {
    const { key, stored } = auditAt(tables, organisation.id, 2);
    const actor = { kind: 'operator', id: '', name: 'nobody' } as const;
    const encodedEntry = encodeAuditEntry({ ...(audit[1] as AuditEntry), actor });
    put(tables, auditRecord, key, { ...stored, encodedEntry });
  },
  /^audit\/\w+\/2 .*hash does not cover its content/,
);

finds(
  'an audit entry that was changed together with its hash',
  (tables, { organisation, audit }) => {
    const { key, stored } = auditAt(tables, organisation.id, 2);
    const { previousHash } = stored;
    const encodedEntry = encodeAuditEntry({ ...(audit[1] as AuditEntry), at: 9 });
    const hash = chainHash(previousHash, encodedEntry);
    put(tables, auditRecord, key, { previousHash, hash, encodedEntry });
  },
  /^audit\/\w+\/3 does not continue the chain/,
);

finds(
  'an unreadable audit entry, and continues',
  (tables, { organisation }) => {
    const { key, stored } = auditAt(tables, organisation.id, 1);
    put(tables, auditRecord, key, { ...stored, encodedEntry: Buffer.of(0xc1) });
    tables.audit.removeSync(ownedSequenceKey(organisation.id, 3));
  },
  /^audit\/\w+\/1 .*hash does not cover/,
  /^audit\/\w+\/1 .*cannot be read/,
  /^audit-by-subject\/.*\/3, which is missing/,
);

finds(
  'index entries without an audit entry',
  (tables, { organisation }) => {
    const index = tables['audit-by-subject'];
    index.putSync(auditSubjectKey(organisation.id, 'z'.repeat(20), 2), Buffer.alloc(0));
    index.putSync(Buffer.of(1), Buffer.alloc(0));
  },
  /^audit-by-subject\/01 .*not known/,
  /^audit-by-subject\/\w+\/z+\/2 does not fit audit/,
);

finds(
  'an audit entry that was replaced, and one of another ledger',
  (tables, { organisation }) => {
    const [first, , last] = [1, 2, 3].map((sequence) => auditAt(tables, organisation.id, sequence).stored);
    if (first === undefined || last === undefined) throw new Error('The sample has three entries');
    put(tables, auditRecord, ownedSequenceKey(organisation.id, 2), last);
    const mixed = { ...last, encodedEntry: first.encodedEntry };
    put(tables, auditRecord, ownedSequenceKey(organisation.id, 3), mixed);
    put(tables, auditRecord, ownedSequenceKey('z'.repeat(20), 1), first);
  },
  /^audit\/\w+\/2 .*chain of hashes/,
  /^audit-by-subject\/.*\/2 .*is missing/,
  /^audit\/\w+\/3 .*chain of hashes/,
  /^audit\/\w+\/3 .*does not cover/,
  /^audit-by-subject\/.*\/3 .*is missing/,
  /^audit\/z+\/1 .*another ledger/,
  /^audit-by-subject\/.* does not fit/,
  /^audit-by-subject\/.* does not fit/,
);

finds(
  'a gap in the change log, an entry with another sequence than its key, and a wrong counter',
  (tables) => {
    tables['change-log'].removeSync(sequenceKey(2));
    const everything = { kind: 'everything', projectId: '', id: '', environment: null } as const;
    put(tables, changeLogRecord, sequenceKey(4), { sequence: 9, number: 9, ...everything });
    put(tables, counterRecord, metaKeys.changeLog, 7);
  },
  /^change-log\/3 follows entry 1/,
  /^change-log\/4 has the number 9/,
  /^meta\/change-log is 7, but the last entry is 4/,
);

finds(
  'activity and outbox entries without a token, and more rows than are kept',
  (tables, { token }) => {
    put(tables, activityRecord, ownedSequenceKey('z'.repeat(20), 1), denialOf(token.id));
    for (let sequence = 2; sequence <= 1001; sequence += 1) {
      put(tables, activityRecord, ownedSequenceKey(token.id, sequence), denialOf(token.id));
    }
    put(tables, outboxRecord, sequenceKey(2), { kind: 'denial-email', denial: denialOf(other) });
  },
  /^activity\/\w+ .*more than 1000 rows/,
  /^activity\/z+ .*missing/,
  /^activity\/z+\/1 .*is of token/,
  /^outbox\/2 .*last number given, 1/,
);

finds(
  'uses, attempts and counts of missing records',
  (tables, { token }) => {
    put(tables, tokenUseRecord, ownedSequenceKey('z'.repeat(20), 1), tokenUseOf(token.id));
    put(tables, outboxDeliveryRecord, sequenceKey(7), outboxDeliveryOf());
    put(tables, evaluationCountsRecord, hourFlagKey(5, other), [{ environmentNumber: 0, on: -1, off: 0 }]);
  },
  /^token-uses\/z+ .*missing/,
  /^token-uses\/z+\/1 .*is of token/,
  /^outbox-deliveries\/7 .*outbox entry that is missing/,
  /^evaluation-counts\/.* no hour/,
  /^evaluation-counts\/.* below zero/,
);

finds(
  'a usage record of a project without kept answers',
  (tables) => put(tables, keptAnswersUsageRecord, idKey(other), { entries: 2, bytes: 2 }),
  /^kept-answers-usage\/\w{20} counts 2 answers of 2 bytes, and there are 0 of 0/,
);

finds(
  'a kept answer of another project than its token, under another key, and with an invalid hash',
  (tables, { token, keptAnswer }) => {
    const wrong = { ...keptAnswer, projectId: other, key: 'run-2', requestHash: new Uint8Array(3) };
    put(tables, keptAnswerRecord, keptAnswerKey(token.id, keptAnswer.key), wrong);
  },
  /^kept-answers-by-age\/.* missing/,
  /^kept-answers\/.* another key/,
  /^kept-answers\/.* projects\/.* missing/,
  /^kept-answers\/.* of another project/,
  /^kept-answers\/.* hash of 3 bytes/,
  /^kept-answers-by-age\/.* does not fit/,
);

t.test('a bit flipped on the disk is noticed by the read and by the check', async (test) => {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes });
  const { organisation, project } = writeSample(store);
  const flag = flagOf(project.id, { name: 'a-name-that-stands-out' });
  store.write(({ apply }) => apply([{ kind: 'flag', before: null, after: flag, environment: null }]));
  await store.close();
  const bytes = readFileSync(dataFileOf(directory));
  // In a record the name follows msgpack's string header; in an index key it follows the project's id.
  const header = Buffer.concat([Buffer.of(0xa0 + flag.name.length), Buffer.from(flag.name)]);
  let flips = 0;
  for (let at = bytes.indexOf(header); at >= 0; at = bytes.indexOf(header, at + 1)) {
    bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 16;
    flips += 1;
  }
  test.ok(flips > 0);
  writeFileSync(dataFileOf(directory), bytes);
  const reader = openStoreReader({ directory, mapBytes });
  test.throws(() => reader.queries.flag(flag.id), DamagedRecordError);
  test.throws(() => [...reader.queries.flagsOf(project.id)], DamagedRecordError);
  test.equal(reader.queries.organisation(organisation.id)?.id, organisation.id);
  await reader.close();
  test.match([...checkStore(directory)], [{ where: `flags/${flag.id}`, what: /checksum/ }]);
});
