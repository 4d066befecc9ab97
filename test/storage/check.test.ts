import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { Finding } from '../../src/storage/check/store-walk.ts';
import { checkStore } from '../../src/storage/check.ts';
import { idKey, ownedIdKey, ownedSequenceKey, sequenceKey } from '../../src/storage/keys/key-parts.ts';
import { databaseNames } from '../../src/storage/keys.ts';
import {
  createDatabases,
  type Databases,
  dataFileOf,
  openEnvironment,
} from '../../src/storage/lmdb/environment.ts';
import type { RecordCodec } from '../../src/storage/records/record-codec.ts';
import { openStore } from '../../src/storage/store.ts';
import { DamagedRecordError } from '../../src/storage/store-error.ts';
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
import { flagRecord } from '../../src/storage/tables/flag-record.ts';
import { flagNameKey } from '../../src/storage/tables/flags.ts';
import { identityKey, memberIdentityKey, memberIdentityRecord } from '../../src/storage/tables/identities.ts';
import { memberEmailKey, memberRecord } from '../../src/storage/tables/members.ts';
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

type Damage = (tables: Databases, sample: SampleRecords) => void;
type Expectation = (sample: SampleRecords) => readonly [where: string, what: RegExp][];

function finds(name: string, damage: Damage, expected: Expectation): void {
  t.test(`check finds ${name}`, async (test) => {
    const { found, sample } = await findingsAfter(test, damage);
    const wanted = expected(sample);
    test.strictSame(
      found.map(({ where }) => where),
      wanted.map(([where]) => where),
      found.map(({ where, what }) => `${where} ${what}`).join('\n'),
    );
    for (const [index, [, what]] of wanted.entries()) test.match(found[index]?.what ?? '', what);
  });
}

