import t from 'tap';
import { flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { requestOf, runRead } from '../run-operation.ts';
import { openConsole } from './console-fixture.ts';

const state = { enabled: true, trafficPercentage: 50, cohortOverride: null, audienceId: null };

const idOf = ({ id }: { readonly id: string }): string => id;

t.test('a page has its flags sorted by name, with states as indexes and cohorts as numbers', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const own = { ...state, cohortOverride: ['a', 'b', 'c'] };
  fixture.addFlag(project, { name: 'ä', description: `${'🙂'.repeat(200)}x` });
  const flag = fixture.addFlag(project, { name: 'z', cohorts: ['1', '2'], states: new Map([[2, own]]) });
  fixture.addFlag(fixture.addProject(null), { name: 'foreign' });
  const { flags, ...page } = fixture.read('list-console-flags', { project }).value;
  t.strictSame(page, {
    environments: [1, 2],
    kinds: [
      { enabled: false, trafficPercentage: 0, cohortOverrideCount: null, audienceId: null },
      { enabled: true, trafficPercentage: 50, cohortOverrideCount: 3, audienceId: null },
    ],
    next: null,
  });
  t.strictSame(flags[0], {
    ...{ id: flag.id, name: 'z', description: '', tags: [], cohortCount: 2 },
    ...{ revision: 1, updatedAt: 1, states: [0, 1] },
  });
  t.match(flags[1], { name: 'ä', description: `${'🙂'.repeat(200)}…`, states: [0, 0] });
  const single = fixture.addProject(null);
  t.strictSame(fixture.read('list-console-flags', { project: single }).value, {
    ...{ environments: [0], flags: [], kinds: [], next: null },
  });
});

t.test('pages follow one another, whatever happens to the flag at their border', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const named = ['a', 'b', 'b', 'c', 'ä'].map((name) => fixture.addFlag(project, { name }));
  const sorted = fixture.read('list-console-flags', { project }).value.flags.map(idOf);
  t.strictSame(new Set(sorted), new Set(named.map(idOf)));
  const page = (limit: number, after?: string) =>
    fixture.read('list-console-flags', {
      project,
      query: after === undefined ? { limit: String(limit) } : { limit: String(limit), after },
    }).value;
  const walked: string[] = [];
  for (let after: string | undefined; ; ) {
    const { flags, next } = page(2, after);
    walked.push(...flags.map(idOf));
    if (next === null) break;
    after = next;
  }
  t.strictSame(walked, sorted);
  t.equal(page(5).next, null, 'a page that is full and the last one says so');
  const first = page(2);
  const border = fixture.flag(first.flags[1].id);
  if (border === undefined) throw new Error('no flag at the border');
  const rest = sorted.slice(2);
  fixture.apply([flagChangeOf(border, { ...border, name: 'zz', revision: 2 })]);
  t.strictSame(page(10, first.next).flags.map(idOf), [...rest.slice(0, 2), border.id, rest[2]]);
  fixture.apply([flagChangeOf({ ...border, name: 'zz', revision: 2 }, null)]);
  t.strictSame(page(10, first.next).flags.map(idOf), rest);
});

t.test('flags are read by their ids: those that exist, in the order asked for', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const [one, two] = [fixture.addFlag(project, { name: 'one' }), fixture.addFlag(project, { name: 'two' })];
  const foreign = fixture.addFlag(fixture.addProject(null), { name: 'foreign' });
  const gone = '0'.repeat(20);
  const ids = [two.id, gone, foreign.id, one.id].join(',');
  const { flags, next } = fixture.read('list-console-flags', { project, query: { ids } }).value;
  t.strictSame(flags.map(idOf), [two.id, one.id]);
  t.equal(next, null);
});

