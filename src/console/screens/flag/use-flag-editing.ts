import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ConsoleFlagView, FlagChangeResult } from '../../../contracts/console/flag-views.ts';
import type { EditFlagBody } from '../../../operations/flags/edit-flag.ts';
import { call } from '../../client/call.ts';
import { conflictOf } from '../../client/console-error.ts';
import { flagQuery, flagsQuery } from '../../client/queries.ts';
import { flagBody, flagFields, stateKey } from '../../draft/flag-fields.ts';
import { type DraftHandle, useDraft } from '../../draft/use-draft.ts';

export interface FlagEditing {
  readonly handle: DraftHandle;
  /** Saves the whole draft. @throws what the review shows; a conflict is in the draft by then. */
  saveDraft(): Promise<void>;
  /** Turns a switch at once, beside the draft. @throws ConsoleError */
  turn(environment: string, enabled: boolean): Promise<void>;
}

/** Sends edits, and keeps what is stored then where every page reads it. */
function useSend(flag: ConsoleFlagView) {
  const client = useQueryClient();
  const { id, projectId } = flag;
  return useCallback(
    async (body: EditFlagBody): Promise<FlagChangeResult> => {
      const result = await call('edit-flag', { projectId, flagId: id }, body);
      const { queryKey } = flagQuery(projectId, id);
      // A reading that began before this would bring the old state back.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, result.flag);
      void client.invalidateQueries({ queryKey: flagsQuery(projectId).queryKey });
      void client.invalidateQueries({ queryKey: [projectId, 'list-project-audit'] });
      return result;
    },
    [client, id, projectId],
  );
}

function storedOf(flag: ConsoleFlagView) {
  return { fields: flagFields(flag), revision: flag.revision };
}

export function useFlagEditing(flag: ConsoleFlagView): FlagEditing {
  const send = useSend(flag);
  const handle = useDraft(flagFields(flag), flag.revision);
  const { draft, meet, settle } = handle;
  const saveDraft = async () => {
    try {
      const result = await send(flagBody(draft.revision, draft.edits));
      settle(storedOf(result.flag), 'all');
    } catch (error) {
      const current = conflictOf<ConsoleFlagView>(error);
      if (current !== null) meet(storedOf(current));
      throw error;
    }
  };
  const turn = async (environment: string, enabled: boolean) => {
    const states = { [environment]: { enabled } };
    const settleTurn = (result: FlagChangeResult) =>
      settle(storedOf(result.flag), [stateKey(environment, 'enabled')]);
    try {
      settleTurn(await send({ revision: flag.revision, states }));
    } catch (error) {
      const current = conflictOf<ConsoleFlagView>(error);
      if (current === null) throw error;
      // Somebody changed something else meanwhile: a switch says all there is to say, so it is turned on top of that.
      settleTurn(await send({ revision: current.revision, states }));
    }
  };
  return { handle, saveDraft, turn };
}
