import type { QueryClient } from '@tanstack/react-query';
import { addressOf } from './address-of.ts';
import { everywhere, flagQuery, flagsQuery } from './queries.ts';

/** How often a long list is read again while others change it without pause. */
const quietMs = 300;

/** When the service refused to be watched: it may be full, or about to end. */
const reopenMs = 15_000;

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
  const pending = new PendingChanges();
  let source: EventSource;
  let applying: ReturnType<typeof setTimeout> | undefined;
  let opening: ReturnType<typeof setTimeout> | undefined;
  let wasLost = false;
  const apply = () => {
    applying = undefined;
    pending.apply(client, projectId);
  };
  const open = () => {
    source = new EventSource(addressOf('watch-project', { projectId }));
    source.addEventListener('changed', (event: MessageEvent<string>) => {
      pending.add(JSON.parse(event.data) as Changed);
      applying ??= setTimeout(apply, quietMs);
    });
    source.addEventListener('error', () => {
      wasLost = true;
      // The browser tries again by itself after a broken line, and not after a refusal.
      if (source.readyState === EventSource.CLOSED) opening = setTimeout(open, reopenMs);
    });
    // What happened while the line was down has been told to nobody.
    source.addEventListener('open', () => {
      if (wasLost) void client.invalidateQueries({ queryKey: [projectId] });
      wasLost = false;
    });
  };
  open();
  return () => {
    source.close();
    clearTimeout(applying);
    clearTimeout(opening);
  };
}
