import type { ReactNode } from 'react';
import classes from './panel.module.css';

interface PanelProps {
  readonly title: ReactNode;
  /** Its name for screen readers, if the title is more than text. */
  readonly label?: string;
  readonly aside?: ReactNode;
  /** `production`: what it shows is in production. `danger`: it holds what destroys, and is the page's last part. */
  readonly tone?: 'production' | 'danger' | undefined;
  /** Its head stays one line high: a long title is cut. */
  readonly isOneLine?: boolean;
  /** Its content reaches to its edges: a list. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Panel({ title, label, aside, tone, isOneLine, isFlush = false, children }: PanelProps) {
  return (
    <section
      className={classes.panel}
      data-tone={tone}
      aria-label={label ?? (typeof title === 'string' ? title : undefined)}
    >
      <div className={classes.head} data-one-line={isOneLine || undefined}>
        <h2 className={classes.title}>{title}</h2>
        {aside}
      </div>
      <div className={classes.body} data-flush={isFlush || undefined}>
        {children}
      </div>
    </section>
  );
}
