import { createHash } from 'node:crypto';
import type { Identity } from '../../domain/session/identity.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { idBytes, idKey } from '../keys/key-parts.ts';
import { emptyValue, ownedBy, type RecordIndex } from '../record-index.ts';
import { plain, recordOf } from '../records/record-codec.ts';
import { memberRecord } from './members.ts';
import { reindex, type Table } from './table.ts';

export const memberIdentityRecord = recordOf<Identity>('identities', {
  issuer: plain,
  subject: plain,
  memberId: plain,
  createdAt: plain,
});

/** A hash, because a provider's subjects may have any length. Hexadecimal, because 0xFF marks the end of a key range. */
export function identityKey(issuer: string, subject: string): Buffer {
  return Buffer.from(createHash('sha256').update(`${issuer}\0${subject}`, 'utf8').digest('hex'), 'latin1');
}

export function memberIdentityKey(memberId: string, key: Buffer): Buffer {
  return Buffer.concat([idKey(memberId), key]);
}

const identityMemberIndex: RecordIndex<Identity> = {
  database: 'identities-by-member',
  keysOf: ({ memberId, issuer, subject }) => [memberIdentityKey(memberId, identityKey(issuer, subject))],
  hasSameKeys: (before, after) =>
    before.memberId === after.memberId && before.issuer === after.issuer && before.subject === after.subject,
  valueOf: () => emptyValue,
  recordKeyOf: (key) => key.subarray(idBytes),
};

export const identityTable = {
  kinds: [{ codec: memberIdentityRecord, indexes: [identityMemberIndex] }],
  answers: {
    identity: ({ source }, issuer, subject) =>
      source.find(memberIdentityRecord, identityKey(issuer, subject)),
    identitiesOf: ({ source }, memberId) =>
      ownedBy(source, identityMemberIndex, memberIdentityRecord, memberId),
  },
  writes: {
    identity(target, { before, after }) {
      if (before !== null) target.remove('identities', identityKey(before.issuer, before.subject));
      if (after !== null) target.put(memberIdentityRecord, identityKey(after.issuer, after.subject), after);
      reindex(target, identityMemberIndex, { before, after });
    },
  },
  check: checkIdentities,
} satisfies Table;

function* checkIdentities(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(memberIdentityRecord, function* ({ key, record }) {
    if (!identityKey(record.issuer, record.subject).equals(key)) {
      yield findingAt('identities', key, 'is the record of another identity');
    }
    yield* walk.indexed(identityMemberIndex, record);
    yield* walk.reference(findingAt('identities', key, '').where, memberRecord, record.memberId);
  });
  yield* walk.index(identityMemberIndex, memberIdentityRecord);
}
