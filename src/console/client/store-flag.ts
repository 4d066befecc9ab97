import type { QueryClient } from '@tanstack/react-query';
import type { ConsoleFlagView } from '../../contracts/console/flag-views.ts';
import { flagQuery } from './queries.ts';
import { showFlag } from './read-flag-list.ts';

/** Puts a flag's new stored state where every page reads it. */
export async function storeFlag(client: QueryClient, flag: ConsoleFlagView): Promise<void> {
  const { id, projectId } = flag;
  const { queryKey } = flagQuery(projectId, id);
  // A reading that began before this would bring the old state back.
  await client.cancelQueries({ queryKey });
  // The answer may come after a reading that has later changes too.
  client.setQueryData(queryKey, (known) =>
    known !== undefined && known.revision > flag.revision ? known : flag,
  );
  showFlag(client, flag);
  void client.invalidateQueries({ queryKey: [projectId, 'list-project-audit'] });
}
