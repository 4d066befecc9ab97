import type { QueryClient } from '@tanstack/react-query';
import { addressOf } from './call.ts';
import { everywhere, flagQuery, flagsQuery } from './queries.ts';

/** How often a long list is read again while others change it without pause. */
const quietMs = 300;

interface Changed {
  readonly flags: readonly string[];
  readonly project: boolean;
}

/** Collects what has changed, so that a burst is one reading. */
class PendingChanges {
  readonly flags = new Set<string>();
  isProject = false;

  add({ flags, project }: Changed): void {
    for (const id of flags) this.flags.add(id);
    this.isProject ||= project;
  }

  apply(client: QueryClient, projectId: string): void {
    const invalidate = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey });
    if (this.isProject) {
      invalidate([projectId]);
      invalidate([everywhere, 'list-projects']);
    } else {
      invalidate(flagsQuery(projectId).queryKey);
      invalidate([projectId, 'list-project-audit']);
      invalidate([projectId, 'list-audiences']);
      for (const id of this.flags) invalidate(flagQuery(projectId, id).queryKey);
    }
    this.flags.clear();
    this.isProject = false;
  }
}

/**
 * Keeps what is shown of a project up to date with what others do.
 *
 * @returns what ends it
 */
export function watchProject(client: QueryClient, projectId: string): () => void {
  const source = new EventSource(addressOf('watch-project', { projectId }));
  const pending = new PendingChanges();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let wasLost = false;
  const apply = () => {
    timer = null;
    pending.apply(client, projectId);
  };
  source.addEventListener('changed', (event: MessageEvent<string>) => {
    pending.add(JSON.parse(event.data) as Changed);
    timer ??= setTimeout(apply, quietMs);
  });
  source.addEventListener('error', () => {
    wasLost = true;
  });
  // What happened while the line was down has been told to nobody.
  source.addEventListener('open', () => {
    if (wasLost) void client.invalidateQueries({ queryKey: [projectId] });
    wasLost = false;
  });
  return () => {
    source.close();
    if (timer !== null) clearTimeout(timer);
  };
}
