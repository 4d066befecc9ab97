import { isIdShaped } from '../../support/id-shape.ts';
import { idKey } from '../keys/key-parts.ts';
import type { RecordCodec } from '../records/record-codec.ts';
import { type Finding, findingAt } from './finding.ts';
import type { StoreWalk } from './store-walk.ts';

/** What holds for each kind of record that has an id and a revision. */
export function* misplaced<T extends { readonly id: string; readonly revision: number }>(
  codec: RecordCodec<T>,
  key: Buffer,
  record: T,
): Generator<Finding> {
  if (record.id !== key.toString('latin1'))
    yield findingAt(codec.database, key, `is the record of ${record.id}`);
  if (!(record.revision >= 1)) yield findingAt(codec.database, key, `has revision ${record.revision}`);
}

/** `id` must be a record's that is there. */
export function* reference<T>(
  walk: StoreWalk,
  where: string,
  codec: RecordCodec<T>,
  id: string,
): Generator<Finding> {
  if (isIdShaped(id) && walk.has(codec, idKey(id))) return;
  yield { where, what: `refers to ${codec.database}/${id}, which is missing` };
}
