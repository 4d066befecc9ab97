import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { clockSlackMs } from '../../../src/domain/audit/audit-walk.ts';
import { changesListedMax, type WatchedChanges } from '../../../src/domain/audit/watched-changes.ts';
import { newId } from '../../../src/support/random-id.ts';
import { auditEntryOf, creationOf, projectOf } from '../../storage/support/records.ts';
import { openEventStream } from '../event-stream.ts';
import { fieldsOf, OperationStage } from './operation-stage.ts';

t.setTimeout(180_000);

type Query = Readonly<Record<string, string>>;

const hour = 60 * 60 * 1000;
const stage = new OperationStage(t);

/** An organisation with this log, and its Owner. */
function log(entries: readonly Partial<AuditEntry>[] = []) {
  const { id } = stage.prepared.addOrganisation('Logged');
  const ownerId = stage.member('owner', { organisationId: id });
  const append = (more: readonly Partial<AuditEntry>[]) =>
    stage.add(more.map((entry) => ({ kind: 'audit', entry: auditEntryOf(id, entry) }) as const));
  append(entries);
  const project = (name = 'shop') => {
    const made = projectOf(id, { name });
    stage.add([creationOf('project', made)]);
    return made.id;
  };
  const page = async (query: Query = {}, path = '/audit') => {
    const asked = `${path}?${new URLSearchParams(query)}`;
    const { entries, nextCursor } = await stage.as(ownerId)(200, `GET ${asked}`);
    return { names: entries.map(({ targetName }: AuditEntry) => targetName), next: nextCursor };
  };
  /** All matching entries, page by page. */
  const all = async (query: Query = {}, path = '/audit') => {
    const names: string[] = [];
    let requests = 0;
    for (let cursor: string | null = ''; cursor !== null; requests += 1) {
      const found = await page(cursor === '' ? query : { ...query, cursor }, path);
      names.push(...found.names);
      cursor = found.next;
    }
    return { names, requests };
  };
  const ask = (status: number, path: string) => stage.as(ownerId)(status, `GET ${path}`);
  return { id, ownerId, append, project, page, all, ask };
}

function numbered(count: number, change: Partial<AuditEntry> = {}): Partial<AuditEntry>[] {
  return Array.from({ length: count }, (_, at) => ({ at: at + 1, targetName: `${at + 1}`, ...change }));
}

function names(from: number, to: number): string[] {
  return Array.from({ length: from - to + 1 }, (_, at) => String(from - at));
}

const empty = log();
const long = log(numbered(250));

const filtered = log();
const shop = filtered.project();
const [flag, token, member] = [newId(), newId(), newId()];
const renaming = { field: 'name', before: 'staging', after: 'qa' };
const protection = { field: 'isProtected', before: false, after: true };
const many = [1, 2].map((at) => ({ field: `environments.eu-${at}.enabled`, before: false, after: true }));
filtered.append([
  { targetName: 'a', at: 10, actor: { kind: 'token', id: token, name: 'ci' }, environment: 'dev' },
  { targetName: 'b', at: 20, actor: { kind: 'member', id: member, name: 'Ann' }, action: 'flag.create' },
  { targetName: 'c', at: 30, targetId: flag, projectId: shop, environment: 'production' },
  { targetName: 'd', at: 40, targetId: flag, projectId: shop },
  ...[
    { targetName: 'e', action: 'environment.edit', environment: 'staging', changes: [protection, renaming] },
    { targetName: 'f', action: 'environment.edit', environment: 'live', changes: [protection] },
    { targetName: 'g', action: 'flag.edit', environment: null, changes: [renaming] },
    { targetName: 'h', environment: 'qa' },
    { targetName: 'i', action: 'flag.edit', environment: null, changes: many },
    { targetName: 'j', action: 'session.refuse', actor: { kind: 'anonymous', id: '', name: '' } },
  ].map((entry) => ({ ...entry, at: 50 }) as Partial<AuditEntry>),
]);

