import type { Audience } from '../../domain/evaluation/audience.ts';
import type { EvaluableAudience } from '../../domain/evaluation/compiled-audience.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type FoundRecord, findRecord } from '../evaluation-reader.ts';
import { idKey, lastIdKeyOf, rangeOf } from '../keys/key-parts.ts';
import { findById, missingRecord, ownedBy, ownerIndex } from '../record-index.ts';
import type { RecordSource } from '../record-source.ts';
import { beginningOf, plain, recordOf, storedAs } from '../records/record-codec.ts';
import type { RowReader } from '../records/row-reader.ts';
import { countRecord } from './project-records.ts';
import { projectRecord } from './projects.ts';
import { replacedTable } from './table.ts';

export const audienceRecord = recordOf<Audience>('audiences', {
  id: plain,
  projectId: plain,
  name: plain,
  rules: storedAs(
    (rules) => rules.map(({ attribute, values }) => [attribute, values] as const),
    (rows) => rows.map(([attribute, values]) => ({ attribute, values })),
  ),
  createdAt: plain,
  updatedAt: plain,
  revision: plain,
});

/**
 * Reads the fields of an audience that evaluation needs. Its lists refer to `bytes`, which must not change.
 * @throws DamagedRecordError
 */
export function skimAudience(key: Uint8Array, bytes: Buffer): EvaluableAudience {
  return audienceRecord.skim(key, bytes, skimRow);
}

/** In the order of the fields of `audienceRecord`. */
function skimRow(row: RowReader): EvaluableAudience {
  row.enterArray();
  const id = row.readString();
  row.pass(2);
  const rules = [];
  for (let left = row.enterArray(); left > 0; left -= 1) {
    row.enterArray();
    rules.push({ attribute: row.readString(), values: row.passList() });
  }
  row.pass(3);
  row.requireEnd();
  return { id, rules };
}

const audienceIndex = ownerIndex<Audience>('audiences-by-project', ({ projectId }) => projectId);

export const audienceTable = replacedTable({
  kind: 'audience',
  codec: audienceRecord,
  indexes: [audienceIndex],
  answers: {
    audience: ({ source }, id) => findById(source, audienceRecord, id),
    audienceNamesOf: ({ source }, projectId) => audienceNamesOf(source, projectId),
    audiencesOf: ({ source }, projectId) => ownedBy(source, audienceIndex, audienceRecord, projectId),
  },
  onSize: (target, { projectId }, before, after) =>
    countRecord(target, projectId, { flags: 0, bytes: after - before }),
  logged: ({ id, projectId }) => ({ kind: 'project', projectId, id, environment: null }),
  examine: (walk, { id, projectId }) => walk.reference(`audiences/${id}`, projectRecord, projectId),
});

function* audienceNamesOf(source: RecordSource, projectId: string): Generator<Pick<Audience, 'id' | 'name'>> {
  if (!isIdShaped(projectId)) return;
  const pinned = source.pin();
  try {
    for (const indexKey of pinned.source.keys(audienceIndex.database, rangeOf(projectId))) {
      const key = lastIdKeyOf(indexKey);
      const bytes = pinned.source.peekBytes(audienceRecord.database, key);
      if (bytes === undefined) throw missingRecord(audienceRecord, key);
      const [id, , name] = beginningOf(bytes, 3);
      if (typeof id === 'string' && typeof name === 'string') yield { id, name };
    }
  } finally {
    pinned.release();
  }
}

export function foundAudience(source: RecordSource, id: string): FoundRecord<EvaluableAudience> | undefined {
  return isIdShaped(id)
    ? findRecord({ source, database: 'audiences', key: idKey(id), skim: skimAudience })
    : undefined;
}
