import { isEligible, type Organisation } from '../../domain/organisation/organisation.ts';
import type { OrganisationView } from './views/organisation-views.ts';

/** An organisation as the console shows it at `now`. */
export function organisationView(organisation: Organisation, now: number): OrganisationView {
  const { id, name, plan, trialEndsAt, subscription, revision } = organisation;
  return { id, name, plan, trialEndsAt, subscription, isEligible: isEligible(organisation, now), revision };
}