const shared = log();
const [blog, office] = [shared.project('blog'), shared.project('office')];
const diary = projectOf(null, { name: 'diary', ownerMemberId: shared.ownerId });
stage.add([
  creationOf('project', diary),
  { kind: 'audit', entry: auditEntryOf(diary.id, { targetName: 'own', projectId: diary.id }) },
  { kind: 'audit', entry: auditEntryOf(empty.id, { targetName: 'foreign', projectId: blog }) },
]);
shared.append([
  { targetName: 'b1', projectId: blog, environment: 'staging', requestId: 'r-1' },
  { targetName: 'o1', projectId: office },
  { targetName: 'none' },
  { targetName: 'b2', projectId: blog },
]);

const rare = log();
const rareProject = rare.project();
rare.append([{ targetName: 'rare', targetId: flag, projectId: rareProject, environment: 'old' }]);
rare.append(numbered(20_000, { projectId: rareProject }));

const clock = log(
  [
    [0, 'a'],
    [10, 'b'],
    [5, 'c'],
    [10 + clockSlackMs, 'd'],
    [11, 'e'],
    [12, 'f'],
  ].map(([at, targetName]) => ({ at: 100 * hour + Number(at), targetName: String(targetName) })),
);
const old = log(numbered(30_000).map((entry, at) => ({ ...entry, at: at * hour })));

const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=1,"2"'];
const harmless = ['a,b', 'say "hi"', 'two\r\nlines', '', ' =1', 'ü😀', "'=1"];
const csv = log();
const formula = csv.project('=HYPERLINK("http://x")');
csv.append([...dangerous, ...harmless].map((targetName) => ({ targetName, projectId: formula })));

const watched = log();
const [seen, unseen] = [watched.project('seen'), watched.project('unseen')];
const personal = projectOf(null, { name: 'personal', ownerMemberId: watched.ownerId });
const [first, second] = [newId(), newId()];
stage.add([
  creationOf('project', personal),
  { kind: 'audit', entry: auditEntryOf(personal.id, { projectId: personal.id, targetId: first }) },
]);
/** Entries, what a page of the project learns of each, and whether a page without a project learns of it. */
const nothing = {
  ...{ flags: [], everyFlag: false, audiences: false },
  ...{ project: false, tokens: false, organisation: false },
};
const everything = {
  ...{ flags: [], everyFlag: true, audiences: true },
  ...{ project: true, tokens: true, organisation: true },
};
type Changed = Partial<Omit<WatchedChanges, 'position'>>;
type Watched = readonly [entry: Partial<AuditEntry>, here: Changed, elsewhere: boolean];
const watchedEntries: readonly Watched[] = [
  [{ projectId: seen, action: 'project.edit' }, { project: true }, true],
  [{ projectId: seen, action: 'environment.edit' }, { project: true }, true],
  [{ projectId: seen, action: 'environment.create' }, { project: true, everyFlag: true }, true],
  [{ projectId: seen, action: 'environment.delete' }, { project: true, everyFlag: true }, true],
  [{ action: 'session.refuse' }, {}, false],
  [{ action: 'audit.export', projectId: seen }, {}, false],
  [{ action: 'member.edit' }, { organisation: true }, true],
  [{ projectId: unseen, action: 'project.create' }, { organisation: true }, true],
  [{ projectId: unseen, action: 'environment.edit' }, { organisation: true }, true],
  [{ projectId: seen, targetId: first }, { flags: [first] }, false],
  [{ projectId: seen, targetId: second, action: 'flag.delete' }, { flags: [second] }, false],
  [{ projectId: seen, action: 'audience.create' }, { audiences: true }, false],
  [{ projectId: seen, action: 'audience.edit' }, { audiences: true }, false],
  [{ projectId: seen, action: 'audience.delete' }, { audiences: true }, false],
  [{ projectId: seen, action: 'token.create' }, { tokens: true }, false],
  [{ projectId: seen, action: 'token.revoke' }, { tokens: true }, false],
  [{ projectId: seen, action: 'token.rotate' }, { tokens: true }, false],
  [{ projectId: unseen, action: 'token.create' }, {}, false],
];
watched.append(watchedEntries.map(([entry]) => entry));
const busy = log();
const [quiet, crowded] = [busy.project('quiet'), busy.project('crowded')];
busy.append(Array.from({ length: changesListedMax + 1 }, () => ({ projectId: crowded })));

