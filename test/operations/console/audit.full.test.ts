import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { clockSlackMs } from '../../../src/domain/audit/audit-walk.ts';
import type { RecordQueries } from '../../../src/domain/record-queries.ts';
import { newId } from '../../../src/support/random-id.ts';
import { auditEntryOf, creationOf, organisationOf, projectOf } from '../../storage/support/records.ts';
import { type OrganisationFixture, openOrganisation, type Sent } from './organisation-fixture.ts';

const hour = 60 * 60 * 1000;

function append(fixture: OrganisationFixture, entries: readonly Partial<AuditEntry>[]): void {
  const ledgerId = fixture.organisation.id;
  fixture.apply(entries.map((entry) => ({ kind: 'audit', entry: auditEntryOf(ledgerId, entry) })));
}

/** The targets' names on a page, and the cursor of the next page. */
function page(fixture: OrganisationFixture, query: Sent['query'] = {}, projectId: string | null = null) {
  const operation = projectId === null ? 'list-audit' : 'list-project-audit';
  const sent = projectId === null ? { query } : { query, params: { projectId } };
  const { value, problem } = fixture.read(operation, fixture.owner, sent);
  if (problem !== null) throw new Error(problem.detail);
  const names = value.entries.map(({ targetName }: { targetName: string }) => targetName);
  return { names: names as string[], next: value.nextCursor as string | null };
}

/** All matching entries, page by page. */
function all(fixture: OrganisationFixture, query: Sent['query'] = {}, projectId: string | null = null) {
  const names: string[] = [];
  let requests = 0;
  for (let cursor: string | null = ''; cursor !== null; requests += 1) {
    const found = page(fixture, cursor === '' ? query : { ...query, cursor }, projectId);
    names.push(...found.names);
    cursor = found.next;
  }
  return { names, requests };
}

function numbered(from: number, to: number, change: Partial<AuditEntry> = {}): Partial<AuditEntry>[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    at: from + at,
    targetName: String(from + at),
    ...change,
  }));
}

function names(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, at) => String(from - at));
}

t.test('the audit log comes newest first, a hundred on a page, despite new entries', async (t) => {
  const fixture = openOrganisation(t);
  append(fixture, numbered(1, 250));
  const first = page(fixture);
  t.strictSame(first.names, names(250, 151));
  append(fixture, numbered(251, 300));
  const second = page(fixture, { cursor: first.next ?? '' });
  t.strictSame(second.names, names(150, 51));
  t.strictSame(page(fixture, { cursor: second.next ?? '' }), { names: names(50, 1), next: null });
  t.strictSame(page(fixture, { cursor: '1' }), { names: [], next: null });
  t.strictSame(page(fixture, { cursor: '999999' }).names, names(300, 201));
});

t.test("an entry is shown completely, with its project's present name", async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject({ name: 'shop' });
  const actor = { kind: 'token', id: newId(), name: 'ci' } as const;
  const entry = {
    projectId: project.id,
    actor,
    environment: 'staging',
    requestId: 'r-1',
    changes: [{ field: 'cohorts', before: null, after: ['é', '😀'] }],
  };
  append(fixture, [entry, { targetName: 'no project' }]);
  const { entries } = fixture.read('list-audit', fixture.owner).value;
  t.match(entries[0], { targetName: 'no project', projectId: null, projectName: null, requestId: null });
  t.match(entries[1], { ...entry, projectName: 'shop', targetName: 'checkout' });
});

t.test('an empty log is an empty page', async (t) => {
  t.strictSame(page(openOrganisation(t)), { names: [], next: null });
});

t.test('each filter keeps its matches', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const [flag, token, member] = [newId(), newId(), newId()];
  append(fixture, [
    { targetName: 'a', at: 10, actor: { kind: 'token', id: token, name: 'ci' }, environment: 'staging' },
    { targetName: 'b', at: 20, actor: { kind: 'member', id: member, name: 'Ann' }, action: 'flag.create' },
    { targetName: 'c', at: 30, targetId: flag, projectId: project.id, environment: 'production' },
    { targetName: 'd', at: 40, targetId: flag, projectId: project.id },
  ]);
  const kept = (query: Sent['query']) => all(fixture, query).names.join('');
  t.equal(kept({ actor: `token:${token}` }), 'a');
  t.equal(kept({ actor: `member:${member}` }), 'b');
  t.equal(kept({ actor: `member:${token}` }), '');
  t.equal(kept({ actor: 'operator' }), 'dc');
  t.equal(kept({ environment: 'staging' }), 'a');
  t.equal(kept({ action: 'flag.create' }), 'b');
  t.equal(kept({ flag }), 'dc');
  t.equal(kept({ flag, environment: 'production' }), 'c');
  t.equal(kept({ project: project.id }), 'dc');
  t.equal(kept({ from: '20' }), 'dcb', 'from is included');
  t.equal(kept({ to: '20' }), 'a', 'to is excluded');
  t.equal(kept({ from: '20', to: '40' }), 'cb');
  t.equal(kept({ project: newId() }), '');
});

