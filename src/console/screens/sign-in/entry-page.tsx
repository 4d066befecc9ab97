import type { ReactNode } from 'react';
import { Brand } from '../../parts/brand.tsx';
import { SeaPicture } from '../../parts/drawings.tsx';
import { usePageTitle } from '../../parts/page-head.tsx';
import classes from './entry-page.module.css';

interface DoorPageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** The frame of the pages before the console: signing in, and one-time links. */
export function EntryPage({ title, children }: DoorPageProps) {
  usePageTitle(title);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <SeaPicture />
        <div className={classes.body}>
          <Brand />
          <h1 className={classes.title}>{title}</h1>
          {children}
        </div>
      </div>
    </main>
  );
}
