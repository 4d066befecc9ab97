import { CloseButton } from '@mantine/core';
import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import { useEffect } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import classes from './notices.module.css';
import { SafeName } from './safe-name.tsx';
import { SharedValue, useSharedValue } from './shared-value.ts';
import { SmallButton } from './small-button.tsx';

interface Notice {
  readonly id: number;
  readonly tone: 'done' | 'failed';
  readonly message: string;
  /** For a failure: the id to give when asking for help. */
  readonly requestId?: string | null;
  readonly undo?: (() => void) | undefined;
  /** Sends a failed change again. */
  readonly retry?: (() => void) | undefined;
  /** The subject of a failure: a later failure of it replaces the notice. */
  readonly about?: string;
}

const shownMax = 4;
/** A notice of success is removed after this time, which starts again when the pointer or the focus leaves the notice. */
const shownMs = 8_000;
/** The same for the newest one, if it has an Undo: a wrong change may be noticed by its effect. */
const undoableMs = 60_000;
const notices = new SharedValue<readonly Notice[]>([]);
let lastId = 0;

function dismiss(id: number): void {
  notices.set(notices.present.filter((notice) => notice.id !== id));
}

function show(notice: Omit<Notice, 'id'>): void {
  lastId += 1;
  const all = [...notices.present, { ...notice, id: lastId }];
  // A failure stays until it is dismissed: notices of success make room.
  const excess = all.filter(({ tone }) => tone === 'done').slice(0, Math.max(0, all.length - shownMax));
  notices.set(all.filter((each) => !excess.includes(each)));
}

/** Shows for some seconds what was done, with an Undo if there is one. */
export function showDone(message: string, undo?: () => void): void {
  show({ tone: 'done', message, undo });
}

interface FailureNotice {
  /** What failed, with its names: `Switching checkout off in production`. */
  readonly what: string;
  /** The same for every attempt; `what` unless given. */
  readonly about?: string;
  readonly retry?: () => void;
}

/**
 * Shows the error of a mutation whose page does not show it. The notice stays until it is dismissed, tried again, or
 * another attempt fails.
 */
export function showFailure(thrown: unknown, { what, about = what, retry }: FailureNotice): void {
  const { title, message, requestId } = toConsoleError(thrown);
  dismissFailure(about);
  show({ tone: 'failed', message: `${what}: ${title}. ${message}`, requestId, about, retry });
}

/** Dismisses the failure of an earlier attempt. */
export function dismissFailure(about: string): void {
  notices.set(notices.present.filter((notice) => notice.about !== about));
}

/** Dismisses a notice, and does what its button says. */
function act({ id, undo, retry }: Notice): void {
  dismiss(id);
  undo?.();
  retry?.();
}

/** Runs the newest notice's Undo, and closes that notice. */
export function undoNewest(): void {
  const newest = notices.present.findLast(({ undo }) => undo !== undefined);
  if (newest !== undefined) act(newest);
}

/**
 * Dismisses a notice after a time, unless it has the pointer or the focus: a button in it may be about to be pressed.
 */
function useDismissal({ id, tone, undo }: Notice, isNewest: boolean) {
  const { hovered, ref: pointed } = useHover();
  const { focused, ref: focus } = useFocusWithin();
  const stays = tone !== 'done' || hovered || focused;
  const ms = isNewest && undo !== undefined ? undoableMs : shownMs;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(dismiss, ms, id);
    return () => clearTimeout(timer);
  }, [id, stays, ms]);
  return useMergedRef(pointed, focus);
}

interface NoticeCardProps {
  readonly notice: Notice;
  readonly isNewest: boolean;
}

function NoticeCard({ notice, isNewest }: NoticeCardProps) {
  const { id, tone, message, requestId, undo, retry } = notice;
  const ref = useDismissal(notice, isNewest);
  const Icon = tone === 'failed' ? CircleAlert : CircleCheck;
  return (
    <div ref={ref} className={classes.card} data-tone={tone}>
      <Icon aria-hidden="true" />
      <div className={classes.text}>
        <SafeName name={message} />
        {requestId && <span className={classes.request}>Request {requestId}</span>}
      </div>
      {undo && <SmallButton onClick={() => act(notice)}>Undo</SmallButton>}
      {retry && <SmallButton onClick={() => act(notice)}>Try again</SmallButton>}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  );
}

/** What has just happened, in a corner of the window; also read aloud. */
export function NoticeCenter() {
  const shown = useSharedValue(notices, (present) => present);
  return (
    <section className={classes.center} aria-label="Notifications" aria-live="polite">
      {shown.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} isNewest={notice === shown.at(-1)} />
      ))}
    </section>
  );
}