t.test('what no page has given is refused as a cursor, and so are other limits and ids', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const { id } = fixture.addFlag(project, { name: 'a' });
  const detailOf = (query: Record<string, string>) => {
    const { code, detail } = fixture.read('list-console-flags', { project, query });
    return code === 'invalid-request' ? detail : code;
  };
  const cursor = (text: string | Buffer) => Buffer.from(text).toString('base64url');
  t.equal(detailOf({ after: cursor(`${id}a`) }), 'ok');
  for (const after of [
    ...['', 'a', '%', `${cursor(`${id}a`)}=`, cursor(id), cursor(`${id}a\0b`), cursor(`${id.slice(1)}é`)],
    ...[cursor(Buffer.from(`${id}\xff`, 'latin1')), cursor(`${id} a`), cursor(id + 'a'.repeat(201))],
    'x'.repeat(100_000),
  ]) {
    t.equal(detailOf({ after }), 'after must be the next of a page, unchanged', after.slice(0, 50));
  }
  for (const limit of ['0', '1001', '01', '1.5', '-1', '', 'all', '1e2']) {
    t.equal(detailOf({ limit }), 'limit must be a whole number from 1 to 1000', limit);
  }
  t.equal(detailOf({ ids: id, limit: '1' }), 'ids cannot be combined with limit or after');
  t.equal(detailOf({ ids: '' }), 'ids must be ids of flags, separated by commas');
  t.equal(detailOf({ ids: Array.from({ length: 101 }, () => id).join(',') }), 'ids must be at most 100');
});

t.test('a page ends before its distinct states are too many to keep', async (t) => {
  const fixture = openConsole(t);
  const names = Array.from({ length: 100 }, (_, index) => `e-${index}`);
  const project = fixture.addProject(names);
  const flags = Array.from({ length: 100 }, (_, index) => {
    const stateOf = (environment: number) => {
      const cohortOverride = Array.from({ length: index + 1 }, (_, item) => String(item));
      return [environment, { ...state, trafficPercentage: environment, cohortOverride }] as const;
    };
    return flagOf(project.id, {
      name: `flag-${String(index).padStart(3, '0')}`,
      states: new Map(Array.from({ length: 100 }, (_, number) => stateOf(number + 1))),
    });
  });
  fixture.apply(flags.map((flag) => flagChangeOf(null, flag)));
  const first = fixture.read('list-console-flags', { project }).value;
  t.equal(first.flags.length, 82);
  t.equal(first.kinds.length, 8200);
  const second = fixture.read('list-console-flags', { project, query: { after: first.next } }).value;
  t.equal(second.flags[0].name, 'flag-082');
  t.equal(second.next, null);
});

t.test('a page of a thousand flags is made in pieces of one row, and begins where it begins', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const flags = Array.from({ length: 3000 }, (_, index) => flagOf(project.id, { name: `flag-${index}` }));
  fixture.apply(flags.map((flag) => flagChangeOf(null, flag)));
  const query = { limit: '1000', after: '' };
  query.after = fixture.read('list-console-flags', { project, query: { limit: '1000' } }).value.next;
  const pieces = fixture.query((queries) => {
    const answer = runRead('list-console-flags', queries, requestOf({ query }), { project }, {} as never);
    return answer.ok ? Array.from(answer.value.pieces?.text ?? [], (piece) => piece.length) : [];
  });
  t.equal(pieces.length, 1000 + 3, 'rows, and what follows them');
  t.ok(Math.max(...pieces) < 1000, 'no piece has more than a row');
});

t.test('flags of one name are found by it, of the project alone', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const named = (name: string) => {
    const { value } = fixture.read('find-flags-named', { project, query: { name } });
    return { ...value, ids: value.ids.sort() };
  };
  const twins = [fixture.addFlag(project, { name: 'twin' }), fixture.addFlag(project, { name: 'twin' })];
  fixture.addFlag(project, { name: 'twin 2' });
  fixture.addFlag(fixture.addProject(null), { name: 'twin' });
  t.strictSame(named(' twin '), { ids: twins.map(({ id }) => id).sort(), isMore: false });
  t.strictSame(named('Twin'), { ids: [], isMore: false });
  t.strictSame(named(''), { ids: [], isMore: false });
  t.strictSame(named('x'.repeat(3000)), { ids: [], isMore: false }, 'longer than any name');
  for (let count = 0; count < 5; count += 1) fixture.addFlag(project, { name: 'twin' });
  t.match(named('twin'), { ids: { length: 5 }, isMore: true });
});

