import t, { type Test } from 'tap';
import type { Project } from '../../../src/domain/project/project.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { ProjectEvaluator } from '../../../src/worker/evaluation/evaluate-project.ts';
import { EvaluationMeter } from '../../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from '../../../src/worker/evaluation/evaluation-tallies.ts';
import { FlagEvaluator } from '../../../src/worker/evaluation/flag-evaluator.ts';
import { FlagSource } from '../../../src/worker/evaluation/flag-source.ts';
import { ConsoleFixture } from '../../operations/console/console-fixture.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/*
 * The first evaluation after a change in the console sees it, also by an evaluator that has compiled the flag and its
 * project's list before. Each query is evaluated for the flag and for the list.
 */

const on = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: null };

class Scene {
  readonly fixture: ConsoleFixture;
  readonly #source: FlagSource;
  readonly #flags: FlagEvaluator;
  readonly #projects: ProjectEvaluator;

  constructor(test: Test) {
    const { directory, store, reader, version } = newStore(test);
    const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
    this.#source = new FlagSource(reader, version, 1024 * 1024, meter);
    const tallies = new EvaluationTallies();
    this.#flags = new FlagEvaluator(this.#source, '/docs', meter, tallies);
    this.#projects = new ProjectEvaluator(this.#source, reader, '/docs', { meter, tallies });
    this.fixture = new ConsoleFixture(directory, store);
  }

  /** @returns the flag's name and whether it is on, or the status of a refusal */
  flag(id: string, query: string): string | number {
    this.#source.refresh();
    this.#flags.evaluate(id, query);
    const { status, body } = this.#flags;
    return status === 200 ? shownAs(JSON.parse(body)) : status;
  }

  list(project: Project, query: string): readonly string[] | number {
    this.#source.refresh();
    const answer = this.#projects.evaluate(project.id, query);
    if (!('pieces' in answer)) return answer.status;
    const bytes = Array.from(answer.pieces, (piece) => Buffer.from(piece));
    answer.release();
    return JSON.parse(Buffer.concat(bytes).toString()).map(shownAs);
  }

  /** The answer for one flag, and for the whole list, which must agree. */
  ask(project: Project, id: string, query: string): readonly unknown[] {
    return [this.flag(id, query), this.list(project, query)];
  }
}

function shownAs({ name, enabled }: { readonly name: string; readonly enabled: boolean }): string {
  return `${name} ${enabled ? 'on' : 'off'}`;
}

t.test('a flag is edited, renamed or deleted', async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project, { name: 'm', states: new Map([[1, on]]) });
  fixture.addFlag(project, { name: 'n' });
  const params = { flagId: flag.id };
  const ask = () => scene.ask(project, flag.id, 'env=production&cohort=c');
  const edit = (revision: number, draft: object) =>
    fixture.write('edit-flag', { project, params, body: { revision, ...draft } });
  test.strictSame(ask(), ['m on', ['m on', 'n off']]);
  edit(1, { states: { 1: { enabled: false } } });
  test.strictSame(ask(), ['m off', ['m off', 'n off']]);
  edit(2, { name: 'z', states: { 1: { enabled: true, trafficPercentage: 0 } } });
  test.strictSame(ask(), ['z off', ['n off', 'z off']], 'the list is in its new order');
  edit(3, { cohorts: ['c'] });
  test.strictSame(ask(), ['z on', ['n off', 'z on']], 'flag-wide cohorts are inherited');
  edit(4, { states: { 1: { cohorts: ['d'] } } });
  test.strictSame(ask(), ['z off', ['n off', 'z off']], 'an override hides them');
  fixture.write('delete-flag', { project, params, body: { revision: 5, name: 'z' } });
  test.strictSame(ask(), [404, ['n off']]);
  const created = fixture.write('create-console-flag', {
    project,
    body: { name: 'a', states: { 1: { enabled: true, trafficPercentage: 100 } } },
  });
  test.strictSame(scene.ask(project, created.value.id, 'env=production'), ['a on', ['a on', 'n off']]);
});

t.test('a flag is created after a request for it', async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project, { name: 'a', states: new Map([[0, on]]) });
  const body = { revision: 1, name: 'a' };
  test.equal(scene.flag(flag.id, ''), 'a on');
  fixture.write('delete-flag', { project, params: { flagId: flag.id }, body });
  for (let times = 0; times < 3; times += 1) test.strictSame(scene.ask(project, flag.id, ''), [404, []]);
  fixture.apply([{ kind: 'flag', before: null, after: flag, environment: null }]);
  test.strictSame(scene.ask(project, flag.id, ''), ['a on', ['a on']]);
});

