import t, { type Test } from 'tap';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { StoreReader } from '../../../src/storage/store-reader.ts';
import { type ProjectEvaluation, ProjectEvaluator } from '../../../src/worker/evaluation/evaluate-project.ts';
import { EvaluationMeter } from '../../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from '../../../src/worker/evaluation/evaluation-tallies.ts';
import { FlagSource } from '../../../src/worker/evaluation/flag-source.ts';
import { audienceOf, flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/*
 * Compiled lists of whole projects are kept and updated. Every answer is compared with the store: which flags it has,
 * in which order, and whether each is on.
 */

const mebibyte = 1024 * 1024;

/** Random numbers from a seed, the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type LongEvaluation = Extract<ProjectEvaluation, { readonly pieces: unknown }>;

class Scene {
  readonly store: Store;
  readonly reader: StoreReader;
  readonly source: FlagSource;
  readonly evaluator: ProjectEvaluator;

  constructor(test: Test, cacheBytes: number) {
    const { store, reader, version } = newStore(test);
    this.store = store;
    this.reader = reader;
    const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
    this.source = new FlagSource(reader, version, cacheBytes, meter);
    const counting = { meter, tallies: new EvaluationTallies() };
    this.evaluator = new ProjectEvaluator(this.source, reader, '/docs', counting);
  }

  write(changes: readonly RecordChange[]): void {
    this.store.write(({ apply }) => apply(changes));
  }

  answer(projectId: string, query = 'targetingKey=u'): LongEvaluation {
    this.source.refresh();
    const answer = this.evaluator.evaluate(projectId, query);
    if (!('pieces' in answer)) throw new Error(`refused with ${answer.status}`);
    return answer;
  }

  begin(projectId: string, query?: string): Generator<string | Uint8Array> {
    return this.answer(projectId, query).pieces;
  }

  ask(projectId: string, query?: string): unknown {
    return parsed(this.begin(projectId, query));
  }

  /** The expected answer from the store's present state; every flag is on for all or for none. */
  expected(projectId: string): unknown {
    this.reader.renew();
    const project = this.reader.queries.project(projectId) as Project;
    const number = project.isMultiEnvironment ? (project.environments[0]?.number ?? 0) : 0;
    return Array.from(this.reader.queries.flagsOf(projectId), ({ id, name, states }) => ({
      id,
      name,
      enabled: states.get(number)?.enabled ?? false,
    }));
  }
}

function parsed(pieces: Iterable<string | Uint8Array>): unknown {
  const parts = Array.from(pieces, (piece) => Buffer.from(piece));
  return JSON.parse(Buffer.concat(parts).toString());
}

function stateOf(enabled: boolean): Flag['states'] {
  return new Map([[0, { enabled, trafficPercentage: 100, cohortOverride: null, audienceId: null }]]);
}

function manyFlags(projectId: string, count: number): Flag[] {
  const nameOf = (index: number): string => `flag-${String((index * 7919) % count).padStart(5, '0')}`;
  return Array.from({ length: count }, (_, index) =>
    flagOf(projectId, { name: nameOf(index), nameSince: null }),
  );
}

function created(flags: readonly Flag[]): RecordChange[] {
  return flags.map((flag) => flagChangeOf(null, flag));
}

/** One random change of a project's flags: create, switch, rename or remove. */
function randomChange(flags: Flag[], projectId: string, random: (below: number) => number): RecordChange {
  const index = random(flags.length);
  const before = flags[index];
  const what = random(4);
  if (before === undefined || what === 0) {
    const flag = flagOf(projectId, {
      name: `flag-${random(50)}`,
      nameSince: null,
      states: stateOf(random(2) === 0),
    });
    flags.push(flag);
    return flagChangeOf(null, flag);
  }
  if (what === 1) {
    flags.splice(index, 1);
    return flagChangeOf(before, null);
  }
  const name = what === 2 ? `${['Ä', 'z', '😀', 'a'][random(4)]}${random(50)}` : before.name;
  const after = { ...before, name, states: stateOf(random(2) === 0), revision: before.revision + 1 };
  flags[index] = after;
  return flagChangeOf(before, after);
}

