import type { Organisation, Plan, Subscription } from '../../domain/organisation/organisation.ts';
import { recordCodec } from './record-codec.ts';

type OrganisationRow = readonly [
  id: string,
  name: string,
  plan: Plan,
  trialEndsAt: number | null,
  subscription: Subscription,
  createdAt: number,
  revision: number,
];

export const organisationRecord = recordCodec<Organisation, OrganisationRow>({
  database: 'organisations',
  version: 1,
  toRow: (it) => [it.id, it.name, it.plan, it.trialEndsAt, it.subscription, it.createdAt, it.revision],
  fromRow: ([id, name, plan, trialEndsAt, subscription, createdAt, revision]) => ({
    id,
    name,
    plan,
    trialEndsAt,
    subscription,
    createdAt,
    revision,
  }),
});
