import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import MenuIcon from 'lucide-react/icons/menu';
import Search from 'lucide-react/icons/search';
import X from 'lucide-react/icons/x';
import { Suspense, useEffect } from 'react';
import { contentId } from '../parts/dialog.tsx';
import { PageLoading } from '../parts/page-states.tsx';
import { Keys } from './keys.tsx';
import { LiveState } from './live-state.tsx';
import { openOverlay } from './overlays.ts';
import { useCurrentProject } from './project-context.ts';
import { useRecentRecord } from './recent-records.ts';
import classes from './shell.module.css';
import { ProjectSwitcher, Sidebar } from './sidebar.tsx';

/** The frame of every page: navigation at the side, or behind a button in a narrow window. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const pathname = useLocation({ select: (location) => location.pathname });
  const project = useCurrentProject();
  useRecentRecord();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of page that closes the navigation.
  useEffect(close, [pathname, close]);
  return (
    <>
      <a className={classes.skip} href={`#${contentId}`}>
        Skip to content
      </a>
      <header className={classes.header} data-frame>
        <ActionIcon
          className={classes.headerButton}
          variant="subtle"
          color="gray"
          onClick={toggle}
          aria-label="Navigation"
          aria-expanded={isOpen}
        >
          {isOpen ? <X aria-hidden="true" /> : <MenuIcon aria-hidden="true" />}
        </ActionIcon>
        <div className={classes.headerProject}>
          <ProjectSwitcher current={project} />
        </div>
        <ActionIcon
          className={classes.headerButton}
          variant="subtle"
          color="gray"
          aria-label="Search everything"
          onClick={() => openOverlay('palette')}
        >
          <Search aria-hidden="true" />
        </ActionIcon>
      </header>
      <nav className={classes.navbar} data-frame data-open={isOpen || undefined} aria-label="Console">
        <Sidebar />
      </nav>
      <main className={classes.main}>
        <LiveState />
        <div id={contentId} className={classes.content} tabIndex={-1}>
          <Suspense fallback={<PageLoading what="the page" />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <Keys />
    </>
  );
}
