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
  const changed = await sy.customers.update(customer.id, {
    name: 'Ada Lovelace',
    metadata: { order: '4711' },
  })
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
    'event_types.list': await sy.eventTypes.list().page(),
  }
}
