import { activityRowsMax } from '../../domain/bounds.ts';
import type { Denial } from '../../domain/token/denial.ts';
import type { TokenUse } from '../../domain/token/token-use.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { firstIdOf, ownedSequenceKey, rangeOf, sequenceOf } from '../keys/key-parts.ts';
import type { RecordSource } from '../record-source.ts';
import { plain, type RecordCodec, recordCodec, recordOf } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import type { Table } from './table.ts';
import { tokenRecord } from './tokens.ts';

type DenialRow = readonly [
  tokenId: string,
  at: number,
  reason: Denial['reason'],
  route: string,
  environment: string | null,
  address: string,
  flagId: string | null,
];

/** A denial, as stored in activity and outbox records. */
export function denialToRow(it: Denial): DenialRow {
  return [it.tokenId, it.at, it.reason, it.route, it.environment, it.address, it.flagId ?? null];
}

export function denialFromRow([tokenId, at, reason, route, environment, address, flagId]: DenialRow): Denial {
  const denial = { tokenId, at, reason, route, environment, address };
  return flagId === null ? denial : { ...denial, flagId };
}

export const activityRecord = recordCodec({
  database: 'activity',
  toRow: denialToRow,
  fromRow: denialFromRow,
});

export const tokenUseRecord = recordOf<TokenUse>('token-uses', {
  tokenId: plain,
  at: plain,
  route: plain,
  environment: plain,
  address: plain,
  count: plain,
});

/** Denials of tokens. */
export const activityTable = {
  kinds: [{ codec: activityRecord, indexes: [] }],
  answers: { denialsOf: ({ source }, tokenId) => newestFirst(source, activityRecord, tokenId) },
  writes: { activity: (target, { denial }) => append(target, activityRecord, denial) },
  check: (walk) => checkRows(walk, activityRecord),
} satisfies Table;

/** Uses of tokens. */
export const tokenUseTable = {
  kinds: [{ codec: tokenUseRecord, indexes: [] }],
  answers: { usesOf: ({ source }, tokenId) => newestFirst(source, tokenUseRecord, tokenId) },
  writes: { 'token-use': (target, { use }) => append(target, tokenUseRecord, use) },
  check: (walk) => checkRows(walk, tokenUseRecord),
} satisfies Table;

function* newestFirst<T>(source: RecordSource, codec: RecordCodec<T>, tokenId: string): Generator<T> {
  if (!isIdShaped(tokenId)) return;
  const rows = source.records(codec, { ...rangeOf(tokenId), isReversed: true });
  for (const { record } of rows) yield record;
}

/** Appends a row for its token, and drops rows beyond the newest `activityRowsMax`. */
function append<T extends { readonly tokenId: string }>(
  target: WriteTarget,
  codec: RecordCodec<T>,
  row: T,
): void {
  const { tokenId } = row;
  const sequence = lastSequenceOf(target, codec, tokenId) + 1;
  target.put(codec, ownedSequenceKey(tokenId, sequence), row);
  const firstKept = Math.max(0, sequence - activityRowsMax + 1);
  target.removeRange(codec.database, {
    start: ownedSequenceKey(tokenId, 0),
    end: ownedSequenceKey(tokenId, firstKept),
  });
}

function lastSequenceOf<T>({ source }: WriteTarget, { database }: RecordCodec<T>, tokenId: string): number {
  for (const key of source.keys(database, { ...rangeOf(tokenId), isReversed: true, limit: 1 })) {
    return sequenceOf(key);
  }
  return 0;
}

function* checkRows<T extends { readonly tokenId: string }>(
  walk: StoreWalk,
  codec: RecordCodec<T>,
): Generator<Finding> {
  const { database } = codec;
  let tokenId = '';
  let rows = 0;
  yield* walk.records(codec, function* ({ key, record }) {
    rows = firstIdOf(key) === tokenId ? rows + 1 : 1;
    tokenId = firstIdOf(key);
    if (rows === 1) yield* walk.reference(`${database}/${tokenId}`, tokenRecord, tokenId);
    if (record.tokenId !== tokenId) yield findingAt(database, key, `is of token ${record.tokenId}`);
    if (rows === activityRowsMax + 1) {
      yield { where: `${database}/${tokenId}`, what: `has more than ${activityRowsMax} rows` };
    }
  });
}
