import type { EvaluableAudience } from '../domain/evaluation/compiled-audience.ts';
import type { EvaluableFlag } from '../domain/evaluation/evaluable-flag.ts';
import { isIdShaped } from '../support/id-shape.ts';
import type { SpareMemory } from '../support/spare-memory.ts';
import { idKey, lastIdKeyOf, rangeOf } from './keys/key-parts.ts';
import { missingRecord } from './record-look-ups.ts';
import type { RecordSource } from './record-source.ts';
import { skimAudience } from './records/audience-record.ts';
import { flagRecord, skimFlag } from './records/flag-record.ts';

/** A flag as evaluation reads it, and the length of its record: how long the reading took. */
export interface SkimmedFlag {
  readonly flag: EvaluableFlag;
  readonly recordBytes: number;
}

/**
 * What evaluation asks of a view: verified as `RecordQueries` are, without a string or an array for what is on a list.
 * Each answer has bytes of its own, never the memory map's. Reads throw DamagedRecordError.
 */
export interface EvaluationQueries {
  flag(id: string): EvaluableFlag | undefined;
  audience(id: string): EvaluableAudience | undefined;
  /** By name (UTF-8 order), then id. Lazy: consume it before awaiting anything. */
  flagsOf(projectId: string): Iterable<SkimmedFlag>;
}

/** @param memory that answers lie in */
export function createEvaluationQueries(source: RecordSource, memory: SpareMemory): EvaluationQueries {
  const take = (length: number): Buffer => memory.take(length);
  const find = <T>(table: 'flags' | 'audiences', id: string, skim: Skim<T>): T | undefined => {
    if (!isIdShaped(id)) return undefined;
    const key = idKey(id);
    const bytes = source.copyBytes(table, key, take);
    return bytes === undefined ? undefined : skim(key, bytes);
  };
  return {
    flag: (id) => find('flags', id, skimFlag),
    audience: (id) => find('audiences', id, skimAudience),
    flagsOf: (projectId) => flagsOf(source, projectId, take),
  };
}

type Skim<T> = (key: Buffer, bytes: Buffer) => T;

function* flagsOf(
  source: RecordSource,
  projectId: string,
  take: (length: number) => Buffer,
): Generator<SkimmedFlag> {
  if (!isIdShaped(projectId)) return;
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys('flags-by-name', rangeOf(projectId))) {
      const key = lastIdKeyOf(indexKey);
      const bytes = pinned.source.copyBytes('flags', key, take);
      if (bytes === undefined) throw missingRecord(flagRecord, key);
      yield { flag: skimFlag(key, bytes), recordBytes: bytes.length };
    }
  } finally {
    pinned.release();
  }
}
