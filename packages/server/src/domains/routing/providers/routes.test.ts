import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

type Field = { readonly name: string }
type ListedProvider = {
  readonly id: string
  readonly proof: string | null
  readonly credentials: readonly Field[]
  readonly settings: readonly Field[]
}

const switchyard = await switchyardForThisFile()

test('the list describes what an account with each provider needs', async () => {
  const { get } = await switchyard.newWorkspace()

  const { status, body } = await get('/providers')

  expect(status).toBe(200)
  expect(body).toMatchObject({ object: 'list', has_more: false, url: '/providers' })
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
    'simulator',
    'custom',
    'stripe',
    'adyen',
    'mollie',
    'checkout_com',
    'paypal',
  ])
  expect(body.data[1]).toMatchObject({ name: 'Custom provider', credentials: [], settings: [], proof: null })
  expect(body.data[2]).toMatchObject({
    object: 'provider',
    name: 'Stripe',
    card_data: 'pan_or_token',
    card_numbers_need_approval: true,
    credentials: [
      { name: 'secret_key', label: 'Secret key', help: expect.any(String), required: true, use: 'call' },
      { name: 'signing_secret', required: false, use: 'webhook' },
    ],
    settings: [
      { name: 'publishable_key', required: false },
      { name: 'request_multicapture', required: false },
    ],
    capabilities: { kinds: ['verify', 'authorize', 'capture', 'void', 'refund'], brands: null },
    webhook: {
      signature: 'time',
      events: expect.arrayContaining(['payment_intent.succeeded']),
      help: expect.any(String),
    },
    resolution: { replay_hours: 23, lookup: 'reference', close: true, webhook: false },
    proof: 'offline',
  })
})

test('a setting can be required in the live environment only', async () => {
  const [test, live] = [await switchyard.newWorkspace('test'), await switchyard.newWorkspace('live')]
  const requiredIn = async ({ get }: typeof test) => {
    const { body } = await get('/providers')
    const adyen = body.data.find(({ id }: { id: string }) => id === 'adyen')
    return adyen.settings.flatMap(({ name, required }: { name: string; required: boolean }) =>
      required ? [name] : [],
    )
  }

  expect(await requiredIn(test)).toEqual(['merchant_account'])
  expect(await requiredIn(live)).toEqual(['merchant_account', 'live_url_prefix'])
})

test('the table in the guide has the credentials and settings of every connector', async () => {
  const guide = readFileSync(
    new URL('../../../../../../docs/guides/connect-providers.md', import.meta.url),
    'utf8',
  )
  const rows = guide.split('\n').filter((line) => /^\| [A-Z]\S* \| `\w+` \| `/.test(line))
  const { get } = await switchyard.newWorkspace('live')
  const { body } = await get('/providers')

  const named = (fields: readonly Field[]) => fields.map(({ name }) => name)
  const expected = body.data.flatMap(({ proof, id, credentials, settings }: ListedProvider) =>
    proof === null ? [] : [[id, ...named(credentials), ...named(settings)]],
  )
  expect(rows.map((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))).toEqual(expected)
})
