/** Why somebody who came back from the OpenID provider is not signed in. The sign-in page has a sentence for each. */
export const openIdRefusals = [
  /** The person, or the provider on their behalf, said no. */
  'denied',
  /** No sign-in of this browser is waiting: too late, used already, or begun elsewhere. */
  'expired',
  /** What the provider answered does not hold. */
  'provider-failed',
  'provider-unreachable',
  /** The service itself could not finish it now. */
  'unavailable',
  'email-not-verified',
  'not-a-member',
  /** Members of several organisations have the email. */
  'several-members',
  /** The member with the email signs in with another account of the same provider. */
  'other-account',
  /** The account that came with a link signs somebody else in. */
  'account-taken',
  'link-over',
  /** A member of the organisation has the email of the link. */
  'email-taken',
  'organisation-full',
] as const;
export type OpenIdRefusal = (typeof openIdRefusals)[number];
