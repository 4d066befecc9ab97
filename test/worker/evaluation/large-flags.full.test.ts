import { performance } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import type { Flag, FlagState } from '../../../src/domain/flag/flag.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { EvaluationMeter } from '../../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from '../../../src/worker/evaluation/evaluation-tallies.ts';
import { FlagEvaluator } from '../../../src/worker/evaluation/flag-evaluator.ts';
import { FlagSource } from '../../../src/worker/evaluation/flag-source.ts';
import { audienceOf, flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/*
 * Flags with a megabyte of cohorts, from the store to the answer: without an index, while it is made, and with it.
 */

const mebibyte = 1024 * 1024;
const cohortCount = 50_000;
/** After how many scans a list gets an index. */
const scansBeforeIndex = 16;

function cohortsOf(place: string): string[] {
  return Array.from({ length: cohortCount }, (_, index) => `${place}-${index}-`.padEnd(20, 'é').slice(0, 20));
}

/** The approximate size of such a list in its record. */
function storedBytes(place: string): number {
  return Buffer.byteLength(cohortsOf(place).join('')) + cohortCount;
}

function stateWith(change: Partial<FlagState>): FlagState {
  return { enabled: true, trafficPercentage: 0, cohortOverride: null, audienceId: null, ...change };
}

/** @throws Error for a refusal */
function enabledOf({ status, body }: FlagEvaluator): boolean {
  if (status !== 200) throw new Error(`refused with ${status}: ${body}`);
  return JSON.parse(body).enabled;
}

/** @returns a stored flag with an audience of a megabyte, which is all that its answer depends on */
function writeRuledFlag(write: (changes: readonly RecordChange[]) => void): Flag {
  const project = projectOf('o'.repeat(20));
  const audience = audienceOf(project.id, { rules: [{ attribute: 'a', values: cohortsOf('p') }] });
  const state = stateWith({ trafficPercentage: 100, audienceId: audience.id });
  const flag = flagOf(project.id, { states: new Map([[0, state]]) });
  write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
    flagChangeOf(null, flag),
  ]);
  return flag;
}

function newScene(test: Test, cacheBytes: number) {
  const { store, reader, version } = newStore(test);
  const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
  const source = new FlagSource(reader, version, cacheBytes, meter);
  const evaluator = new FlagEvaluator(source, '/docs', meter, new EvaluationTallies());
  const write = (changes: readonly RecordChange[]): void => {
    store.write(({ apply }) => apply(changes));
  };
  /** Sends a request. @returns a function that gives the answer, null until it is there */
  const waitFor = (flag: Flag, query: string): (() => boolean | null) => {
    let isOn: boolean | null = null;
    const retry = (): boolean => {
      source.refresh();
      const isAnswered = evaluator.evaluate(flag.id, query);
      if (isAnswered) isOn = enabledOf(evaluator);
      return isAnswered;
    };
    const deadlineMs = Number.POSITIVE_INFINITY;
    if (!retry()) source.loads.add(source.cold, { asker: '', deadlineMs, retry, expire: () => undefined });
    return () => isOn;
  };
  const isOn = (flag: Flag, query: string): boolean => {
    const answer = waitFor(flag, query);
    while (answer() === null) source.loads.run(0);
    return answer() === true;
  };
  return { source, write, isOn, waitFor };
}

function steps(source: FlagSource, between: () => void): number {
  let count = 0;
  // With no time at all, each call makes one step.
  for (let isMore = source.hasSlices; isMore; count += 1) {
    isMore = source.runSlice(0);
    between();
  }
  return count;
}

t.test('a megabyte of cohorts is answered at once, and indexed in many small steps', async (test) => {
  const { source, write, isOn } = newScene(test, 256 * mebibyte);
  const project = projectOf('o'.repeat(20));
  const flag = flagOf(project.id, { states: new Map([[0, stateWith({ cohortOverride: cohortsOf('c') })]]) });
  write([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]);
  const last = encodeURIComponent(cohortsOf('c').at(-1) ?? '');
  const agrees = (): boolean => isOn(flag, `cohort=${last}`) && !isOn(flag, 'cohort=c-0') && !isOn(flag, '');
  for (let scan = 0; scan < scansBeforeIndex; scan += 2) test.equal(agrees(), true, 'looked through');
  const { bytes } = source.cache;
  let [wrong, done] = [0, 0];
  const count = steps(source, () => {
    done += 1;
    if (done % 25 === 0 && !agrees()) wrong += 1;
  });
  test.equal(wrong, 0, 'while the index is made');
  test.ok(count > cohortCount / 512, `${count} steps`);
  test.equal(agrees(), true, 'indexed');
  test.equal(source.hasSlices, false);
  test.equal(source.cache.bytes, bytes, 'the memory of the index was counted in advance');
  const stored = storedBytes('c');
  test.ok(bytes > stored && bytes < 1.5 * stored, `${bytes} bytes for ${stored}`);
});

