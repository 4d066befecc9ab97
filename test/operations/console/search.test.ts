import t, { type Test } from 'tap';
import type { SearchResult } from '../../../src/contracts/console/search-views.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import { flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { requestOf, runRead } from '../run-operation.ts';
import { type ConsoleFixture, openConsole } from './console-fixture.ts';

function search(fixture: ConsoleFixture, q: string, asked: { member?: Member; project?: Project } = {}) {
  const { member, project } = asked;
  const query: Record<string, string> = project === undefined ? { q } : { q, project: project.id };
  return fixture.read('search-console', { query, ...(member === undefined ? {} : { member }) });
}

function namesOf(results: readonly SearchResult[]): readonly string[] {
  return results.map(({ kind, name }) => `${kind} ${name}`);
}

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

t.test('without words, flags that are asked for by id are shown, whether on or off', async (t) => {
  const fixture = openConsole(t);
  const shop = fixture.addProject(null, { name: 'shop' });
  const off = fixture.addFlag(shop, { name: 'off', states: new Map() });
  const ask = (q: string, also: string) =>
    namesOf(fixture.read('search-console', { query: { q, also } }).value.results);
  t.strictSame(ask('', `${off.id},unknown`), ['flag off']);
  t.strictSame(ask('', ''), []);
  t.strictSame(ask('nothing', off.id), []);
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
