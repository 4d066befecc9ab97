export const plans = ['free', 'teams', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

export const subscriptions = ['active', 'lapsed'] as const;
export type Subscription = (typeof subscriptions)[number];

/** The name of a new install's organisation, until its first Owner gives it another one. */
export const firstOrganisationName = 'Default';

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** End of the Teams trial in Unix milliseconds; null when there is none. */
  readonly trialEndsAt: number | null;
  readonly subscription: Subscription;
  readonly createdAt: number;
  readonly revision: number;
}

/** Whether the Management API is available (decisions: `teams`, `enterprise` or a running trial, and not lapsed). */
export function isEligible(organisation: Organisation, now: number): boolean {
  if (organisation.subscription === 'lapsed') return false;
  if (organisation.plan !== 'free') return true;
  return organisation.trialEndsAt !== null && now < organisation.trialEndsAt;
}
