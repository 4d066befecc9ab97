import { Button, Divider, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { sessionQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/callout.tsx';

interface OpenIdButtonProps {
  /** The label of the button before the name of the provider: "Sign in with". */
  readonly verb: string;
  /** The secret of a one-time link. */
  readonly linkSecret?: string;
  /** The name that the first Owner gives the organisation. */
  readonly organisation?: string | undefined;
  readonly back?: string | undefined;
}

/** The button for signing in with the OpenID provider, below the other ways; nothing when none is configured. */
export function OpenIdButton({ verb, linkSecret, organisation, back }: OpenIdButtonProps) {
  const session = useQuery(sessionQuery);
  const start = useMutation({
    mutationFn: () =>
      call(
        'start-open-id',
        {},
        {
          ...(linkSecret === undefined ? {} : { linkSecret }),
          ...(organisation === undefined ? {} : { organisation }),
          ...(back === undefined ? {} : { back }),
        },
      ),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const name = session.data?.openIdName ?? null;
  if (name === null) return null;
  return (
    <Stack gap="md">
      <Divider label="or" />
      <Failure error={start.error} />
      <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
        {verb} {name}
      </Button>
    </Stack>
  );
}
