import t, { type Test } from 'tap';
import type { FlagState } from '../../../src/domain/flag/flag.ts';
import type { RecordCodec } from '../../../src/storage/records/record-codec.ts';
import { DamagedRecordError } from '../../../src/storage/store-error.ts';
import { activityRecord, tokenUseRecord } from '../../../src/storage/tables/activity.ts';
import { audienceRecord } from '../../../src/storage/tables/audiences.ts';
import { auditRecord, decodeAuditEntry, encodeAuditEntry } from '../../../src/storage/tables/audit-record.ts';
import { changeLogRecord } from '../../../src/storage/tables/change-log.ts';
import { flagRecord } from '../../../src/storage/tables/flags.ts';
import { memberIdentityRecord } from '../../../src/storage/tables/identities.ts';
import { keptAnswerRecord, keptAnswersUsageRecord } from '../../../src/storage/tables/kept-answers.ts';
import { memberRecord } from '../../../src/storage/tables/members.ts';
import { counterRecord, identityRecord } from '../../../src/storage/tables/meta.ts';
import { oneTimeLinkRecord } from '../../../src/storage/tables/one-time-links.ts';
import { organisationRecord } from '../../../src/storage/tables/organisations.ts';
import { outboxDeliveryRecord, outboxRecord } from '../../../src/storage/tables/outbox.ts';
import { projectRecord } from '../../../src/storage/tables/projects.ts';
import { sessionRecord } from '../../../src/storage/tables/sessions.ts';
import { tokenRecord } from '../../../src/storage/tables/tokens.ts';
import { newId } from '../../../src/support/random-id.ts';
import { throwsA } from '../../support/expectations.ts';
import { cutShort, flippedBits } from '../support/damaged-bytes.ts';
import {
  audienceOf,
  auditEntryOf,
  denialOf,
  flagOf,
  identityOf,
  keptAnswerOf,
  linkOf,
  memberOf,
  nastyStrings,
  organisationOf,
  outboxDeliveryOf,
  projectOf,
  sessionOf,
  tokenOf,
  tokenUseOf,
} from '../support/records.ts';

const key = Buffer.from(newId(), 'latin1');
const id = newId();
const largeNumbers = [0, 1, 2 ** 31, 2 ** 32, 1_700_000_000_000, Number.MAX_SAFE_INTEGER];

function comesBack<T>(test: Test, codec: RecordCodec<T>, record: T): void {
  const found: unknown = codec.decode(key, codec.encode(key, record));
  test.strictSame(found, record);
}

t.test('every kind of record is read as it was written, with any strings', async (test) => {
  for (const text of nastyStrings) {
    const environments = [
      { number: 0, name: text, isProtected: false },
      { number: 7, name: 'x', isProtected: true },
    ];
    const state = { enabled: true, trafficPercentage: 7, cohortOverride: [text, text], audienceId: text };
    const inherited = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };
    const states = new Map<number, FlagState>([
      [4, state],
      [2, inherited],
    ]);
    const denial = denialOf(text, { route: text, environment: text, address: text });
    comesBack(test, organisationRecord, organisationOf({ id: text, name: text, trialEndsAt: 5 }));
    comesBack(test, memberRecord, memberOf({ name: text, email: text, passwordHash: text }));
    comesBack(test, projectRecord, projectOf(text, { name: text, ownerMemberId: text, environments }));
    comesBack(test, flagRecord, flagOf(text, { name: text, tags: [text], cohorts: [text, ''], states }));
    comesBack(test, audienceRecord, audienceOf(text, { rules: [{ attribute: text, values: [text] }] }));
    comesBack(test, tokenRecord, tokenOf(text, { name: text, environments: [text], createdBy: text }));
    comesBack(test, sessionRecord, sessionOf(text, { address: text, userAgent: text }));
    const invited = { kind: 'invitation', email: text, role: 'admin' } as const;
    comesBack(test, oneTimeLinkRecord, linkOf(text, { purpose: invited, createdBy: text }));
    comesBack(test, oneTimeLinkRecord, linkOf(text, { purpose: { kind: 'sign-in', memberId: text } }));
    comesBack(test, oneTimeLinkRecord, linkOf(text, { purpose: { kind: 'first-owner' } }));
    comesBack(test, memberIdentityRecord, identityOf(text, { issuer: text, subject: text }));
    comesBack(test, activityRecord, denial);
    comesBack(test, tokenUseRecord, tokenUseOf(text, { route: text, environment: text, address: text }));
    comesBack(test, outboxRecord, { kind: 'denial-email', denial });
    comesBack(test, outboxDeliveryRecord, outboxDeliveryOf({ fault: text, settledMemberIds: [text] }));
    comesBack(test, keptAnswerRecord, keptAnswerOf(tokenOf(text, { id: text }), { key: text, body: text }));
    comesBack(test, changeLogRecord, {
      sequence: 1,
      number: 1,
      kind: 'flag',
      projectId: text,
      id: text,
      environment: text,
    });
    comesBack(test, identityRecord, { id: text, format: 1 });
  }
});

