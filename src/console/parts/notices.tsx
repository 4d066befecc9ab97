import { CloseButton } from '@mantine/core';
import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks';
import { useEffect } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import classes from './notices.module.css';
import { SharedValue, useSharedValue } from './shared-value.ts';
import { SmallButton } from './small-button.tsx';

interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'failed';
  readonly message: string;
  /** Of a failure: what to name when asking for help. */
  readonly requestId?: string | null;
  readonly undo?: (() => void) | undefined;
}

const shownMax = 4;
/** A notice of success goes after this long. The time begins anew when the pointer or the focus leaves the notice. */
const shownMs = 8_000;
const notices = new SharedValue<readonly Notice[]>([]);
let lastId = 0;

function dismiss(id: number): void {
  notices.set(notices.present.filter((notice) => notice.id !== id));
}

function show(notice: Omit<Notice, 'id'>): void {
  lastId += 1;
  notices.set([...notices.present, { ...notice, id: lastId }].slice(-shownMax));
}

/** Says for some seconds what went well, and offers to take it back where that is possible. */
export function showDone(message: string, undo?: () => void): void {
  show({ tone: 'done', message, undo });
}

/** For mutations whose place on the page has no room for an error. It stays until it is dismissed. */
export function showFailure(thrown: unknown): void {
  const { title, message, requestId } = toConsoleError(thrown);
  show({ tone: 'failed', message: `${title}: ${message}`, requestId });
}

function takeBack({ id, undo }: Notice): void {
  dismiss(id);
  undo?.();
}

/** Takes back what the newest notice offers to, and closes that notice. */
export function undoNewest(): void {
  const newest = notices.present.findLast(({ undo }) => undo !== undefined);
  if (newest !== undefined) takeBack(newest);
}

/** Dismisses a notice after a time, unless the pointer or the focus is on it: a button in it may be about to be pressed. */
function useDismissal({ id, tone }: Notice) {
  const { hovered, ref: pointed } = useHover();
  const { focused, ref: focus } = useFocusWithin();
  const stays = tone !== 'done' || hovered || focused;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(dismiss, shownMs, id);
    return () => clearTimeout(timer);
  }, [id, stays]);
  return useMergedRef(pointed, focus);
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { id, tone, message, requestId, undo } = notice;
  const ref = useDismissal(notice);
  return (
    <div ref={ref} className={classes.card} data-tone={tone}>
      <div className={classes.text}>
        {message}
        {requestId && <span className={classes.request}>Request {requestId}</span>}
      </div>
      {undo && <SmallButton onClick={() => takeBack(notice)}>Undo</SmallButton>}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  );
}

/** What has just happened, in a corner; read aloud, and out of the way. */
export function NoticeCenter() {
  const shown = useSharedValue(notices, (present) => present);
  return (
    <section className={classes.center} aria-label="Notifications" aria-live="polite">
      {shown.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </section>
  );
}
