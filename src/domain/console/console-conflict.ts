import { deny } from './console-problem.ts';

/** Nothing is written over what somebody else has stored since. @param current the view of what is stored now. */
export function denyConflict(what: string, current: unknown): ReturnType<typeof deny> {
  const detail = `The ${what} has changed since this edit began. Compare your edit with what is stored now, and send it again with the present revision.`;
  return deny('conflict', detail, { current });
}
