import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import type { EvaluatorAnswerHead } from '../../evaluator/evaluator-protocol.ts';
import { overloaded } from '../overloaded.ts';

/** What an evaluator says to the gateway, whole. */
export type AskedAnswer =
  | { readonly kind: 'answered'; readonly head: EvaluatorAnswerHead; readonly body: Uint8Array }
  | { readonly kind: 'unavailable'; readonly detail: string }
  | { readonly kind: 'failed' };

/** Asks an evaluator for an answer of one chunk; a longer one is a failure. It comes, or its deadline does. */
export function askEvaluator(evaluators: EvaluatorClient, call: ConsoleCall): Promise<AskedAnswer> {
  return new Promise((resolve) => {
    const open = evaluators.request(
      {
        receiveChunk: (head, bytes, isLast) => {
          if (head !== null && isLast) resolve({ kind: 'answered', head, body: bytes.slice() });
          else {
            open?.cancel();
            resolve({ kind: 'failed' });
          }
        },
        receiveCut: () => resolve({ kind: 'failed' }),
        receiveUnavailable: (detail) => resolve({ kind: 'unavailable', detail }),
        receiveFailure: () => resolve({ kind: 'failed' }),
      },
      { kind: 'console-read', call },
    );
    if (open === null) resolve({ kind: 'unavailable', detail: overloaded });
  });
}
