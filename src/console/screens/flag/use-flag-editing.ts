import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import type { EnvironmentView, ProjectView } from '../../../contracts/console/project-views.ts';
import type { EditFlagBody } from '../../../operations/flags/edit-flag.ts';
import { call } from '../../client/call.ts';
import { conflictOf } from '../../client/console-error.ts';
import { audiencesQuery, flagQuery, flagsQuery } from '../../client/queries.ts';
import type { FieldChange } from '../../draft/draft.ts';
import { flagBody, flagFields, partsOfKey, stateKey } from '../../draft/flag-fields.ts';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import type { ShownChange } from '../../parts/change-words.ts';
import { useProject } from '../../shell/project-context.ts';

export interface FlagEditing {
  /** The flag as it is stored. */
  readonly flag: ConsoleFlagView;
  readonly handle: DraftHandle;
  /** Saves the whole draft. @throws what the review shows; then the draft contains the conflict. */
  save(): Promise<void>;
  /** Turns a switch at once, apart from the draft. @throws ConsoleError */
  turn(environment: string, enabled: boolean): Promise<void>;
}

/** Sends edits, and puts the stored result where every page reads it. */
function useSend({ id, projectId }: ConsoleFlagView) {
  const client = useQueryClient();
  return async (body: EditFlagBody): Promise<ConsoleFlagView> => {
    const { flag } = await call('edit-flag', { projectId, flagId: id }, body);
    const { queryKey } = flagQuery(projectId, id);
    // A reading that began before this would bring the old state back.
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, flag);
    void client.invalidateQueries({ queryKey: flagsQuery(projectId).queryKey });
    void client.invalidateQueries({ queryKey: [projectId, 'list-project-audit'] });
    return flag;
  };
}

function storedOf(flag: ConsoleFlagView) {
  return { fields: flagFields(flag), revision: flag.revision };
}

export function useFlagEditing(flag: ConsoleFlagView): FlagEditing {
  const send = useSend(flag);
  const handle = useDraft(flagFields(flag), flag.revision);
  const save = async () => {
    await saveDraft(handle, storedOf, ({ revision, edits }) => send(flagBody(revision, edits)));
  };
  const turn = async (environment: string, enabled: boolean) => {
    const states = { [environment]: { enabled } };
    const sendTurn = async (revision: number) =>
      handle.settle(storedOf(await send({ revision, states })), [stateKey(environment, 'enabled')]);
    try {
      await sendTurn(flag.revision);
    } catch (error) {
      const current = conflictOf<ConsoleFlagView>(error);
      if (current === null) throw error;
      // Somebody has changed another field meanwhile: a switch has no other fields, so it is applied on top of that.
      await sendTurn(current.revision);
    }
  };
  return { flag, handle, save, turn };
}

/** The environment with this number as a decimal; undefined in a project without environments. */
export function environmentOf(project: ProjectView, number: string): EnvironmentView | undefined {
  return project.environments.find((each) => String(each.number) === number);
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
  return (id) => audiences.find((audience) => audience.id === id)?.name ?? id;
}
