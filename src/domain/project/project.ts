import type { Tenant } from '../../support/fair-share.ts';
import { environmentNameCharsMax } from '../bounds.ts';
import type { Member } from '../member/member.ts';
import { shownList } from '../problem-list.ts';

/**
 * An environment's number is its identity: flags refer to it, and nothing else does, so a rename touches no flag.
 * Numbers count up within a project and are never used again.
 */
export interface Environment {
  readonly number: number;
  readonly name: string;
  /**
   * Whether the console asks for a confirmation before it changes a flag here. No other way to change flags is
   * affected.
   */
  readonly isProtected: boolean;
}

/** The environment number under which a single-environment project's flags have their state. */
export const soleEnvironment = 0;

/** The first number in a multi-environment project. */
export const firstEnvironmentNumber = 1;

export interface Project {
  readonly id: string;
  readonly name: string;
  /** Null for a personal project, which has an owner instead. */
  readonly organisationId: string | null;
  readonly ownerMemberId: string | null;
  /** A multi-environment project holds group flags; a single-environment project has no environments at all. */
  readonly isMultiEnvironment: boolean;
  /** In the order they were created. */
  readonly environments: readonly Environment[];
  readonly nextEnvironmentNumber: number;
  /** Changes when an environment is created, changed or deleted. */
  readonly environmentsRevision: number;
  /** Off: both routes of the Evaluation API answer 403 for this project. */
  readonly evaluationAccess: boolean;
  /** Of a single-environment project: as `isProtected` of an environment. Otherwise false. */
  readonly isProtected: boolean;
  /** The present slug, then former ones, the newest first (`project-slug.ts`). */
  readonly slugs: readonly string[];
  /** Whether callers without credentials may name the project by its slugs. */
  readonly isSlugPublic: boolean;
  readonly createdAt: number;
  readonly revision: number;
}

/** The account of all members without an organisation. No record has this id. */
export const withoutOrganisation: string = '0'.repeat(20);

/**
 * The account whose quotas a project uses: its organisation, or the organisation of a personal project's owner. If each
 * owner had quotas, an organisation could raise its own by inviting members. Members without an organisation may have
 * been removed from one, so they have one account together.
 */
export function accountOf(
  { organisationId, ownerMemberId }: Project,
  memberOf: (memberId: string) => Pick<Member, 'organisationId'> | undefined,
): string {
  if (organisationId !== null) return organisationId;
  const owner = ownerMemberId === null ? undefined : memberOf(ownerMemberId);
  return owner?.organisationId ?? withoutOrganisation;
}

/** The tenant of a project with tokens. Such a project has an organisation. */
export function tenantOf({ id, organisationId }: Project): Tenant {
  return { projectId: id, accountId: organisationId };
}

/** The numbers whose states count in the project's flags. A flag may still have states of deleted environments. */
export function environmentNumbers(project: Project): readonly number[] {
  return project.isMultiEnvironment ? project.environments.map(({ number }) => number) : [soleEnvironment];
}

export function findEnvironment(project: Project, name: string): Environment | undefined {
  return project.environments.find((environment) => environment.name === name);
}

/** The names of a project's environments, for a message. */
export function describeEnvironments(project: Project): string {
  const names = project.environments.map(({ name }) => name);
  return names.length === 0 ? 'it has no environments yet' : `valid ones: ${shownList(names)}`;
}

/** Environment names are identifiers, case-sensitive and unique in a project (decisions). */
export const environmentNameRule = `1 to ${environmentNameCharsMax} characters of a-z, 0-9, "-", "_" and ".", and not "." or ".."`;

/** Clients remove the parts `.` and `..` from the path of a URL, also when they are percent-encoded. */
export function isEnvironmentName(text: string): boolean {
  return text.length <= environmentNameCharsMax && /^(?!\.{1,2}$)[a-z0-9._-]+$/.test(text);
}