t.test(
  'a request that names an attribute two hundred times waits until the index is made in small steps',
  async (test) => {
    const { source, write, isOn, waitFor } = newScene(test, 256 * mebibyte);
    const flag = writeRuledFlag(write);
    test.equal(isOn(flag, 'a=x'), false, 'the flag is read before');
    const values = Array.from({ length: 200 }, (_, index) => `a=x${index}`);
    const last = encodeURIComponent(cohortsOf('p').at(-1) ?? '');
    const answers = [waitFor(flag, values.join('&')), waitFor(flag, [...values, `a=${last}`].join('&'))];
    let turns = 0;
    for (let isMore = true; isMore && turns < 1000; turns += 1) isMore = source.runSlice(0);
    test.same(
      answers.map((answer) => answer()),
      [false, true],
    );
    test.ok(turns > cohortCount / 512 / 8, `${turns} turns, between which other requests are answered`);
    test.equal(waitFor(flag, values.join('&'))(), false, 'with the index, the answer comes at once');
    test.equal(source.hasSlices, false, 'no work is left');
  },
);

t.test('a flag that the cache does not keep is indexed for those who wait for it', async (test) => {
  const { source, write, isOn } = newScene(test, mebibyte);
  const flag = writeRuledFlag(write);
  const values = Array.from({ length: 12 }, (_, index) => `a=x${index}`).join('&');
  const last = encodeURIComponent(cohortsOf('p').at(-1) ?? '');
  test.same([isOn(flag, values), isOn(flag, `${values}&a=${last}`)], [false, true]);
  test.equal(source.hasSlices, false, 'no work is left');
});

t.test('of ten environments with a megabyte each only the requested ones are indexed', async (test) => {
  const { source, write, isOn } = newScene(test, 256 * mebibyte);
  const environments = Array.from({ length: 10 }, (_, index) => ({
    number: index + 1,
    name: `e${index}`,
    isProtected: false,
  }));
  const project = projectOf('o'.repeat(20), { isMultiEnvironment: true, environments });
  const states = new Map(
    environments.map(({ number, name }) => [number, stateWith({ cohortOverride: cohortsOf(name) })]),
  );
  const flag = flagOf(project.id, { states });
  write([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]);
  const cohort = (name: string): string => encodeURIComponent(cohortsOf(name)[7] ?? '');
  for (const { name } of environments) {
    test.equal(isOn(flag, `env=${name}&cohort=${cohort(name)}`), true, name);
    test.equal(source.hasSlices, false, 'a list that is requested once gets no index');
  }
  for (let scan = 1; scan < scansBeforeIndex; scan += 1) isOn(flag, `env=e3&cohort=${cohort('e3')}`);
  const count = steps(source, () => undefined);
  test.ok(count < (3 * cohortCount) / 400, `${count} steps are those of one list`);
  for (const { name } of environments) {
    test.equal(isOn(flag, `env=${name}&cohort=${cohort('e3')}`), name === 'e3', name);
  }
});

t.test('flags of a list decode an audience once, and its changes are seen', async (test) => {
  const { source, write, isOn } = newScene(test, 256 * mebibyte);
  const project = projectOf('o'.repeat(20));
  const audience = audienceOf(project.id, { rules: [{ attribute: 'plan', values: cohortsOf('p') }] });
  const states = new Map([[0, stateWith({ trafficPercentage: 100, audienceId: audience.id })]]);
  const flags = Array.from({ length: 40 }, (_, index) => flagOf(project.id, { name: `f${index}`, states }));
  write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
    ...flags.map((flag) => flagChangeOf(null, flag)),
  ]);
  const plan = (name: string): string => `plan=${encodeURIComponent(cohortsOf(name)[9] ?? '')}`;
  for (const flag of flags) test.same([isOn(flag, plan('p')), isOn(flag, plan('q'))], [true, false]);
  test.ok(source.cache.bytes < 2 * mebibyte, `${source.cache.bytes} bytes`);
  const rules = [{ attribute: 'plan', values: cohortsOf('q') }];
  write([{ kind: 'audience', before: audience, after: { ...audience, rules, revision: 2 } }]);
  for (const flag of flags) test.same([isOn(flag, plan('p')), isOn(flag, plan('q'))], [false, true]);
  test.ok(source.cache.bytes < 2 * mebibyte, `${source.cache.bytes} bytes`);
});

