import t from 'tap';
import { cases } from '../conformance/cases.ts';
import type { DomainCase, FlagRules } from '../conformance/conformance-case.ts';
import { audienceRules } from '../conformance/fixture.ts';
import { isInRolloutReference } from '../support/murmur3-reference.ts';
import { idOf, projectOf, provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type Context, connectEntryPoints, type EntryPointName, entryPoints } from './entry-points.ts';

/*
 * The rules of evaluation, by one table and every way to evaluate a flag. The table is the conformance cases that have a
 * decision of the domain (conformance/domain.test.ts runs them there), and the rows below for what a query string cannot
 * say.
 */
t.setTimeout(120_000);

interface Row extends DomainCase {
  readonly id: string;
  readonly context: Context;
}

const on = { enabled: true, percentage: 0 };
/** A query string has one cohort, and its values are texts. */
const rowsOfContexts: readonly Row[] = [
  row('several cohorts, the first listed', { ...on, cohorts: ['vip'] }, { cohort: ['vip', 'x'] }, true),
  row('several cohorts, the last listed', { ...on, cohorts: ['vip'] }, { cohort: ['x', 'y', 'vip'] }, true),
  row('several cohorts, none listed', { ...on, cohorts: ['vip'] }, { cohort: ['x', 'y'] }, false),
  row(
    'several cohorts of a flag that is off',
    { ...on, enabled: false, cohorts: ['vip'] },
    { cohort: ['vip'] },
    false,
  ),
  row('a number matches its text', { ...on, percentage: 100, audience: 'Version' }, { version: 10 }, true),
  row('a number in a list', { ...on, percentage: 100, audience: 'Version' }, { version: ['x', 10] }, true),
  row('null is absent', { ...on, percentage: 100, audience: 'Pro' }, { plan: null }, false),
];

const rows: readonly Row[] = [
  ...cases.flatMap(({ id, domain }) =>
    domain === undefined ? [] : [{ ...domain, id, context: contextOf(domain.query) }],
  ),
  ...rowsOfContexts,
];

function row(id: string, flag: DomainCase['flag'], context: Context, enabled: boolean): Row {
  return { id, flag, context, enabled, query: '', reason: enabled ? 'everyone' : 'nobody' };
}

/** What a query string says, as a context. Elsewhere than in `cohort`, `+` is a plus. */
function contextOf(query: string): Context {
  const context = new Map<string, string | string[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    const [key, value] = [decodeURIComponent(name), decodeURIComponent(rest.join('='))];
    const earlier = context.get(key);
    context.set(key, earlier === undefined ? value : [earlier, value].flat());
  }
  // `fromEntries` defines properties: an attribute may be called `__proto__`.
  return Object.fromEntries(context);
}

for (const environment of [null, 'production']) {
  const where = environment === null ? 'a project without environments' : 'flag-wide cohorts and an override';
  t.test(where, async (t) => {
    const chosen = rows.filter(({ flag }) => (flag.wideCohorts === undefined) === (environment === null));
    const names = new Set(chosen.flatMap(({ flag }) => flag.audience ?? []));
    const project = {
      name: 'rules',
      ...(environment === null ? {} : { environments: [environment, 'other'] }),
      audiences: [...names].map((name) => ({ name, rules: audienceRules(name) })),
      flags: chosen.map(({ id, flag }) => ({ name: id, ...stateOf(flag, environment) })),
      tokens: [{ name: 'reader', permission: 'read' }],
    };
    const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };
    const dataDir = temporaryDirectory(t);
    const provisioned = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'rules');
    const connected = await connectEntryPoints(t, dataDir, provisioned, environment, 'reader');
    for (const name of entryPoints) {
      const wrong: string[] = [];
      for (const one of chosen) {
        const flagId = idOf(provisioned.flags, one.id);
        const expected = expectedOf(one, flagId);
        if (expected === null || isDifferent(one, name)) continue;
        const answer = await connected[name](flagId, one.context);
        if (answer !== expected) wrong.push(`${one.id}: ${answer}`);
      }
      t.same(wrong, [], name);
    }
  });
}

function stateOf(
  { enabled, percentage, cohorts, wideCohorts, audience }: FlagRules,
  environment: string | null,
) {
  const state = {
    enabled,
    trafficPercentage: percentage,
    ...(cohorts === undefined ? {} : { cohorts }),
    ...(audience === undefined ? {} : { audience }),
  };
  if (environment === null) return state;
  const wide = wideCohorts === undefined ? {} : { cohorts: wideCohorts };
  return { ...wide, environments: { [environment]: state, other: { enabled: false } } };
}

/** A bucket is another one for each flag. Null: either answer to a roll is right. */
function expectedOf({ enabled, reason, flag, context }: Row, flagId: string): boolean | null {
  if (reason !== 'bucket') return enabled;
  const key = String(context['targetingKey'] || context['cohort']);
  return isInRolloutReference(flagId, key, flag.percentage);
}

/** What an entry point cannot express, and what docs/clients-flagd.md says of the provider for JavaScript. */
function isDifferent({ reason, context }: Row, name: EntryPointName): boolean {
  if (name.startsWith('API')) return Array.isArray(context['cohort']);
  if (name !== 'flagd in process') return false;
  const key = String(context['targetingKey'] || context['cohort']);
  return Object.hasOwn(context, '__proto__') || (reason === 'bucket' && /[^\0-\x7f]/.test(key));
}
