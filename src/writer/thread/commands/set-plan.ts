import type { AuditChange } from '../../../domain/audit/audit-entry.ts';
import type { Organisation, Plan, Subscription } from '../../../domain/organisation/organisation.ts';
import { type Outcome, refuse, succeed } from '../../../domain/outcome.ts';
import { shown } from '../../../domain/problem-list.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { operatorEntry } from '../provision/provision-scope.ts';
import type { Command } from './command.ts';

/** An organisation's plan, trial and subscription; an absent field keeps its value. */
export interface PlanFields {
  readonly plan?: Plan;
  /** Unix milliseconds; null ends a trial. */
  readonly trialEndsAt?: number | null;
  readonly subscription?: Subscription;
}

export interface SetPlanArgs {
  /** Name or id. */
  readonly organisation: string;
  readonly fields: PlanFields;
}

export interface SetPlanResult {
  readonly changed: boolean;
  readonly organisation: Organisation;
}

/** @returns the organisation with the fields set, and the changes: none when it had these values before. */
export function changePlan(
  before: Organisation,
  fields: PlanFields,
): { readonly after: Organisation; readonly changes: readonly AuditChange[] } {
  const { plan = before.plan, trialEndsAt = before.trialEndsAt, subscription = before.subscription } = fields;
  const after = { ...before, plan, trialEndsAt, subscription, revision: before.revision + 1 };
  const keys = ['plan', 'trialEndsAt', 'subscription'] as const;
  const changes = keys
    .filter((key) => before[key] !== after[key])
    .map((key): AuditChange => ({ field: key, before: before[key], after: after[key] }));
  return changes.length === 0 ? { after: before, changes } : { after, changes };
}

/** The operator's `organisation set-plan`. Repeated, it changes nothing. */
export const setPlan: Command<SetPlanArgs, SetPlanResult> = (queries, { organisation, fields }, context) => {
  const found = findOrganisation(queries, organisation);
  if (!found.ok) return found;
  const before = found.value;
  const { after, changes } = changePlan(before, fields);
  const result: SetPlanResult = { changed: changes.length > 0, organisation: after };
  if (changes.length === 0) return succeed({ changes: [], result });
  const { id, name } = before;
  const entry = operatorEntry(
    {
      ledgerId: id,
      projectId: null,
      action: 'organisation.set-plan',
      targetId: id,
      targetName: name,
      changes,
    },
    context,
  );
  return succeed({
    changes: [
      { kind: 'organisation', before, after },
      { kind: 'audit', entry },
    ],
    result,
  });
};

function findOrganisation(queries: RecordQueries, nameOrId: string): Outcome<Organisation> {
  const byId = queries.organisation(nameOrId);
  if (byId !== undefined) return succeed(byId);
  const named = [...queries.organisations()].filter(({ name }) => name === nameOrId.trim());
  const [only] = named;
  if (only === undefined) {
    return refuse('not-found', `No organisation has the name or id "${shown(nameOrId)}".`);
  }
  if (named.length === 1) return succeed(only);
  const ids = named.map(({ id }) => id).join(', ');
  return refuse('invalid-request', `Several organisations have this name; give the id of one: ${ids}`);
}
