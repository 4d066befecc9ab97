import t, { type Test } from 'tap';
import { soleEnvironment } from '../../src/domain/project/project.ts';
import { flagdConfiguration } from '../../src/domain/sync/flagd-format.ts';
import { readConfiguration } from '../../src/flagd/read-configuration.ts';
import { StoreVersion } from '../../src/support/store-version.ts';
import { PinnedState } from '../../src/worker/sync/settled-state.ts';
import { snapshotPieces } from '../../src/worker/sync/sync-content.ts';
import { audienceOf, creationOf, flagChangeOf, flagOf, projectOf } from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';

/** A state with so many flags, which apply the audience in turn, and have so many cohorts each. */
function stage(test: Test, flags: number, cohortsOfFlag: number) {
  const { store, reader, version } = newStore(test);
  const project = projectOf('o'.repeat(20));
  const audience = audienceOf(project.id);
  const cohorts = Array.from({ length: cohortsOfFlag }, (_unused, index) => `cohort ${index} "of" Zürich`);
  const flag = (index: number) => {
    const audienceId = index % 2 === 0 ? audience.id : null;
    const state = { enabled: true, trafficPercentage: 50, cohortOverride: null, audienceId };
    const states = new Map([[soleEnvironment, state]]);
    return flagChangeOf(null, flagOf(project.id, { name: `flag ${index}`, cohorts, states }));
  };
  store.write(({ apply }) => apply([creationOf('project', project), creationOf('audience', audience)]));
  store.write(({ apply }) => apply(Array.from({ length: flags }, (_unused, index) => flag(index))));
  reader.renew();
  const state = new PinnedState(reader, new StoreVersion(version));
  test.teardown(() => state.release());
  const { id: projectId, organisationId: accountId } = project;
  return { state, place: { projectId, accountId, environmentNumber: soleEnvironment, name: null } };
}

/** @returns the result, and the milliseconds of each step */
function timed<T>(steps: Generator<void, T>) {
  const spent: number[] = [];
  for (;;) {
    const startedAt = performance.now();
    const step = steps.next();
    spent.push(performance.now() - startedAt);
    if (step.done === true) return { result: step.value, spent };
  }
}

t.test('what is read flag by flag is what sync sends, in flagd’s format', async (t) => {
  const { state, place } = stage(t, 40, 30);
  const snapshot = JSON.parse(
    Buffer.concat(Array.from(snapshotPieces(state, place, 'h.1'), (piece) => Buffer.from(piece))).toString(),
  );
  t.equal(snapshot.flags.length, 40);
  t.equal(snapshot.audiences.length, 1);
  const { result } = timed(readConfiguration(state, place, 'h.1'));
  if (result === 'too-large') throw new Error('40 flags are not too large');
  t.equal(Buffer.concat(result).toString(), [...flagdConfiguration(snapshot)].join(''));
});

t.test('no step takes a large part of the whole', async (t) => {
  const { state, place } = stage(t, 10_000, 20);
  const rounds = Array.from({ length: 5 }, () => timed(readConfiguration(state, place, 'h.1')).spent);
  // The same step of each round does the same; the quickest was interrupted by nothing.
  const quickest = (rounds[0] ?? []).map((_ms, step) => Math.min(...rounds.map((spent) => spent[step] ?? 0)));
  const longest = quickest.reduce((most, ms) => Math.max(most, ms), 0);
  const whole = quickest.reduce((sum, ms) => sum + ms, 0);
  t.comment(`the longest step: ${longest.toFixed(2)} ms of ${whole.toFixed(0)} ms`);
  t.ok(longest < whole / 50);
});

t.test('an environment that is too large is given up', async (t) => {
  const { state, place } = stage(t, 900, 1000);
  t.equal(timed(readConfiguration(state, place, 'h.1')).result, 'too-large');
});
