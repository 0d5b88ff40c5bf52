// What the author of a new connector has to do, in this order.

import type { ProviderNames } from './names.ts'

export function instructionsFor({ folder, id, variable }: ProviderNames): string {
  const path = `packages/server/src/providers/${folder}`
  return `Created ${path}. It is off, and its tests fail until it is complete. Fill in, in this order:

 1. page.ts               the documents that you work from, with their dates
 2. provider.ts           setup: credentials, settings, base URLs, how the webhook is created
 3. currencies.ts         the supported currencies, and decimal places that differ from ISO 4217
 4. request.ts            a function for each call; our reference is the idempotency key
    fixtures/kit.ts       a golden call for each step, copied from the documentation
 5. declines.ts           the provider's decline codes and ours
    response.ts           what each response proves; everything else is unknown or Unreadable
    fixtures/replies.ts   known responses with the expected outcome, their source and date; approve()
 6. webhooks.ts           verify, then parse; the event types
    fixtures/kit.ts       a signed webhook and its events
 7. provider.ts           kinds, capabilities and resolve: only what is tested and documented
 8. mutants.test.ts       at least five broken variants that the fixtures detect
 9. page.ts               what is not supported, and what no source states clearly
10. packages/server/src/providers/provider-names.ts
                          add ${id} to the names of connectors
    packages/server/src/providers/connectors.ts
                          add ${variable} to the connectors
11. npm run generate      writes docs/providers/${folder}.md
    CHANGELOG.md          add a line

Run the tests of the connector:   npx vitest run ${path}
Check format and types:           npx biome check --write ${path} && npx tsc -p .
Test it with sandbox credentials: npm run provider:smoke -- ${folder}
More about each step:             CONTRIBUTING.md, "Add a provider"
`
}
