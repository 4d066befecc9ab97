import { describeLimit } from '../management/environment-limit.ts';
import { authenticate, type GuardContext } from '../management/guard.ts';
import { denyToken, refuseRequest, type Step } from '../management/refusal.ts';
import { succeed } from '../outcome.ts';
import { shown } from '../problem-list.ts';
import {
  describeEnvironments,
  type Environment,
  findEnvironment,
  type Project,
  soleEnvironment,
} from '../project/project.ts';
import { answersTo } from '../project/project-slug.ts';
import type { RecordQueries } from '../record-queries.ts';
import { permitsEnvironment, type Token } from '../token/token.ts';

/** What a request for sync names. */
interface SyncRequest {
  /** The Authorization header as received; null for none. */
  readonly authorization: string | null;
  /** Null: sync has no such method and path. */
  readonly place: SyncPlace | null;
}

/** The configuration that an address names. */
interface SyncPlace {
  /** An id or a slug. */
  readonly projectId: string;
  /** Null: the address has none. */
  readonly environment: string | null;
}

/** Who asked for the configuration of which environment, and may have it. */
export interface SyncTarget {
  readonly token: Token;
  readonly project: Project;
  /** Null in a single-environment project. */
  readonly environment: Environment | null;
  readonly environmentNumber: number;
}

const noSuchEndpoint = 'Sync has no endpoint of this method and path. The documentation lists its endpoints.';
const noProject = 'No project with that id or slug belongs to this token.';
const noEnvironments =
  'This project has a single environment: leave the environment out of the address of sync.';

/**
 * Decides who may read the configuration of an environment: any active token of the project whose list permits the
 * environment, on any plan. A caller without such a token learns nothing about what sync has. Another project is
 * answered as one that does not exist, and an environment outside the token's list is refused whether or not it exists.
 */
export function guardSync(
  queries: RecordQueries,
  { authorization, place }: SyncRequest,
  context: GuardContext,
): Step<SyncTarget> {
  const authenticated = authenticate(queries, authorization, context);
  if (!authenticated.ok) return authenticated;
  const token = authenticated.value;
  if (place === null) return refuseRequest(token, 'not-found', noSuchEndpoint);
  const { projectId, environment: name } = place;
  const project = queries.project(token.projectId);
  if (project === undefined) throw new Error(`token ${token.id} belongs to no project`);
  if (!answersTo(project, projectId)) return refuseRequest(token, 'not-found', noProject);
  return project.isMultiEnvironment ? inEnvironment(token, project, name) : inSole(token, project, name);
}

function inEnvironment(token: Token, project: Project, name: string | null): Step<SyncTarget> {
  if (name !== null && !permitsEnvironment(token, name)) {
    const detail = `This token may not use the environment "${shown(name)}". ${describeLimit(token)}`;
    return denyToken(token, 'environment-not-permitted', detail, shown(name));
  }
  const environment = name === null ? undefined : findEnvironment(project, name);
  if (environment !== undefined) {
    return succeed({ token, project, environment, environmentNumber: environment.number });
  }
  const what =
    name === null ? 'The address names no environment' : `There is no environment "${shown(name)}"`;
  const detail = `${what}: this project has several (${describeEnvironments(project)}).`;
  return refuseRequest(token, 'not-found', detail);
}

/** A list of environments permits nothing in a project without them (decisions). */
function inSole(token: Token, project: Project, name: string | null): Step<SyncTarget> {
  if (token.environments !== null) {
    const detail = `This token may not use a project without environments. ${describeLimit(token)}`;
    return denyToken(token, 'environment-not-permitted', detail);
  }
  if (name !== null) return refuseRequest(token, 'not-found', noEnvironments);
  return succeed({ token, project, environment: null, environmentNumber: soleEnvironment });
}

/** Whether an open stream may go on: its token is active, and still permits the environment. */
export function maySyncOn(
  token: Token | undefined,
  isActive: (token: Token) => boolean,
  environment: string | null,
): boolean {
  if (token === undefined || !isActive(token)) return false;
  return environment === null ? token.environments === null : permitsEnvironment(token, environment);
}
