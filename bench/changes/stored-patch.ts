import { decideWrite } from '../../src/operations/dispatch.ts';
import { patchFlag } from '../../src/operations/flags/patch-flag.ts';
import type { OperationContext } from '../../src/operations/operation-context.ts';
import { openStore, type Store } from '../../src/storage/store.ts';
import { hashBytes, hashSecret } from '../../src/support/hash-secret.ts';
import { newId } from '../../src/support/random-id.ts';
import type { ChangeableFlag } from './changing-flag.ts';

/** The setting's default; only address space is used. */
const mapBytes = 64 * 2 ** 30;

export function openBenchStore(dataDir: string): Store {
  return openStore({ directory: dataDir, mapBytes });
}

/**
 * Decides and stores one patch as the writer does, in a transaction of its own.
 *
 * @returns whether it changed something
 * @throws when it is refused
 */
export function storePatch(store: Store, flag: ChangeableFlag, trafficPercentage: number): boolean {
  const body = Buffer.from(JSON.stringify({ trafficPercentage }));
  const call = {
    api: 'management',
    requestId: newId(),
    operation: 'patch-flag',
    params: { id: flag.id },
    query: flag.environment === null ? '' : `env=${flag.environment}`,
    credential: `Bearer ${flag.writeToken}`,
    address: '127.0.0.1',
    body,
    header: null,
    userAgent: '',
  } as const;
  const context = {
    now: Date.now(),
    newId,
    docsUrl: 'http://127.0.0.1/docs',
    acceptedPrefixes: ['burgee'],
    hashSecret,
    hashBytes,
  } as unknown as OperationContext;
  const { status, changes } = store.write(({ queries, apply }) => {
    const decision = decideWrite(queries, patchFlag, call, context);
    apply(decision.changes);
    return { status: decision.answer.status, changes: decision.changes.length };
  });
  if (status !== 200) throw new Error(`a patch was answered ${status}`);
  return changes > 0;
}
