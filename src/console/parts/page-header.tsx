import type { ReactNode } from 'react';
import classes from './page-header.module.css';
import { usePageTitle } from './use-page-title.ts';

interface PageHeaderProps {
  readonly title: string;
  /** Above the title: where this page belongs. */
  readonly above?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHeader({ title, above, children, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        {above && <div className={classes.above}>{above}</div>}
        <h1 className={classes.title}>{title}</h1>
        {children && <div className={classes.lead}>{children}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
