import { Type } from 'typebox';
import { id, nullable, shape, text } from '../../contracts/console/view-parts.ts';
import { namesOf } from '../../domain/flag/flag.ts';
import { flagWithName } from '../../domain/flag/flag-name.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleRead, inProject } from '../operation.ts';

/** The flag of the project that answers to a name, else one that merely has it. */
export const findName = consoleRead('find-name', {
  route: 'GET /projects/{projectId}/names',
  access: inProject('viewer'),
  query: ['name'],
  answer: shape({ flag: nullable(shape({ id, name: text, answers: Type.Boolean() })) }),
  run: (queries, { query }, { project }) => {
    const name = (query['name'] ?? '').trim();
    const found = flagWithName(queries, project.id, name);
    const flag = found === null ? undefined : queries.flag(found);
    if (flag === undefined) return succeed({ value: { flag: null } });
    const answers = namesOf(flag).includes(name);
    return succeed({ value: { flag: { id: flag.id, name: flag.name, answers } } });
  },
});
