import { useQuery } from '@tanstack/react-query';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { useProject } from '../../shell/project-context.ts';

export function useAudiences(): readonly AudienceView[] {
  return useQuery(audiencesQuery(useProject().id)).data?.audiences ?? [];
}

/** The name of an audience, or its id when it is gone. */
export function useAudienceName(): (id: string) => string {
  const audiences = useAudiences();
  return (id) => audiences.find((audience) => audience.id === id)?.name ?? id;
}
