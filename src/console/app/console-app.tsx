import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from '../client/query-client.ts';
import { NoticeCenter } from '../parts/notice-center.tsx';
import { consoleColours, consoleTheme } from './console-theme.ts';
import { cspNonce } from './csp-nonce.ts';
import { createConsoleRouter } from './router.tsx';

const queryClient = createQueryClient(() => {
  const { publicHref, pathname } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { back: publicHref } });
});
const router = createConsoleRouter(queryClient);

export function ConsoleApp() {
  return (
    <MantineProvider
      theme={consoleTheme}
      cssVariablesResolver={consoleColours}
      defaultColorScheme="auto"
      getStyleNonce={cspNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <NoticeCenter />
      </QueryClientProvider>
    </MantineProvider>
  );
}
