import { type Static, Type } from 'typebox';
import { evaluationsMax, usageFlagsMax } from '../../domain/sync/sync-usage.ts';
import { described } from '../described.ts';

const syncFlagSchema = Type.Object(
  {
    id: Type.String(described('Flag id, 20 characters.', 'k3VvX0aPq7Lw2ZtR9bNd')),
    name: Type.String(described('Flag name.', 'checkout')),
    names: Type.Array(
      Type.String(),
      described('Names to which the flag answers: its own, unless an earlier flag has it, and former ones.', [
        'checkout',
      ]),
    ),
    revision: Type.Integer({
      minimum: 1,
      ...described('Counts the changes of the flag in all its environments.', 5),
    }),
    enabled: Type.Boolean(described('Whether the flag is on in this environment.', true)),
    trafficPercentage: Type.Integer({
      minimum: 0,
      maximum: 100,
      ...described('Share of callers that get the flag.', 50),
    }),
    cohorts: Type.Array(Type.String(), described('The effective list of cohorts.', ['alpha-testers'])),
    audienceId: Type.Union(
      [Type.String(), Type.Null()],
      described('The audience that must match; null means everyone.', 'Vn7KqL2wZtR9bNdk3VvX', null),
    ),
  },
  { additionalProperties: false },
);

const syncRuleSchema = Type.Object(
  {
    attribute: Type.String(described('Name of an attribute.', 'plan')),
    values: Type.Array(Type.String(), described('Any of them matches.', ['pro'])),
  },
  { additionalProperties: false },
);

const syncAudienceSchema = Type.Object(
  {
    id: Type.String(described('Audience id, 20 characters.', 'Vn7KqL2wZtR9bNdk3VvX')),
    rules: Type.Array(syncRuleSchema, described('All of them must match.', [])),
  },
  { additionalProperties: false },
);

/** The answer of sync as JSON, and the data of its event `snapshot`. */
export const syncSnapshotSchema = Type.Object(
  {
    version: Type.String(
      described(
        'The history of the store, and the last change of this environment in it.',
        'Qm4ZtR9bNdk3VvX0aPq7.42',
      ),
    ),
    projectId: Type.String(described('Project id, 20 characters.', 'Tz8QwErTy1UiOp2AsDf3')),
    environment: Type.Union(
      [Type.String(), Type.Null()],
      described('Environment name; null in a single-environment project.', 'production', null),
    ),
    flags: Type.Array(syncFlagSchema, described('Every flag of the environment.', [])),
    audiences: Type.Array(syncAudienceSchema, described('Every audience that one of the flags applies.', [])),
  },
  { title: 'SyncSnapshot', additionalProperties: false },
);

const usedFlagSchema = Type.Object(
  {
    id: Type.String(described('Flag id.', 'k3VvX0aPq7Lw2ZtR9bNd')),
    on: Type.Integer({ minimum: 0, maximum: evaluationsMax, ...described('How often it was on.', 12) }),
    off: Type.Integer({ minimum: 0, maximum: evaluationsMax, ...described('How often it was off.', 3) }),
  },
  { additionalProperties: false },
);

/** The body of a report of usage. */
export const syncUsageSchema = Type.Object(
  {
    reportId: Type.String({
      pattern: '^[!-~]{8,64}$',
      ...described('Random for each report. A report that is sent twice counts once.', '9f86d081884c7d65'),
    }),
    flags: Type.Array(usedFlagSchema, {
      maxItems: usageFlagsMax,
      ...described('What was evaluated since the last report.', []),
    }),
  },
  { title: 'SyncUsage', additionalProperties: false },
);

/** The receipt for a report of usage. */
export const syncReceiptSchema = Type.Object(
  {
    counted: Type.Integer({ minimum: 0, ...described('Flags whose counts were added.', 1) }),
    unknownFlags: Type.Integer({ minimum: 0, ...described('Flags that the project does not have.', 0) }),
    isRepeated: Type.Boolean(described('Whether the report had been counted before.', false)),
  },
  { title: 'SyncReceipt', additionalProperties: false },
);
export type SyncReceipt = Static<typeof syncReceiptSchema>;
