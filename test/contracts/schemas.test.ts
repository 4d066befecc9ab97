import t from 'tap';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { errorEnvelope } from '../../src/contracts/error-envelope.ts';
import { type ErrorEnvelope, errorEnvelopeSchema } from '../../src/contracts/error-envelope-schema.ts';
import { type EvaluationFlag, evaluationFlagSchema } from '../../src/contracts/evaluation/evaluation-flag.ts';
import { type EvaluationList, evaluationListSchema } from '../../src/contracts/evaluation/evaluation-list.ts';
import {
  type Health,
  healthSchema,
  type Unhealthy,
  unhealthySchema,
} from '../../src/contracts/evaluation/health.ts';
import {
  type FlagCreateBody,
  flagCreateBodySchema,
} from '../../src/contracts/management/flag-create-body.ts';
import { type FlagList, flagListSchema } from '../../src/contracts/management/flag-list.ts';
import { type FlagPatchBody, flagPatchBodySchema } from '../../src/contracts/management/flag-patch-body.ts';
import {
  type FlagRepresentation,
  flagRepresentationSchema,
} from '../../src/contracts/management/flag-representation.ts';
import { type PatchResult, patchResultSchema } from '../../src/contracts/management/patch-result.ts';
import {
  type TokenDescription,
  tokenDescriptionSchema,
} from '../../src/contracts/management/token-description.ts';
import {
  type OfrepError,
  type OfrepFlag,
  type OfrepFlags,
  type OfrepRequest,
  ofrepErrorSchema,
  ofrepFlagSchema,
  ofrepFlagsSchema,
  ofrepRequestSchema,
} from '../../src/contracts/ofrep/ofrep-schemas.ts';
import { problemTable } from '../../src/contracts/problem-table.ts';
import {
  type SyncReceipt,
  syncReceiptSchema,
  syncSnapshotSchema,
  syncUsageSchema,
} from '../../src/contracts/sync/sync-schemas.ts';
import { problemCodes } from '../../src/domain/problem.ts';
import { ProblemList } from '../../src/domain/problem-list.ts';
import type { SyncSnapshot, SyncUsage } from '../../src/domain/sync/configuration.ts';
import { readUsage } from '../../src/domain/sync/sync-usage.ts';

const flag = {
  id: 'k3VvX0aPq7Lw2ZtR9bNd',
  name: 'checkout',
  updatedAt: 1767225600000,
} as const;
const state = { enabled: true, trafficPercentage: 50, cohorts: ['ada'], audienceId: null };

const evaluated: EvaluationFlag = { id: flag.id, name: flag.name, enabled: true };
const evaluatedList: EvaluationList = [evaluated];
const healthy: Health = { status: 'ok' };
const unhealthy: Unhealthy = { status: 'unavailable', failing: ['workers'] };
const envelope: ErrorEnvelope = {
  error: 'Not found',
  detail: 'No such flag.',
  docs: 'http://h/docs#not-found',
};
const token: TokenDescription = {
  id: 'Vn7KqL2wZtR9bNdk3VvX',
  name: 'ci',
  project: { id: 'Qm4ZtR9bNdk3VvX0aPq7', name: 'shop' },
  permission: 'write',
  environments: [],
  expiresAt: 0,
};
const single: FlagRepresentation = { ...flag, kind: 'flag', ...state };
const inEnvironment = { ...flag, kind: 'groupflag' as const, ...state, environment: 'staging' };
const group: FlagRepresentation = {
  ...flag,
  kind: 'groupflag',
  environments: { staging: { ...state, updatedAt: flag.updatedAt } },
};
const list: FlagList = { flags: [single, inEnvironment, group] };
const patched: PatchResult = { changed: true, flag: inEnvironment };
const patchBody: FlagPatchBody = { audienceId: null };
const singleBody: FlagCreateBody = { name: 'checkout', enabled: true };
const groupBody: FlagCreateBody = { name: 'checkout', environments: { staging: {} } };
const question: OfrepRequest = { context: { targetingKey: 'user-42' } };
const answered: OfrepFlag = {
  ...{ key: flag.name, value: true, reason: 'SPLIT', variant: 'on' },
  metadata: {
    reason: 'bucket-in-rollout',
    flagId: flag.id,
    version: '7',
    flagSetId: `${token.project.id}/x`,
  },
};
const answeredAll: OfrepFlags = {
  flags: [answered],
  eventStreams: [{ type: 'sse', url: 'https://h/events' }],
};
const failed: OfrepError = { key: flag.name, errorCode: 'GENERAL', errorDetails: 'Why.' };
const snapshot: SyncSnapshot = {
  ...{ version: `${token.id}.7`, projectId: token.project.id, environment: null },
  flags: [{ id: flag.id, name: flag.name, names: [flag.name], revision: 1, ...state }],
  audiences: [{ id: token.id, rules: [{ attribute: 'plan', values: ['pro'] }] }],
};
const usage: SyncUsage = { reportId: '9f86d081884c7d65', flags: [{ id: flag.id, on: 1, off: 0 }] };
const receipt: SyncReceipt = { counted: 1, unknownFlags: 0, isRepeated: false };