t.test('a trial says which rule decided, and why the others did not', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const rules = [
    { attribute: 'plan', values: ['pro', 'team'] },
    { attribute: 'country', values: ['ch'] },
  ];
  const audience = fixture.addAudience(project, { name: 'Swiss pros', rules });
  const staged = { ...state, cohortOverride: ['beta'], audienceId: audience.id };
  const flag = fixture.addFlag(project, { cohorts: ['wide'], states: new Map([[2, staged]]) });
  const attempt = (body: object) =>
    fixture.read('try-flag', {
      project,
      params: { flagId: flag.id },
      body: { environmentNumber: 2, ...body },
    });
  const told = (body: object) => {
    const { value } = attempt(body);
    const steps = value.steps.map(
      ({ rule, outcome }: { rule: string; outcome: string }) => `${rule} ${outcome}`,
    );
    return { ...value, steps, said: value.steps.map((step: { explanation: string }) => step.explanation) };
  };

  t.match(told({ environmentNumber: 1 }), {
    ...{ enabled: false, reason: 'flag-off', bucketPercent: null },
    steps: ['switch decides', 'cohort not-reached', 'audience not-reached', 'percentage not-reached'],
    said: ['The flag is off in production, so the answer is off for everybody.'],
  });
  t.match(told({ cohort: 'beta' }), {
    ...{ enabled: true, reason: 'cohort-match', steps: ['switch passes', 'cohort decides'] },
    said: ['The flag is on in staging.', /“beta” is on the environment’s own list, so the answer is on/],
  });
  const missed = told({ cohort: 'wide', attributes: [{ name: 'plan', value: 'free' }] });
  t.match(missed, {
    ...{ enabled: false, reason: 'audience-mismatch' },
    steps: ['switch passes', 'cohort passes', 'audience decides', 'percentage not-reached'],
  });
  t.equal(missed.said[1], 'Cohort “wide” is not on the environment’s own list.');
  t.equal(
    missed.said[2],
    'Audience “Swiss pros” does not match, so the answer is off: “plan” is “free”, and the rule asks for one of “pro”, “team”; “country” is missing, and the rule asks for “ch”.',
  );
  const attributes = [
    { name: 'plan', value: 'free' },
    { name: 'plan', value: 'team' },
    { name: 'country', value: 'ch' },
  ];
  const keyed = told({ targetingKey: 'user-1', attributes });
  t.match(keyed.said[2], 'Audience “Swiss pros” matches: “plan” is “team”; “country” is “ch”.');
  t.match(keyed.steps, ['switch passes', 'cohort passes', 'audience passes', 'percentage decides']);
  t.equal(keyed.enabled, keyed.bucketPercent < 50);
  t.match(keyed.said[3], new RegExp(`“user-1” falls at ${keyed.bucketPercent}%`));
  t.match(told({ cohort: 'x', attributes }).said[3], /the cohort is the key: “x” falls at/);
  const rolled = told({ attributes });
  t.equal(rolled.bucketPercent, null);
  t.match(rolled.reason, /^roll-/);
  t.match(rolled.said[3], /fresh random roll. This one fell at \d+(\.\d+)?%\. .*the next one may differ\.$/);
});

t.test('a trial that could be no request is refused', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project);
  const attempt = (body: object, into = project, flagId = flag.id) =>
    fixture.read('try-flag', { project: into, params: { flagId }, body });
  t.equal(
    attempt({ environmentNumber: 0, targetingKey: '\ud800', attributes: [{ name: 'env', value: '' }] })
      .detail,
    [
      'environmentNumber is not an environment of this project (valid ones: production)',
      'targetingKey must be valid Unicode: it has a lone surrogate',
      'attributes[0].name must not be env: it is never an attribute',
    ].join('; '),
  );
  const many = Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' }));
  t.match(attempt({ environmentNumber: 1, attributes: many }), { detail: 'attributes must be at most 100' });
  t.equal(attempt({ environmentNumber: 1, attributes: many.slice(1) }).code, 'ok');
  const single = fixture.addProject(null);
  const alone = fixture.addFlag(single);
  t.match(attempt({ environmentNumber: 1 }, single, alone.id), { code: 'invalid-request', detail: /send 0/ });
  t.match(attempt({ environmentNumber: 0 }, single, alone.id).value.steps[0], {
    explanation: 'The flag is off, so the answer is off for everybody.',
  });
});