t.test('numbers and nulls are read as they were written', async (test) => {
  for (const number of largeNumbers) {
    comesBack(test, counterRecord, number);
    comesBack(test, keptAnswersUsageRecord, { entries: number, bytes: number });
    comesBack(test, flagRecord, flagOf(id, { createdAt: number, updatedAt: number, revision: number }));
    comesBack(
      test,
      tokenRecord,
      tokenOf(id, { expiresAt: number, revokedAt: number, denialEmailedAt: number }),
    );
  }
  comesBack(test, tokenRecord, tokenOf(id, { environments: [], revokedAt: null, createdBy: null }));
  comesBack(test, flagRecord, flagOf(id, { states: new Map() }));
});

t.test('a secret hash is stored raw, and read separately from the record', async (test) => {
  const token = tokenOf(id);
  const bytes = tokenRecord.encode(key, token);
  test.ok(bytes.includes(Buffer.from(token.secretHash)));
  const decoded = tokenRecord.decode(key, bytes);
  bytes.fill(0);
  test.strictSame(decoded.secretHash, token.secretHash);
});

t.test('an audit entry keeps every JSON value', async (test) => {
  const value = JSON.parse('{"__proto__": {"constructor": [1, null, "\\ud800"]}, "": 1.5}') as unknown;
  const changes = [
    { field: '__proto__', before: null, after: value },
    { field: 'cohorts', before: nastyStrings, after: null },
  ];
  const actor = { kind: 'token', id, name: '__proto__' } as const;
  const entry = auditEntryOf(id, { changes, actor, environment: '__proto__', requestId: 'r', projectId: id });
  const decoded = decodeAuditEntry(encodeAuditEntry(entry));
  test.strictSame({ ...decoded, changes: null }, { ...entry, changes: null });
  test.equal(JSON.stringify(decoded.changes), JSON.stringify(entry.changes));
  const record = {
    previousHash: Buffer.alloc(32, 1),
    hash: Buffer.alloc(32, 2),
    encodedEntry: encodeAuditEntry(entry),
  };
  comesBack(test, auditRecord, record);
});

t.test('a string that UTF-8 cannot encode is refused and never altered', async (test) => {
  test.throws(() => flagRecord.encode(key, flagOf(id, { cohorts: ['a\ud800'] })), TypeError);
  test.throws(() => flagRecord.encode(key, flagOf(id, { name: '\udc00' })), TypeError);
});

const isAccepted = (damaged: Buffer): boolean =>
  !throwsA(DamagedRecordError, () => flagRecord.decode(key, damaged));

t.test('every flipped bit of a record is noticed', async (test) => {
  const bytes = flagRecord.encode(key, flagOf(id, { tags: ['a'], cohorts: ['b'] }));
  test.same([...flippedBits(bytes)].filter(isAccepted), []);
});

t.test('a record cut short, or empty, is noticed', async (test) => {
  const bytes = flagRecord.encode(key, flagOf(id));
  test.same([...cutShort(bytes)].filter(isAccepted), []);
});

t.test('a record under another key, or of another database, is noticed', async (test) => {
  const bytes = counterRecord.encode(key, 1);
  test.equal(counterRecord.decode(key, bytes), 1);
  test.throws(() => counterRecord.decode(Buffer.from(newId(), 'latin1'), bytes), DamagedRecordError);
  test.throws(() => organisationRecord.decode(key, bytes), DamagedRecordError);
});

t.test('damage names database, key and cause', async (test) => {
  const bytes = flagRecord.encode(key, flagOf(id));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  test.throws(() => flagRecord.decode(key, bytes), {
    database: 'flags',
    key: key.toString('latin1'),
    message: `Damaged record flags/${key.toString('latin1')}: its checksum does not match its content`,
  });
});
