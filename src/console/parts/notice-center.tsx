import { Button, CloseButton } from '@mantine/core';
import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks';
import { useEffect } from 'react';
import classes from './notice-center.module.css';
import { dismissNotice, type Notice, noticeShownMs, useNotices } from './notices.ts';

/** Nothing goes that is pointed at or has the focus: it may be about to be pressed. */
function useLeaving({ id, tone }: Notice) {
  const { hovered, ref: pointed } = useHover();
  const { focused, ref: focus } = useFocusWithin();
  const stays = tone !== 'done' || hovered || focused;
  useEffect(() => {
    if (stays) return undefined;
    const timer = setTimeout(dismissNotice, noticeShownMs, id);
    return () => clearTimeout(timer);
  }, [id, stays]);
  return useMergedRef(pointed, focus);
}

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { id, tone, message, requestId, action } = notice;
  const ref = useLeaving(notice);
  return (
    <div ref={ref} className={classes.card} data-tone={tone}>
      <div className={classes.text}>
        {message}
        {requestId && <span className={classes.request}>Request {requestId}</span>}
      </div>
      {action && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            dismissNotice(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismissNotice(id)} />
    </div>
  );
}

/** What has just happened, in a corner; read aloud, and out of the way. */
export function NoticeCenter() {
  const notices = useNotices();
  return (
    <section className={classes.center} aria-label="Notifications" aria-live="polite">
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </section>
  );
}
