import { searchAnswerSchema } from '../../contracts/console/search-views.ts';
import { roleIn } from '../../domain/console/console-principal.ts';
import type { Member } from '../../domain/member/member.ts';
import { refuse } from '../../domain/outcome.ts';
import type { Project } from '../../domain/project/project.ts';
import { findProject } from '../../domain/project/project-slug.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { hasAtMostCodePoints } from '../../support/code-points.ts';
import type { Steps } from '../../support/steps.ts';
import { byName, slowReply } from '../list-reply.ts';
import { consoleRead, signedIn } from '../operation.ts';
import { Search, type Wanted } from './search.ts';

/** Characters of a search. */
const searchCharsMax = 200;
/** Flags that are asked for by id. */
const alsoMax = 30;

/**
 * Flags, audiences, environments and projects that the member may see, of all projects or of one. Each word of `q`
 * occurs in the name or id. Without words: the flags that are on in production, last changed first, and those whose ids
 * are in `also`, with commas between them.
 */
export const searchConsole = consoleRead('search-console', {
  route: 'GET /search',
  inPieces: true,
  access: signedIn,
  query: ['q', 'project', 'also'],
  answer: searchAnswerSchema,
  run: (queries, { query }, { member }) => {
    const text = (query['q'] ?? '').trim();
    if (!hasAtMostCodePoints(text, searchCharsMax)) {
      return refuse('invalid-request', `q must be at most ${searchCharsMax} characters`);
    }
    const also = (query['also'] ?? '').split(',', alsoMax);
    const only = query['project'];
    if (only === undefined) return slowReply(resultsOf(queries, member, { text, also }, null));
    const project = findProject(queries, only);
    if (project === undefined || roleIn(project, member) === null) {
      return refuse('not-found', 'None of your projects has this id. It may have been deleted.');
    }
    return slowReply(resultsOf(queries, member, { text, also }, project));
  },
});

function* resultsOf(
  queries: RecordQueries,
  member: Member,
  wanted: Wanted,
  only: Project | null,
): Steps<object> {
  const projects = only === null ? yield* visibleProjects(queries, member) : [only];
  return yield* new Search(queries, projects).run(wanted, only === null);
}

function* visibleProjects(queries: RecordQueries, member: Member): Steps<readonly Project[]> {
  const visible: Project[] = [];
  for (const project of queries.projects()) {
    if (roleIn(project, member) !== null) visible.push(project);
    yield;
  }
  return byName(visible);
}