await stage.start();

t.test('the log comes newest first, a hundred on a page', async (t) => {
  t.strictSame(await long.page(), { names: names(250, 151), next: '151' });
  t.strictSame((await long.page({ cursor: '151' })).names, names(150, 51));
  t.strictSame(await long.page({ cursor: '51' }), { names: names(50, 1), next: null });
  t.strictSame(await long.page({ cursor: '1' }), { names: [], next: null });
  t.strictSame((await long.page({ cursor: '999999' })).names, names(250, 151));
});

t.test('each filter keeps its matches', async (t) => {
  const kept = async (query: Query) => (await filtered.all(query)).names.join('');
  for (const [query, expected] of [
    [{ actor: `token:${token}` }, 'a'],
    [{ actor: `member:${member}` }, 'b'],
    [{ actor: `member:${token}` }, ''],
    [{ actor: 'operator' }, 'ihgfedc'],
    [{ actor: 'anonymous' }, 'j'],
    [{ environment: 'dev' }, 'a'],
    [{ action: 'flag.create' }, 'b'],
    [{ flag }, 'dc'],
    [{ flag, environment: 'production' }, 'c'],
    [{ project: shop }, 'dc'],
    [{ project: newId() }, ''],
    [{ from: '20', to: '50' }, 'dcb'],
    [{ to: '20' }, 'a'],
    // A renamed environment is found by both names, a draft by each of its environments.
    [{ environment: 'staging' }, 'e'],
    [{ environment: 'qa' }, 'he'],
    [{ environment: 'live' }, 'f'],
    [{ environment: 'eu-2' }, 'i'],
  ] as const)
    t.equal(await kept(query), expected, JSON.stringify(query));
});

t.test('a project’s log has only its entries, a personal project has its own', async (t) => {
  const of = async (id: string, query: Query = {}) =>
    (await shared.all(query, `/projects/${id}/audit`)).names;
  t.strictSame(await of(blog), ['b2', 'b1']);
  t.strictSame(await of(blog, { project: blog }), ['b2', 'b1']);
  t.strictSame(await of(office), ['o1']);
  t.strictSame(await of(diary.id), ['own']);
  t.strictSame((await shared.all()).names, ['b2', 'none', 'o1', 'b1']);
  const { entries } = await shared.ask(200, '/audit');
  t.match(entries[1], { targetName: 'none', projectId: null, projectName: null, requestId: null });
  t.match(entries[3], { projectName: 'blog', environment: 'staging', requestId: 'r-1' });
});

t.test('all problems of a query are reported at once', async (t) => {
  const refused = async (query: Query, detail: RegExp) => {
    const asked = new URLSearchParams(query);
    t.match(await empty.ask(400, `/audit?${asked}`), { detail });
    if (!('cursor' in query)) t.match(await empty.ask(400, `/audit/export?${asked}`), { detail });
  };
  for (const actor of ['', 'token', 'token:', 'member:short', `robot:${newId()}`, `operator:${newId()}`])
    await refused({ actor }, /actor must be/);
  await refused({ flag: 'x' }, /flag must be an id/);
  await refused({ project: '' }, /project must be an id/);
  await refused({ action: 'flag' }, /action must be one of: flag\.create, /);
  for (const from of ['', '-1', '1.5', 'now', '9'.repeat(16)]) await refused({ from }, /from must be a time/);
  await refused({ from: '2', to: '2' }, /from must be before to/);
  for (const cursor of ['', '0', '-1', 'x', '1'.repeat(16)]) await refused({ cursor }, /cursor must be/);
  await refused({ from: 'x', to: 'y', flag: 'z' }, /from must .*; to must .*; flag must/);
  t.match(await empty.ask(400, '/audit/export?format=xml'), { detail: /must be "ndjson" or "csv"/ });
  t.match(await shared.ask(400, `/projects/${blog}/audit?project=${office}`), {
    detail: /project must be the project in the path/,
  });
});

