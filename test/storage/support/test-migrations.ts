import type { Migration } from '../../../src/storage/migrations/migration.ts';
import { organisationRecord } from '../../../src/storage/tables/organisations.ts';

/** Rewrites every organisation. */
export const renameAll: Migration = {
  to: 2,
  databases: ['organisations'],
  migrate(databases) {
    const organisations = databases.get('organisations');
    for (const { key, value } of Array.from(organisations.getRange())) {
      const organisation = organisationRecord.decode(key, value);
      organisations.putSync(key, organisationRecord.encode(key, { ...organisation, name: 'migrated' }));
    }
  },
};

/** Adds a database. */
export const addNotes: Migration = {
  to: 3,
  databases: ['notes'],
  migrate: (databases) => void databases.get('notes').putSync(Buffer.from('first'), Buffer.from('note')),
};
