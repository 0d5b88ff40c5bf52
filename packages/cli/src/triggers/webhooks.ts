/** Webhook endpoints. Each gets an address at which nobody listens, and is deleted when its event is there. */
import type { Recipes, World } from './world.ts'

export const webhookRecipes = {
  'webhook_endpoint.created': {
    how: 'create a webhook endpoint',
    run: (world) => withEndpoint(world, async () => {}),
  },
  'webhook_endpoint.updated': {
    how: 'create a webhook endpoint, change it',
    run: (world) =>
      withEndpoint(world, (id) => world.client.webhookEndpoints.update(id, { name: 'Another name' })),
  },
  'webhook_endpoint.deleted': {
    how: 'create a webhook endpoint, delete it',
    run: (world) => withEndpoint(world, async () => {}),
  },
  'webhook_endpoint.disabled': {
    how: 'create a webhook endpoint, disable it',
    run: (world) => withEndpoint(world, (id) => world.client.webhookEndpoints.disable(id)),
  },
  'webhook_endpoint.enabled': {
    how: 'create a webhook endpoint, disable it, enable it',
    run: (world) =>
      withEndpoint(world, async (id) => {
        await world.client.webhookEndpoints.disable(id)
        await world.client.webhookEndpoints.enable(id)
      }),
  },
  'webhook_endpoint.secret_rotated': {
    how: 'create a webhook endpoint, rotate its secret (role ADMIN)',
    run: (world) => withEndpoint(world, (id) => world.client.webhookEndpoints.rotateSecret(id)),
  },
  'webhook_endpoint.test': {
    how: 'create a webhook endpoint, test it',
    run: (world) => withEndpoint(world, (id) => world.client.webhookEndpoints.test(id)),
  },
  'webhook_endpoint.failing': { why: 'An endpoint has to fail for an hour first.' },
  'webhook_endpoint.recovered': { why: 'An endpoint has to fail for an hour first, and then take an event.' },
  'delivery.exhausted': { why: 'All attempts have to fail first, and they are spread over five days.' },
} satisfies Recipes

async function withEndpoint(world: World, act: (id: string) => Promise<unknown>): Promise<string> {
  const { webhookEndpoints } = world.client
  // The type is one that nobody else waits for: nothing is sent there but what is asked for.
  const { id } = await webhookEndpoints.create({
    url: 'https://webhooks.invalid/',
    event_types: ['test_clock.failed'],
  })
  try {
    await act(id)
  } finally {
    await webhookEndpoints.delete(id)
  }
  return id
}