t.test('a request reads ten thousand entries, and finds old times and flags without them', async (t) => {
  t.strictSame(await rare.page({ environment: 'old' }), { names: [], next: '10002' });
  t.strictSame(await rare.all({ environment: 'old' }), { names: ['rare'], requests: 3 });
  t.strictSame(await rare.page({ flag }, `/projects/${rareProject}/audit`), { names: ['rare'], next: null });
  const between = { from: String(10 * hour), to: String(13 * hour) };
  t.strictSame(await old.all(between), { names: ['13', '12', '11'], requests: 1 });
  for (const [to, newest] of [
    [hour, '1'],
    [29_999 * hour, '29999'],
    [40_000 * hour, '30000'],
  ] as const)
    t.equal((await old.page({ to: String(to) })).names[0], newest);
});

t.test('times disordered by a clock that went back up to an hour are found', async (t) => {
  const between = async (from: number, to: number) =>
    (await clock.all({ from: String(100 * hour + from), to: String(100 * hour + to) })).names;
  t.strictSame(await between(0, 6), ['c', 'a']);
  t.strictSame(await between(10, 12), ['e', 'b']);
  t.strictSame(await between(10 + clockSlackMs, 11 + clockSlackMs), ['d']);
});

/** Reads CSV as RFC 4180 writes it. */
function parseCsv(text: string): string[][] {
  const rows = [...text.matchAll(/((?:"(?:[^"]|"")*"|[^,\r\n"]*)(?:,(?:"(?:[^"]|"")*"|[^,\r\n"]*))*)\r\n/g)];
  return rows.map(([, row = '']) =>
    Array.from(row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g), ([, quoted, plain]) =>
      quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
    ),
  );
}

t.test('an export has every entry, with the hashes of the chain', async (t) => {
  const rows: readonly { sequence: number; targetName: string; hash: string }[] = (
    await old.ask(200, '/audit/export?format=ndjson')
  )
    .trimEnd()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  t.equal(rows.length, 30_000);
  t.match(rows[0], { sequence: 30_000, targetName: '30000', hash: /^[0-9a-f]{64}$/ });
  t.equal(new Set(rows.map(({ hash }) => hash)).size, rows.length);
  const later = await long.ask(200, '/audit/export?from=231');
  t.equal(later.trimEnd().split('\n').length, 20, 'filters apply, and NDJSON is the default format');
  t.equal(await long.ask(200, '/audit/export?from=300&to=999'), '');
});

t.test('an export is an entry, with its filters; one that is refused is none', async (t) => {
  const exported = async (query: string, project = '') => {
    await shared.ask(200, `${project}/audit/export?${query}`);
    const { entries } = await shared.ask(200, '/audit?action=audit.export');
    return entries[0];
  };
  const actor = { kind: 'member', id: shared.ownerId };
  const whole = await exported('from=1&format=csv');
  t.match(whole, { actor, targetId: shared.id, projectId: null, address: '127.0.0.1' });
  t.strictSame(fieldsOf(whole), [
    ['from', null, '1'],
    ['format', null, 'csv'],
  ]);
  const own = await exported('', `/projects/${blog}`);
  t.match(own, { actor, targetId: blog, targetName: 'blog', projectId: blog, changes: [] });
  await shared.ask(400, '/audit/export?format=xml');
  await shared.ask(404, `/projects/${newId()}/audit/export`);
  const { entries } = await shared.ask(200, '/audit?action=audit.export');
  t.equal(entries.length, 2);
  await shared.ask(200, `/projects/${diary.id}/audit/export`);
  const diaryLog = await shared.ask(200, `/projects/${diary.id}/audit`);
  t.match(diaryLog.entries[0], { action: 'audit.export', targetId: diary.id });
});

