import type { ProjectRecords } from '../../domain/record-queries.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import type { Finding, StoreWalk } from '../check/store-walk.ts';
import { beginningOf } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import { projectOfRecordsKey, projectRecordsKey, projectRecordsRecord } from './meta.ts';
import type { Table } from './table.ts';

const nothing: ProjectRecords = { flags: 0, bytes: 0 };

/**
 * The size of the flags and audiences of each project, so that the writer can refuse a change beyond the project's
 * bound without reading them. The total is written in the transaction that changes it; most changes keep a record's
 * size, and write nothing here.
 */
export const projectRecordsTable = {
  kinds: [],
  answers: {
    projectRecords: ({ source }, projectId) =>
      (isIdShaped(projectId) && source.find(projectRecordsRecord, projectRecordsKey(projectId))) || nothing,
  },
  writes: {},
  check: checkTotals,
} satisfies Table;

/** Adds to the total of a project. A project without flags and audiences has none. */
export function countRecord(target: WriteTarget, projectId: string, by: ProjectRecords): void {
  if (by.flags === 0 && by.bytes === 0) return;
  const key = projectRecordsKey(projectId);
  const before = target.source.find(projectRecordsRecord, key) ?? nothing;
  const after = { flags: before.flags + by.flags, bytes: before.bytes + by.bytes };
  if (after.bytes === 0) target.remove('meta', key);
  else target.put(projectRecordsRecord, key, after);
}

/** Summed from the stored bytes, so that an unreadable record is one finding and not two. */
function* checkTotals(walk: StoreWalk): Generator<Finding> {
  const sums = new Map<string, ProjectRecords>();
  for (const { key } of walk.readable('meta')) {
    const projectId = projectOfRecordsKey(key);
    if (projectId !== null) sums.set(projectId, nothing);
  }
  for (const database of ['flags', 'audiences'] as const) {
    for (const { bytes } of walk.readable(database)) {
      const [, projectId] = beginningOf(bytes, 2);
      if (typeof projectId !== 'string' || !isIdShaped(projectId)) continue;
      const sum = sums.get(projectId) ?? nothing;
      const flags = sum.flags + Number(database === 'flags');
      sums.set(projectId, { flags, bytes: sum.bytes + bytes.length });
    }
  }
  for (const [projectId, { flags, bytes }] of sums) {
    const total = walk.find(projectRecordsRecord, projectRecordsKey(projectId)) ?? nothing;
    if (total.flags === flags && total.bytes === bytes) continue;
    const counted = `counts ${total.flags} flags and ${total.bytes} bytes`;
    yield {
      where: `meta/project-records/${projectId}`,
      what: `${counted}, and there are ${flags} flags and ${bytes} bytes`,
    };
  }
}