t.test('after every change the answer matches the store', async (test) => {
  const scene = new Scene(test, mebibyte);
  const random = seeded(20_261_121);
  const project = projectOf(null);
  scene.write([{ kind: 'project', before: null, after: project }]);
  const flags = manyFlags(project.id, 40);
  scene.write(created(flags));
  for (let round = 0; round < 300; round += 1) {
    const changes = Array.from({ length: random(4) }, () => randomChange(flags, project.id, random));
    for (const change of changes) scene.write([change]);
    test.strictSame(scene.ask(project.id), scene.expected(project.id), `round ${round}`);
  }
  test.ok(scene.source.lists.bytes > 0, 'the list was kept');
});

t.test('requests that come while a list is built see the changes acknowledged before them', async (test) => {
  const random = seeded(7);
  for (let round = 0; round < 40; round += 1) {
    const scene = new Scene(test, 16 * mebibyte);
    const project = projectOf(null);
    scene.write([{ kind: 'project', before: null, after: project }]);
    const flags = manyFlags(project.id, 120);
    scene.write(created(flags));
    const early = scene.begin(project.id);
    for (let step = random(12); step >= 0; step -= 1) early.next();
    scene.write([randomChange(flags, project.id, random)]);
    if (random(3) === 0) {
      const after = { ...project, name: 'renamed', revision: 2 };
      scene.write([{ kind: 'project', before: project, after }]);
    }
    const late = scene.begin(project.id);
    for (let step = random(12); step >= 0; step -= 1) early.next();
    test.strictSame(parsed(late), scene.expected(project.id), `round ${round}`);
  }
});

t.test('an answer that has begun shows one state, despite changes', async (test) => {
  const scene = new Scene(test, 16 * mebibyte);
  const project = projectOf(null);
  scene.write([{ kind: 'project', before: null, after: project }]);
  const flags = manyFlags(project.id, 500);
  scene.write(created(flags));
  scene.ask(project.id);
  const before = scene.expected(project.id);
  const pieces = scene.begin(project.id);
  const parts = [Buffer.from(pieces.next().value as Uint8Array)];
  scene.write(flags.map((flag) => flagChangeOf(flag, { ...flag, states: stateOf(false), revision: 2 })));
  scene.source.refresh();
  for (const piece of pieces) parts.push(Buffer.from(piece));
  test.strictSame(JSON.parse(Buffer.concat(parts).toString()), before);
  test.strictSame(scene.ask(project.id), scene.expected(project.id));
});

t.test('a changed audience shows in the list at once', async (test) => {
  const scene = new Scene(test, mebibyte);
  const project = projectOf(null);
  const audience = audienceOf(project.id);
  const state = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId: audience.id };
  const flag = flagOf(project.id, { states: new Map([[0, state]]) });
  scene.write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
    flagChangeOf(null, flag),
  ]);
  const { id, name } = flag;
  const query = 'targetingKey=u&plan=gold';
  test.strictSame(scene.ask(project.id, query), [{ id, name, enabled: false }]);
  const rules = [{ attribute: 'plan', values: ['gold'] }];
  scene.write([{ kind: 'audience', before: audience, after: { ...audience, rules, revision: 2 } }]);
  test.strictSame(scene.ask(project.id, query), [{ id, name, enabled: true }]);
});

t.test('a list too large to be kept is answered all the same, and keeps no memory', async (test) => {
  const scene = new Scene(test, 128 * 1024);
  const [large, small] = [projectOf(null), projectOf(null, { name: 'small' })];
  scene.write([large, small].map((after) => ({ kind: 'project', before: null, after })));
  scene.write(created(manyFlags(large.id, 300)));
  scene.write(created(manyFlags(small.id, 5)));
  for (let round = 0; round < 3; round += 1) {
    test.strictSame(scene.ask(large.id), scene.expected(large.id));
    test.strictSame(scene.ask(small.id), scene.expected(small.id));
    test.ok(scene.source.lists.bytes <= 16 * 1024);
  }
  test.ok(scene.source.lists.bytes > 0, 'the small list is kept');
});

