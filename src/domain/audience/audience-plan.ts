import { isEligible, type Organisation } from '../organisation/organisation.ts';
import type { Project } from '../project/project.ts';

/**
 * Audiences need a plan with the Management API. Without it they are read-only: none can be created, edited, deleted or
 * attached, and attached ones are still evaluated (decisions, organisations). A personal project has no plan.
 *
 * @param organisation of the project; null for a personal project. @param now Unix milliseconds.
 */
export function permitsAudiences(project: Project, organisation: Organisation | null, now: number): boolean {
  return organisation !== null && organisation.id === project.organisationId && isEligible(organisation, now);
}

export const audiencesNeedPlan =
  'Audiences need a project of an organisation on the Teams or Enterprise plan, or on a running Teams trial, whose subscription has not lapsed. Attached audiences keep working.';