t.test('a project list reads one large flag in each step, and each audience once', async (test) => {
  const { source, write } = newScene(test, 256 * mebibyte);
  const project = projectOf('o'.repeat(20));
  const audience = audienceOf(project.id, { rules: [{ attribute: 'plan', values: cohortsOf('p') }] });
  const states = (place: string) =>
    new Map([[0, stateWith({ cohortOverride: cohortsOf(place), audienceId: audience.id })]]);
  const flags = Array.from({ length: 5 }, (_, index) =>
    flagOf(project.id, { name: `f${index}`, states: states(`${index}`) }),
  );
  write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
    ...flags.map((flag) => flagChangeOf(null, flag)),
  ]);
  source.refresh();
  const build = source.lists.build(project.id);
  if (build === null) throw new Error('the list is too large');
  let count = 0;
  for (; !build.isDone; count += 1) source.lists.step(project.id, build);
  test.ok(count > flags.length * 16, `${count} steps`);
  const { bytes } = source.lists;
  const [least, most] = [6 * storedBytes('p'), 6 * 1.5 * storedBytes('p')];
  test.ok(bytes > least && bytes < most, `${bytes} bytes for five flags and one audience`);
});

t.test('a flag that changes while it is read is answered in its new state', async (test) => {
  const { source, write, waitFor } = newScene(test, 256 * mebibyte);
  const project = projectOf('o'.repeat(20));
  const off = new Map([[0, stateWith({ enabled: false })]]);
  const flag = flagOf(project.id, { cohorts: cohortsOf('c'), states: off });
  const audience = audienceOf(project.id, { rules: [{ attribute: 'plan', values: cohortsOf('p') }] });
  write([
    { kind: 'project', before: null, after: project },
    { kind: 'audience', before: null, after: audience },
    flagChangeOf(null, flag),
  ]);
  const last = encodeURIComponent(cohortsOf('d').at(-1) ?? '');
  for (let steps = 1; steps < 40; steps += 1) {
    write([flagChangeOf(null, flag)]);
    source.refresh();
    const answer = waitFor(flag, `cohort=${last}`);
    for (let step = 0; step < steps; step += 1) source.loads.run(0);
    const isEarly = answer() !== null;
    const states = new Map([[0, stateWith({ trafficPercentage: 100 })]]);
    write([flagChangeOf(flag, { ...flag, cohorts: cohortsOf('d'), states, revision: 2 })]);
    while (!source.loads.isEmpty) source.runSlice(0);
    test.equal(answer(), !isEarly, `changed after ${steps} steps`);
  }
});

t.test('durations', async (test) => {
  const { source, write, isOn } = newScene(test, 256 * mebibyte);
  const project = projectOf('o'.repeat(20));
  write([{ kind: 'project', before: null, after: project }]);
  const rounds = 16;
  const times: Record<'first' | 'second' | 'longest step' | 'all steps' | 'indexed', number[]> = {
    first: [],
    second: [],
    'longest step': [],
    'all steps': [],
    indexed: [],
  };
  const timed = (work: () => unknown): number => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  for (let round = 0; round < rounds; round += 1) {
    const cohortOverride = Array.from({ length: cohortCount }, (_, index) =>
      `${round}-${index}`.padEnd(20, '.'),
    );
    const flag = flagOf(project.id, { states: new Map([[0, stateWith({ cohortOverride })]]) });
    write([flagChangeOf(null, flag)]);
    const ask = (): number => timed(() => isOn(flag, `cohort=absent-from-the-list`));
    source.refresh();
    times.first.push(ask());
    times.second.push(ask());
    for (let scan = 2; scan < scansBeforeIndex; scan += 1) ask();
    const slices: number[] = [];
    for (let isMore = true; isMore; ) slices.push(timed(() => (isMore = source.runSlice(0))));
    times['longest step'].push(Math.max(...slices));
    times['all steps'].push(slices.reduce((sum, slice) => sum + slice, 0));
    ask();
    times.indexed.push(ask());
  }
  for (const [name, values] of Object.entries(times)) {
    const sorted = values.sort((one, other) => one - other);
    const [least, median, most] = [0, rounds >> 1, rounds - 1].map((at) => sorted[at]?.toFixed(3));
    test.comment(`${name}: median ${median} ms, least ${least}, most ${most}`);
  }
  test.ok(source.cache.bytes > rounds * mebibyte);
});
