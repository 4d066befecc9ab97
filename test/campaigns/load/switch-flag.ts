import { bearer, type ClientResponse, type HttpClient } from '../../support/http-client.ts';
import type { Acknowledgements, PatchBody } from './acknowledgements.ts';
import type { Installation } from './installation.ts';
import { pathOf } from './mixed-load.ts';

/** Switches a flag on, or off if it was on, and records the answer. @returns null if there was none */
export async function switchFlag(
  client: HttpClient,
  { single }: Installation,
  known: Acknowledgements,
): Promise<ClientResponse | null> {
  const [target] = single.targets;
  if (target === undefined) throw new Error('there is no flag');
  const request = { path: pathOf(target), headers: bearer(single.secret) };
  const read = await client.send(request).catch(() => null);
  if (read === null) return null;
  const body: PatchBody = { enabled: !(JSON.parse(read.text) as { enabled: boolean }).enabled };
  const patch = { ...request, method: 'PATCH', body: JSON.stringify(body) };
  const answer = await client.send(patch).catch(() => null);
  known.take({ kind: 'patch', target, body }, answer);
  return answer;
}
