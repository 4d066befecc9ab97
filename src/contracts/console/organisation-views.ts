import { type Static, Type } from 'typebox';
import { isEligible, type Organisation } from '../../domain/organisation/organisation.ts';
import { id, nullable, revision, shape, text, time } from './view-parts.ts';

export const organisationViewSchema = shape({
  id,
  name: text,
  plan: Type.Union([Type.Literal('free'), Type.Literal('teams'), Type.Literal('enterprise')]),
  trialEndsAt: nullable(time),
  subscription: Type.Union([Type.Literal('active'), Type.Literal('lapsed')]),
  /** Whether the Management API, and what depends on it, is available now. */
  isEligible: Type.Boolean(),
  revision,
});
export type OrganisationView = Static<typeof organisationViewSchema>;

/** Denial emails of the organisation that were not sent, or not to all recipients. */
export const mailStateSchema = shape({
  waiting: Type.Integer({ minimum: 0 }),
  /** The fault of the newest one that was tried; null for none. */
  waitingFault: nullable(text),
  /** Emails that were given up: they are tried once more when the service starts. */
  failed: Type.Integer({ minimum: 0 }),
  lastFailure: nullable(shape({ at: time, fault: text })),
});
export type MailState = Static<typeof mailStateSchema>;

/** An organisation as the console shows it at `now`. */
export function organisationView(organisation: Organisation, now: number): OrganisationView {
  const { id, name, plan, trialEndsAt, subscription, revision } = organisation;
  return { id, name, plan, trialEndsAt, subscription, isEligible: isEligible(organisation, now), revision };
}
