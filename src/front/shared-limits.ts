import { createWarningMemory } from '../worker/limits/address-finder.ts';
import { createConnectionRoomMemory } from '../worker/limits/connection-room.ts';
import { createWindowMemory } from '../worker/limits/window-limiter.ts';
import type { SharedLimits } from '../worker/worker-protocol.ts';

/** A limit that is switched off keeps no addresses. */
const noWindows = 1;

/** The shared memory of the limits that are exact over all workers. */
export function createSharedLimits(isEvaluationLimited: boolean): SharedLimits {
  return {
    connectionRoom: createConnectionRoomMemory(),
    managementRate: createWindowMemory(),
    failedAuthentications: createWindowMemory(),
    failedSyncAuthentications: createWindowMemory(),
    consoleRate: createWindowMemory(),
    evaluationRate: isEvaluationLimited ? createWindowMemory() : createWindowMemory(noWindows),
    signInAttempts: {
      accounts: createWindowMemory(),
      addresses: createWindowMemory(),
      pairs: createWindowMemory(),
    },
    forgedHeaderWarning: createWarningMemory(),
    proxyWarning: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    unrecordedDenials: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
  };
}
