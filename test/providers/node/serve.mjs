import { createInterface } from 'node:readline';
import { OpenFeature } from '@openfeature/server-sdk';

/**
 * Speaks the line protocol of provider-program.ts for one provider of OpenFeature's server SDK.
 * @param makeProvider from the connection, the first line, to the provider
 */
export async function serve(makeProvider) {
  const client = OpenFeature.getClient();
  const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
  let isFirst = true;
  for await (const line of createInterface({ input: process.stdin })) {
    const read = JSON.parse(line);
    if (isFirst) {
      isFirst = false;
      await OpenFeature.setProviderAndWait(await makeProvider(read));
      write({ ready: true });
      continue;
    }
    const { value, variant, errorCode } = await client.getBooleanDetails(
      read.flag,
      read.fallback,
      read.context,
    );
    write({ value, variant: variant ?? null, error: errorCode ?? null });
  }
  await OpenFeature.close();
}
