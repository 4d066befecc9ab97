import { Type } from 'typebox';
import { id, nullable, shape, text, time } from '../../contracts/console/view-parts.ts';
import { namesOf } from '../../domain/flag/flag.ts';
import { flagWithName } from '../../domain/flag/flag-name.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { hourMs, hourOf, hoursKept } from '../../domain/usage/evaluation-count.ts';
import { consoleRead, inProject } from '../operation.ts';

const found = shape({
  id,
  name: text,
  answers: Type.Boolean(),
  /** The beginning of the hour of its last evaluation, by any of its names or its id; null: none in the last 48 hours. */
  lastEvaluatedHour: nullable(time),
});

/** The flag of the project that answers to a name, else one that merely has it. */
export const findName = consoleRead('find-name', {
  route: 'GET /projects/{projectId}/names',
  access: inProject('viewer'),
  query: ['name'],
  answer: shape({ flag: nullable(found) }),
  run: (queries, { query }, { project }, { now }) => {
    const name = (query['name'] ?? '').trim();
    const flagId = flagWithName(queries, project.id, name);
    const flag = flagId === null ? undefined : queries.flag(flagId);
    if (flag === undefined) return succeed({ value: { flag: null } });
    const answers = namesOf(flag).includes(name);
    const lastEvaluatedHour = findLastHour(queries, flag.id, now);
    return succeed({ value: { flag: { id: flag.id, name: flag.name, answers, lastEvaluatedHour } } });
  },
});

function findLastHour(queries: RecordQueries, flagId: string, now: number): number | null {
  const present = hourOf(now);
  const hours = Array.from({ length: hoursKept }, (_, ago) => present - ago * hourMs);
  return hours.find((hour) => queries.evaluationCounts(flagId, hour).length > 0) ?? null;
}
