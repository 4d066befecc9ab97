import { DamagedRecordError } from './damaged-record-error.ts';
import type { Root, Tables } from './environment.ts';
import type { DatabaseName } from './keys.ts';
import { memberEmailIndex } from './record-indexes.ts';
import { memberRecord } from './records/member-record.ts';

/** Indexes that may be empty although there are records: `fillLaterIndexes` fills them. */
export const laterIndexes: ReadonlySet<DatabaseName> = new Set([memberEmailIndex.database]);

/**
 * Fills the indexes of records that were written before the index was there. The writer does it when it opens the store,
 * before anybody reads; a record that cannot be read is left to `burgee check`.
 */
export function fillLaterIndexes(root: Root, tables: Tables): void {
  const index = tables[memberEmailIndex.database];
  if (isEmpty(tables.members) || !isEmpty(index)) return;
  root.transactionSync(() => {
    for (const { key, value } of tables.members.getRange({})) {
      const member = decodeOrSkip(key, value);
      if (member !== null) index.putSync(memberEmailIndex.keyOf(member), memberEmailIndex.valueOf(member));
    }
  });
}

function isEmpty(table: Tables['members']): boolean {
  return table.getKeysCount({ limit: 1 }) === 0;
}

function decodeOrSkip(key: Buffer, bytes: Buffer) {
  try {
    return memberRecord.decode(key, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return null;
    throw error;
  }
}
