import { Type } from 'typebox';
import { id, shape } from '../../contracts/console/view-parts.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { consoleRead, inProject } from '../operation.ts';

/** Several flags may have one name. A member who is about to create another one is shown some of them. */
const namesakesShownMax = 5;

/** The flags of the project with exactly this name, trimmed, by id: the first ones, and whether there are more. */
export const findFlagsNamed = consoleRead('find-flags-named', {
  route: 'GET /projects/{projectId}/flags-named',
  access: inProject('viewer'),
  query: ['name'],
  answer: shape({ ids: Type.Array(id), isMore: Type.Boolean() }),
  run: (queries, { query }, { project }) => {
    const ids = idsOf(queries, project.id, (query['name'] ?? '').trim());
    return succeed({
      value: { ids: ids.slice(0, namesakesShownMax), isMore: ids.length > namesakesShownMax },
    });
  },
});

/** Names are found by their index: no flag is read, however long its lists are. */
function idsOf(queries: RecordQueries, projectId: string, name: string): readonly string[] {
  const ids: string[] = [];
  for (const { id } of queries.flagPlacesOf(projectId, name)) {
    ids.push(id);
    if (ids.length > namesakesShownMax) break;
  }
  return ids;
}
