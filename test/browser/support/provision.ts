import { provision as provisionStore } from '../../support/provisioning.ts';
import { owner } from './sign-in.ts';

interface Change {
  readonly plan?: string;
  readonly trialEndsAt?: number;
  /** Members beside the Owner. */
  readonly members?: readonly object[];
}

type Prepare = (dataDir: string, scratchDir: string) => Promise<void>;

/** Applies a file to the data directory of a stage. */
export function applied(declared: object): Prepare {
  return async (dataDir, scratchDir) => void (await provisionStore(dataDir, scratchDir, declared));
}

/**
 * Declares one project of an organisation whose Owner signs in with a password. For `prepare` of a stage.
 *
 * @param change the organisation's fields that differ from the default
 */
export function provision(project: object, { members = [], ...change }: Change = {}): Prepare {
  const everybody = [{ ...owner, role: 'owner' }, ...members];
  const organisation = {
    name: 'Acme',
    plan: 'enterprise',
    members: everybody,
    projects: [project],
    ...change,
  };
  return applied({ organisations: [organisation] });
}
