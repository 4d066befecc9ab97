import { SharedValue, useSharedValue } from './shared-value.ts';

interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'failed';
  readonly message: string;
  /** Of a failure: what to name when asking for help. */
  readonly requestId?: string | null;
  readonly action?: NoticeAction;
}

const shownMax = 4;
/** What went well goes by itself after so long, unless somebody is at it: then that begins anew. */
export const noticeShownMs = 8_000;
const notices = new SharedValue<readonly Notice[]>([]);
let lastId = 0;

export function dismissNotice(id: number): void {
  notices.set(notices.present.filter((notice) => notice.id !== id));
}

/** Failures stay until they are dismissed. */
export function showNotice(notice: Omit<Notice, 'id'>): void {
  lastId += 1;
  notices.set([...notices.present, { ...notice, id: lastId }].slice(-shownMax));
}

/** Does what the newest notice offers, and closes it. @returns whether there was one. */
export function runNewestAction(): boolean {
  const newest = notices.present.findLast(({ action }) => action !== undefined);
  if (newest === undefined) return false;
  dismissNotice(newest.id);
  newest.action?.run();
  return true;
}

export function useNotices(): readonly Notice[] {
  return useSharedValue(notices, (present) => present);
}
