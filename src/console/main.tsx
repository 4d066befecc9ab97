import './app/mantine.css';
import './app/console.css';
import './app/touch.css';
import './app/forced-colors.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { consoleTheme } from './app/console-theme.ts';
import { createConsoleRouter } from './app/router.tsx';
import { watchAttendance } from './client/attendance.ts';
import { otherMember } from './client/console-error.ts';
import { createQueryClient } from './client/query-client.ts';
import { NoticeCenter } from './parts/notices.tsx';
import { OtherMember, otherMemberAsked } from './shell/other-member.tsx';
import { SwitchQuestions } from './switching/switch-questions.tsx';

const queryClient = createQueryClient((loss) => {
  if (loss === otherMember) return otherMemberAsked.set(true);
  const { publicHref, pathname } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { back: publicHref } });
});
const router = createConsoleRouter(queryClient);

/** The nonce of the answer that loaded this page: styles that scripts make are applied only with it. */
function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

function ConsoleApp() {
  return (
    <MantineProvider theme={consoleTheme} defaultColorScheme="auto" getStyleNonce={cspNonce}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <SwitchQuestions />
        <OtherMember />
        <NoticeCenter />
      </QueryClientProvider>
    </MantineProvider>
  );
}

// The modal's scroll lock makes a style element, and takes its nonce from the global variable of an old bundler.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });
watchAttendance(window);
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the console.');
createRoot(root).render(
  <StrictMode>
    <ConsoleApp />
  </StrictMode>,
);
