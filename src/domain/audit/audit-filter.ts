import { isIdShaped } from '../../support/id-shape.ts';
import type { ProblemList } from '../problem-list.ts';
import { environmentNameRule, isEnvironmentName } from '../project/project.ts';
import { type Actor, type AuditAction, actorKinds, auditActions, type ChainedEntry } from './audit-entry.ts';
import { changesFromText } from './recorded-changes.ts';

/** The wanted entries; null matches all. */
export interface AuditFilter {
  readonly projectId: string | null;
  readonly actor: Pick<Actor, 'kind' | 'id'> | null;
  readonly flagId: string | null;
  readonly environment: string | null;
  readonly action: AuditAction | null;
  /** Unix milliseconds, included. */
  readonly from: number | null;
  /** Unix milliseconds, excluded. */
  readonly to: number | null;
}

type AuditQuery = Readonly<Record<string, string>>;

/** Reads the filters of a query, and adds their problems. */
export function readAuditFilter(query: AuditQuery, problems: ProblemList): AuditFilter {
  const [from, to] = [readTime(query, 'from', problems), readTime(query, 'to', problems)];
  if (from !== null && to !== null && from >= to) problems.add(() => 'from must be before to');
  return {
    projectId: readId(query, 'project', problems),
    actor: readActor(query['actor'], problems),
    flagId: readId(query, 'flag', problems),
    environment: readEnvironment(query['environment'], problems),
    action: readAction(query['action'], problems),
    ...{ from, to },
  };
}

function readId(query: AuditQuery, key: 'project' | 'flag', problems: ProblemList): string | null {
  const id = query[key] ?? null;
  if (id !== null && !isIdShaped(id)) problems.add(() => `${key} must be an id of 20 letters and digits`);
  return id;
}

function readEnvironment(text: string | undefined, problems: ProblemList): string | null {
  if (text !== undefined && !isEnvironmentName(text))
    problems.add(() => `environment must be a name: ${environmentNameRule}`);
  return text ?? null;
}

/** `member:ID`, `token:ID`, or one of the kinds that have no id. */
function readActor(text: string | undefined, problems: ProblemList): AuditFilter['actor'] {
  if (text === undefined) return null;
  const [kind = '', ...ids] = text.split(':');
  const id = ids.join(':');
  const known = actorKinds.find((one) => one === kind);
  const hasId = known === 'member' || known === 'token';
  if (known !== undefined && (hasId ? isIdShaped(id) : id === '')) return { kind: known, id };
  problems.add(() => 'actor must be "member:ID", "token:ID", "operator" or "anonymous"');
  return null;
}

function readAction(text: string | undefined, problems: ProblemList): AuditAction | null {
  if (text === undefined) return null;
  const action = auditActions.find((known) => known === text);
  if (action === undefined) problems.add(() => `action must be one of: ${auditActions.join(', ')}`);
  return action ?? null;
}

function readTime(query: AuditQuery, key: 'from' | 'to', problems: ProblemList): number | null {
  const text = query[key];
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  problems.add(() => `${key} must be a time in Unix milliseconds`);
  return null;
}

export function matchesAudit(filter: AuditFilter, chained: ChainedEntry): boolean {
  const { entry } = chained;
  const { projectId, flagId, environment, action, from, to } = filter;
  if (projectId !== null && entry.projectId !== projectId) return false;
  if (flagId !== null && entry.targetId !== flagId) return false;
  if (environment !== null && !isOf(environment, chained)) return false;
  if (action !== null && entry.action !== action) return false;
  if (from !== null && entry.at < from) return false;
  if (to !== null && entry.at >= to) return false;
  return isBy(filter.actor, entry.actor);
}

/**
 * An entry about one environment is found by the environment's name. An entry about several (a saved draft) names each
 * of them in its fields. The entry of a rename is found by both names.
 */
function isOf(environment: string, { entry, changesJson }: ChainedEntry): boolean {
  if (entry.environment !== null) {
    if (entry.environment === environment) return true;
    if (entry.action !== 'environment.edit') return false;
    return changesFromText(changesJson).some(({ field, after }) => field === 'name' && after === environment);
  }
  // Names of environments may contain dots, their fields' names may not.
  const prefix = `environments.${environment}.`;
  const isOfIt = (field: string) => field.startsWith(prefix) && !field.includes('.', prefix.length);
  // Most entries have no field of the environment, and need not be parsed.
  if (!changesJson.includes(`["${prefix}`)) return false;
  return changesFromText(changesJson).some(({ field }) => isOfIt(field));
}

function isBy(wanted: AuditFilter['actor'], { kind, id }: Actor): boolean {
  return wanted === null || (wanted.kind === kind && wanted.id === id);
}
