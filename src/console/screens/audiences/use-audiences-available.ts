import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';

/** Audiences can be created and attached on Teams and Enterprise, and on a running trial (decisions, plans). */
export function useAudiencesAvailable(): boolean {
  const { isPersonal } = useProject();
  const { organisation } = useSession();
  return !isPersonal && organisation?.isEligible === true;
}