t.test('a renamed environment is found by both names', async (t) => {
  const fixture = openOrganisation(t);
  const renaming = { field: 'name', before: 'staging', after: 'qa' };
  const protection = { field: 'isProtected', before: false, after: true };
  append(fixture, [
    { targetName: 'a', action: 'environment.edit', environment: 'staging', changes: [protection, renaming] },
    { targetName: 'b', action: 'environment.edit', environment: 'live', changes: [protection] },
    { targetName: 'c', action: 'flag.edit', environment: null, changes: [renaming] },
    { targetName: 'd', action: 'flag.patch', environment: 'qa' },
  ]);
  const kept = (environment: string) => all(fixture, { environment }).names.join('');
  t.equal(kept('staging'), 'a');
  t.equal(kept('qa'), 'da');
  t.equal(kept('live'), 'b');
});

t.test('all problems of a query are reported at once', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const refused = (query: Record<string, string>, detail: RegExp) => {
    for (const operation of ['list-audit', 'export-audit'] as const) {
      if (operation === 'export-audit' && 'cursor' in query) continue;
      t.match(fixture.read(operation, fixture.owner, { query }).problem, { code: 'invalid-request', detail });
    }
  };
  for (const actor of ['', 'token', 'token:', 'member:short', `robot:${newId()}`, `operator:${newId()}`]) {
    refused({ actor }, /actor must be/);
  }
  refused({ flag: 'x' }, /flag must be an id/);
  refused({ project: '' }, /project must be an id/);
  refused({ action: 'flag' }, /action must be one of: flag\.create, /);
  for (const from of ['', '-1', '1.5', 'now', '9'.repeat(16)]) refused({ from }, /from must be a time/);
  refused({ from: '2', to: '2' }, /from must be before to/);
  for (const cursor of ['', '0', '-1', 'x', '1'.repeat(16)]) refused({ cursor }, /cursor must be/);
  refused({ from: 'x', to: 'y', flag: 'z' }, /from must .*; to must .*; flag must/);
  const format = fixture.read('export-audit', fixture.owner, { query: { format: 'xml' } });
  t.match(format.problem, { code: 'invalid-request', detail: /format must be "ndjson" or "csv"/ });
  const params = { projectId: project.id };
  const other = fixture.read('list-project-audit', fixture.owner, { params, query: { project: newId() } });
  t.match(other.problem, { code: 'invalid-request', detail: /project must be the project in the path/ });
});

t.test('a project’s log has only its entries, and a personal project has its own log', async (t) => {
  const fixture = openOrganisation(t);
  const [shop, blog] = [fixture.addProject(), fixture.addProject()];
  const foreign = organisationOf();
  const personal = projectOf(null, { ownerMemberId: fixture.owner.id });
  fixture.apply([
    creationOf('organisation', foreign),
    creationOf('project', personal),
    { kind: 'audit', entry: auditEntryOf(personal.id, { targetName: 'p1', projectId: personal.id }) },
    { kind: 'audit', entry: auditEntryOf(foreign.id, { targetName: 'foreign', projectId: shop.id }) },
  ]);
  append(fixture, [
    { targetName: 's1', projectId: shop.id },
    { targetName: 'b1', projectId: blog.id },
    { targetName: 'none' },
    { targetName: 's2', projectId: shop.id },
  ]);
  t.strictSame(all(fixture, {}, shop.id).names, ['s2', 's1']);
  t.strictSame(all(fixture, { project: shop.id }, shop.id).names, ['s2', 's1']);
  t.strictSame(all(fixture, {}, blog.id).names, ['b1']);
  t.strictSame(all(fixture, {}, personal.id).names, ['p1']);
  t.strictSame(all(fixture).names, ['s2', 'none', 'b1', 's1'], 'another organisation’s log is a 404');
});

t.test('one request reads ten thousand entries, and the next one continues', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject();
  const flag = newId();
  append(fixture, [{ targetName: 'rare', targetId: flag, projectId: project.id, environment: 'old' }]);
  append(fixture, numbered(1, 20_000, { projectId: project.id }));
  const first = page(fixture, { environment: 'old' });
  t.strictSame(first, { names: [], next: '10002' });
  t.strictSame(all(fixture, { environment: 'old' }), { names: ['rare'], requests: 3 });
  t.strictSame(
    page(fixture, { flag }, project.id),
    { names: ['rare'], next: null },
    'a flag’s history needs one request',
  );
});

t.test('times disordered by a clock that went back up to an hour are found', async (t) => {
  const fixture = openOrganisation(t);
  const at = (time: number, targetName: string) => ({ at: 100 * hour + time, targetName });
  append(fixture, [
    at(0, 'a'),
    at(10, 'b'),
    at(5, 'c'),
    at(10 + clockSlackMs, 'd'),
    at(11, 'e'),
    at(12, 'f'),
  ]);
  const query = (from: number, to: number) => ({
    from: String(100 * hour + from),
    to: String(100 * hour + to),
  });
  t.strictSame(all(fixture, query(0, 6)).names, ['c', 'a']);
  t.strictSame(all(fixture, query(10, 12)).names, ['e', 'b']);
  t.strictSame(all(fixture, query(10 + clockSlackMs, 11 + clockSlackMs)).names, ['d']);
});

