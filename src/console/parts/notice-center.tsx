import { Button, CloseButton } from '@mantine/core';
import classes from './notice-center.module.css';
import { dismissNotice, type Notice, useNotices } from './notices.ts';

function NoticeCard({ notice }: { readonly notice: Notice }) {
  const { id, tone, message, requestId, action } = notice;
  return (
    <div className={classes.card} data-tone={tone}>
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
