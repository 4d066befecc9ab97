import type { WriteOutcome } from '../writer/client/writer-client.ts';
import type { ApiRequest } from './api-request.ts';

const notApplied =
  'The change was not begun within its deadline and has not been applied. Retry in a moment.';
const storageFull =
  'The disk of the service is almost full, so changes are refused. Nothing was applied. Free some disk space and retry.';
const storageMoved =
  'The data file of the service was moved, removed or replaced, so changes are refused. Nothing was applied. Put it back and retry.';
const storageHeld =
  'Another process is opening the data file of the service and does not finish, so changes are refused. Nothing was applied. Let that process finish, or end it, and retry.';
const refusedByCluster =
  'The cluster did not take the change: others change it at the same time, or its PostgreSQL refuses it, which the log of this node says. Nothing was applied. Retry in a moment.';
const unconfirmed =
  'The change is stored, but not every node of the cluster, or not the standby of its PostgreSQL, has confirmed it in time: some nodes may still answer from before it. Read it before sending it again.';

const quotaReached =
  'This organisation has used up its write quota of the day, so its changes are refused until the next day begins, in UTC. Nothing was applied. Find the program that writes so much.';

/** Refuses a change that the writer has not decided. */
export function refuseUndecided(request: ApiRequest, outcome: WriteOutcome): void {
  const { kind } = outcome;
  if (kind === 'dropped') request.refuseUnavailable(notApplied);
  else if (kind === 'cut-off') request.refuseUnavailable(cutOff);
  else if (kind === 'refused') request.refuseUnavailable(refusedByCluster);
  else if (kind === 'overloaded') request.refuseUnavailable(overloaded);
  else if (kind === 'unknown') request.refuseUnavailable(request.format.mayBeApplied);
  else if (kind === 'unconfirmed') request.refuse({ code: 'not-confirmed', detail: unconfirmed });
  else if (kind === 'quota-reached') {
    request.refuse({ code: 'write-quota-reached', detail: quotaReached }, outcome.retryAfter);
  } else if (kind === 'storage-full') request.refuse({ code: 'storage-full', detail: storageFull });
  else if (kind === 'storage-moved') request.refuseUnavailable(storageMoved);
  else if (kind === 'storage-held') request.refuseUnavailable(storageHeld);
  else request.fail();
}

/** The detail of a 503 to a read that waited for too long. */
export const readTooLate = 'The service has more to read than it can in time. Retry in a moment.';
/** The detail of a 503 that is given at once, because every queue is bounded. */
export const overloaded =
  'The service has reached its limit of requests in flight, or you have reached your quota of them. Retry in a moment.';
/** The detail of a 503 of a node that has no lease: nothing was read, and nothing was sent to the writer. */
export const cutOff =
  'This node is cut off from its cluster and cannot say what is current. Ask again: another node may answer.';
/** The detail of a 503 that is given before a request is read, because each connection takes a file descriptor. */
export const tooManyConnections = 'The service has reached its limit of connections. Retry in a moment.';
