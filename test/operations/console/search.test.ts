import t, { type Test } from 'tap';
import type { FoundFlagView, SearchResult } from '../../../src/contracts/console/search-views.ts';
import type { FlagState } from '../../../src/domain/flag/flag.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import { flagChangeOf, flagOf } from '../../storage/support/records.ts';
import fc from '../../support/fast-check.ts';
import { requestOf, runRead } from '../run-operation.ts';
import { type ConsoleFixture, openConsole } from './console-fixture.ts';

const on: FlagState = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: null };

function search(fixture: ConsoleFixture, q: string, asked: { member?: Member; project?: Project } = {}) {
  const { member, project } = asked;
  const query: Record<string, string> = project === undefined ? { q } : { q, project: project.id };
  return fixture.read('search-console', { query, ...(member === undefined ? {} : { member }) });
}

function namesOf(results: readonly SearchResult[]): readonly string[] {
  return results.map(({ kind, name }) => `${kind} ${name}`);
}

t.test('flags, audiences, environments and projects are found by words of their names', async (t) => {
  const fixture = openConsole(t);
  const shop = fixture.addProject(['production', 'staging'], { name: 'shop' });
  const office = fixture.addProject(null, { name: 'Back office' });
  const flag = fixture.addFlag(shop, { name: 'Checkout: new basket', cohorts: ['a', 'b'] });
  fixture.addFlag(office, { name: 'basket-limits', states: new Map([[0, on]]) });
  const audience = fixture.addAudience(shop, { name: 'Basket testers' });
  const { results, isComplete } = search(fixture, ' BASKET ').value;
  t.ok(isComplete);
  t.strictSame(namesOf(results), [
    'flag basket-limits',
    'audience Basket testers',
    'flag Checkout: new basket',
  ]);
  t.strictSame(results[2], {
    ...{ kind: 'flag', projectId: shop.id, projectName: 'shop', id: flag.id, name: flag.name },
    ...{ revision: 1, cohortCount: 2 },
    states: [
      {
        ...{ environment: 1, name: 'production', isProtected: false },
        ...{ enabled: false, trafficPercentage: 0, cohortOverrideCount: null, audienceId: null },
      },
    ],
  });
  t.match(results[0].states, [{ environment: 0, name: '', isProtected: false, enabled: true }]);
  t.strictSame(results[1], {
    ...{ kind: 'audience', projectId: shop.id, projectName: 'shop', id: audience.id, name: 'Basket testers' },
  });
  t.strictSame(namesOf(search(fixture, 'new check').value.results), ['flag Checkout: new basket']);
  t.strictSame(namesOf(search(fixture, flag.id).value.results), ['flag Checkout: new basket']);
  t.strictSame(search(fixture, 'stag').value.results, [
    {
      ...{ kind: 'environment', projectId: shop.id, projectName: 'shop' },
      ...{ number: 2, name: 'staging', isProtected: false },
    },
  ]);
  t.strictSame(search(fixture, 'office').value.results, [
    { kind: 'project', id: office.id, name: 'Back office' },
  ]);
  t.strictSame(search(fixture, 'nothing of this').value, { results: [], isComplete: true });
  t.strictSame(
    namesOf(search(fixture, 'basket', { project: office }).value.results),
    ['flag basket-limits'],
    'of one project',
  );
  t.strictSame(search(fixture, 'office', { project: office }).value.results, [], 'not the project itself');
});

t.test('an equal name comes first, then what is on in production, then what begins with it', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['staging', 'live-eu', 'guarded'], { name: 'shop' });
  const add = (name: string, environment: number | null) =>
    fixture.addFlag(project, { name, states: new Map(environment === null ? [] : [[environment, on]]) });
  add('pay', null);
  add('pay-later', null);
  add('pay-staging', 1);
  add('easy pay', 2);
  add('repay', null);
  const { results } = search(fixture, 'Pay').value;
  t.strictSame(namesOf(results), [
    'flag pay',
    'flag easy pay',
    'flag pay-later',
    'flag pay-staging',
    'flag repay',
  ]);
});

t.test('without words it is the flags that are on in production, those changed last first', async (t) => {
  const fixture = openConsole(t);
  const shop = fixture.addProject(['production', 'staging'], { name: 'shop' });
  const solo = fixture.addProject(null, { name: 'solo' });
  const add = (project: Project, name: string, environment: number, updatedAt: number) =>
    fixture.addFlag(project, { name, states: new Map([[environment, on]]), updatedAt });
  add(shop, 'a', 1, 5);
  add(shop, 'b', 2, 9);
  add(solo, 'c', 0, 7);
  fixture.addFlag(solo, { name: 'off', updatedAt: 99 });
  t.strictSame(namesOf(search(fixture, '').value.results), ['flag c', 'flag a']);
  t.strictSame(namesOf(fixture.read('search-console', {}).value.results), ['flag c', 'flag a']);
  t.strictSame(namesOf(search(fixture, '  ', { project: shop }).value.results), ['flag a']);
});

