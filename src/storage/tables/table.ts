import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Finding, StoreWalk } from '../check/store-walk.ts';
import { idKey } from '../keys/key-parts.ts';
import type { RecordIndex } from '../record-index.ts';
import type { RecordSource } from '../record-source.ts';
import type { RecordCodec } from '../records/record-codec.ts';
import type { LoggedChange, WriteTarget } from '../write-target.ts';
import type { AuditHeads } from './audit-record.ts';

/** A database of records, and the indexes whose entries follow from each record alone. */
export interface RecordKind {
  readonly codec: Omit<RecordCodec<unknown>, 'skim'>;
  readonly indexes: readonly RecordIndex<unknown>[];
}

export type ChangeOf<Kind extends RecordChange['kind']> = Extract<RecordChange, { readonly kind: Kind }>;

/** A function for each kind of change. */
export type ChangeWriters = {
  readonly [Kind in RecordChange['kind']]: (target: WriteTarget, change: ChangeOf<Kind>) => void;
};

/**
 * The sources of answers to questions: one view (a snapshot or the open write transaction), and the caches of its
 * reader.
 */
export interface QuestionedView {
  readonly source: RecordSource;
  /** Null in a view whose transaction may still be undone. */
  readonly auditHeads: AuditHeads | null;
}

/** An answer to each of the rules' questions. */
export type Answers = {
  readonly [Question in keyof RecordQueries]: (
    view: QuestionedView,
    ...asked: Parameters<RecordQueries[Question]>
  ) => ReturnType<RecordQueries[Question]>;
};

/** A table, as the rest of the store uses it: the table's file declares it, and `tables.ts` lists it. */
export interface Table {
  readonly kinds: readonly RecordKind[];
  /** Answers to the rules' questions about it. */
  readonly answers: Partial<Answers>;
  /** Writes each kind of change to it. */
  readonly writes: Partial<ChangeWriters>;
  /** Finds damage in it. */
  check(walk: StoreWalk): Iterable<Finding>;
}

/** Kinds of change that replace one record by another of the same id. */
type ReplacedKind = {
  [Kind in RecordChange['kind']]: ChangeOf<Kind> extends Replacement<{ readonly id: string }> ? Kind : never;
}[RecordChange['kind']];
type Replaced<Kind extends ReplacedKind> = NonNullable<ChangeOf<Kind>['after']>;

interface Replacement<T> {
  readonly before: T | null;
  readonly after: T | null;
}

interface ReplacedTable<Kind extends ReplacedKind, Questions extends Partial<Answers>> {
  readonly kind: Kind;
  readonly codec: RecordCodec<Replaced<Kind>>;
  readonly indexes?: readonly RecordIndex<Replaced<Kind>>[];
  readonly answers: Questions & Partial<Answers>;
  /** Called with the bytes that the record took before and takes now; 0 where there is none. */
  onSize?(target: WriteTarget, record: Replaced<Kind>, before: number, after: number): void;
  /** The change log's entry, if evaluation depends on the record. */
  logged?(record: Replaced<Kind>, change: ChangeOf<Kind>): LoggedChange;
  /** Removes the data of a deleted record. */
  onDelete?(target: WriteTarget, record: Replaced<Kind>): void;
  /** Finds faults of a record, apart from its key and its index entries. */
  examine?(walk: StoreWalk, record: Replaced<Kind>): Iterable<Finding>;
}

/** A table of records that are stored under their id. */
export function replacedTable<Kind extends ReplacedKind, Questions extends Partial<Answers>>({
  kind,
  codec,
  indexes = [],
  answers,
  logged,
  onSize,
  onDelete,
  examine = () => [],
}: ReplacedTable<Kind, Questions>) {
  const write = (target: WriteTarget, change: ChangeOf<Kind>): void => {
    const replacement = change as Replacement<Replaced<Kind>>;
    const record = subjectOf(replacement);
    const key = idKey(record.id);
    const bytesBefore =
      onSize === undefined ? 0 : (target.source.peekBytes(codec.database, key)?.length ?? 0);
    let bytesAfter = 0;
    if (replacement.after === null) {
      target.remove(codec.database, key);
      onDelete?.(target, record);
    } else bytesAfter = target.put(codec, key, replacement.after);
    onSize?.(target, record, bytesBefore, bytesAfter);
    for (const index of indexes) reindex(target, index, replacement);
    if (logged !== undefined) target.log(logged(record, change));
  };
  return {
    kinds: [{ codec, indexes }],
    answers: answers as Questions,
    writes: { [kind]: write } as Pick<ChangeWriters, Kind>,
    check: (walk: StoreWalk) => walk.table(codec, indexes, (record) => examine(walk, record)),
  } satisfies Table;
}

/** An index entry that stays the same is not written again. */
export function reindex<T>(
  target: WriteTarget,
  index: RecordIndex<T>,
  { before, after }: Replacement<T>,
): void {
  if (before !== null && after !== null && index.hasSameKeys(before, after)) return;
  if (before !== null) for (const key of index.keysOf(before)) target.remove(index.database, key);
  if (after === null) return;
  for (const key of index.keysOf(after)) target.putBytes(index.database, key, index.valueOf(after));
}

/** @throws Error on a change from nothing to nothing, or from one record to another: neither is a replacement. */
function subjectOf<T extends { readonly id: string }>({ before, after }: Replacement<T>): T {
  const subject = after ?? before;
  if (subject === null || (before !== null && before.id !== subject.id)) {
    throw new Error('A record change must be of one record');
  }
  return subject;
}
