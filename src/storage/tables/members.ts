import type { Member } from '../../domain/member/member.ts';
import { idKey, lastIdKeyOf, prefixRange, textPart } from '../keys/key-parts.ts';
import { allOf, emptyValue, findById, indexed, type RecordIndex } from '../record-index.ts';
import type { RecordSource } from '../record-source.ts';
import { plain, recordOf } from '../records/record-codec.ts';
import { organisationRecord } from './organisations.ts';
import { replacedTable } from './table.ts';

export const memberRecord = recordOf<Member>('members', {
  id: plain,
  organisationId: plain,
  name: plain,
  email: plain,
  role: plain,
  passwordHash: plain,
  createdAt: plain,
  lastSignInAt: plain,
  revision: plain,
});

/** @throws RangeError when no valid email looks like this. */
export function memberEmailKey(email: string, memberId: string): Buffer {
  const prefix = emailPrefix(email);
  if (prefix === null) throw new RangeError('This email has no place in the index');
  return Buffer.concat([prefix, idKey(memberId)]);
}

function emailPrefix(email: string): Buffer | null {
  return email === '' ? null : textPart(email.toLowerCase());
}

const memberEmailIndex: RecordIndex<Member> = {
  database: 'members-by-email',
  keysOf: ({ email, id }) => [memberEmailKey(email, id)],
  hasSameKeys: (before, after) => before.email === after.email,
  valueOf: () => emptyValue,
  recordKeyOf: lastIdKeyOf,
};

export const memberTable = replacedTable({
  kind: 'member',
  codec: memberRecord,
  indexes: [memberEmailIndex],
  answers: {
    member: ({ source }, id) => findById(source, memberRecord, id),
    members: ({ source }) => allOf(source, memberRecord),
    membersByEmail: ({ source }, email) => membersByEmail(source, email),
  },
  *examine(walk, { id, organisationId }) {
    if (organisationId !== null) yield* walk.reference(`members/${id}`, organisationRecord, organisationId);
  },
});

/** Compared without regard to case. */
function membersByEmail(source: RecordSource, email: string): Iterable<Member> {
  const prefix = emailPrefix(email);
  return prefix === null ? [] : indexed(source, memberEmailIndex, memberRecord, prefixRange(prefix));
}
