import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { storeFlag } from '../../client/store-flag.ts';
import type { FieldChange } from '../../draft/draft.ts';
import { flagBody, flagFields, partsOfKey } from '../../draft/flag-fields.ts';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import type { ShownChange } from '../../parts/change-words.ts';
import { visibleName } from '../../parts/visible-name.ts';
import { useProject } from '../../shell/project-context.ts';
import { environmentOf } from './card-state.ts';

export interface FlagEditing {
  /** The flag as it is stored. */
  readonly flag: ConsoleFlagView;
  readonly handle: DraftHandle;
  /** Saves the whole draft. @throws what the review shows; then the draft contains the conflict. */
  save(): Promise<void>;
}

export function storedOf(flag: ConsoleFlagView) {
  return { fields: flagFields(flag), revision: flag.revision };
}

export function useFlagEditing(flag: ConsoleFlagView): FlagEditing {
  const { id: flagId, projectId } = flag;
  const client = useQueryClient();
  const handle = useDraft(flagFields(flag), flag.revision);
  const save = async () => {
    await saveDraft(handle, storedOf, async ({ revision, edits }) => {
      const sent = await call('edit-flag', { projectId, flagId }, flagBody(revision, edits));
      await storeFlag(client, sent.flag);
      return sent.flag;
    });
  };
  return { flag, handle, save };
}

/** Turns a draft's keys into lines of a diff. */
export function showFlagChange(project: ProjectView): (change: FieldChange) => ShownChange {
  return ({ key, ...values }) => {
    const { environment: number, name: field } = partsOfKey(key);
    const environment = number === null ? null : (environmentOf(project, number)?.name ?? null);
    return { environment, field, ...values };
  };
}

export function useAudiences(): readonly AudienceView[] {
  return useQuery(audiencesQuery(useProject().id)).data?.audiences ?? [];
}

/** The name of an audience, or its id when it was deleted. */
export function useAudienceName(): (id: string) => string {
  const audiences = useAudiences();
  return (id) => visibleName(audiences.find((audience) => audience.id === id)?.name ?? id);
}