t.test('CSV keeps quotes, commas and line breaks, and no spreadsheet executes it', async (t) => {
  const text: string = await csv.ask(200, `/projects/${formula}/audit/export?format=csv`);
  t.equal(text[0], '\u{FEFF}', 'Excel reads the file as UTF-8');
  const [head = [], ...rows] = parseCsv(text.slice(1));
  t.equal(rows.length, dangerous.length + harmless.length);
  const column = (name: string) => rows.map((row) => row[head.indexOf(name)] ?? '').toReversed();
  t.strictSame(column('targetName'), [...dangerous.map((name) => `'${name}`), ...harmless]);
  for (const row of rows) {
    t.equal(row.length, head.length);
    for (const cell of row) t.notMatch(cell, /^[=+\-@\t\r\n]/);
  }
  t.strictSame(JSON.parse(column('changes')[0] ?? ''), [{ field: 'enabled', before: false, after: true }]);
  t.equal(column('projectName')[0], '\'=HYPERLINK("http://x")');
  t.equal(column('time')[0], '1970-01-01T00:00:00.001Z');
  t.equal(column('address')[0], '192.0.2.7');
});

/** What a page learns that knows the log up to a position; the newest position, if there is none. */
async function look({ ownerId }: { readonly ownerId: string }, projectId: string | null, since?: string) {
  const client = stage.prepared.client(t, stage.server.port, ownerId);
  const path = projectId === null ? '/events' : `/projects/${projectId}/events`;
  const open = () => openEventStream(t, client, since === undefined ? path : `${path}?since=${since}`);
  let stream = await open();
  // A session has four pages: the server frees the place of a closed one a moment later.
  while (stream.status === 503) stream = await open();
  const { data } = await stream.next();
  stream.close();
  const { position, ...changes } = data;
  return { history: position.slice(0, 20), position: position.slice(21), changes };
}

t.test('an open page learns which kinds of its project have changed', async (t) => {
  const { history, position } = await look(watched, seen);
  const count = watchedEntries.length;
  t.equal(position, `${count}.0`);
  let later: Required<Changed> = nothing;
  let isKnownElsewhere = false;
  for (const [index, [entry, here, elsewhere]] of [...watchedEntries.entries()].toReversed()) {
    later = { ...later, ...here, flags: [...later.flags, ...(here.flags ?? [])] };
    isKnownElsewhere ||= elsewhere;
    const since = `${history}-${index}.0`;
    t.strictSame((await look(watched, seen, since)).changes, later, JSON.stringify(entry));
    const organisation = isKnownElsewhere;
    t.strictSame((await look(watched, null, since)).changes, { ...nothing, organisation });
  }
  const own = await look(watched, personal.id, `${history}-${count}.0`);
  t.strictSame([own.position, own.changes], [`${count}.1`, { ...nothing, flags: [first] }]);
});

t.test('where the changes cannot be known, or are too many, everything may have changed', async (t) => {
  const { history, position } = await look(busy, crowded);
  t.strictSame((await look(busy, crowded, `${history}-1.0`)).changes.flags.length, changesListedMax);
  t.strictSame((await look(busy, crowded, `${history}-0.0`)).changes, everything, 'too many');
  t.strictSame((await look(busy, crowded, `${newId()}-${position}`)).changes, everything, 'another history');
  t.strictSame((await look(busy, crowded, `${history}-999.0`)).changes, everything, 'of a later state');
  const entries = changesListedMax + 1;
  t.match((await look(busy, quiet, `${history}-${entries - 20}.0`)).changes, nothing);
  t.match((await look(busy, quiet, `${history}-${entries - 21}.0`)).changes, { organisation: true });
  for (const since of ['', '1', '-1.0', '1.0.0', '01.0', '1.x', `${'9'.repeat(16)}.0`])
    await busy.ask(400, `/events?since=${since}`);
});

t.test('the store is sound', () => stage.stop());
