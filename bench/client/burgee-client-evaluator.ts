import { connect } from '../../src/sdk/connect.ts';
import type { Evaluate } from '../peers/evaluator.ts';
import { attributesOf, countries, plans } from './attributes-question.ts';

const [projectId, flagId, audienceId] = [
  'cm5half0000000000002',
  'cm5half0000000000001',
  'cm5half0000000000003',
];

/** The client as a program uses it, with a bootstrap, so that it needs no server. */
export async function prepare(userIds: readonly string[]): Promise<Evaluate> {
  const rules = [
    { attribute: 'plan', values: plans },
    { attribute: 'country', values: countries },
  ];
  const half = {
    id: flagId,
    name: 'half',
    names: ['half'],
    revision: 1,
    enabled: true,
    trafficPercentage: 50,
    cohorts: [],
    audienceId,
  };
  const flags = await connect({
    // No server listens there.
    url: 'http://127.0.0.1:1',
    project: projectId,
    token: 'none',
    startTimeoutMs: 0,
    bootstrap: {
      version: 'bench.1',
      projectId,
      environment: null,
      flags: [half],
      audiences: [{ id: audienceId, rules }],
    },
  });
  const contexts = userIds.map((targetingKey) => ({ targetingKey, ...attributesOf(targetingKey) }));
  return (index) => flags.isOn('half', contexts[index] as (typeof contexts)[number], false);
}
