import type { Organisation } from '../organisation/organisation.ts';
import type { ConsolePrincipal } from './console-principal.ts';

/** @returns the member's organisation: the guard lets nobody without one ask for what is an organisation's. */
export function ownOrganisation({ organisation }: ConsolePrincipal): Organisation {
  if (organisation === null) throw new Error('a member without an organisation has passed the guard');
  return organisation;
}