const samples: readonly (readonly [name: string, schema: TSchema, values: readonly object[]])[] = [
  ['evaluation flag', evaluationFlagSchema, [evaluated]],
  ['evaluation list', evaluationListSchema, [evaluatedList]],
  ['health', healthSchema, [healthy]],
  ['unhealthy', unhealthySchema, [unhealthy]],
  ['error envelope', errorEnvelopeSchema, [envelope]],
  ['token description', tokenDescriptionSchema, [token]],
  ['flag representation', flagRepresentationSchema, [single, inEnvironment, group]],
  ['flag list', flagListSchema, [list, { flags: [] }]],
  ['patch result', patchResultSchema, [patched]],
  ['patch body', flagPatchBodySchema, [patchBody, { enabled: false, cohorts: [] }]],
  ['create body', flagCreateBodySchema, [singleBody, groupBody]],
  ['answer of OFREP', ofrepFlagSchema, [answered]],
  ['answer of OFREP about all flags', ofrepFlagsSchema, [answeredAll, { flags: [] }]],
  ['error of OFREP', ofrepErrorSchema, [failed, { errorCode: 'GENERAL', errorDetails: 'Why.' }]],
  ['snapshot of sync', syncSnapshotSchema, [snapshot, { ...snapshot, environment: 'staging' }]],
  ['report of usage', syncUsageSchema, [usage, { ...usage, flags: [] }]],
  ['receipt for usage', syncReceiptSchema, [receipt]],
];

for (const [name, schema, values] of samples) {
  t.test(`${name}: accepts what its type accepts, and no further field`, async (t) => {
    for (const value of values) {
      t.same([...Value.Errors(schema, value)], []);
      if (!Array.isArray(value)) t.notOk(Value.Check(schema, { ...value, surprise: 1 }), 'one further field');
    }
  });
  t.test(`${name}: every property has a description and examples that are valid`, async (t) => {
    for (const [path, property] of propertiesOf(schema, name)) {
      t.match(property['description'], /^[A-Z0-9`].*\.$/, `${path} has a description`);
      if (isNested(property)) continue;
      const examples = property['examples'] as readonly unknown[];
      t.ok(examples.length > 0, `${path} has an example`);
      for (const example of examples)
        t.ok(Value.Check(property, example), `${path}: ${JSON.stringify(example)}`);
    }
  });
}

t.test('a question of OFREP may have any attributes', async (t) => {
  const contexts = [question, {}, { context: null }, { context: { plan: ['pro', 7, true], cohort: 'beta' } }];
  for (const each of contexts) t.same([...Value.Errors(ofrepRequestSchema, each)], []);
  t.notOk(Value.Check(ofrepRequestSchema, { context: [] }));
});

t.test('state that the specification rules out is refused', async (t) => {
  const refuses = (value: object, why: string) => t.notOk(Value.Check(flagRepresentationSchema, value), why);
  refuses({ ...single, trafficPercentage: 101 }, 'a percentage above 100');
  refuses({ ...single, trafficPercentage: 0.5 }, 'a percentage that is not whole');
  refuses({ ...single, cohorts: null }, 'cohorts that are null');
  refuses({ ...single, environment: 'staging' }, 'an environment on a single-environment flag');
  refuses({ ...group, ...state }, 'a group flag in both forms');
  refuses({ ...single, kind: 'groupflag' }, 'a flat group flag without its environment');
  t.notOk(Value.Check(flagPatchBodySchema, {}), 'a patch without keys');
  t.notOk(Value.Check(flagPatchBodySchema, { enabled: null }), 'null for enabled');
  t.notOk(
    Value.Check(tokenDescriptionSchema, { ...token, environments: null }),
    'environments that are null',
  );
});

t.test('a report of usage is read as its schema says', async (t) => {
  const [used] = usage.flags;
  const reports = [
    usage,
    { ...usage, surprise: 1 },
    { ...usage, reportId: 'short' },
    ...[{ on: -1 }, { off: 1e9 + 1 }, { on: 0.5 }, { id: 1 }, { surprise: 1 }].map((wrong) => ({
      ...usage,
      flags: [{ ...used, ...wrong }],
    })),
  ];
  for (const report of reports) {
    const isRead = !(readUsage(Buffer.from(JSON.stringify(report))) instanceof ProblemList);
    t.equal(isRead, Value.Check(syncUsageSchema, report), JSON.stringify(report));
    t.equal(isRead, report === usage);
  }
});

t.test('an environment may be called __proto__', async (t) => {
  const body = JSON.stringify(group).replace('"staging"', '"__proto__"');
  const parsed: unknown = JSON.parse(body);
  t.ok(Value.Check(flagRepresentationSchema, parsed));
  t.notOk(Value.Check(flagRepresentationSchema, JSON.parse(body.replace('"enabled":true', '"enabled":1'))));
});

t.test('the envelope of every problem has the declared shape', async (t) => {
  for (const code of problemCodes) {
    const parsed: unknown = JSON.parse(errorEnvelope({ code, detail: 'Why.' }, 'http://h/docs'));
    t.same([...Value.Errors(errorEnvelopeSchema, parsed)], []);
    const { title, section } = problemTable[code];
    t.same(parsed, { error: title, detail: 'Why.', docs: `http://h/docs#${section}` });
  }
});

type Property = TSchema & Record<string, unknown>;

function isNested(property: Property): boolean {
  return 'properties' in property || 'anyOf' in property ? !('examples' in property) : false;
}

/** Every property below a schema, with its path. */
function* propertiesOf(schema: object, path: string): Generator<readonly [string, Property]> {
  for (const [key, part] of Object.entries(schema)) {
    if (key === 'properties' || key === 'patternProperties') {
      for (const [name, property] of Object.entries(part as Record<string, Property>)) {
        if (key === 'properties') yield [`${path}.${name}`, property];
        yield* propertiesOf(property, `${path}.${name}`);
      }
    } else if (key === 'items') yield* propertiesOf(part as object, `${path}[]`);
    else if (key === 'anyOf') for (const each of part as object[]) yield* propertiesOf(each, path);
  }
}
