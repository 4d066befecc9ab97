import type { RequestList } from '../load/request-list.ts';
import { halfFlagProject } from '../servers/flag-fixtures.ts';
import { startBurgee } from '../servers/start-burgee.ts';

/** A server that evaluates the flag `half`, which is at 50 %, for a user. */
export interface HalfServer {
  readonly name: string;
  /** With version and command line, for the report. */
  readonly what: string;
  readonly pid: number;
  /** One request for each user. */
  readonly list: RequestList;
  /** @returns whether an answer's body says that the flag is on */
  isOn(body: string): boolean;
  stop(): Promise<void>;
}

/** @returns one request for each of `users` users */
export function userRequests(pathBeforeUser: string, users: number): RequestList['requests'] {
  return Array.from({ length: users }, (_unused, user) => ({
    path: `${pathBeforeUser}user-${user}`,
    status: 200,
  }));
}

/** Starts Burgee with the flag `half`. */
export async function startBurgeeHalf(users: number): Promise<HalfServer> {
  const burgee = await startBurgee([halfFlagProject('peers')]);
  const id = burgee.provisioned.projects['peers']?.flags['half'] ?? '';
  return {
    name: 'burgee',
    what: `Burgee, node ${process.versions.node}: main.js serve --data-dir DIR --host 127.0.0.1 --port 0; GET /v1/flags/ID?targetingKey=USER`,
    pid: burgee.pid,
    list: { origin: burgee.origin, requests: userRequests(`/v1/flags/${id}?targetingKey=`, users) },
    isOn: (body) => (JSON.parse(body) as { readonly enabled: boolean }).enabled,
    stop: () => burgee.stop(),
  };
}