t.test('among more flags than are read, those changed last are found by the audit log', async (t) => {
  const fixture = openConsole(t);
  const shop = fixture.addProject(null, { name: 'shop' });
  const many = Array.from({ length: 400 }, (_, index) =>
    flagOf(shop.id, { name: `a-${index}`, states: new Map() }),
  );
  fixture.apply(many.map((flag) => flagChangeOf(null, flag)));
  const last = fixture.addFlag(shop, { name: 'zz', states: new Map() });
  const hidden = search(fixture, '').value;
  t.strictSame(hidden, { results: [], isComplete: false });
  const body = { revision: 1, states: { 0: { enabled: true, trafficPercentage: 100 } } };
  t.equal(fixture.write('edit-flag', { project: shop, params: { flagId: last.id }, body }).code, 'ok');
  t.strictSame(namesOf(search(fixture, '').value.results), ['flag zz']);
});

t.test('at most twenty of each kind are shown, and what is left out is said', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null, { name: 'p' });
  // A word this long occurs in no id by chance, as «20» does.
  for (let index = 0; index < 21; index += 1) fixture.addAudience(project, { name: `item-${index}` });
  for (let index = 0; index < 19; index += 1) fixture.addFlag(project, { name: `item-${index}` });
  const countOf = (kind: string, { results }: { results: readonly SearchResult[] }) =>
    results.filter((result) => result.kind === kind).length;
  const first = search(fixture, 'item').value;
  t.strictSame([countOf('audience', first), countOf('flag', first), first.isComplete], [20, 19, false]);
  const one = search(fixture, 'item-20').value;
  t.strictSame([countOf('audience', one), countOf('flag', one), one.isComplete], [1, 0, true]);
});

t.test(
  'a member finds nothing of others: neither their personal projects nor other organisations',
  async (t) => {
    const fixture = openConsole(t);
    const viewer = fixture.addMember({ role: 'viewer', email: 'viewer@example.test' });
    const personal = { organisationId: null, ownerMemberId: fixture.owner.id };
    const own = fixture.addProject(null, { name: 'own secret', ...personal });
    const foreign = fixture.addProject(null, { name: 'foreign secret', organisationId: '0'.repeat(20) });
    const shared = fixture.addProject(null, { name: 'shared secret' });
    for (const project of [own, foreign, shared]) {
      fixture.addFlag(project, { name: `secret of ${project.name}`, states: new Map([[0, on]]) });
    }
    const seenBy = (q: string, member?: Member) =>
      new Set(
        search(fixture, q, member === undefined ? {} : { member }).value.results.map(
          (result: FoundFlagView) => (result.kind === 'flag' ? result.projectName : result.name),
        ),
      );
    for (const q of ['secret', '']) {
      t.strictSame(seenBy(q, viewer), new Set(['shared secret']), q);
      t.strictSame(seenBy(q), new Set(['shared secret', 'own secret']), q);
    }
    t.equal(search(fixture, '', { member: viewer, project: own }).code, 'not-found');
    t.equal(search(fixture, '', { project: foreign }).code, 'not-found');
    t.equal(fixture.read('search-console', { query: { project: 'x' } }).code, 'not-found');
  },
);

t.test('any text is searched, or refused because it is too long', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production'], { name: 'shop' });
  fixture.addFlag(project, { name: 'İstanbul 🙂 (a|b)*' });
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 250 }), fc.stringMatching(/^[a-z ()*|İ🙂]{0,8}$/u)),
      (q) => {
        const { code } = search(fixture, q);
        const tooLong = Array.from(q.trim()).length > 200;
        return code === (tooLong ? 'invalid-request' : 'ok');
      },
    ),
    { numRuns: 300 },
  );
  t.equal(search(fixture, 'x'.repeat(201)).detail, 'q must be at most 200 characters');
});

/** @returns how many milliseconds each step of a search took */
function stepsOf(fixture: ConsoleFixture, q: string): readonly number[] {
  return fixture.query((queries) => {
    const asker = { member: fixture.owner };
    const answered = runRead('search-console', queries, requestOf({ query: { q } }), asker, {} as never);
    if (!answered.ok || answered.value.pieces === undefined) throw new Error('no steps');
    const took: number[] = [];
    for (const steps = answered.value.pieces.text[Symbol.iterator](); ; ) {
      const before = performance.now();
      const isDone = steps.next().done;
      took.push(performance.now() - before);
      if (isDone) return took;
    }
  });
}

async function fill(fixture: ConsoleFixture, projects: number, flags: number): Promise<void> {
  for (let index = 0; index < projects; index += 1) {
    const project = fixture.addProject(null, { name: `project-${index}` });
    const made = Array.from({ length: flags }, (_, number) =>
      flagOf(project.id, { name: `flag-${number} of ${index}`, states: new Map() }),
    );
    fixture.apply(made.map((flag) => flagChangeOf(null, flag)));
  }
}

t.test('a search over 40,000 flags is made in steps, most of them shorter than a slice', async (t: Test) => {
  const fixture = openConsole(t);
  await fill(fixture, 20, 2000);
  for (const q of ['flag-1999 of 19', 'flag', '']) {
    const took = stepsOf(fixture, q);
    const sorted = [...took].sort((one, other) => one - other);
    const usual = sorted[Math.floor(sorted.length * 0.9)] ?? Number.NaN;
    t.comment(`${q}: ${took.length} steps, 90 % within ${usual.toFixed(3)} ms`);
    if (q !== '') t.ok(took.length > 40_000 / 32, 'a step looks at 32 names at most');
    t.ok(took.length < 3000, 'and the search ends');
    t.ok(usual < 1, 'a step stays below a millisecond');
  }
  t.equal(search(fixture, 'flag-1999 of 19').value.results[0].name, 'flag-1999 of 19');
  t.equal(search(fixture, 'flag').value.isComplete, false);
});
