import { ActionIcon, AppShell, Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { Suspense, useEffect } from 'react';
import { contentId } from '../parts/dialog.tsx';
import { PageLoading } from '../parts/page-states.tsx';
import { Keys } from './keys.tsx';
import { LiveState } from './live-state.tsx';
import { openOverlay } from './overlays.ts';
import { useCurrentProject } from './project-context.ts';
import { useRecentPlace } from './recent-places.ts';
import classes from './shell.module.css';
import { ProjectSwitcher, Sidebar } from './sidebar.tsx';

/** The frame of every page: navigation at the side, or behind a button in a narrow window. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const pathname = useLocation({ select: (location) => location.pathname });
  const project = useCurrentProject();
  useRecentPlace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of page that closes the navigation.
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      header={{ height: { base: 52, md: 0 } }}
      padding={0}
      transitionDuration={0}
    >
      <a className={classes.skip} href={`#${contentId}`}>
        Skip to content
      </a>
      <AppShell.Header className={classes.header} hiddenFrom="md">
        <Burger
          className={classes.headerButton}
          opened={isOpen}
          onClick={toggle}
          size="sm"
          aria-label="Navigation"
          aria-expanded={isOpen}
        />
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
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Console">
        <Sidebar />
      </AppShell.Navbar>
      <AppShell.Main>
        <LiveState />
        <div id={contentId} className={classes.content} tabIndex={-1}>
          <Suspense fallback={<PageLoading what="the page" />}>
            <Outlet />
          </Suspense>
        </div>
      </AppShell.Main>
      <Keys />
    </AppShell>
  );
}
