import t from 'tap';
import { Value } from 'typebox/value';
import type { EvaluationCounts } from '../../../src/contracts/console/evaluation-views.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import { hourMs, hourOf } from '../../../src/domain/usage/evaluation-count.ts';
import { countEvaluations } from '../../../src/operations/flags/count-evaluations.ts';
import { evaluationCountOf, flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { requestOf } from '../run-operation.ts';
import { openTokenFixture, startedAt, type TokenFixture } from './token-fixture.ts';

function count(fixture: TokenFixture, project: Project, flagId: string) {
  const request = requestOf({ params: { flagId }, body: null });
  const principal = fixture.principal(project, 'viewer');
  return fixture.query((queries) => {
    const outcome = countEvaluations.run(queries, request, principal, fixture.context());
    if (!outcome.ok) return outcome.problem;
    const { value } = outcome.value;
    const schema = countEvaluations.answer;
    if (!Value.Check(schema, value)) throw new Error('the answer breaks its contract');
    return value as EvaluationCounts;
  });
}

t.test('the last 24 hours, environment by environment; the hour before is not included', async (test) => {
  const fixture = openTokenFixture(test);
  const project = fixture.addProject(['production', 'staging']);
  const flag = flagOf(project.id);
  const now = hourOf(startedAt);
  const at = (hoursAgo: number, environmentNumber: number) =>
    ({
      kind: 'evaluation-count',
      count: evaluationCountOf(flag.id, { hour: now - hoursAgo * hourMs, environmentNumber, on: 3, off: 1 }),
    }) as const;
  // An environment with another number was deleted.
  fixture.apply([flagChangeOf(null, flag), at(0, 1), at(23, 1), at(24, 1), at(5, 2), at(5, 9)]);
  const counts = count(fixture, project, flag.id);
  if (!('hours' in counts)) throw new Error(counts.detail);
  test.equal(counts.hours.length, 24);
  test.equal(counts.hours.at(-1), now);
  test.equal(counts.hours[0], now - 23 * hourMs);
  const [production, staging] = counts.series;
  test.strictSame([production?.environmentNumber, staging?.environmentNumber], [1, 2]);
  test.strictSame([production?.on[0], production?.off.at(-1)], [3, 1]);
  test.equal(
    production?.on.reduce((sum, on) => sum + on, 0),
    6,
  );
  test.strictSame([staging?.on[18], staging?.off[18], staging?.on[17]], [3, 1, 0]);
  test.equal(counts.series.length, 2);
});

t.test('a single-environment flag has one series, and another project’s flag is unknown', async (test) => {
  const fixture = openTokenFixture(test);
  const [project, other] = [fixture.addProject(null), fixture.addProject(null)];
  const flag = flagOf(project.id);
  fixture.apply([flagChangeOf(null, flag)]);
  test.match(count(fixture, project, flag.id), { series: [{ environmentNumber: 0 }] });
  const foreign = count(fixture, other, flag.id);
  test.match(foreign, { code: 'not-found' });
  test.strictSame(count(fixture, other, 'z'.repeat(20)), foreign);
});
