import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import classes from './page-head.module.css';

/** The name of the page's project, for the window's title; null for none. */
export const TitledProject = createContext<string | null>(null);

/** Sets the window's title while the page is shown. @param title null leaves it as it is */
export function usePageTitle(title: string | null): void {
  const project = useContext(TitledProject);
  useEffect(() => {
    if (title !== null)
      document.title = [title, ...(project === null ? [] : [project]), 'Burgee'].join(' · ');
  }, [title, project]);
}

interface PageHeadProps {
  readonly title: string;
  /** Above the title: the parent of this page. */
  readonly above?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHead({ title, above, children, actions }: PageHeadProps) {
  usePageTitle(title);
  const { publicHref } = useLocation();
  return (
    <header className={classes.header}>
      <p className={classes.printed}>{`${window.location.origin}${publicHref}`}</p>
      <div className={classes.words}>
        {above && <div className={classes.above}>{above}</div>}
        <h1 className={classes.title}>{title}</h1>
        {children && <div className={classes.lead}>{children}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
