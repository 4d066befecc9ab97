import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { matchesAudit, readAuditFilter } from '../../../src/domain/audit/audit-filter.ts';
import { changesToText } from '../../../src/domain/audit/recorded-changes.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import { auditEntryOf } from '../../storage/support/records.ts';

function isOf(environment: string, change: Partial<AuditEntry>): boolean {
  const filter = readAuditFilter({ environment }, new ProblemList());
  const { changes, ...entry } = auditEntryOf('ledger', change);
  const changesJson = Buffer.from(changesToText(changes, (text) => text));
  return matchesAudit(filter, { sequence: 1, entry, bytesRead: 0, changesJson, hash: new Uint8Array(32) });
}

function changed(...fields: readonly string[]) {
  return fields.map((field) => ({ field, before: 1, after: 2 }));
}

t.test("a draft's changes in several environments are found by each environment", async (t) => {
  const changes = changed('environments.production.enabled', 'environments.v1.34.enabled');
  const entry = { action: 'flag.edit', changes } as const;
  t.ok(isOf('production', entry));
  t.ok(isOf('v1.34', entry));
  t.notOk(isOf('v1', entry), 'a name that is a prefix of another');
  t.notOk(isOf('staging', entry));
});

t.test('a value that looks like a field is not one', async (t) => {
  const list = ['environments.staging.enabled'];
  t.notOk(isOf('staging', { changes: [{ field: 'cohorts', before: list, after: list }] }));
});

t.test('an entry about an environment is found by its name, and a rename by both names', async (t) => {
  t.ok(isOf('staging', { environment: 'staging' }));
  t.notOk(isOf('production', { environment: 'staging' }));
  const renamed = { environment: 'staging', action: 'environment.edit' } as const;
  const changes = [{ field: 'name', before: 'staging', after: 'preview' }];
  t.ok(isOf('staging', { ...renamed, changes }));
  t.ok(isOf('preview', { ...renamed, changes }));
  t.notOk(isOf('preview', { ...renamed, changes: changed('isProtected') }));
});
