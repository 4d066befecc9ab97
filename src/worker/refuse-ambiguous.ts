import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestView } from '../http/request-view.ts';
import { evaluationHeaders } from '../operations/answer-headers.ts';
import { consoleApiPath, isBelow, managementApiPath } from '../operations/match-route.ts';
import type { ApiGate } from './api-gate.ts';
import { isOfrepPath } from './ofrep/ofrep-address.ts';
import { refuseAmbiguousOfrep } from './ofrep/ofrep-refusals.ts';
import { syncPath } from './sync-door.ts';

/** Refuses a request whose end is not certain, in the form of its API, and closes its connection. */
export function refuseAmbiguous(
  exchange: Exchange,
  request: RequestView,
  fault: string,
  gates: {
    readonly management: ApiGate;
    readonly console: ApiGate;
    readonly sync: ApiGate;
    readonly docsUrl: string;
  },
): void {
  const path = request.path();
  if (isBelow(path, managementApiPath)) gates.management.refuseAmbiguous(exchange, request, fault);
  else if (isBelow(path, syncPath)) gates.sync.refuseAmbiguous(exchange, request, fault);
  else if (isBelow(path, consoleApiPath)) gates.console.refuseAmbiguous(exchange, request, fault);
  else if (isOfrepPath(path)) refuseAmbiguousOfrep(exchange, request, fault);
  else {
    const problem = { code: 'invalid-request', detail: fault } as const;
    exchange.answerAndClose(400, evaluationHeaders, errorEnvelope(problem, gates.docsUrl));
  }
}
