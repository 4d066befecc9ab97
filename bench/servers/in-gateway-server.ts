/**
 * What the hop to the evaluators costs: the same evaluation inside the handler, with the product's own HTTP layer and
 * rules, one compiled flag in a Map, no other thread. Its first argument is an `InGatewayFlag` as JSON. Prints its port.
 */
import { Buffer } from 'node:buffer';
import { evaluationHeaders } from '../../src/api/answer-headers.ts';
import { compileFlag } from '../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../src/domain/evaluation/evaluation-reason.ts';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { soleEnvironment } from '../../src/domain/project/project.ts';
import { GatewayMeter } from '../../src/gateway/gateway-meter.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { createHttpServer } from '../../src/http/http-server.ts';
import type { RequestView } from '../../src/http/request-view.ts';
import type { InGatewayFlag } from './start-limits.ts';

const queryBytesMax = 16_384;
const query = Buffer.alloc(queryBytesMax);
const context = new EvaluationContext();
const given = JSON.parse(process.argv[2] ?? '') as InGatewayFlag;
const compiled = new Map([[given.id, compileGiven()]]);

function compileGiven(): ReturnType<typeof compileFlag> {
  const { id, name, trafficPercentage } = given;
  const state = { enabled: true, trafficPercentage, cohortOverride: null, audienceId: null };
  const times = { createdAt: 0, updatedAt: 0, revision: 1 };
  const labels = { id, name, projectId: 'bench', description: '', tags: [], cohorts: [] };
  const flag: Flag = { ...labels, ...times, states: new Map([[soleEnvironment, state]]) };
  const environments = {
    isMultiEnvironment: false,
    environments: [],
    nextEnvironmentNumber: 1,
    environmentsRevision: 1,
  };
  const owner = { organisationId: 'bench', ownerMemberId: null };
  const project = { ...environments, ...owner, ...times, id: 'bench', name: 'bench', evaluationAccess: true };
  return compileFlag(flag, project, () => undefined);
}

function answer(exchange: Exchange, request: RequestView): void {
  const flag = compiled.get(request.parameter(0));
  const length = query.write(request.query(), 'latin1');
  const fault = context.decode(query, 0, length);
  const state = flag === undefined || fault !== null ? null : selectState(flag, context);
  if (flag === undefined || state === null) exchange.answer(404, evaluationHeaders, '{}');
  else {
    const reason = evaluateFlag(flag, state, context, Math.random);
    exchange.answer(200, evaluationHeaders, isOn(reason) ? flag.onBody : flag.offBody);
  }
}

const server = createHttpServer({
  meter: new GatewayMeter().answers,
  routes: [{ method: 'get', pattern: '/v1/flags/:flagId', countedAs: 0, handle: answer }],
  failure: { headers: evaluationHeaders, body: '{}' },
  onFault: (fault) => console.error(fault),
  refuseAmbiguous: (exchange) => exchange.answerAndClose(400, evaluationHeaders, '{}'),
});
const port = await server.listen('127.0.0.1', 0);
process.stdout.write(`${JSON.stringify({ port })}\n`);