t.test("an audience's rules are edited, for all its flags", async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(['production', 'staging']);
  const created = fixture.write('create-audience', {
    project,
    body: { name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] },
  });
  const audienceId = created.value.id;
  const applied = { ...on, audienceId };
  const one = fixture.addFlag(project, { name: 'a', states: new Map([[1, applied]]) });
  fixture.addFlag(project, { name: 'b', states: new Map([[1, applied]]) });
  const ask = (attributes: string) => scene.ask(project, one.id, `env=production&${attributes}`);
  test.strictSame(ask('plan=pro'), ['a on', ['a on', 'b on']]);
  test.strictSame(ask('plan=team'), ['a off', ['a off', 'b off']]);
  const edit = (revision: number, rules: object[]) =>
    fixture.write('edit-audience', { project, params: { audienceId }, body: { revision, rules } });
  edit(1, [{ attribute: 'plan', values: ['team'] }]);
  test.strictSame(ask('plan=pro'), ['a off', ['a off', 'b off']]);
  test.strictSame(ask('plan=team'), ['a on', ['a on', 'b on']]);
  edit(2, [
    { attribute: 'plan', values: ['team'] },
    { attribute: 'country', values: ['ch'] },
  ]);
  test.strictSame(ask('plan=team'), ['a off', ['a off', 'b off']], 'every rule has to match');
  test.strictSame(ask('plan=team&country=ch'), ['a on', ['a on', 'b on']]);

  const params = { flagId: one.id };
  const states = { 1: { audienceId: null } };
  fixture.write('edit-flag', { project, params, body: { revision: 1, states } });
  test.strictSame(ask(''), ['a on', ['a on', 'b off']], 'it is detached from one flag');
  edit(3, [{ attribute: 'plan', values: ['free'] }]);
  test.strictSame(ask('plan=free'), ['a on', ['a on', 'b on']]);
});

t.test('an audience takes the place of a deleted one', async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(null);
  const make = (name: string, value: string) =>
    fixture.write('create-audience', {
      project,
      body: { name, rules: [{ attribute: 'x', values: [value] }] },
    }).value.id;
  const flag = fixture.addFlag(project, { name: 'a', states: new Map([[0, on]]) });
  const params = { flagId: flag.id };
  const attach = (revision: number, audienceId: string | null) =>
    fixture.write('edit-flag', { project, params, body: { revision, states: { 0: { audienceId } } } }).code;
  const first = make('Pro', '1');
  attach(1, first);
  test.strictSame(scene.ask(project, flag.id, 'x=1'), ['a on', ['a on']]);
  attach(2, null);
  fixture.write('delete-audience', { project, params: { audienceId: first }, body: { revision: 1 } });
  test.strictSame(scene.ask(project, flag.id, 'x=2'), ['a on', ['a on']]);
  test.equal(attach(3, first), 'invalid-request', 'the audience is deleted');
  test.equal(attach(3, make('Pro', '2')), 'ok');
  test.strictSame(scene.ask(project, flag.id, 'x=1'), ['a off', ['a off']]);
  test.strictSame(scene.ask(project, flag.id, 'x=2'), ['a on', ['a on']]);
});

t.test('an environment is created, renamed or deleted', async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(['production', 'staging']);
  const flag = fixture.addFlag(project, {
    name: 'a',
    states: new Map([
      [1, on],
      [2, on],
    ]),
  });
  const ask = (env: string) => scene.ask(project, flag.id, `env=${env}`);
  const [isOn, isOff, isUnknown] = [
    ['a on', ['a on']],
    ['a off', ['a off']],
    [404, 404],
  ];
  test.strictSame([ask('staging'), ask('stage')], [isOn, isUnknown]);
  const params = { number: '2' };
  fixture.write('edit-environment', { project, params, body: { revision: 1, name: 'stage' } });
  test.strictSame([ask('staging'), ask('stage')], [isUnknown, isOn], 'the flag follows');
  fixture.write('create-environment', { project, body: { name: 'staging' } });
  test.strictSame([ask('staging'), ask('stage')], [isOff, isOn], 'an old name brings no state back');
  const deletion = { revision: 3, name: 'stage' };
  fixture.write('delete-environment', { project, params, body: deletion });
  test.strictSame([ask('staging'), ask('stage'), ask('production')], [isOff, isUnknown, isOn]);
  fixture.write('create-environment', { project, body: { name: 'stage' } });
  test.strictSame(ask('stage'), isOff, 'and neither does the name of a deleted one');
});

t.test('access is switched off and on', async (test) => {
  const scene = new Scene(test);
  const { fixture } = scene;
  const project = fixture.addProject(null);
  const flag = fixture.addFlag(project, { name: 'a', states: new Map([[0, on]]) });
  const ask = () => scene.ask(project, flag.id, '');
  const set = (revision: number, evaluationAccess: boolean) =>
    fixture.write('edit-project', { project, body: { revision, evaluationAccess } });
  test.strictSame(ask(), ['a on', ['a on']]);
  set(1, false);
  test.strictSame(ask(), [403, 403]);
  set(2, true);
  test.strictSame(ask(), ['a on', ['a on']]);
});

t.test('decisions of one transaction see each other', async (test) => {
  const { fixture } = new Scene(test);
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project, { name: 'a' });
  const params = { flagId: flag.id };
  // The writer caches records: each change must start from the one before it.
  for (let revision = 1; revision <= 5; revision += 1) {
    const body = { revision, states: { 1: { trafficPercentage: revision } } };
    const { value } = fixture.write('edit-flag', { project, params, body });
    test.equal(value.flag.revision, revision + 1);
    const name = `env-${revision}`;
    const renamed = { revision, name };
    fixture.write('edit-environment', { project, params: { number: '1' }, body: renamed });
    test.match(fixture.project(project.id).environments, [{ name }]);
  }
  fixture.write('delete-flag', { project, params, body: { revision: 6, name: 'a' } });
  test.equal(fixture.flag(flag.id), undefined);
});