t.test(
  'lists being built may take as much memory again as kept ones; beyond it the largest is aborted',
  async (test) => {
    const scene = new Scene(test, 16 * mebibyte);
    const listsMax = (16 * mebibyte) / 2 / 4;
    const projects = [projectOf(null), projectOf(null), projectOf(null)];
    const large = manyFlags(projects[0]?.id ?? '', 1500);
    for (const project of projects) {
      scene.write([{ kind: 'project', before: null, after: project }]);
      scene.write(created(project === projects[0] ? large : manyFlags(project.id, 1000)));
    }
    scene.source.refresh();
    const answers = projects.map(({ id }) => scene.answer(id));
    let most = 0;
    const texts = answers.map(() => '');
    for (let left = answers.length; left > 0; ) {
      left = answers.length;
      for (const [index, { pieces }] of answers.entries()) {
        const { done, value } = pieces.next();
        if (done === true) left -= 1;
        else texts[index] += Buffer.from(value).toString();
        most = Math.max(most, scene.source.lists.bytesBuilt);
      }
    }
    for (const [index, answer] of answers.entries()) {
      answer.release();
      test.equal(JSON.parse(texts[index] ?? '').length, index === 0 ? 1500 : 1000);
    }
    test.ok(most > listsMax / 2, `${most} bytes were being built`);
    test.ok(most <= listsMax, `no more than ${listsMax} at once`);
    test.equal(scene.source.lists.bytesBuilt, 0);
  },
);

t.test('a request goes on with a list whose client went away while it was built', async (test) => {
  const scene = new Scene(test, 16 * mebibyte);
  const project = projectOf(null);
  scene.write([{ kind: 'project', before: null, after: project }]);
  scene.write(created(manyFlags(project.id, 200)));
  const gone = scene.answer(project.id);
  gone.pieces.next();
  const build = scene.source.lists.build(project.id);
  gone.pieces.return(undefined);
  gone.release();
  test.equal(scene.source.lists.build(project.id), build);
  test.strictSame(scene.ask(project.id), scene.expected(project.id));
  test.equal(build?.isDone, true);
  test.equal(scene.source.lists.bytesBuilt, 0);
});

t.test('a project that changes all the time is answered without a list', async (test) => {
  const scene = new Scene(test, 16 * mebibyte);
  let project = projectOf(null);
  scene.write([{ kind: 'project', before: null, after: project }]);
  scene.write(created(manyFlags(project.id, 100)));
  const parts: Buffer[] = [];
  for (const piece of scene.begin(project.id)) {
    parts.push(Buffer.from(piece));
    const after = { ...project, revision: project.revision + 1 };
    scene.write([{ kind: 'project', before: project, after }]);
    scene.source.refresh();
    project = after;
  }
  test.strictSame(JSON.parse(Buffer.concat(parts).toString()), scene.expected(project.id));
});

t.test('lists without flags take memory, too, and go for others', async (test) => {
  const scene = new Scene(test, 128 * 1024);
  const projects = Array.from({ length: 100 }, () => projectOf(null));
  scene.write(projects.map((after) => ({ kind: 'project', before: null, after })));
  for (const { id } of projects) test.strictSame(scene.ask(id), []);
  test.ok(scene.source.lists.bytes > 8 * 1024, `${scene.source.lists.bytes} bytes`);
  test.ok(scene.source.lists.bytes <= 16 * 1024);
});

t.test('many values cost nothing for flags that are off, or decided by a cohort', async (test) => {
  const scene = new Scene(test, 64 * mebibyte);
  const project = projectOf(null);
  const rules = Array.from({ length: 50 }, () => ({ attribute: 'a', values: ['x'] }));
  const audience = audienceOf(project.id, { rules });
  const state = (enabled: boolean) => ({
    ...{ enabled, trafficPercentage: 100, cohortOverride: ['acme'], audienceId: audience.id },
  });
  const flags = Array.from({ length: 2000 }, (_unused, index) =>
    flagOf(project.id, { name: `f${index}`, states: new Map([[0, state(index % 2 === 0)]]) }),
  );
  scene.write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
  ]);
  scene.write(created(flags));
  const values = Array.from({ length: 256 }, (_unused, index) => `a=${index}`).join('&');
  const quickest = (query: string): number => {
    const rounds = Array.from({ length: 5 }, () => {
      const pieces = scene.begin(project.id, query);
      const startedAt = performance.now();
      for (const _piece of pieces);
      return performance.now() - startedAt;
    });
    return Math.min(...rounds);
  };
  quickest('cohort=acme');
  const [few, many] = [quickest('cohort=acme&a=1'), quickest(`cohort=acme&${values}`)];
  test.comment(`${few.toFixed(1)} ms with one value, ${many.toFixed(1)} ms with 256`);
  // 50 rules for each flag would be 25 million comparisons.
  test.ok(many < 10 * few + 10);
});
