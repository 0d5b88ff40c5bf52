// `npm run seed`: fills the workspace of a running `npm run dev` with examples, through the API like
// anybody else. Every object has an idempotency key, so running it again makes nothing twice.

import { Switchyard } from '@switchyard/sdk'
import { findRunning } from './development-state.ts'

const running = findRunning()
const token = process.env.SWITCHYARD_TOKEN ?? running?.tokens.test
const baseUrl = process.env.SWITCHYARD_BASE_URL ?? running?.running?.testUrl
if (token === undefined || baseUrl === undefined) {
  console.error('Start `npm run dev` first, or set SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL.')
  process.exit(1)
}
const switchyard = new Switchyard({ token, baseUrl })

const customers = [
  {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    locale: 'en-GB',
    address: { city: 'London', country: 'GB' },
  },
  {
    name: 'Café Zürich GmbH',
    email: 'rechnung@example.ch',
    locale: 'de-CH',
    tax_ids: [{ type: 'ch_vat', value: 'CHE-123.456.788' }],
  },
  {
    name: '山田 花子',
    email: 'hanako@example.jp',
    locale: 'ja-JP',
    phone: '+81312345678',
    address: { city: '東京', country: 'JP' },
  },
  { name: 'Léa Dubois', email: 'lea@example.fr', locale: 'fr-FR', metadata: { plan: 'team', seats: '12' } },
  { name: 'مها الهاشمي', email: 'maha@example.ae', locale: 'ar-AE', address: { city: 'دبي', country: 'AE' } },
]

for (const [place, customer] of customers.entries()) {
  const { id, name } = await switchyard.customers.create(customer, {
    idempotencyKey: `seed-customer-${place}`,
  })
  console.log(`${id}  ${name}`)
}
// It stands for a receiver that is down: its deliveries wait, fail and are tried again, as one can see.
const endpoint = await switchyard.webhookEndpoints.create(
  { url: 'http://127.0.0.1:8090/webhooks', event_types: ['*'], name: 'A receiver on this machine' },
  { idempotencyKey: 'seed-webhook-endpoint' },
)
console.log(`${endpoint.id}  ${endpoint.url}`)
console.log(
  `\n${customers.length} customers at ${baseUrl}. Their events: curl ${baseUrl}/events -H 'Authorization: Bearer ${token}'`,
)