t.test('an old time is found without reading all later entries', async (t) => {
  const fixture = openOrganisation(t);
  append(
    fixture,
    numbered(1, 30_000).map((entry, at) => ({ ...entry, at: at * hour })),
  );
  const query = { from: String(10 * hour), to: String(13 * hour) };
  t.strictSame(all(fixture, query), { names: ['13', '12', '11'], requests: 1 });
  for (const [to, newest] of [
    [0, undefined],
    [hour, '1'],
    [29_999 * hour, '29999'],
    [40_000 * hour, '30000'],
  ] as const) {
    t.equal(
      page(fixture, to === 0 ? { from: '0', to: '1', flag: newId() } : { to: String(to) }).names[0],
      newest,
    );
  }
});

t.test('NDJSON has an object on each line, and the chain’s hashes', async (t) => {
  const fixture = openOrganisation(t);
  append(fixture, numbered(1, 120));
  const exported = fixture.read('export-audit', fixture.owner, { query: { format: 'ndjson' } });
  t.match(exported.fileName, /^audit-log-\d{4}-\d\d-\d\d\.ndjson$/);
  const lines = exported.text.trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line));
  t.strictSame(
    rows.map(({ targetName }) => targetName),
    names(120, 1),
  );
  const hashes = fixture.query((queries) =>
    Array.from(queries.auditOf(fixture.organisation.id), ({ hash }) => Buffer.from(hash).toString('hex')),
  );
  t.strictSame(
    rows.map(({ hash }) => hash),
    hashes,
  );
  t.equal(rows[0]?.sequence, 120);
  const later = fixture.read('export-audit', fixture.owner, { query: { from: '100' } });
  t.equal(later.text.trimEnd().split('\n').length, 21, 'filters apply, and NDJSON is the default format');
  t.equal(fixture.read('export-audit', fixture.owner, { query: { from: '999' } }).text, '');
});

/** Reads CSV as RFC 4180 writes it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ',' || character === '\r') {
      rows.at(-1)?.push(cell);
      cell = '';
    } else if (character === '\n') rows.push([]);
    else cell += character;
  }
  return rows.slice(0, -1);
}

t.test('CSV keeps quotes, commas and line breaks, and no spreadsheet executes it', async (t) => {
  const fixture = openOrganisation(t);
  const project = fixture.addProject({ name: '=HYPERLINK("http://x")' });
  const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=1,"2"'];
  const harmless = ['a,b', 'say "hi"', 'two\r\nlines', '', ' =1', 'ü😀', "'=1"];
  append(
    fixture,
    [...dangerous, ...harmless].map((targetName) => ({ targetName, projectId: project.id })),
  );
  const params = { projectId: project.id };
  const query = { format: 'csv' };
  const { text, fileName } = fixture.read('export-project-audit', fixture.owner, { params, query });
  t.match(fileName, /\.csv$/);
  const [head, ...rows] = parseCsv(text);
  const column = (name: string) => rows.map((row) => row[head?.indexOf(name) ?? -1] ?? '').toReversed();
  t.strictSame(column('targetName'), [...dangerous.map((name) => `'${name}`), ...harmless]);
  for (const row of rows) {
    t.equal(row.length, head?.length);
    for (const cell of row) t.notMatch(cell, /^[=+\-@\t\r\n]/);
  }
  t.strictSame(JSON.parse(column('changes')[0] ?? ''), [{ field: 'enabled', before: false, after: true }]);
  t.equal(column('projectName')[0], '\'=HYPERLINK("http://x")');
  t.equal(column('time')[0], '1970-01-01T00:00:00.001Z');
});

t.test('long exports come in small pieces, and keep nothing open between them', async (t) => {
  const fixture = openOrganisation(t);
  append(fixture, numbered(1, 1000));
  fixture.query((queries) => {
    const seen = { open: 0, inThisPiece: 0, total: 0 };
    const counted = Object.create(queries, {
      auditOf: {
        *value(...args: Parameters<RecordQueries['auditOf']>) {
          seen.open += 1;
          try {
            for (const entry of queries.auditOf(...args)) {
              seen.inThisPiece += 1;
              seen.total += 1;
              yield entry;
            }
          } finally {
            seen.open -= 1;
          }
        },
      },
    }) as RecordQueries;
    for (const _ of fixture.pieces('export-audit', counted, { query: { environment: 'none' } })) {
      t.equal(seen.open, 0);
      t.ok(seen.inThisPiece <= 50, `${seen.inThisPiece}`);
      seen.inThisPiece = 0;
    }
    t.ok(seen.total >= 1000);
  });
});
