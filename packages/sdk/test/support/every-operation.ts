// Calls every operation of the API once through the client, and keeps what it answered.

import type { Operations, Switchyard } from '../../src/index.ts'

export type Answers = { [Id in keyof Operations]: Operations[Id]['answer'] }

export async function callEveryOperation(
  sy: Switchyard,
  flushRequestLog: () => Promise<void>,
): Promise<Answers> {
  const workspace = await sy.workspace.get()
  const shown = await sy.apiTokens.create({ name: 'Shop server', role: 'DEVELOPER' })
  const rolled = await sy.apiTokens.roll(shown.id, { overlap_seconds: 0 })
  const customer = await sy.customers.create({
    name: 'Ada',
    email: 'ada@example.com',
    address: { country: 'GB' },
  })
  const change = { name: 'Ada Lovelace', metadata: { order: '4711' } }
  const changed = await sy.customers.update(customer.id, change)
  const got = await sy.customers.get(customer.id)
  const listed = await sy.customers.list().page()
  const events = await sy.events.list({ object_id: customer.id }).page()
  await flushRequestLog()

  return {
    'workspace.get': workspace,
    'workspace.update': await sy.workspace.update({ name: 'Another name' }),
    'people.list': await sy.people.list().page(),
    'me.get': await sy.me.get(),
    'api_tokens.create': shown,
    'api_tokens.list': await sy.apiTokens.list().page(),
    'api_tokens.roll': rolled,
    'api_tokens.revoke': await sy.apiTokens.revoke(shown.id),
    'api_tokens.get': await sy.apiTokens.get(shown.id),
    'audit_entries.list': await sy.auditEntries.list().page(),
    'requests.list': await sy.requests.list().page(),
    'requests.get': await sy.requests.get(customer.$response.requestId ?? ''),
    'customers.create': customer,
    'customers.list': listed,
    'customers.get': got,
    'customers.update': changed,
    'customers.delete': await sy.customers.delete(customer.id),
    'events.get': await sy.events.get(events.data[0]?.id ?? ''),
    'events.list': events,
    'events.stream': await firstOf(sy.events.stream({ since: new Date(Date.now() - 60_000) })),
    'event_types.list': await sy.eventTypes.list().page(),
    ...(await callWebhookOperations(sy, events.data[0]?.id ?? '')),
  }
}

async function callWebhookOperations(sy: Switchyard, eventId: string) {
  const endpoint = await sy.webhookEndpoints.create({
    // Nobody listens there: an attempt is soon over.
    url: 'http://127.0.0.1:1024/webhooks',
    event_types: ['customer.*'],
  })
  const tried = await sy.webhookEndpoints.test(endpoint.id)
  const recovery = await sy.webhookEndpoints.recover(endpoint.id, {
    since_at: new Date(Date.now() - 3_600_000).toISOString(),
  })
  return {
    'events.resend': await sy.events.resend(eventId),
    'webhook_endpoints.create': endpoint,
    'webhook_endpoints.test': tried,
    'webhook_endpoints.figures': await sy.webhookEndpoints.figures(endpoint.id),
    'deliveries.list': await sy.deliveries.list(endpoint.id, { state: 'exhausted' }).page(),
    'deliveries.get': await sy.deliveries.get(tried.id),
    'deliveries.resend': await sy.deliveries.resend(tried.id),
    'webhook_recoveries.create': recovery,
    'webhook_recoveries.list': await sy.webhookEndpoints.listRecoveries(endpoint.id).page(),
    'webhook_recoveries.get': await sy.webhookEndpoints.getRecovery(endpoint.id, recovery.id),
    'webhook_recoveries.cancel': await sy.webhookEndpoints.cancelRecovery(endpoint.id, recovery.id),
    'webhook_endpoints.list': await sy.webhookEndpoints.list().page(),
    'webhook_endpoints.get': await sy.webhookEndpoints.get(endpoint.id),
    'webhook_endpoints.update': await sy.webhookEndpoints.update(endpoint.id, { name: 'Shop' }),
    'webhook_endpoints.disable': await sy.webhookEndpoints.disable(endpoint.id),
    'webhook_endpoints.enable': await sy.webhookEndpoints.enable(endpoint.id),
    'webhook_endpoints.rotate_secret': await sy.webhookEndpoints.rotateSecret(endpoint.id),
    'webhook_endpoints.reveal_secret': await sy.webhookEndpoints.revealSecret(endpoint.id),
    'webhook_endpoints.delete': await sy.webhookEndpoints.delete(endpoint.id),
  }
}

async function firstOf<Entry>(entries: AsyncIterable<Entry>): Promise<Entry> {
  for await (const entry of entries) return entry
  throw new Error('It ended before anything came.')
}
