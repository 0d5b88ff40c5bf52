/** Webhook endpoints. Each recipe creates one with an unreachable URL, and deletes it afterwards. */
import type { Recipes, TriggerContext } from './trigger-context.ts'

export const webhookRecipes = {
  'webhook_endpoint.created': {
    how: 'create a webhook endpoint',
    run: (context) => withEndpoint(context, async () => {}),
  },
  'webhook_endpoint.updated': {
    how: 'create a webhook endpoint, update it',
    run: (context) =>
      withEndpoint(context, (id) => context.client.webhookEndpoints.update(id, { name: 'Another name' })),
  },
  'webhook_endpoint.deleted': {
    how: 'create a webhook endpoint, delete it',
    run: (context) => withEndpoint(context, async () => {}),
  },
  'webhook_endpoint.disabled': {
    how: 'create a webhook endpoint, disable it',
    run: (context) => withEndpoint(context, (id) => context.client.webhookEndpoints.disable(id)),
  },
  'webhook_endpoint.enabled': {
    how: 'create a webhook endpoint, disable it, enable it',
    run: (context) =>
      withEndpoint(context, async (id) => {
        await context.client.webhookEndpoints.disable(id)
        await context.client.webhookEndpoints.enable(id)
      }),
  },
  'webhook_endpoint.secret_rotated': {
    how: 'create a webhook endpoint, rotate its secret (role ADMIN)',
    run: (context) => withEndpoint(context, (id) => context.client.webhookEndpoints.rotateSecret(id)),
  },
  'webhook_endpoint.test': {
    how: 'create a webhook endpoint, test it',
    run: (context) => withEndpoint(context, (id) => context.client.webhookEndpoints.test(id)),
  },
  'webhook_endpoint.failing': { why: 'An endpoint has to fail for an hour first.' },
  'webhook_endpoint.recovered': {
    why: 'An endpoint has to fail for an hour first, and then accept an event.',
  },
  'delivery.exhausted': { why: 'All attempts have to fail first, which takes five days.' },
} satisfies Recipes

async function withEndpoint(
  context: TriggerContext,
  action: (id: string) => Promise<unknown>,
): Promise<string> {
  const { webhookEndpoints } = context.client
  // Subscribe to an event type that practically never occurs, so that the endpoint gets no other deliveries.
  const { id } = await webhookEndpoints.create({
    url: 'https://webhooks.invalid/',
    event_types: ['test_clock.failed'],
  })
  try {
    await action(id)
  } finally {
    await webhookEndpoints.delete(id)
  }
  return id
}