t.test('an undamaged store has no findings, and all of it is checked', async (test) => {
  const { directory, store } = newStore(test);
  writeSample(store);
  const walk = checkStore(directory);
  const { done, value } = walk.next();
  test.ok(done);
  const counts = new Map(value as ReadonlyMap<string, number>);
  test.equal(counts.get('meta'), 5);
  test.equal(counts.get('audit'), 3);
  test.equal(counts.get('change-log'), 3);
  for (const [name, count] of counts) test.ok(count >= 1, name);
  test.equal(counts.get('audit-by-subject'), 3);
  test.equal(counts.size, databaseNames.length);
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

finds(
  'a record whose bytes were changed',
  (tables, { flag }) => {
    const key = idKey(flag.id);
    const bytes = tables.flags.get(key) ?? Buffer.alloc(0);
    bytes[20] = (bytes[20] ?? 0) ^ 4;
    tables.flags.putSync(key, bytes);
  },
  ({ flag }) => [[`flags/${flag.id}`, /checksum/]],
);

finds(
  'a record of an unknown version',
  (tables, { token }) => tables.tokens.putSync(idKey(token.id), Buffer.of(7, 0, 0, 0, 0, 0)),
  ({ token }) => [[`tokens/${token.id}`, /version 7/]],
);

finds(
  'damage in every other kind of record',
  (tables, { organisation, member, project, audience, token }) => {
    const bad = Buffer.from('something else');
    tables.organisations.putSync(idKey(organisation.id), bad);
    tables.members.putSync(idKey(member.id), bad);
    tables.projects.putSync(idKey(project.id), bad);
    tables.audiences.putSync(idKey(audience.id), bad);
    tables.activity.putSync(ownedSequenceKey(token.id, 1), bad);
    tables.outbox.putSync(sequenceKey(1), bad);
    tables['change-log'].putSync(sequenceKey(3), bad);
    tables.audit.putSync(ownedSequenceKey(organisation.id, 3), bad);
    tables.meta.putSync(metaKeys.outbox, bad);
    tables.meta.putSync(Buffer.from('unknown'), bad);
  },
  ({ organisation, member, project, audience, token }) => [
    ['meta/outbox', /version/],
    ['meta/unknown', /not known/],
    [`organisations/${organisation.id}`, /version/],
    [`members/${member.id}`, /version/],
    [`projects/${project.id}`, /version/],
    [`audiences/${audience.id}`, /version/],
    [`audit/${organisation.id}/3`, /version/],
    ['change-log/3', /version/],
    ['meta/change-log', /^is 3, but the last entry is 2/],
    [`activity/${token.id}/1`, /version/],
    ['outbox/1', /version/],
  ],
);

finds(
  'a record under another record’s key',
  (tables, { flag }) => {
    const bytes = tables.flags.get(idKey(flag.id)) ?? Buffer.alloc(0);
    tables.flags.putSync(idKey(other), bytes);
  },
  () => [[`flags/${other}`, /checksum/]],
);

finds(
  'a record with another id than its key, and a revision below 1',
  (tables, { organisation }) =>
    put(tables, organisationRecord, idKey(organisation.id), { ...organisation, id: other, revision: 0 }),
  ({ organisation }) => [
    [`organisations/${organisation.id}`, new RegExp(`record of ${other}`)],
    [`organisations/${organisation.id}`, /revision 0/],
  ],
);

finds(
  'references to missing records',
  (tables, { organisation, member, project, audience }) => {
    tables.organisations.removeSync(idKey(organisation.id));
    tables.audiences.removeSync(idKey(audience.id));
    tables['audiences-by-project'].removeSync(ownedIdKey(project.id, audience.id));
    put(tables, memberRecord, idKey(member.id), { ...member, organisationId: organisation.id });
  },
  ({ organisation, member, project, flag, audience, link }) => [
    [`members/${member.id}`, new RegExp(`organisations/${organisation.id}, which is missing`)],
    [`projects/${project.id}`, new RegExp(`organisations/${organisation.id}, which is missing`)],
    [`links/${link.id}`, new RegExp(`organisations/${organisation.id}, which is missing`)],
    [`flags/${flag.id}`, new RegExp(`audiences/${audience.id}, which is missing`)],
  ],
);

finds(
  'records that refer to a missing project',
  (tables, { project }) => tables.projects.removeSync(idKey(project.id)),
  ({ flag, audience, token, keptAnswer }) => [
    [`flags/${flag.id}`, /projects\/.*missing/],
    [`audiences/${audience.id}`, /projects\/.*missing/],
    [`tokens/${token.id}`, /projects\/.*missing/],
    [`kept-answers/${token.id}${keptAnswer.key}`, /projects\/.*missing/],
  ],
);

finds(
  'a project with both an organisation and an owner, or with wrong environments',
  (tables, { project, member }) => {
    const twice = [...project.environments, { number: 5, name: '__proto__', isProtected: false }];
    const wrong = { ...project, ownerMemberId: member.id, environments: twice, isMultiEnvironment: false };
    put(tables, projectRecord, idKey(project.id), wrong);
  },
  ({ project }) => [
    [`projects/${project.id}`, /exactly one/],
    [`projects/${project.id}`, /single environment/],
    [`projects/${project.id}`, /twice/],
    [`projects/${project.id}`, /yet to be given/],
  ],
);

finds(
  'a token of a personal project',
  (tables, { project, member }) => {
    put(tables, projectRecord, idKey(project.id), {
      ...project,
      organisationId: null,
      ownerMemberId: member.id,
    });
  },
  ({ token }) => [[`tokens/${token.id}`, /personal project/]],
);

finds(
  'states of missing environments, impossible percentages and empty overrides',
  (tables, { flag }) => {
    const state = { enabled: true, trafficPercentage: 101, cohortOverride: [], audienceId: null };
    put(tables, flagRecord, idKey(flag.id), { ...flag, states: new Map([[3, state]]) });
  },
  ({ flag }) => [
    [`flags/${flag.id}`, /environment 3/],
    [`flags/${flag.id}`, /percentage 101/],
    [`flags/${flag.id}`, /empty cohort override/],
  ],
);

finds(
  'an audience of another project',
  (tables, { audience, project }) => {
    put(tables, projectRecord, idKey(other), { ...project, id: other });
    put(tables, audienceRecord, idKey(audience.id), { ...audience, projectId: other });
    tables['audiences-by-project'].removeSync(ownedIdKey(project.id, audience.id));
    tables['audiences-by-project'].putSync(ownedIdKey(other, audience.id), Buffer.alloc(0));
  },
  ({ flag }) => [[`flags/${flag.id}`, /another project/]],
);

finds(
  'sessions, links and identities of a missing member',
  (tables, { member, link }) => {
    tables.members.removeSync(idKey(member.id));
    tables['members-by-email'].removeSync(memberEmailKey(member.email, member.id));
    const purpose = { kind: 'sign-in', memberId: member.id } as const;
    put(tables, oneTimeLinkRecord, idKey(link.id), { ...link, purpose });
  },
  ({ session, link, identity }) => [
    [`sessions/${session.id}`, /members\/.*missing/],
    [`links/${link.id}`, /members\/.*missing/],
    [`identities/${identityKey(identity.issuer, identity.subject)}`, /members\/.*missing/],
  ],
);

finds(
  'index entries of sign-ins that are missing or do not match',
  (tables, { member, session, link, identity }) => {
    const key = identityKey(identity.issuer, identity.subject);
    tables['members-by-email'].putSync(memberEmailKey('other@example.test', member.id), Buffer.alloc(0));
    tables['sessions-by-secret'].removeSync(Buffer.from(session.secretHash));
    tables['sessions-by-member'].putSync(ownedIdKey(other, session.id), Buffer.alloc(0));
    tables['links-by-secret'].putSync(Buffer.from(link.secretHash), idKey(other));
    tables['links-by-organisation'].removeSync(ownedIdKey(link.organisationId, link.id));
    tables['identities-by-member'].removeSync(memberIdentityKey(member.id, key));
    tables['identities-by-member'].putSync(memberIdentityKey(other, key), Buffer.alloc(0));
  },
  ({ member, session, link, identity }) => {
    const key = identityKey(identity.issuer, identity.subject);
    return [
      [`members-by-email/other@example.test/${member.id}`, /does not fit/],
      [`sessions-by-secret/${Buffer.from(session.secretHash).toString('hex')}`, /missing/],
      [`sessions-by-member/${other}/${session.id}`, /does not fit/],
      [`links-by-secret/${Buffer.from(link.secretHash).toString('hex')}`, /another record/],
      [`links-by-organisation/${link.organisationId}/${link.id}`, /missing/],
      [`links-by-secret/${Buffer.from(link.secretHash).toString('hex')}`, /missing/],
      [`identities-by-member/${member.id}${key}`, /missing/],
      [`identities-by-member/${other}${key}`, /does not fit/],
    ];
  },
);

finds(
  'sessions, links and identities under another record’s key, or with an incomplete hash',
  (tables, { session, link, identity }) => {
    put(tables, sessionRecord, idKey(session.id), { ...session, secretHash: new Uint8Array(3).fill(0xff) });
    put(tables, oneTimeLinkRecord, idKey(link.id), { ...link, secretHash: new Uint8Array(3).fill(0xff) });
    const key = identityKey(identity.issuer, identity.subject);
    put(tables, memberIdentityRecord, key, { ...identity, subject: 'other' });
  },
  ({ session, link, identity }) => {
    const key = identityKey(identity.issuer, identity.subject);
    const moved = identityKey(identity.issuer, 'other');
    return [
      [`sessions-by-secret/ffffff`, /missing/],
      [`sessions/${session.id}`, /hash of 3 bytes/],
      [`sessions-by-secret/${Buffer.from(session.secretHash).toString('hex')}`, /does not fit/],
      [`links-by-secret/ffffff`, /missing/],
      [`links/${link.id}`, /hash of 3 bytes/],
      [`links-by-secret/${Buffer.from(link.secretHash).toString('hex')}`, /does not fit/],
      [`identities/${key}`, /another identity/],
      [`identities-by-member/${identity.memberId}${moved}`, /missing/],
      [`identities-by-member/${identity.memberId}${key}`, /does not fit/],
    ];
  },
);

finds(
  'missing index entries',
  (tables, { flag, audience, token }) => {
    tables['flags-by-name'].removeSync(flagNameKey(flag.projectId, flag.name, flag.id));
    tables['audiences-by-project'].removeSync(ownedIdKey(audience.projectId, audience.id));
    tables['tokens-by-project'].removeSync(ownedIdKey(token.projectId, token.id));
    tables['tokens-by-secret-hash'].removeSync(Buffer.from(token.secretHash));
  },
  ({ flag, audience, token }) => [
    [`flags-by-name/${flag.projectId}${flag.name}/${flag.id}`, /missing/],
    [`audiences-by-project/${audience.projectId}/${audience.id}`, /missing/],
    [`tokens-by-project/${token.projectId}/${token.id}`, /missing/],
    [`tokens-by-secret-hash/${Buffer.from(token.secretHash).toString('hex')}`, /missing/],
  ],
);

finds(
  'index entries that name missing records, or do not match',
  (tables, { flag, audience, token }) => {
    tables['flags-by-name'].putSync(flagNameKey(flag.projectId, 'a name', flag.id), Buffer.alloc(0));
    tables['audiences-by-project'].putSync(ownedIdKey(audience.projectId, other), Buffer.alloc(0));
    tables['tokens-by-project'].putSync(Buffer.from('odd'), Buffer.alloc(0));
    tables['tokens-by-secret-hash'].putSync(Buffer.from(token.secretHash), idKey(other));
  },
  ({ flag, audience, token }) => [
    [`flags-by-name/${flag.projectId}a name/${flag.id}`, /does not fit/],
    [`audiences-by-project/${audience.projectId}/${other}`, /missing/],
    [`tokens-by-secret-hash/${Buffer.from(token.secretHash).toString('hex')}`, /another record/],
    ['tokens-by-project/odd', /missing/],
    [`tokens-by-secret-hash/${Buffer.from(token.secretHash).toString('hex')}`, /missing/],
  ],
);

finds(
  'a removed audit entry',
  (tables, { organisation }) => tables.audit.removeSync(ownedSequenceKey(organisation.id, 2)),
  ({ organisation, audit }) => [
    [`audit/${organisation.id}/3`, /follows entry 1/],
    [`audit-by-subject/${organisation.id}/${audit[1]?.targetId}/2`, /which is missing/],
  ],
);

finds(
  'the removal of the newest audit entry',
  (tables, { organisation }) => tables.audit.removeSync(ownedSequenceKey(organisation.id, 3)),
  ({ organisation, audit }) => [
    [`audit-by-subject/${organisation.id}/${audit[2]?.targetId}/3`, /names audit\/.*\/3, which is missing/],
  ],
);

finds(
  'an audit entry whose content was changed and given a new checksum',
  (tables, { organisation, audit }) => {
    const key = ownedSequenceKey(organisation.id, 2);
    const stored = auditRecord.decode(key, tables.audit.get(key) ?? Buffer.alloc(0));
    const [, second] = audit;
    if (second === undefined) throw new Error('The sample has three entries');
    const encodedEntry = encodeAuditEntry({ ...second, actor: { kind: 'operator', id: '', name: 'nobody' } });
    put(tables, auditRecord, key, { ...stored, encodedEntry });
  },
  ({ organisation }) => [[`audit/${organisation.id}/2`, /hash does not cover its content/]],
);

finds(
  'an audit entry that was changed together with its hash',
  (tables, { organisation, audit }) => {
    const key = ownedSequenceKey(organisation.id, 2);
    const { previousHash } = auditRecord.decode(key, tables.audit.get(key) ?? Buffer.alloc(0));
    const [, second] = audit;
    if (second === undefined) throw new Error('The sample has three entries');
    const encodedEntry = encodeAuditEntry({ ...second, at: 9 });
    put(tables, auditRecord, key, {
      previousHash,
      hash: chainHash(previousHash, encodedEntry),
      encodedEntry,
    });
  },
  ({ organisation }) => [[`audit/${organisation.id}/3`, /does not continue the chain/]],
);

finds(
  'an unreadable audit entry, and continues',
  (tables, { organisation }) => {
    const key = ownedSequenceKey(organisation.id, 1);
    const stored = auditRecord.decode(key, tables.audit.get(key) ?? Buffer.alloc(0));
    put(tables, auditRecord, key, { ...stored, encodedEntry: Buffer.of(0xc1) });
    tables.audit.removeSync(ownedSequenceKey(organisation.id, 3));
  },
  ({ organisation, audit }) => [
    [`audit/${organisation.id}/1`, /hash does not cover/],
    [`audit/${organisation.id}/1`, /cannot be read/],
    [`audit-by-subject/${organisation.id}/${audit[2]?.targetId}/3`, /which is missing/],
  ],
);

finds(
  'audit entries missing in the index, and index entries without an audit entry',
  (tables, { organisation, audit }) => {
    const [first] = audit;
    if (first === undefined) throw new Error('The sample has three entries');
    const index = tables['audit-by-subject'];
    index.removeSync(auditSubjectKey(organisation.id, first.targetId, 1));
    index.putSync(auditSubjectKey(organisation.id, 'z'.repeat(20), 2), Buffer.alloc(0));
    index.putSync(Buffer.of(1), Buffer.alloc(0));
  },
  ({ organisation, audit }) => [
    [`audit-by-subject/${organisation.id}/${audit[0]?.targetId}/1`, /the entry of a record is missing/],
    ['audit-by-subject/01', /not known/],
    [`audit-by-subject/${organisation.id}/${'z'.repeat(20)}/2`, /does not fit audit/],
  ],
);

finds(
  'an audit entry that was replaced, and one of another ledger',
  (tables, { organisation }) => {
    const keys = [1, 2, 3].map((sequence) => ownedSequenceKey(organisation.id, sequence));
    const [first, , last] = keys.map((key) =>
      auditRecord.decode(key, tables.audit.get(key) ?? Buffer.alloc(0)),
    );
    if (first === undefined || last === undefined) throw new Error('The sample has three entries');
    put(tables, auditRecord, ownedSequenceKey(organisation.id, 2), last);
    put(tables, auditRecord, ownedSequenceKey(organisation.id, 3), {
      ...last,
      encodedEntry: first.encodedEntry,
    });
    put(tables, auditRecord, ownedSequenceKey('z'.repeat(20), 1), first);
  },
  ({ organisation, audit }) => {
    const [first = '', second = '', last = ''] = audit.map(({ targetId }) => targetId);
    const indexed = (targetId: string, sequence: number) =>
      `audit-by-subject/${organisation.id}/${targetId}/${sequence}`;
    const unfit = [indexed(second, 2), indexed(last, 3)].toSorted();
    return [
      [`audit/${organisation.id}/2`, /chain of hashes/],
      [indexed(last, 2), /is missing/],
      [`audit/${organisation.id}/3`, /chain of hashes/],
      [`audit/${organisation.id}/3`, /does not cover/],
      [indexed(first, 3), /is missing/],
      [`audit/${'z'.repeat(20)}/1`, /another ledger/],
      ...unfit.map((where): [string, RegExp] => [where, /does not fit/]),
    ];
  },
);

finds(
  'a gap in the change log, an entry with another sequence than its key, and a wrong counter',
  (tables) => {
    tables['change-log'].removeSync(sequenceKey(2));
    const entry = {
      sequence: 9,
      number: 9,
      kind: 'everything',
      projectId: '',
      id: '',
      environment: null,
    } as const;
    put(tables, changeLogRecord, sequenceKey(4), entry);
    put(tables, counterRecord, metaKeys.changeLog, 7);
  },
  () => [
    ['change-log/3', /follows entry 1/],
    ['change-log/4', /has the number 9/],
    ['meta/change-log', /^is 7, but the last entry is 4/],
  ],
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
  ({ token }) => [
    [`activity/${token.id}`, /more than 1000 rows/],
    [`activity/${'z'.repeat(20)}`, /missing/],
    [`activity/${'z'.repeat(20)}/1`, /is of token/],
    ['outbox/2', /last number given, 1/],
  ],
);

finds(
  'a secret hash of the wrong length',
  (tables, { token }) => {
    const wrong = tokenOf(token.projectId, { id: token.id, secretHash: new Uint8Array(31) });
    put(tables, tokenRecord, idKey(token.id), wrong);
    tables['tokens-by-secret-hash'].removeSync(Buffer.from(token.secretHash));
    tables['tokens-by-secret-hash'].putSync(Buffer.alloc(31), idKey(token.id));
  },
  ({ token }) => [[`tokens/${token.id}`, /31 bytes/]],
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

finds(
  'uses, attempts and counts of missing records',
  (tables, { token }) => {
    put(tables, tokenUseRecord, ownedSequenceKey('z'.repeat(20), 1), tokenUseOf(token.id));
    put(tables, outboxDeliveryRecord, sequenceKey(7), outboxDeliveryOf());
    put(tables, evaluationCountsRecord, hourFlagKey(5, other), [{ environmentNumber: 0, on: -1, off: 0 }]);
  },
  () => [
    [`token-uses/${'z'.repeat(20)}`, /missing/],
    [`token-uses/${'z'.repeat(20)}/1`, /is of token/],
    ['outbox-deliveries/7', /outbox entry that is missing/],
    [`evaluation-counts/${hourFlagKey(5, other).toString('hex')}`, /no hour/],
    [`evaluation-counts/${hourFlagKey(5, other).toString('hex')}`, /below zero/],
  ],
);
